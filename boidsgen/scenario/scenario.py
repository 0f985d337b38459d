"""Scenario: the tables of all parts put together, the tables that belong to no part, and provenance.

`Scenario` has the keys of `Setup` (simulation), of `Look` (drawing), and `output`, `limits`, `measure` and `sweep`. An
empty document is a valid scenario.

Every output embeds its provenance, to show how it was made: the scenario written back as TOML, which loads to the same
scenario. That is a comment with the versions, then every key that is not at its default, and always the seed; it does
not contain where, when or by whom the output was made.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from math import log10, prod
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator
from typing_extensions import override

from boidsgen import plugins
from boidsgen.drawing.look import Drawable
from boidsgen.drawing.renderer import natural_size, natural_world
from boidsgen.errors import MAX_ORIGIN, LimitError, join_words, printable
from boidsgen.output.formats import FITTED, FORMATS, PAGES, Output, refusals
from boidsgen.scenario.documents import ExcessError, Problem, refuse_oversized
from boidsgen.scenario.lessons import A_KEY, A_WORDING, MAX_LESSON_STEPS, Attempt, Session, Try
from boidsgen.scenario.wording import MAX_INTEGER, bound_text, to_toml
from boidsgen.simulation.measures import Measuring
from boidsgen.simulation.obstacles import Obstacle
from boidsgen.simulation.rules.pursuit import Species
from boidsgen.simulation.rules.rule import listed
from boidsgen.simulation.run import animals, neighbor_visits
from boidsgen.simulation.setup import FOREIGN, Flock, Predators, State
from boidsgen.simulation.world import seconds_in
from boidsgen.tables import (
    BoundedText,
    Finite,
    InWords,
    Key,
    NamesFile,
    OneOrSeveral,
    Positive,
    PositiveOrInfinite,
    Table,
    attributes,
    has_tables,
    keys_of,
    value_at,
)
from boidsgen.version import __version__

Amount = Annotated[int, Field(ge=1)]  # Amounts that are allowed


A_CONTROL = InWords("a key or a slider with a range", "keys and sliders with a range", example="flock.cohesion.weight")
A_SCENARIO = InWords("a preset or a file", "presets or files", example="quickstart")


_NONE: Mapping[str, Any] = MappingProxyType({})
_LONG = 100.0  # Seconds from which on parts of them are not told


def counted(number: int, thing: str) -> str:
    """A number of things, as in `1 boid` or `2 boids`."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


class Limits(Table):
    """Limits on the size of a scenario, estimated before the first step."""

    boids: Amount = 2_000_000
    """Boids and predators together."""
    frames: Amount = 1_000_000
    """Frames."""
    steps: Amount = 100_000_000
    """Steps of the simulation, including those before the first frame."""
    pixels: Amount = 64_000_000
    """Pixels of one frame."""
    total_pixels: Amount = 1_000_000_000_000
    """Pixels of all frames together."""
    neighbor_visits: Amount = 1_000_000_000_000
    """Neighbors examined in the whole run, estimated as steps times boids times the boids in their range."""
    runs: Amount = 100_000
    """Runs of one sweep."""
    positions: Amount = 5_000_000
    """Positions in a recording of tracks, or in a long exposure whose camera follows the flock: frames times animals,
    whether seen or not."""


class Sweep(Table):
    """Keys that `boidsgen sweep` varies; command-line options override it, and a single render ignores it."""

    vary: Mapping[str, Any] = {}
    """Dotted keys, each with a list of values, or with text as after --vary: "0.5, 1, 2" or "START:STOP:COUNT"."""
    seeds: Annotated[int, Field(ge=1)] | None = None
    """Number of independent seeds to spawn from that of the scenario; without it every run has the scenario's own."""
    independent: bool = False
    """If true, every combination has its own seeds, for fits over combinations; if false, all have the same, which
    makes differences between them clearer."""
    until: Mapping[str, Positive] = {}
    """Standard errors of means over seeds, such as "error.polarization" = 0.01: each combination gets more seeds, from
    eight up to the number in `seeds`, until they are reached. Only for runs that are measured, not drawn."""
    zip: bool | Annotated[tuple[str, ...], Field(min_length=2)] = False
    """Pair the values, first with first and second with second, instead of crossing them: of all keys, or of those in
    this list, which then count as one."""

    @field_validator("vary")
    @classmethod
    def _lists_or_text(cls, vary: Mapping[str, Any]) -> Mapping[str, Any]:
        for key, values in vary.items():
            if not isinstance(values, tuple | str) or not values:
                raise ValueError(f'{key} must be a list of values or text such as "0:1:5"')
        return vary


