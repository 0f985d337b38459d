"""Provenance: the scenario that a picture, a clip or a saved run carries, read back.

`origin(path, label)` gives the text, or None when the file is none of these. Files are recognized by how they begin,
not by their names, and come from anywhere: whatever stands in them, the answer is a text or a clear word about what is
wrong. How a format begins and where it keeps the text its writer says (`Writer.signs`, `Writer.comment`).
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
"""Formats whose files carry their scenario."""
MAX_SIGN = 16
"""So many bytes at the beginning of a file tell its format."""


def origin(path: Path, label: str) -> str | None:
    """The text that a file carries; None for a file that is none of ours.

    Raises:
        ScenarioError: when the file carries none, or is damaged.
        OSError: when it cannot be read.
    """
    if path.is_dir():  # not every system says so itself
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    with path.open("rb") as file:
        start = file.read(MAX_SIGN)
        kind = next((kind for kind in CARRIERS if bears_sign(kind, start)), None)
        if kind is None:
            return None
        file.seek(0)
        try:
            text = kind.comment(file).decode()
        except DAMAGE:
            raise _damaged(label) from None
        except OSError as error:
            if error.errno not in {None, EINVAL}:  # a place before the beginning, or words of a library
                raise
            raise _damaged(label) from None
    if not text:
        raise ScenarioError([f"{label}: carries no scenario; boidsgen did not make it"])
    return text


def _damaged(label: str) -> ScenarioError:
    return ScenarioError([f"{label}: is damaged: the scenario that it carries cannot be read"])


def bears_sign(kind: type[Writer[Any]], start: bytes) -> bool:
    """Whether a file that begins so is of this format."""
    return any(start.startswith(sign, place) for place, sign in kind.signs)
