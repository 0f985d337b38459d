"""Nothing but `boidsgen.system` uses what only POSIX systems have."""

import subprocess
import sys
import textwrap

import pytest

HIDING = """
    import builtins, os, signal, sys, types

    MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}
    NAMES = {
        "os": {"O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "fork", "getpgid", "getpgrp", "geteuid", "getuid", "killpg",
               "mkfifo", "sched_getaffinity", "sched_setaffinity", "setpgid", "setsid", "uname", "wait", "waitpid"},
        "signal": {"SIGALRM", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGXCPU", "ITIMER_REAL", "alarm",
                   "pause", "pthread_sigmask", "setitimer", "sigwait"},
    }

    def ours(frame):
        name = frame.f_globals.get("__name__", "")
        return name.startswith("boidsgen") and not name.startswith("boidsgen.system")

    def hiding(module, names):
        class Hiding(types.ModuleType):
            def __getattribute__(self, name):
                if name in names and ours(sys._getframe(1)):
                    raise AttributeError(f"{module.__name__}.{name} is not there on every system")
                return super().__getattribute__(name)
        module.__class__ = Hiding

    for name, names in NAMES.items():
        hiding(sys.modules[name], names)
    importing = builtins.__import__

    def hidden(name, globals=None, locals=None, fromlist=(), level=0):
        if name in MODULES and globals and ours(sys._getframe(1)):
            raise ModuleNotFoundError(f"{name} is not there on every system")
        for wanted in fromlist or ():
            if wanted in NAMES.get(name, ()) and ours(sys._getframe(1)):
                raise ImportError(f"{name}.{wanted} is not there on every system")
        return importing(name, globals, locals, fromlist, level)

    builtins.__import__ = hidden
"""
RUNNING = """
    from boidsgen.cli.main import run
    sys.exit(run(sys.argv[1:]))
"""
SMALL = ["--set", "time.frames=3", "--set", "flock.count=5", "--set", "time.warmup=0"]
COMMANDS = [
    ["--help"],
    ["check", "quickstart"],
    ["presets"],
    ["schema"],
    ["doctor"],
    ["new", "x.toml"],
    ["render", "quickstart", "--size", "64x64", *SMALL, "-o", "x.gif", "-o", "x.mp4"],
    ["still", "quickstart", *SMALL, "-o", "x.png"],
    ["simulate", "quickstart", *SMALL, "-o", "x.npz"],
    ["measure", "quickstart", *SMALL, "-o", "x.csv"],
    ["compare", "quickstart", "--ablate", *SMALL, "-o", "c.gif"],
    ["sweep", "quickstart", *SMALL, "--vary", "seed=1,2", "--jobs", "2", "-o", "study"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]) + f" {len(command)}")
def test_commands_need_nothing_that_only_posix_has(command, tmp_path):
    """With fcntl and its like hidden from everything but the one room for them, every command works.

    On Windows they are not there at all, and every command works.
    """
    code = textwrap.dedent(HIDING) + textwrap.dedent(RUNNING)
    ran = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert "not there on every system" not in ran.stderr
    assert ran.returncode == 0, ran.stderr


def test_the_hiding_hides():
    """A use outside that room is found: otherwise the test above proves nothing."""
    code = textwrap.dedent(HIDING) + "exec(compile('import fcntl', 'x', 'exec'), {'__name__': 'boidsgen.elsewhere'})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "fcntl is not there on every system" in ran.stderr
