"""Scenario: the tables of the parts put together, and the tables that belong to no part.

`Scenario` has the keys of `Setup` (simulation), of `Look` (drawing), and `output`, `limits`, `measure` and `sweep`. An
empty document is a valid scenario.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from typing_extensions import override

from boidsgen.drawing import Drawable
from boidsgen.drawing.arrangement import natural_size, natural_world
from boidsgen.output.formats import Output, refusals
from boidsgen.scenario.documents import Problem
from boidsgen.scenario.estimate import refuse_excess
from boidsgen.scenario.provenance import resolved
from boidsgen.scenario.wording import shown
from boidsgen.simulation.measuring import Measuring
from boidsgen.tables import InWords, Positive, Table, Text

Amount = Annotated[int, Field(ge=1)]  # Amounts that are allowed


A_KEY = InWords(
    'a key as in "flock.cohesion.weight"', 'keys as in "flock.cohesion.weight"', example="flock.cohesion.weight"
)
A_SCENARIO = InWords("a preset or a file", "presets or files", example="quickstart")


class Limits(Table):
    """Limits on the size of a scenario, estimated before the first step."""

    boids: Amount = 2_000_000
    """Boids and predators together."""
    frames: Amount = 1_000_000
    """Frames."""
    steps: Amount = 100_000_000
    """Steps of the simulation, those before the first frame included."""
    pixels: Amount = 64_000_000
    """Pixels of one frame."""
    total_pixels: Amount = 1_000_000_000_000
    """Pixels of all frames together."""
    neighbor_visits: Amount = 1_000_000_000_000
    """Neighbors looked at in the whole run, roughly: steps times boids times the boids within their reach."""
    runs: Amount = 100_000
    """Runs of one sweep."""


class Sweep(Table):
    """Keys that `boidsgen sweep` varies; options of the command win over it, and a single rendering ignores it."""

    vary: Mapping[str, Any] = {}
    """Dotted keys, each with a list of values, or with text as after --vary: "0.5, 1, 2" or "START:STOP:COUNT"."""
    seeds: Annotated[int, Field(ge=1)] | None = None
    """Number of independent seeds to spawn from that of the scenario; without it every run has the scenario's own."""
    independent: bool = False
    """If true, every combination has seeds of its own, for fits over combinations; if false, all have the same, which
    makes differences between them sharper."""
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


class Page(Table):
    """Pages: HTML files that play a scenario, `boidsgen render NAME -o page.html`."""

    controls: tuple[Annotated[Text, A_KEY], ...] | None = None
    """Keys of flocks and predators that have sliders, such as "flock.cohesion.weight". Default: those of the rules that
    are on, perception, speeds, maximum force and number of boids."""
    autoplay: bool = True
    """Play when the page opens, unless the reader prefers reduced motion."""


FITTED = "gif"  # The format that can be fitted to a number of bytes
SIZE_IN_3D = (1280, 720)  # Width and height of the picture of a world that has no natural one, in pixels


class Scenario(Drawable):
    """Top-level keys of a scenario."""

    extends: Annotated[Text, A_SCENARIO] | None = None
    """Preset, or path relative to this file, that supplies every setting not given here."""
    schema_version: Literal[1] = 1
    """Version of this vocabulary."""
    output: Output = Output.usual()
    """Files and frames to write."""
    limits: Limits = Limits.usual()
    """Amounts that a scenario may ask of the machine before it is refused."""
    measure: Measuring = Measuring.usual()
    """Measures that `boidsgen measure` and `boidsgen sweep` compute."""
    page: Page = Page.usual()
    """Sliders of pages."""
    sweep: Sweep = Sweep.usual()
    """Keys that `boidsgen sweep` varies."""

    @field_validator("schema_version", mode="before")
    @classmethod
    def _a_whole_number(cls, version: object) -> object:
        if type(version) is not int:  # to Python, true and 1.0 are 1
            raise ValueError(f"must be 1, not {shown(version)}")
        return version

    @override
    def __str__(self) -> str:
        """The scenario as TOML: every key that is not at its default, and the seed."""
        return resolved(self) if self.seed else f"seed = 0\n{resolved(self)}"

    def _repr_png_(self) -> bytes:
        """The first frame, for notebooks."""
        from boidsgen.drawing import Renderer  # noqa: PLC0415  most scenarios are only checked
        from boidsgen.output.png import encoded  # noqa: PLC0415
        from boidsgen.simulation.run import simulate  # noqa: PLC0415

        refuse_excess(self)
        return encoded(Renderer(self, self.picture_size)(next(simulate(self, "numpy"))))

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels; by default a pixel per unit of a flat world, and room for text."""
        if self.output.size is not None:
            return self.output.size
        world = natural_world(self)
        return natural_size(world, self.layers, self) if world else SIZE_IN_3D

    @property
    def clip_frames(self) -> int:
        """Number of frames of the clip, without those of its seam."""
        return self.pictures - self.output.loop_seam

    @property
    def duration(self) -> float:
        """Playing time of the clip in seconds, played once."""
        return self.output.clip(self.picture_size, self.clip_frames).duration

    def unfit_for(self, formats: Iterable[str]) -> Iterator[Problem]:
        """Values of `[output]` that these formats cannot write, each once."""
        for name in dict.fromkeys(formats):
            for key, reason in refusals(name, self.picture_size, self.output.fps, transparent=self.style.transparent):
                yield Problem(tuple(key.split(".")), reason)
            if self.output.max_bytes and name != FITTED:
                yield Problem(("output", "max_bytes"), f"works for {FITTED} only, not for {name}")
