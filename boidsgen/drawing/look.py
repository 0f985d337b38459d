"""Look: the part of a scenario that decides how it looks.

Every color that a scenario names is held to `OWN_CONTRAST`, as those of the themes are to `MIN_CONTRAST`. A background
of its own is held to all colors of the theme that the picture shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from operator import itemgetter
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field, field_validator

from boidsgen import exact
from boidsgen.drawing.camera import Camera
from boidsgen.drawing.canvas import OverlayLayer
from boidsgen.drawing.colorings import COLORINGS, Coloring
from boidsgen.drawing.overlays import OVERLAYS, Overlay
from boidsgen.drawing.overlays.marks import Axes, Border, WorldEdges
from boidsgen.drawing.overlays.readings import Title
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.text import FONT_ENDINGS, OUR_FONT, missing_letters, no_glyphs, typeface, unjoined
from boidsgen.drawing.themes import (
    FLOCK_COLORS,
    FORCE_COLORS,
    MIN_CONTRAST,
    OWN_CONTRAST,
    THEMES,
    BackgroundColor,
    Color,
    Theme,
    contrast,
)
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.world import A_DURATION, seconds_in
from boidsgen.tables import BoundedText, Finite, InWords, NamesFile, Positive, Table, attributes

ThemeName: TypeAlias = Literal[tuple(THEMES)]  # type: ignore[valid-type]  # packages bring more

KeyPath: TypeAlias = tuple[str | int, ...]
"""The names on the way to something in a scenario."""
EXTREMES = {"black": "#000000", "white": "#ffffff"}
"""The colors of which one has the most contrast against any background."""

A_FONT = InWords("a file or a family", "files or families", example=OUR_FONT)
A_FILM = InWords("a film or numbered pictures", "films", example="pictures/%04d.png")


class Colors(Table):
    """The theme, and colors of the scenario's own that stand in for some of it."""

    theme: ThemeName = "night"
    """Colors: night, ocean and chalk are dark, paper is white and safe for color-blind readers, plot is white with blue
    boids and red predators. Three are lit: at dusk birds darken the sky over a marsh, in the deep boids shine and
    predators leave glowing ribbons, and at the reef silver fish swim below the sun, over sand."""
    background: BackgroundColor | None = None
    """Color behind everything. Default: the theme's, as for all colors; each must stand out from the background as
    those of the themes do."""
    flocks: Annotated[tuple[Color, ...], Field(min_length=1, max_length=FLOCK_COLORS)] | None = None
    """The colors of the flocks in their order; those of the theme follow after the last."""
    predator: Color | None = None
    """The color of predators."""
    predators: Annotated[tuple[Color, ...], Field(min_length=1, max_length=FLOCK_COLORS)] | None = None
    """The colors of the kinds of predators in their order; those after the last have the color of all."""
    obstacle: Color | None = None
    """The color of obstacles."""
    focus: Color | None = None
    """The color of the boid in focus and of what it perceives."""
    forces: Annotated[tuple[Color, ...], Field(min_length=1, max_length=FORCE_COLORS)] | None = None
    """The colors of the arrows that show forces: separation, alignment, cohesion, then the others."""
    accent: Color | None = None
    """The color of the center of mass."""
    muted: Color | None = None
    """The color of axes and of names of numbers."""
    text: Color | None = None
    """The color of title, caption and numbers."""
    divider: Color | None = None
    """The color of the line between world and panel."""

    @cached_property
    def colors(self) -> Theme:
        """The theme with the scenario's own colors in it."""
        theme = THEMES[self.theme]
        own: dict[str, Any] = {
            role: value if isinstance(value, str) else (*value, *getattr(theme, role)[len(value) :])
            for role, value in self.own.items()
        }
        return replace(theme, **own)

    @property
    def own(self) -> Mapping[str, Color | tuple[Color, ...]]:
        """The colors that the scenario names, by role."""
        named = {field.name: getattr(self, field.name, None) for field in fields(Theme)}
        return {role: value for role, value in named.items() if value is not None}


