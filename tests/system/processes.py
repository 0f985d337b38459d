"""Which processes there are, asked of the system itself, so that a test sees what a program leaves behind."""

import subprocess
import sys


def children(parent):
    """The numbers and names of the processes that a process has started and that still run."""
    return {number: name for number, above, name in processes() if above == parent}


def running():
    """The numbers of all processes."""
    return {number for number, _, _ in processes()}


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Entry(ctypes.Structure):
        """PROCESSENTRY32W."""

        _fields_ = (
            ("size", wintypes.DWORD),
            ("usage", wintypes.DWORD),
            ("number", wintypes.DWORD),
            ("heap", ctypes.c_size_t),
            ("module", wintypes.DWORD),
            ("threads", wintypes.DWORD),
            ("parent", wintypes.DWORD),
            ("priority", wintypes.LONG),
            ("flags", wintypes.DWORD),
            ("name", wintypes.WCHAR * 260),
        )

    def processes():
        """Number, number of the parent, and name of each."""
        kernel = ctypes.WinDLL("kernel32")
        kernel.CreateToolhelp32Snapshot.restype = wintypes.HANDLE
        snapshot = wintypes.HANDLE(kernel.CreateToolhelp32Snapshot(2, 0))
        entry = _Entry(size=ctypes.sizeof(_Entry))
        more = kernel.Process32FirstW(snapshot, ctypes.byref(entry))
        while more:
            yield entry.number, entry.parent, entry.name
            more = kernel.Process32NextW(snapshot, ctypes.byref(entry))
        kernel.CloseHandle(snapshot)

else:

    def processes():
        """Number, number of the parent, and name of each that is not dead."""
        command = ["ps", "-A", "-o", "pid=,ppid=,stat=,comm="]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            number, above, state, name = line.split(None, 3)
            if not state.startswith("Z"):
                yield int(number), int(above), name
