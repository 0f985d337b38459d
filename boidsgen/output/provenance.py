"""Provenance: the scenario that an output embeds, read back.

Files are recognized by their first bytes, not by their names, and may come from anywhere. Each writer knows how its
files begin and where the scenario is (`Writer.signs`, `Writer.comment`).
"""

import os
from errno import EINVAL, EISDIR
from pathlib import Path
from typing import Any

from boidsgen.errors import ScenarioError
from boidsgen.output.base import DAMAGE, Writer
from boidsgen.output.figures import FIGURE_WRITERS
from boidsgen.output.formats import WRITERS
from boidsgen.output.recording import TRAJECTORY_WRITERS

_KINDS: tuple[type[Writer[Any]], ...] = (*WRITERS.values(), *FIGURE_WRITERS.values(), *TRAJECTORY_WRITERS.values())
CARRIERS = tuple(kind for kind in _KINDS if kind.signs)
"""Formats that embed the scenario."""
MAX_SIGN = 16
"""Bytes at the beginning of a file that identify its format."""


def origin(path: Path, label: str) -> str | None:
    """The embedded text of a file, which messages call `label`; None for a file in none of our formats.

    Raises:
        ScenarioError: the file embeds none, or is damaged.
        OSError: it cannot be read.
    """
    if path.is_dir():  # not every system raises this by itself
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    damaged = ScenarioError([f"{label}: is damaged: the scenario that it carries cannot be read"])
    with path.open("rb") as file:
        start = file.read(MAX_SIGN)
        kind = next((kind for kind in CARRIERS if bears_sign(kind, start)), None)
        if kind is None:
            return None
        file.seek(0)
        try:
            text = kind.comment(file).decode()
        except DAMAGE:
            raise damaged from None
        except OSError as error:
            if error.errno not in {None, EINVAL}:  # raised by a library, or for a seek before the beginning
                raise
            raise damaged from None
    if not text:
        raise ScenarioError([f"{label}: carries no scenario; boidsgen did not make it"])
    return text


def bears_sign(kind: type[Writer[Any]], start: bytes) -> bool:
    """True if a file that begins with these bytes has this format."""
    return any(start.startswith(sign, place) for place, sign in kind.signs)