LECTURE = 1.6  # Factor for what must be seen from the back row
BODY_LENGTH, CROWDED = 0.026, 0.6
"""Length of a boid as a part of the smaller side of the picture, and at most of the room that each boid has."""
FEW_BOIDS = 25  # Boids of which fewer are larger, up to twice as long: they must be found
READABLE_BODY, SMALLEST_BODY = 10.49, 4.0
"""The same in pixels: in a picture of 360 lines, a little less in smaller ones, and at least."""
MIN_BODY, MIN_TRAIL = 2.0, 0.5  # Least length of a boid that a scenario may ask for, and width of a trail, in pixels
ALONE, ROOMY, TRAILED = 5, 400, 2_000
"""Boids of which fewer get no size from a theme, since `FEW_BOIDS` makes them larger; of which more get none, since
they would overlap; and of which more get no trails, which would be a fog and slow to draw. Nor do animals that move
their bodies get trails, which look like exhaust."""
FINE_LINES = 720  # Pictures with more lines than this have wider ones

ShapeName: TypeAlias = Literal[tuple(SHAPES)]  # type: ignore[valid-type]  # packages bring more
ColoringName: TypeAlias = Literal[tuple(COLORINGS)]  # type: ignore[valid-type]


Share = Annotated[
    str,
    Field(pattern=r"^[12]?\d(\.\d{1,9})?%$"),
    InWords('a share as in "1.2%", below 30%', 'shares as in "1.2%", below 30%', example="1.2%"),
]
"""A length as a share of the picture's smaller side."""


def in_pixels(length: float | str, size: tuple[int, int], least: float) -> float:
    """A length, or a share of the smaller side of a picture of (width, height) pixels, in pixels; at least so many."""
    return max(least, min(size) * float(length[:-1]) / 100) if isinstance(length, str) else length


