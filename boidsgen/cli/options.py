"""Options that several commands share, and the overrides they stand for.

A type here is an option: commands annotate their parameters with it. `overrides(settings, name=value, …)` turns `--set`
and the options that are short for a key of the scenario into overrides; `_KEYS` says which key each is short for.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from boidsgen import system
from boidsgen.cli.completion import scenario_names, settings
from boidsgen.errors import UsageError

if TYPE_CHECKING:
    from boidsgen.scenario.overrides import Override


def _meant_by(words: list[str]) -> list[str]:
    return [name for word in words for name in system.meant_by(word)]


Scenarios = Annotated[
    list[str],
    typer.Argument(
        callback=_meant_by,
        metavar="SCENARIO...",
        help="A path, the name of a preset, or - for standard input.",
        autocompletion=scenario_names,
    ),
]
OneScenario = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A path, the name of a preset, or - for standard input.",
        autocompletion=scenario_names,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set any key of the scenario, as in flock.count=80. Repeatable.",
        autocompletion=settings,
    ),
]
Frames = Annotated[int | None, typer.Option(metavar="N", help="Number of frames.")]
Fps = Annotated[float | None, typer.Option(metavar="F", help="Frames a second.")]
Size = Annotated[
    str | None, typer.Option(metavar="WxH", help="Width and height in pixels, as in 640x360, or square or vertical.")
]
Seed = Annotated[int | None, typer.Option(metavar="S", help="Source of all randomness.")]
Quality = Annotated[str | None, typer.Option(metavar="Q", help="draft, standard or high.")]
ClipFormat = Annotated[str | None, typer.Option("--format", metavar="FORMAT", help="A format that `doctor` lists.")]
Engine = Annotated[str, typer.Option(metavar="ENGINE", help="auto, or an engine that `doctor` lists.")]
Measures = Annotated[
    list[str] | None, typer.Option("--measure", metavar="NAME", help="Compute only this measure. Repeatable.")
]
First = Annotated[int | None, typer.Option("--from", metavar="FRAME", help="First frame that is measured.")]
After = Annotated[float | None, typer.Option(metavar="TIME", help="Measure only after this simulated time.")]
Every = Annotated[int | None, typer.Option(metavar="N", help="Measure every N-th frame, counted back from the last.")]
NoClobber = Annotated[bool, typer.Option("--no-clobber", help="Leave an output that exists as it is, and fail.")]
Strict = Annotated[bool, typer.Option("--strict", help="Treat what was probably not intended as a mistake.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no notices.")]
AsJson = Annotated[bool, typer.Option("--json", help="Report results and failures as one JSON object per line.")]
Open = Annotated[bool, typer.Option("--open", help="Open the result with the system's program for such files.")]

LAST = "last"
"""What `--at` calls the last frame."""
MAX_DIGITS = 18
"""Digits of a whole number on the command line; more are a typing slip, and Python refuses to convert thousands."""

_KEYS = {
    "frames": "time.frames",
    "fps": "output.fps",
    "size": "output.size",
    "seed": "seed",
    "quality": "output.quality",
    "format": "output.format",
    "measure": "measure.names",
    "from": "measure.from",
    "after": "measure.after",
    "every": "measure.every",
}
"""Options that are short for a key."""


def overrides(given_settings: Sequence[str] | None, **options: object) -> list["Override"]:
    """The overrides of `--set`, then those of options that are short for a key; the latter win."""
    from boidsgen.scenario.overrides import Override, from_text

    named = (
        Override(_KEYS[name], _value(name, given), f"--{name} {_typed(given)}")
        for name, given in options.items()
        if given is not None
    )
    return [*(from_text(letters(text)) for text in given_settings or ()), *named]


def _typed(given: object) -> str:
    """What follows an option, as somebody types it."""
    if isinstance(given, list):
        return ",".join(map(str, given))
    return f"{given:g}" if isinstance(given, float) else str(given)


def letters(text: str) -> str:
    """A text from the command line; in a locale without its letters Python hands over what stands for bytes.

    Raises:
        UsageError: when it is not UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(text).decode()
        except UnicodeDecodeError:
            raise UsageError(f"{text!a}: is not UTF-8") from None
    return text


def measuring(
    names: Sequence[str] | None, first: int | None, after: float | None, every: int | None
) -> dict[str, object]:
    """What the options about measuring ask for, as options for `overrides`."""
    return {"measure": list(names) if names else None, "from": first, "after": after, "every": every}


def frame_number(at: str) -> int | None:
    """The number that `--at` gives, or None for the last frame.

    Raises:
        UsageError: when it is neither a number nor `last`.
    """
    if at == LAST:
        return None
    if not is_number(at):
        raise UsageError(f"--at {at}: must be the number of a frame, counted from 0, or last")
    return int(at)


def frame_numbers(at: str) -> list[int | None]:
    """The numbers that `--at` gives, separated by commas; None for the last frame.

    Raises:
        UsageError: when one is neither a number nor `last`.
    """
    return [frame_number(part.strip()) for part in at.split(",")]


def is_number(text: str) -> bool:
    """Whether a text is a whole number from 0."""
    return text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS


def _value(name: str, given: object) -> object:
    return _size(str(given)) if name == "size" else given


def _size(text: str) -> list[int] | str:
    from boidsgen.output.formats import SIZES

    if text in SIZES:
        return text
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(is_number(side) for side in sides):
        raise UsageError(f"--size {text}: must look like 640x360, or be {' or '.join(SIZES)}")
    return [int(side) for side in sides]
