"""Holders: the programs on Windows that have a file open, which therefore can be neither replaced nor removed.

in_the_way(path)  these programs, in words
"""

import ctypes
import sys
from contextlib import suppress
from ctypes import wintypes
from pathlib import Path

assert sys.platform == "win32"  # noqa: S101  tells type checkers whose names these are


def in_the_way(path: Path) -> str:
    """The programs that hold a file open, as the restart manager of Windows knows them."""
    with suppress(OSError, AttributeError):
        return ", ".join(_users_of(path)) or "another program"
    return "another program"


class _UniqueProcess(ctypes.Structure):
    _fields_ = (("number", wintypes.DWORD), ("started", wintypes.FILETIME))


class _Application(ctypes.Structure):
    """RM_PROCESS_INFO."""

    _fields_ = (
        ("process", _UniqueProcess),
        ("name", wintypes.WCHAR * 256),
        ("service", wintypes.WCHAR * 64),
        ("kind", ctypes.c_int),
        ("status", wintypes.ULONG),
        ("session", wintypes.DWORD),
        ("restartable", wintypes.BOOL),
    )


def _users_of(path: Path) -> list[str]:
    """The names of the applications that use a file. Raises OSError."""
    manager = ctypes.WinDLL("rstrtmgr")
    session, key = wintypes.DWORD(), ctypes.create_unicode_buffer(33)
    if manager.RmStartSession(ctypes.byref(session), 0, key):
        raise OSError
    try:
        names = (wintypes.LPCWSTR * 1)(str(path.absolute()))
        manager.RmRegisterResources(session, 1, names, 0, None, 0, None)
        needed, given, reasons = wintypes.UINT(), wintypes.UINT(8), wintypes.DWORD()
        found = (_Application * 8)()
        manager.RmGetList(session, ctypes.byref(needed), ctypes.byref(given), found, ctypes.byref(reasons))
        return [application.name for application in found[: given.value] if application.name]
    finally:
        manager.RmEndSession(session)