class Style(Colors):
    """Appearance of the animals and of texts."""

    font: Annotated[BoundedText, A_FONT, NamesFile(FONT_ENDINGS)] | None = None
    """Font of all texts: a file, relative to the current directory, or the name of an installed family. If it lacks a
    character of a text, the text uses the default font, or else a system font that has it. Default: Source Sans Pro,
    which comes with boidsgen: Latin, Greek and Cyrillic."""

    transparent: bool = False
    """Render without a background, for clips and figures on slides: gif, png, webp, avif, apng, webm, mov, svg and pdf
    can; lit themes cannot. Colors are chosen against the background, so choose a theme that is as dark or as bright as
    the slide. A gif has no pixels that are partly transparent: edges there are blended with `background`."""
    shape: ShapeName = "dart"
    """The look of a boid."""
    shapes: Annotated[tuple[ShapeName, ...], Field(min_length=1, max_length=FLOCK_COLORS)] | None = None
    """Shapes of the flocks in their order, so that they differ not only in color; those after the last have `shape`."""
    color_by: ColoringName = "flock"
    """Meaning of the color of a boid; depth in 3D only, group = boids that fly together."""
    trails: Annotated[int, Field(ge=0, le=1000)] = 0
    """Length of the fading trail of each animal, in frames; 0 = no trails."""
    trail_width: Annotated[float, Field(ge=MIN_TRAIL, le=8)] | Share | None = None
    """Width of trails, and of the paths of an exposure: pixels, or a share of the picture's smaller side as in "0.5%".
    Short and wide trails look like bending bodies: the tail is where the head was. Default: that of thin lines, a pixel
    up to 720 lines."""
    scale: Literal["screen", "lecture"] = "screen"
    """Intended viewing distance: a screen, or the back row of a large room, with larger text, boids and lines."""
    size: Annotated[float, Field(ge=MIN_BODY, le=200)] | Share | None = None
    """Length of a boid: pixels, or a share of the picture's smaller side as in "1.2%", so that a picture of any size
    shows the same; in 3D at the center of the world. Default: from picture size and number of boids."""

    exposure: Annotated[int, Field(ge=0)] | Annotated[str, A_DURATION] = 0
    """Long exposure, in stills of one frame: the paths of all boids in the last so many frames, or in so much playing
    time as in "5s"; 0 = none. Predators leave lines, and the last frame is seen over all. The camera stands still as in
    that frame; one that follows the flock shows all paths. It replaces trails."""
    poster: Annotated[int, Field(ge=0)] | None = None
    """Number of the frame that stands for the clip, counted from 0: in `boidsgen still` without --at, and in galleries.
    Where the clip is shorter, it is the last frame; where an exposure is longer, the first that shows all of it.
    Default: the last frame, in galleries one near the middle."""
    poster_exposure: Annotated[int, Field(ge=0)] = 0
    """Long exposure of the poster alone, in frames; 0 = none. Frames that are asked for by their number, runs that are
    too short for it, and transparent pictures stay as they are."""
    poster_center: tuple[Finite, Finite] | None = None
    """Point of a flat torus in the middle of the poster alone, in world units: a flock across an edge is whole there.
    Posters with axes or without a background, of runs that end earlier, and of worlds where more than animals has a
    place, stay as they are. Default: the center of the world."""
    shutter: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Motion blur, in clips and in stills as pixels: part of the time between two frames for which the shutter is open;
    0 = none, 0.5 = as in most films, 1 = all of it. Each picture is the mean of two to sixteen instants, by the way of
    the fastest animal, and takes as many times as long to draw. The camera, trails and marks stay sharp."""
    predator_trails: Annotated[int, Field(ge=0, le=1000)] | None = None
    """The same for predators alone. Default: as `trails`."""
    predator_shape: ShapeName | None = None
    """Shape of a predator. Default: like a boid; in a lit theme a falcon among birds, a shark among fish, and a
    hollow barb among others."""
    predator_size: Annotated[float, Field(ge=0.2, le=20)] = 1.75
    """Length of a drawn predator, as a multiple of that of a boid."""

    @field_validator("exposure")
    @classmethod
    def _in_seconds(cls, value: int | str) -> int | str:
        if isinstance(value, str):
            seconds_in(value)
        return value

    @property
    def hunter(self) -> str:
        """The shape of predators."""
        return self.predator_shape or (SHAPES[self.shape].hunter if self.colors.light else self.shape)

    def shape_of(self, flock: int) -> str:
        """The shape of a flock, by its number."""
        return (self.shapes or ())[flock] if flock < len(self.shapes or ()) else self.shape

    @property
    def hunters_trails(self) -> int:
        """For how many frames the path of each predator stays visible."""
        return self.trails if self.predator_trails is None else self.predator_trails

    def length(self, size: tuple[int, int], count: int) -> float:
        """Length of a boid in a picture of (width, height) pixels with so many boids, in pixels."""
        if self.size is not None:
            return self.enlarged * in_pixels(self.size, size, MIN_BODY)
        side, spacing = min(size), float(np.sqrt(size[0] * size[1] / max(count, 1)))
        alone = min(np.sqrt(np.sqrt(FEW_BOIDS / max(count, 1))), 2.0)
        usual = max(alone, 1.0) * max(
            BODY_LENGTH * side, min(READABLE_BODY, READABLE_BODY * exact.power(side / 360, "0.45"))
        )
        return self.enlarged * max(min(usual, CROWDED * spacing), SMALLEST_BODY)

    @property
    def enlarged(self) -> float:
        """Factor of sizes, 1 on a screen."""
        return LECTURE if self.scale == "lecture" else 1.0

    def trail_pen(self, size: tuple[int, int]) -> float:
        """Width of trails in a picture of (width, height) pixels, in pixels."""
        width = self.trail_width
        return self.pen(size) if width is None else self.enlarged * in_pixels(width, size, MIN_TRAIL)

    def pen(self, size: tuple[int, int]) -> float:
        """Factor of the width of thin lines, in a picture of (width, height) pixels."""
        return self.enlarged * max(min(size) / FINE_LINES, 1.0)


class BackgroundVideo(Table):
    """A film behind the animals of a flat world, seen by a camera at rest, in any format but gif."""

    dimensions: ClassVar = (2,)

    video: Annotated[BoundedText, A_FILM, NamesFile()] | None = None
    """Film: a file, or numbered pictures as in "pictures/%04d.png", relative to the current directory. No output
    embeds it, and pages do not show it."""
    dim: Annotated[float, Field(ge=0, le=1)] = 0.3
    """Part of the background color that is mixed into the film."""
    scale: Positive | None = None
    """World units per pixel of the film. Default: the film is as wide as the world."""
    origin: tuple[Finite, Finite] | None = None
    """Pixel of the film at the lower left corner of the world, counted from its upper left corner. Default: the
    lower left corner of the film."""
    start: Annotated[int, Field(ge=0)] = 0
    """Number of the first frame of the film that is shown."""
    fps: Positive | None = None
    """Frames of the run per second of the film. Default: one for each frame of the film."""


class Look(Table):
    """Title, camera, style and overlays."""

    title: BoundedText = ""
    """Name of the scenario, shown at the top left of every frame; empty = none."""
    camera: Camera = Camera.default()
    """Viewpoint."""
    style: Style = Style.default()
    """Appearance of the animals."""
    overlay: Overlay = Overlay.default()
    """Everything drawn besides the animals."""
    background: BackgroundVideo = BackgroundVideo.default()
    """A film behind the animals."""


class Drawable(Look, Setup):
    """All that a renderer needs to know: what happens, and how it looks."""

    @property
    def theme_defaults(self) -> Mapping[str, Any]:
        """The theme's defaults for dotted keys of this scenario, without those that do not fit its world and flocks."""
        theme = THEMES[self.style.theme]
        given = {**theme.defaults, **(theme.defaults_3d if self.world.dimension == 3 else {})}
        boids = sum(flock.count for flock in self.flock)
        unfit = {
            "camera.follow": self.world.boundary.leads_round
            or self.camera.center
            or any("camera.center" in event.set for event in self.events),
            "style.color_by": len(self.flock) > 1 or self.style.flocks,  # they have colors of their own
            "style.size": not ALONE <= boids <= ROOMY,
            "style.trails": boids > TRAILED
            or any(SHAPES[self.style.shape_of(number)].beat for number in range(len(self.flock))),
        }
        return {key: value for key, value in given.items() if not unfit.get(key)}

    @cached_property
    def layers(self) -> tuple[OverlayLayer, ...]:
        """The title, if there is one, the overlays that are asked for, and what the camera needs; a panel below all."""
        title, flat = Title.model_construct(title=self.title), not self.style.colors.light
        # Their keys have been checked; to check them once more would cost a tenth of the time until the first frame.
        every = (
            kind.model_construct(**{name: getattr(self.overlay, name) for name in attributes(kind).values()})
            for kind in OVERLAYS.values()
        )
        asked = [layer for layer in every if layer.wanted(self)]
        bare = self.world.dimension == 3 and not any(isinstance(layer, Axes) for layer in asked)
        edged = flat and (self.camera.follows or (bare and self.world.boundary.leads_round))
        needed = (title, title.wanted(self)), (WorldEdges.default(), edged), (Border.default(), True)
        drawn = (layer for layer, there in needed if there and layer.wanted(self))
        return tuple(sorted((*drawn, *asked), key=lambda layer: not layer.panel))

    @cached_property
    def coloring(self) -> Coloring:
        """The meaning of the colors of boids."""
        return COLORINGS[self.style.color_by](lit=self.style.colors.light is not None)

    @property
    def sentences(self) -> dict[KeyPath, str]:
        """Title and captions by their keys, those that are empty too."""
        texts: dict[KeyPath, str] = {("title",): self.title, ("overlay", "caption"): self.overlay.caption}
        texts |= {("events", number, "caption"): event.caption or "" for number, event in enumerate(self.events)}
        return texts

    @property
    def unwritable(self) -> Iterator[tuple[KeyPath, str]]:
        """The texts in the pictures that cannot be drawn as they are written: keys and reason."""
        texts = dict(self.sentences)
        if self.overlay.legend:
            texts |= {("flock", number, "name"): flock.name for number, flock in enumerate(self.flock)}
            texts |= {("predators", number, "name"): table.name for number, table in enumerate(self.predators)}
        texts |= {("overlay", "words", word): text for word, text in self.overlay.words.items()}
        with typeface(self.style.font):
            lost = [(keys, missing_letters(text), unjoined(text)) for keys, text in texts.items()]
        yield from ((keys, no_glyphs(letters)) for keys, letters, _ in lost if letters)
        yield from ((keys, f"needs Pillow with raqm to join {letters}") for keys, _, letters in lost if letters)

    @property
    def misplaced(self) -> Iterator[tuple[KeyPath, str]]:
        """Keys that look strange in a landscape: animals that cannot fly, and flat worlds that go on beyond edges."""
        style, light = self.style, self.style.colors.light
        if light is None or light.background["kind"] != "marsh":
            return
        for number in range(len(self.flock)):
            name = style.shape_of(number)
            if SHAPES[name].beat and not SHAPES[name].winged:
                key: KeyPath = ("style", "shapes", number) if number < len(style.shapes or ()) else ("style", "shape")
                yield key, f"{name} is no bird, and theme {style.theme} shows the sky; take bird, or theme reef"
                break
        if self.world.dimension == 2 and self.world.boundary.jumps:
            wrong = f"{style.theme} is a landscape, and who leaves this flat world comes in on the other side"
            yield ("style", "theme"), f"{wrong}; take theme deep, or a world of three sides"

    @property
    def faint(self) -> Iterator[tuple[KeyPath, str]]:
        """The colors of its own that nobody would see, and a background against which those of the theme are lost."""
        colors, shown = self.style, self.layers
        theme, flat = colors.colors, [name for name, other in THEMES.items() if not other.light]
        for role, value in colors.own.items():
            behind, least = theme.behind(role), OWN_CONTRAST.get(role, 0.0)
            ratios = ((name, contrast(extreme, behind)) for name, extreme in EXTREMES.items())
            best, most = max(ratios, key=itemgetter(1))
            for number, color in enumerate([value] if isinstance(value, str) else value):
                if role != "background" and contrast(color, behind) < least:
                    wanted = f"must have a contrast of at least {least:g} to 1 against the background {behind}"
                    found = f"{_rounded(contrast(color, behind))}; {best} has {_rounded(most)}"
                    key: KeyPath = ("style", role) if isinstance(value, str) else ("style", role, number)
                    yield key, f"{wanted}, not {found}"
        if colors.background is None:
            return
        if theme.light:
            if colors.background != THEMES[colors.theme].background:
                advice = f"take theme {' or '.join(flat)} instead"
                yield ("style", "background"), f"theme {colors.theme} paints a ground of its own; {advice}"
        elif lost := _lost(colors, shown, self):
            others = [colors.model_copy(update={"theme": name}) for name in flat]
            fitting = [other.theme for other in others if not _lost(other, shown, self)]
            advice = f"take theme {' or '.join(fitting)}" if fitting else "name these, too, or another background"
            ratio = ", ".join(
                f"{role} {_rounded(ratio)} (at least {MIN_CONTRAST[role]:g})" for role, ratio in lost.items()
            )
            wording = f"colors of theme {colors.theme} have too little contrast against {theme.background}: {ratio}"
            yield ("style", "background"), f"{wording}; {advice}"


