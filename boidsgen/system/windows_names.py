"""Names on Windows: which of them it would not give to a file, and how words are typed on a command line.

name_refusal(path)  why the system would not make a file of this name, or None
device_refusal(path)  why nothing should be read by this name, or None
quoted(word)        a word for a command line, as it would be typed
meant_by(word)      the files that a word on a command line means
"""

import ctypes
import glob
import os
import re
import sys

assert sys.platform == "win32"  # noqa: S101  tells type checkers whose names these are

_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"}
_DEVICES |= {f"{kind}{number}" for kind in ("com", "lpt") for number in "123456789¹²³"}
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_FORBIDDEN = '<>"|?*'
_DEVICES_BEGIN = "\\\\.\\"
_WILDCARDS = "*?"

MAX_NAME, MAX_PATH = 255, 259
"""Letters of a name, and of a whole path where long ones are not allowed."""
PART = 52
"""Letters of what grows beside an output at most: the name of a folder and of a picture in it."""


def name_refusal(path: str) -> str | None:
    """Names of devices, streams of files, letters that Windows keeps for itself, and what is too long for it."""
    if refusal := device_refusal(path):
        return refusal
    drive, rest = os.path.splitdrive(path)
    if drive.endswith(":") and not rest.startswith(("/", "\\")):
        return "a colon names a drive or a stream of a file on Windows; choose another name"
    return next((reason for name in _names(rest) if (reason := _refusal_of(name))), None) or _refusal_of_length(path)


def device_refusal(path: str) -> str | None:
    """Devices, wherever they seem to be: to open one may fail oddly, and to read from one may never end."""
    if path.replace("/", "\\").startswith(_DEVICES_BEGIN):
        return "names a device of Windows; choose another name"
    device = next((start for name in _names(os.path.splitdrive(path)[1]) if _is_device(start := _start(name))), None)
    return f"{device} is the name of a device on Windows; choose another name" if device else None


def _names(path: str) -> list[str]:
    """What stands between backslashes and is the name of something."""
    return [name for name in path.replace("/", "\\").split("\\") if name not in {"", ".", ".."}]


def _start(name: str) -> str:
    """What comes before the first dot or colon: Windows looks no further when it looks for a device."""
    return re.split("[.:]", name, maxsplit=1)[0]


def _is_device(start: str) -> bool:
    return start.strip().lower() in _DEVICES


def _refusal_of_length(path: str) -> str | None:
    folder, last = os.path.split(os.path.abspath(path))  # noqa: PTH100  links stay
    if len(folder) + 1 + max(len(last), PART) <= MAX_PATH or _long_paths():
        return None
    return f"a path on this Windows has at most {MAX_PATH} letters; choose a shorter one, or allow long paths"


def _refusal_of(name: str) -> str | None:
    """Why one name between backslashes is none."""
    if ":" in name:
        return "a colon names a stream of a file on Windows; choose another name"
    if name.endswith((".", " ")):
        return "a name on Windows cannot end with a dot or a space"
    if len(name.encode("utf-16-le", "surrogatepass")) > 2 * MAX_NAME:
        return f"a name on Windows has at most {MAX_NAME} letters"
    bad = next((letter for letter in name if letter in _FORBIDDEN or ord(letter) < ord(" ")), None)
    return f"a name on Windows cannot contain {bad!r}" if bad else None


def _long_paths() -> bool:
    """Whether paths may be longer than they were for thirty years: a setting of this machine."""
    try:
        allowed = ctypes.WinDLL("ntdll").RtlAreLongPathsEnabled
        allowed.restype = ctypes.c_ubyte
        return bool(allowed())
    except AttributeError:  # before Windows 10 there was no such setting
        return False


def quoted(word: str) -> str:
    """A word as it would be typed: in double quotes, which programs take away by the rules of the C runtime.

    A backslash is quoted for shells that came from elsewhere; to those of Windows it makes no difference.
    """
    if _PLAIN.fullmatch(word):
        return word
    return '"' + re.sub(r'(\\*)("|$)', lambda found: 2 * found[1] + ("\\" + found[2] if found[2] else ""), word) + '"'


def meant_by(word: str) -> list[str]:
    """What a word with * or ? means, in order, or the word itself: no shell of Windows does this for a program."""
    if not any(letter in word for letter in _WILDCARDS):
        return [word]
    return sorted(glob.glob(word.replace("[", "[[]"))) or [word]  # noqa: PTH207  names stay as they are written
