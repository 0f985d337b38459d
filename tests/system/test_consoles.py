"""No command and no message fails for a letter, whatever the console takes."""

import json
import locale
import os
import subprocess
import sys

import pytest

from boidsgen.scenario.reference import json_schema
from tests.promises.setting import FULL
from tests.running import ROOT
from tests.systems import WINDOWS

TITLE = "Vögel → 鳥 🐦"
GOOD = f'title = "{TITLE}"\n[world]\nsize = [64, 48]\n[time]\nframes = 3\nwarmup = 0\n[flock]\ncount = 5\nname = "鳥"\n'
BAD = 'title = "鳥"\n[flock]\n"鳥" = 1\nstart = "Ä"\n[style]\ntheme = "nächtlich"\n'

PAGES = ("ascii", "cp437", "cp1252", "cp932", "utf-8") if FULL else ("cp932",)
CONSOLES = {
    **{page: {"PYTHONIOENCODING": page} for page in PAGES},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
WITHOUT = locale.getencoding() if WINDOWS else "utf-8"
"""The encoding where nobody names one: Windows has a page of its own, and the locale C says nothing about letters."""
COMMANDS = {
    "help": (0, ["--help"]),
    "doctor": (0, ["doctor"]),
    "new": (0, ["new", "-", "--from", "gut.toml"]),
    "simulate": (0, ["simulate", "gut.toml", "-o", "鳥.npz"]),
    "measure": (0, ["measure", "gut.toml", "-o", "鳥.csv"]),
    "presets": (0, ["presets"]),
    "schema": (0, ["schema"]),
    "doctor for programs": (0, ["doctor", "--json"]),
    "check": (0, ["check", "gut.toml", "quickstart"]),
    "check errors": (3, ["check", "schlecht.toml"]),
    "render": (0, ["render", "gut.toml", "-o", "鳥.gif", "-o", "é.mp4"]),
    "render for programs": (0, ["render", "gut.toml", "--json", "-o", "鳥.gif"]),
    "render what is not there": (5, ["render", "鳥.toml"]),
    "render to nowhere": (5, ["render", "gut.toml", "-o", "鳥/x.gif"]),
    "an unknown command": (2, ["鳥"]),
    "still": (0, ["still", "gut.toml", "-o", "鳥.png"]),
    "compare": (0, ["compare", "gut.toml", "--with", "", "--with", "title=é", "--labels", "é,鳥", "-o", "鳥.gif"]),
    "sweep": (0, ["sweep", "gut.toml", "--vary", "title=é,鳥", "--jobs", "1", "-o", "鳥"]),
    "replay": (0, ["replay", "鳥.gif", "-o", "é.gif"]),
}


RUNNING = """
import json, os, sys, traceback
from boidsgen.__main__ import main
codes = {}
for name, arguments in json.loads(sys.argv[1]).items():
    for descriptor, kind in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{name}.{kind}", os.O_CREAT | os.O_WRONLY), descriptor)
    # What the system would hand over, were they written on the command line.
    sys.argv = ["boidsgen", *(a if os.name == "nt" else os.fsdecode(a.encode()) for a in arguments)]
    try:
        main()
    except SystemExit as end:
        codes[name] = end.code
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
with open("codes.json", "w") as file:
    json.dump(codes, file)
"""
"""Every command as the console script runs it, one after the other in one process."""


@pytest.fixture(scope="module", params=CONSOLES)
def ran(request, tmp_path_factory):
    """The encoding of a console, and code, output and errors of each command there."""
    asked = ("PYTHONIOENCODING", "PYTHONUTF8", "PYTHONCOERCECLOCALE", "LANG", "LANGUAGE")
    bare = {name: text for name, text in os.environ.items() if name not in asked and not name.startswith("LC_")}
    here = tmp_path_factory.mktemp("console")
    (here / "gut.toml").write_text(GOOD, encoding="utf-8")
    (here / "schlecht.toml").write_text(BAD, encoding="utf-8")
    commands = json.dumps({name: arguments for name, (_, arguments) in COMMANDS.items()})
    environment = bare | CONSOLES[request.param] | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", RUNNING, commands], cwd=here, env=environment, check=True)
    codes = json.loads((here / "codes.json").read_text())
    told = {name: [(here / f"{name}.{kind}").read_bytes() for kind in ("out", "err")] for name in COMMANDS}
    return CONSOLES[request.param].get("PYTHONIOENCODING", WITHOUT), codes, told


def test_no_command_fails_for_a_letter(ran):
    """Exit code as ever, no traceback, and every line in letters that the console has."""
    page, codes, told = ran
    for command, (code, _) in COMMANDS.items():
        out, err = told[command]

        assert codes.get(command) == code, err
        assert b"Traceback" not in err
        # Usage errors are typer's, which writes UTF-8 where the console takes ASCII alone.
        assert err.decode("utf-8" if (code, page) == (2, "ascii") else page) or code == 0
        assert out.decode("utf-8" if command == "new" else page) or code


def test_programs_read_json_from_every_console(ran):
    """JSON has escapes of its own: what programs read is valid, and says the same everywhere."""
    page, _, told = ran
    schema, rendered = (json.loads(told[name][0].decode(page)) for name in ("schema", "render for programs"))

    assert schema == json_schema()
    assert rendered["frames"] == 3