def inks(scenario: Drawable) -> dict[str, Color]:
    """Colors by role, from what may be covered to what must be read; only the roles that occur."""
    theme, shown = scenario.style.colors, scenario.layers
    used = _used(shown, scenario)
    below = {role: getattr(theme, role) for role in ("obstacle", "muted") if role in used}
    boids = {f"boid {number}": color for number, color in enumerate(scenario.coloring.colors(theme, scenario))}
    above = {role: getattr(theme, role) for role in ("accent", "focus", "predator") if role in used}
    kinds = {f"predator {number}": color for number, color in enumerate(theme.predators[: len(scenario.predators)])}
    own = {role: color for layer in shown for role, color in layer.inks(theme, scenario).items()}
    if theme.light and scenario.overlay.legend and scenario.coloring.ordered:
        own["ramp"] = theme.text
    return below | boids | above | kinds | own | {role: getattr(theme, role) for role in ("text",) if role in used}


def _used(shown: Sequence[OverlayLayer], setup: Setup) -> set[str]:
    return {role for layer in shown for role in layer.roles} | ({"predator"} if setup.predators else set())


def _lost(colors: Colors, shown: Sequence[OverlayLayer], scenario: Drawable) -> dict[str, float]:
    """The roles of the theme's own colors that the picture shows and that nobody would see, each with its contrast."""
    theme = colors.colors
    seen = {role: [getattr(theme, role)] for role in _used(shown, scenario)}
    seen["forces"] = [color for layer in shown for color in layer.inks(theme, scenario).values()]
    own = scenario.coloring.colors(theme, scenario)[:: scenario.coloring.steps]  # without those between them
    seen[scenario.coloring.role] = list(own)
    named = {color for value in colors.own.values() for color in ([value] if isinstance(value, str) else value)}
    lowest = {
        role: min((contrast(color, theme.behind(role)) for color in shades if color not in named), default=np.inf)
        for role, shades in seen.items()
    }
    return {role: ratio for role, ratio in lowest.items() if ratio < MIN_CONTRAST[role]}


def _rounded(ratio: float) -> str:
    """Rounded down, so that what is too little never looks like enough."""
    return f"{int(ratio * 10) / 10:g}"