KEYBOARD_KEYS = "0123456789abcdeghijkmnopqrsuvwxyz"  # Keys of the keyboard that a scenario may use
KEYS_DO = ("reset", "spawn")  # What they may do besides switching a rule


class SliderRange(Table):
    """A slider with a range and a step of its own."""

    key: Annotated[BoundedText, A_KEY]
    """Key of a flock or of predators."""
    min: Finite
    """Lowest value."""
    max: Finite
    """Highest value."""
    step: Positive
    """Distance between two values of the slider."""


class Click(Table):
    """A click: it places a point that boids seek, until it is clicked again or replaced by the next one."""

    dimensions: ClassVar = (2,)

    weight: Finite = 1.0
    """Factor on the steering toward the point; negative = away from it."""
    radius: PositiveOrInfinite = float("inf")
    """Range in world units; inf = everywhere."""


class Page(Table):
    """Pages: HTML files that play a scenario, `boidsgen render NAME -o page.html`."""

    controls: tuple[Annotated[BoundedText | SliderRange, A_CONTROL], ...] | None = None
    """Keys of flocks and predators that have sliders, such as "flock.cohesion.weight", or with a range as in
    { key = "flock.cohesion.weight", min = 0, max = 5, step = 0.1 }. Default: those of the rules that are on,
    perception, speeds, maximum force and number of boids."""
    keys: Mapping[str, BoundedText] = {}
    """Keyboard keys, letters from a to z and digits, and what each does: the weight of a rule, such as
    "flock.separation.weight", is switched off and on; "reset" resets all weights that have a key;
    "spawn" adds boids to the first flock, at the pointer or, if that is not over the picture, as at the start.
    F, L and T are keys of every page."""
    spawn: Annotated[int, Field(ge=1)] = 10
    """Boids that "spawn" adds."""
    click: Click | None = None
    """Click in the picture, in place of the tools Attract and Repel."""
    right_click: Click | None = None
    """Right click in the picture, whatever the tool."""
    language: Literal["", "en", "de", "fr", "es"] = ""
    """Language of the page's words and numbers; "" = that of the browser, or English if pages lack it. Texts of the
    scenario stay as they are, but for the lessons of presets."""
    autoplay: bool = True
    """Play when the page opens, unless the reader prefers reduced motion."""
    question: BoundedText | None = None
    """Question shown above the picture."""
    words: Annotated[BoundedText, A_WORDING] | None = None
    """Text below the picture that changes with the numbers. In braces are measures, `neighbors` (the mean number of
    boids within the perception radius) and keys, whose numbers can be dragged: {groups}, {neighbors:.1f},
    {flock.cohesion.weight}."""
    try_: Annotated[tuple[Try, ...], OneOrSeveral, Field(max_length=MAX_LESSON_STEPS, alias="try")] = ()
    """Steps of a lesson, in order."""
    session: Session | None = None
    """Session that was exported from the page of a lesson; pages write it, and `boidsgen collect` reads it."""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The attempts at each step, in the exported session."""
        known = self.session.attempts if self.session else ()
        texts = self.session.predictions if self.session else {}
        old = (step.guessed(texts.get(f"{number}")) for number, step in enumerate(self.try_, 1))
        return tuple(known[number] if number < len(known) else one for number, one in enumerate(old))


def _words(name: str) -> str:
    return name.replace("_", " ")


SIZE_IN_3D = (1280, 720)  # Width and height of the picture of a world that has no natural one, in pixels


class Scenario(Drawable):
    """Top-level keys of a scenario."""

    extends: Annotated[BoundedText, A_SCENARIO, NamesFile()] | None = None
    """Preset, or path relative to this file, that supplies every setting not given here."""
    schema_version: Literal[1] = 1
    """Version of the scenario format."""
    output: Output = Output.default()
    """Files and frames to write."""
    limits: Limits = Limits.default()
    """Amounts of work beyond which a scenario is refused."""
    measure: Measuring = Measuring.default()
    """Measures that `boidsgen measure` and `boidsgen sweep` compute."""
    page: Page = Page.default()
    """Sliders, keys, clicks and lessons of pages."""
    sweep: Sweep = Sweep.default()
    """Keys that `boidsgen sweep` varies."""

    @override
    def __str__(self) -> str:
        """The scenario as TOML: every key that is not at its default, and the seed."""
        return toml_of_non_defaults(self) if self.seed else f"seed = 0\n{toml_of_non_defaults(self)}"

    def _repr_png_(self) -> bytes:
        """The first frame, for notebooks."""
        from boidsgen.drawing.renderer import Renderer  # noqa: PLC0415  most scenarios are only checked
        from boidsgen.output.pictures import encoded  # noqa: PLC0415
        from boidsgen.simulation.run import simulate  # noqa: PLC0415

        self.refuse_excess()
        return encoded(Renderer(self, self.picture_size)(next(simulate(self, "numpy"))))

    @cached_property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels; by default a pixel per unit of a flat world, and room for text."""
        if self.output.size is not None:
            return self.output.size
        world = natural_world(self)
        return natural_size(world, self.layers, self) if world else SIZE_IN_3D

    @property
    def exposed_frames(self) -> int:
        """Number of frames whose paths a still shows, 0 for none."""
        exposure = self.style.exposure
        if isinstance(exposure, int):
            return exposure
        return max(1, round(min(seconds_in(exposure) * self.output.fps, MAX_INTEGER)))

    @property
    def poster(self) -> int | None:
        """Number of the frame that stands for the clip, as far as the clip and its exposure have it; None if unset."""
        wanted = self.style.poster
        return None if wanted is None else min(max(wanted, self.exposed_frames - 1), self.time.frames - 1)

    @property
    def posed(self) -> "Scenario":
        """The scenario as its poster shows it: with its exposure, if the run has so many frames up to there."""
        style, frames = self.style, self.style.poster_exposure
        short = self.poster is None or self.poster + 1 < frames
        if short or style.exposure or style.transparent or self.background.video:
            return self
        return self.model_copy(update={"style": style.model_copy(update={"exposure": frames})})

    @property
    def poster_center(self) -> tuple[float, float] | None:
        """Point of the world in the middle of the poster; None for the world's own, or where not all can move."""
        style, rules = self.style, [rule for one in (*self.flock, *self.predators) for rule in one.tables.values()]
        placed = any(rule is not None and rule.placed for rule in rules)
        staying = any((placed, self.obstacles, self.attractors, self.fields, self.overlay.axes, style.transparent))
        repeats = self.world.dimension == 2 and self.world.periods.all()
        return style.poster_center if repeats and not staying and self.poster == style.poster else None

    def posed_states(self, states: Iterable[State]) -> Iterable[State]:
        """States as the poster shows them: moved along in a torus where it has a center of its own."""
        center = self.poster_center
        return (state.centered(center) for state in states) if center else states

    @property
    def clip_frames(self) -> int:
        """Number of frames of the clip, without those of its seam."""
        return self.pictures - self.seam

    @property
    def seam(self) -> int:
        """Number of frames that are cross-faded; none where there are fewer than twice as many."""
        return self.output.loop_seam if self.time.frames >= 2 * self.output.loop_seam else 0

    @property
    def seam_bytes(self) -> int:
        """Memory for the frames that wait for the cross-fade: palette entries, and all colors if a file has them."""
        lit = self.style.colors.light is not None
        return self.seam * prod(self.picture_size) * (1 + lit + 3 * (lit and self.output.format != "gif"))

    def looping_in(self, formats: Collection[str]) -> "Scenario":
        """The scenario of a clip in these formats; without a cross-fade where the clip stops on its last frame."""
        loop, clips = self.output.loop, {*formats} - {*PAGES}  # a page plays on, and saves clips of its own
        loops = all(FORMATS[name].loops for name in clips) if loop is None or not clips else loop != 1
        if loops or not self.seam:
            return self
        return self.model_copy(update={"output": self.output.model_copy(update={"loop_seam": 0})})

    @property
    def duration(self) -> float:
        """Playing time of the clip in seconds, played once."""
        return self.output.clip(self.picture_size, self.clip_frames).duration

    @property
    def alt(self) -> str:
        """A sentence for those who do not see the clip: who moves by which rules, where and for how long."""
        return self.alt_in({self.output.format})

    def alt_in(self, formats: Collection[str]) -> str:
        """The same about a clip in these formats."""
        seconds = self.looping_in(formats).duration
        time = f"{seconds:.3g}" if seconds < _LONG else f"{seconds:,.0f}"
        return self._sentence(f"for {time} second{'s' * (time != '1')}")

    def alt_at(self, frames: Sequence[int]) -> str:
        """The same about a picture of these frames."""
        return self._sentence(f"in frame{'s' * (len(frames) > 1)} {join_words([f'{one:,}' for one in frames], 'and')}")

    def _sentence(self, when: str) -> str:
        groups = [self._told("flock", at, flock) for at, flock in enumerate(self.flock)]
        groups += [self._told("predators", at, predators) for at, predators in enumerate(self.predators)]
        size = " × ".join(map(bound_text, self.world.size))
        pulls = [
            one.weight
            for at, one in enumerate(self.attractors)
            if one.weight or f"attractors.{at}.weight" in self.later
        ]
        repelling = sum(weight < 0 for weight in pulls)
        things = {"obstacle": len(self.met()), "attractor": len(pulls) - repelling, "repelling point": repelling}
        things["field"] = sum(one.weight != 0 for one in self.fields)
        there = [counted(many, thing) for thing, many in things.items() if many]
        among = f", with {join_words(there, 'and')}" if there else ""
        kind = {"torus": "periodic"}.get(self.world.boundary.kind, self.world.boundary.kind)
        place = f"in a world of {size} units with {kind} boundaries{among}"
        moves = "moves" if [one.count for one in (*self.flock, *self.predators)] == [1] else "move"
        return f"{self.title or 'Flocking'}: {join_words(groups, 'and')} {moves} {place}, {when}."

    @cached_property
    def later(self) -> frozenset[str]:
        """The keys that events set, to more than nothing, with the numbers of their tables."""
        keys = (key for event in self.events for key, value in event.set.items() if value)
        return frozenset(key if key.split(".")[1].isdecimal() else key.replace(".", ".0.", 1) for key in keys)

    @property
    def doubtful_fields(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Keys about fields that move nobody or are stretched, with the reason."""
        for number, field in enumerate(self.fields):
            if not field.weight and f"fields.{number}.weight" not in self.later:
                yield ("fields", number, "weight"), "is 0: the field moves nobody, and no event sets it"
            if field.on == "predators" and all(table.carried for table in self.predators):
                there = "a path carries them all" if self.predators else "there are none"
                yield ("fields", number, "on"), f"is predators, and {there}: the field moves nobody"
            if misfit := field.misfit(self.world):
                yield ("fields", number), misfit

    def met(self, changing: Collection[str] = ()) -> tuple[Obstacle, ...]:
        """The obstacles that push, are solid, or are avoided, at first, after an event or as these keys change."""
        changing = {*changing, *self.later}
        groups = [
            (f"{kind}.{at}", one) for kind in ("flock", "predators") for at, one in enumerate(getattr(self, kind))
        ]
        for where, group in groups:
            for name, rule in group.tables.items():
                looks = name == "avoid" or name in FOREIGN
                if looks and rule is not None and (rule.weight or f"{where}.{name}.weight" in changing):
                    return self.obstacles
        return tuple(
            one
            for at, one in enumerate(self.obstacles)
            if one.weight or one.solid or {f"obstacles.{at}.{key}" for key in ("weight", "solid")} & changing
        )

    def _told(self, kind: str, at: int, group: Flock | Predators) -> str:
        """The number of animals that a group has at first, and what moves them in the run."""
        later, shares = self.later, {one.key: round(one.share * group.count) for one in group.individual}
        rules = [
            name
            for name, rule in listed({name: rule for name, rule in group.tables.items() if rule is not None}).items()
            if (rule.weight != 0 or f"{kind}.{at}.{name}.weight" in later)
            and (self.predators or not rule.predator_requests())
        ]
        few = {name: shares[key] for name in rules if shares.get(key := f"{name}.weight", group.count) < group.count}
        rules = [_words(name) for name in rules if name not in few]
        if isinstance(species := group.tables.get("species"), Species) and "species" in rules:
            others = {"hunting": species.hunt, "fleeing from": species.flee}
            moved = [f"{what} {join_words(names, 'and')}" for what, names in others.items() if names]
            rules[rules.index("species") : rules.index("species") + 1] = moved
        if isinstance(group, Predators) and group.path is not None:
            path = f"{group.path.kind} path"
            rules = [f"on a {path}"] if group.carried else [path if name == "path" else name for name in rules]
        if group.angular_noise or f"{kind}.{at}.angular_noise" in later:
            rules.append("angular noise")
        one = "boid" if kind == "flock" else "predator"
        count = counted(group.count, one) + " at first" * (f"{kind}.{at}.count" in later)
        count += f" from frame {group.from_}" if group.from_ else ""
        count += f" until frame {group.until}" if group.until is not None else ""
        shared = [join_words(rules, "and")] if rules else []
        told = ", and ".join([*shared, *(f"{_words(name)} in {many} of them" for name, many in few.items())])
        if group.name in {"", "boids", "predators"}:
            return f"{count}{f' ({told})' if told else ''}"
        return f"{group.name} ({count}{f'; {told}' if told else ''})"

    def cost(self, *, drawn: bool = True) -> dict[str, int]:
        """The amount of everything that has a limit, by its name; of pixels only where they are drawn."""
        pixels = prod(self.picture_size) if drawn else 0
        return {
            "boids": animals(self),
            "frames": self.time.frames,
            "steps": self.steps,
            **({"pixels": pixels, "total_pixels": pixels * self.pictures} if drawn else {}),
            "neighbor_visits": neighbor_visits(self),
        }

    def excess(self, *, drawn: bool = True, more: Mapping[str, int] = _NONE) -> list[str]:
        """A line about each amount beyond its limit, those of pictures only where they are drawn, and `more`."""
        limits, lines = dict(self.limits), []
        for name, amount in {**self.cost(drawn=drawn), **more}.items():
            what = name.replace("_", " ")
            if amount > MAX_INTEGER:
                power = int(log10(amount))
                lines.append(f"about 10^{power} {what} requested, {limits[name]:,} allowed; no limit can allow that")
            elif amount > limits[name]:
                raised = f"--set limits.{name}={amount} allows it"
                lines.append(f"{amount:,} {what} requested, {limits[name]:,} allowed; {raised}")
        return lines

    def refuse_excess(self, label: str = "", *, drawn: bool = True, more: Mapping[str, int] = _NONE) -> None:
        """Raise LimitError for a scenario beyond its limits, with its label where there may be several."""
        if lines := self.excess(drawn=drawn, more=more):
            raise LimitError("\n".join(f"{label}: {line}" if label else line for line in lines))

    def unfit_for(self, formats: Iterable[str]) -> Iterator[Problem]:
        """Values of `[output]` that these formats cannot write, each once."""
        for name in dict.fromkeys(formats):
            for key, reason in refusals(name, self.picture_size, self.output.fps, transparent=self.style.transparent):
                yield Problem(tuple(key.split(".")), reason)
            if self.output.max_bytes and name not in FITTED:
                yield Problem(("output", "max_bytes"), f"works for {join_words(FITTED)} only, not for {name}")


# Provenance

_MADE_WITH = re.compile(r"^# boidsgen \S+, numpy \S+, pillow \S+((?:, (?!rules of )[^\s,]+ [^\s,]+)+)", re.MULTILINE)
"""The comment of `versions` where packages stand in it."""
STATES_FROM = "# states from "  # Beginning of the comment of an output whose states were not made by its scenario
RULES_OF_PROGRAM = "rules of a program: "  # What the comment of versions says of them, at its end
BY_PAGE = "# drawn by a page, whose browser paints other pixels than boidsgen\n"


def toml_of_non_defaults(scenario: Scenario) -> str:
    """One line of TOML for each key at the top that is not at its default, and a comment with those of the theme."""
    lines = [f"{name} = {to_toml(value)}\n" for name, value in non_defaults(scenario, scenario.theme_defaults).items()]
    return "".join([*(f"# {line}\n" for line in from_theme(scenario)), *lines])


def from_theme(scenario: Scenario) -> tuple[str, ...]:
    """A line that names the values in force that are the theme's defaults, where there are any."""
    defaults = scenario.theme_defaults.items()
    given = [f"{key} = {to_toml(value)}" for key, value in defaults if value_at(scenario, key.split(".")) == value]
    return (f"theme {scenario.style.theme}: {', '.join(given)}",) if given else ()


def non_defaults(table: Table, defaults: Mapping[str, object] = _NONE, path: str = "") -> dict[str, object]:
    """The keys of a table that differ from their defaults, and the one that selects its kind; tables come last.

    Args:
        table: to be written.
        defaults: those of dotted keys that differ from the usual ones.
        path: the dotted key of the table, with a dot at its end.
    """
    found: list[tuple[bool, str, object]] = []
    for key, normal in _defaults(type(table)):
        inner, usual = getattr(table, key.attribute), defaults.get(path + key.name, normal)
        value = non_defaults(inner, defaults, f"{path}{key.name}.") if isinstance(inner, Table) else _plain(inner)
        if key.is_tag or (value is not None and value != usual):
            found.append((has_tables(inner), key.name, value))
    return {key: value for _, key, value in sorted(found, key=lambda one: one[0])}


@cache
def _defaults(table: type[Table]) -> tuple[tuple[Key, object], ...]:
    """The keys of a table, the one that selects its kind first, each with its default as it is written."""
    found = (keys_of(table)[name] for name in attributes(table))
    return tuple((key, _plain(key.default)) for key in sorted(found, key=lambda key: not key.is_tag))


def _plain(value: object) -> object:
    """A value without classes; two tables are alike when they are written alike."""
    if isinstance(value, Table):
        return non_defaults(value)
    if isinstance(value, tuple):
        return tuple(_plain(entry) for entry in value)
    return value


def provenance(scenario: Scenario, own_rules: Mapping[str, str] = _NONE, states_from: str = "") -> str:
    """The text that outputs of this scenario embed; it loads to the same scenario.

    Args:
        scenario: whose output it is.
        own_rules: sources of rules that a program has added, which nothing executes, by their names.
        states_from: name of the file that the states come from, where they may not be those of the scenario.

    Raises:
        LimitError: when the text could not be read again.
    """
    return check_readable(f"{makers(own_rules, states_from)}{scenario}")


def check_readable(text: str) -> str:
    """The text itself; LimitError when a reader of an output with this text would refuse it."""
    try:
        refuse_oversized(text)
    except ExcessError as error:
        raise LimitError(f"the scenario could not be read again from its output: {error}") from None
    if len(text.encode()) > MAX_ORIGIN:
        wanted = f"{len(text.encode()):,} bytes with every number written out, and {MAX_ORIGIN:,} are allowed"
        raise LimitError(f"the scenario could not be read again from its output: {wanted}")
    return text


def makers(own_rules: Mapping[str, str] = _NONE, states_from: str = "") -> str:
    """The comments in front of an embedded scenario; see `provenance`."""
    if not states_from:
        return versions(own_rules)
    made_by = f"{STATES_FROM}{json.dumps(states_from)}, changed or made elsewhere, not from this scenario\n"
    return versions(own_rules) + made_by


def versions(own_rules: Mapping[str, str] = _NONE) -> str:
    """Comments with the versions on which the frames of a scenario depend, and the rules that a program has added."""
    import numpy as np  # noqa: PLC0415  after them everything else
    import PIL  # noqa: PLC0415

    parts = (f"boidsgen {__version__}", f"numpy {np.__version__}", f"pillow {PIL.__version__}", *plugins.packages())
    parts += (f"{RULES_OF_PROGRAM}{' and '.join(own_rules)}",) if own_rules else ()
    lines = (printable(line.expandtabs()) for text in own_rules.values() for line in text.splitlines())
    return "".join([f"# {', '.join(parts)}\n", *(f"# | {line}\n" for line in lines)])


def absent(text: str) -> tuple[str, ...]:
    """The packages, with their versions, that a text names as its makers and that are not installed here."""
    found = _MADE_WITH.search(text)
    return tuple(package for package in found[1].split(", ")[1:] if package not in plugins.packages()) if found else ()
