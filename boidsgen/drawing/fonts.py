"""Fonts: ours, the one that a scenario names, and those of the system for characters that these lack.

A line of text is in one font: the chosen one if it has all of its characters, else ours, else the first of the system
that has them. Ours is laid out by Pillow alone, letter after letter, so that a machine's own libraries do not matter;
others by raqm where Pillow has it, which joins and orders the letters of Arabic, Devanagari and their like.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple, Unpack

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

OURS = "Source Sans Pro"
"""Adobe, SIL Open Font License 1.1; comes with the package: Latin, Greek, Cyrillic and the signs of arithmetic."""
NO_CHARACTER = "\uffff"  # A character that no font has; it is drawn like all missing glyphs
MAX_LETTERS = 10  # Characters that a report names
ENDINGS = {".ttf", ".otf", ".ttc"}
JOINED = "\u0590", "\u1cff"
"""From Hebrew to Vedic: scripts that are written to the left, or whose letters change with their neighbors."""
Given = TypeVarTuple("Given")
Result = TypeVar("Result")
_CHOSEN: ContextVar[str] = ContextVar("font", default=OURS)


@contextmanager
def typeface(name: str | None) -> Iterator[None]:
    """Until the end of the block texts are in this font, a file or the name of a family; None = ours."""
    token = _CHOSEN.set(name or OURS)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def cached(maxsize: int) -> Callable[[Callable[[Unpack[Given]], Result]], Callable[[Unpack[Given]], Result]]:
    """Keep the last results of a function of texts, for each typeface its own."""

    def decorated(function: Callable[[Unpack[Given]], Result]) -> Callable[[Unpack[Given]], Result]:
        @lru_cache(maxsize)
        def known(chosen: str, given: tuple[*Given]) -> Result:
            return function(*given)

        def answer(*given: *Given) -> Result:
            return known(_CHOSEN.get(), given)

        return answer

    return decorated


def chosen_font() -> str:
    """The font that was chosen: `OURS`, or a file."""
    return find_font(_CHOSEN.get()) or OURS


def font_of(text: str) -> str:
    """The font of a line of text: `OURS`, or a file."""
    return _font_of(text, _CHOSEN.get())


@cache
def _font_of(text: str, chosen: str) -> str:
    first = list(dict.fromkeys((find_font(chosen) or OURS, OURS)))
    for name in first:
        if not lacking(text, name):
            return name
    return min((*first, *system_fonts()), key=lambda name: len(lacking(text, name)))


@cache
def lacking(text: str, name: str) -> str:
    """The characters of a text that a font lacks, each once, in their order."""
    font = opened(name, 20)
    unknown = bytes(font.getmask(NO_CHARACTER))
    return "".join(one for one in dict.fromkeys(text) if not one.isspace() and bytes(font.getmask(one)) == unknown)


def missing(text: str) -> str:
    """The characters of a text that none of the fonts has, each once, in their order."""
    return lacking(text, font_of(text))


def no_glyphs(letters: str, font: str = "the font") -> str:
    """The words that report characters which a font lacks."""
    return f"{font} has no {' '.join(letters[:MAX_LETTERS])}; shown as a box"


def unjoined(text: str) -> str:
    """The characters of a text that this Pillow draws one by one, although their script joins or orders them."""
    return "" if _layout(None) else "".join(one for one in dict.fromkeys(text) if JOINED[0] <= one <= JOINED[1])


@lru_cache(maxsize=32)
def opened(name: str, size: int) -> "FreeTypeFont":
    """A font, `OURS` or a file, at a size in pixels."""
    from PIL import ImageFont  # noqa: PLC0415  who only checks a scenario must not wait for it

    file = BytesIO(font_file()) if name == OURS else name
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout(_layout(name)))


@lru_cache(maxsize=2)
def font_file(name: str = OURS) -> bytes:
    """The content of a font, `OURS` or a file."""
    ours = files("boidsgen.drawing") / "fonts" / "SourceSansPro-Regular.otf"
    return ours.read_bytes() if name == OURS else Path(name).read_bytes()


def _layout(name: str | None) -> int:
    """0 = letter after letter, 1 = by raqm."""
    from PIL import features  # noqa: PLC0415  who only checks a scenario must not wait for it

    return int(name != OURS and bool(features.check("raqm")))


@cache
def find_font(name: str) -> str | None:
    """The font of a name: `OURS`, a file or a family of the system; None if there is none."""
    if name == OURS or Path(name).suffix.lower() in ENDINGS:
        return name if name == OURS or Path(name).is_file() else None
    return next((file for file in system_fonts() if opened(file, 20).getname()[0] == name), None)


@cache
def system_fonts() -> tuple[str, ...]:
    """The font files of this system that can be scaled, upright sans serifs of usual weight first."""
    found = []
    for path in sorted({path for place in _folders() for path in place.rglob("*") if path.suffix.lower() in ENDINGS}):
        with suppress(OSError):  # damaged, or with pictures instead of outlines
            family, style = opened(str(path), 20).getname()
            plain = style in {"Regular", "Book", "Roman", "Normal"}
            found.append((not plain, "Sans" not in (family or ""), "Mono" in (family or ""), str(path)))
    return tuple(path for *_, path in sorted(found))


def _folders() -> list[Path]:
    """Where the system keeps fonts."""
    home = Path.home()
    if sys.platform == "darwin":
        return [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts", home / "AppData/Local/Microsoft/Windows/Fonts"]
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return [home / ".local/share/fonts", home / ".fonts", *(Path(one) / "fonts" for one in shared.split(":"))]
