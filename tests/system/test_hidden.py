"""Nothing but `boidsgen.system` uses what only POSIX systems have."""

import json
import subprocess
import sys
import textwrap

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
    import json
    from boidsgen.cli.main import run
    for command in json.loads(sys.argv[1]):
        if run(command):
            sys.exit(" ".join(command))
"""
SMALL = ["quickstart", "--set", "time.frames=3", "--set", "flock.count=5", "--set", "time.warmup=0"]
COMMANDS = [
    *(["check", "quickstart"], ["presets"], ["schema"], ["doctor"], ["new", "x.toml"]),
    ["render", *SMALL, "--size", "64x64", "-o", "x.gif", "-o", "x.mp4"],
    ["still", *SMALL, "-o", "x.png"],
    ["simulate", *SMALL, "-o", "x.npz"],
    ["measure", *SMALL, "-o", "x.csv"],
    ["compare", *SMALL, "--ablate", "-o", "c.gif"],
    ["sweep", *SMALL, "--vary", "seed=1,2", "--jobs", "2", "-o", "study"],
]


def run(code, *arguments, cwd):
    """A program in which these names are hidden: exit code and errors."""
    command = [sys.executable, "-c", textwrap.dedent(HIDING) + textwrap.dedent(code), *arguments]
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stderr


def test_commands_need_nothing_that_only_posix_has(tmp_path):
    """With fcntl and its like hidden from everything but the one module for them, every command works."""
    code, said = run(RUNNING, json.dumps(COMMANDS), cwd=tmp_path)

    assert "not there on every system" not in said
    assert code == 0, said


def test_the_hiding_hides(tmp_path):
    """A use outside that module is found: otherwise the test above proves nothing."""
    _, said = run("exec(compile('import fcntl', 'x', 'exec'), {'__name__': 'boidsgen.elsewhere'})", cwd=tmp_path)

    assert "fcntl is not there on every system" in said
