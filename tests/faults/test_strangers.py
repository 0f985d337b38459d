"""Scenarios from strangers are data: nothing in them is run, and nothing but the output is written."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import imageio_ffmpeg
import pytest
from PIL import Image

from boidsgen.scenario.wording import written
from tests.faults.processes import finish, start
from tests.faults.setting import ROOT, SMALL, amount, content
from tests.systems import WINDOWS

pytestmark = pytest.mark.faults

WITCHED = [
    "../../pwned",
    "/tmp/pwned.gif",  # noqa: S108  not used as a path, which is the point
    "$(touch pwned)",
    "`touch pwned`; touch pwned | touch pwned & touch pwned",
    "{0.__class__.__mro__} {} {x!r} %s %n %(path)s ${HOME} $HOME",
    "\n;FFMETADATA1\ntitle=pwned\n[CHAPTER]\nSTART=0\nEND=1\n",
    "comment=pwned\\\n#;=\\",
    "\0\x1b]0;pwned\x07\x1b[31m\r\b",
    "'; import os; os.system('touch pwned') #",
    "movie=/etc/passwd,drawtext=textfile=/etc/passwd:[out]",
    "-vf null -y pwned.mp4",
    "concat:/etc/passwd|pipe:0",
    "</comment><script>pwned()</script>",
    "\u202egnp.exe\u202c \ufeff\u2028\u2029",
    "]]\n[[flock]]\ncount = 99\n",
    '"""\ntime.frames = 99\n"""',
    "#:schema http://localhost/pwned",
    "🐦" * 200,
]
WATCH = """
import json, os, sys
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
RUNNING = {"os.system", "os.exec", "os.spawn", "os.posix_spawn", "exec", "compile", "socket.connect"}
seen = []
def watch(event, arguments):
    if event == "open" and (str(arguments[1])[:1] in "wax" or (arguments[2] or 0) & WRITING):
        seen.append(["write", str(arguments[0])])
    elif event == "subprocess.Popen":
        words = arguments[1]  # one text where a program gets its command line as such
        seen.append(["start", *([words] if isinstance(words, str) else map(str, words))])
    elif event in {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "shutil.rmtree"}:
        seen.append(["change", *(str(name) for name in arguments[:2] if isinstance(name, (str, os.PathLike)))])
    elif event in RUNNING:
        seen.append([event, str(getattr(arguments[0], "co_filename", arguments[0]))])
from boidsgen.cli.main import run
run(["render", "tame.toml", "-o", "tame.gif", "-o", "tame.mp4"])
sys.addaudithook(watch)
code = run(["render", "small.toml", "-o", "flock.gif", "-o", "flock.mp4"])
noted, seen = seen, []
print(json.dumps([code, noted]))
"""


def bewitched(text):
    """A scenario that says this wherever it may say anything."""
    said = written(text)
    return f"""\
title = {said}
world.size = [96, 64]
time.frames = 3
flock = {{ count = 5, name = {said} }}
predators = {{ name = {said} }}
events = [{{ at = 0, caption = {said} }}]
overlay = {{ legend = true, hud = true, caption = {said} }}
output.format = "png"
"""


@pytest.mark.parametrize("text", WITCHED, ids=ascii)
def test_texts_are_only_texts(text, boidsgen, here):
    """A text is drawn and kept, character by character, and does nothing."""
    (here / "small.toml").write_text(bewitched(text), encoding="utf-8")
    ran = boidsgen("render", "small.toml", "-o", "flock.gif", "-o", "flock.mp4", "--quiet")

    assert (ran.code, ran.out, ran.err) == (0, "flock.gif\nflock.mp4\n", "")
    assert sorted(content(here)) == ["flock.gif", "flock.mp4", "small.toml"]
    with Image.open("flock.gif") as picture:
        assert picture.n_frames == 3
    for name in ("flock.gif", "flock.mp4"):
        again = here / f"{name}.toml"
        assert boidsgen("new", again.name, "--from", name).code == 0
        assert written(text) in again.read_text(encoding="utf-8")
        assert boidsgen("check", again.name).code == 0
    assert tags("flock.mp4") <= {"major_brand", "minor_version", "compatible_brands", "encoder", "comment"}


def tags(path):
    """The names of everything that a film tells about itself."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", path, "-f", "ffmetadata", "-"]
    told = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    lines = told.replace("\\\n", "").split("\n")
    assert not [line for line in lines if line.startswith("[")]
    return {line.partition("=")[0] for line in lines if "=" in line and not line.startswith(";")}


@pytest.mark.parametrize("text", WITCHED[: amount(3, len(WITCHED))], ids=ascii)
def test_only_the_outputs_are_touched(text, here):
    """Python itself tells what is opened for writing, renamed, removed and started: outputs, their parts and ffmpeg."""
    (here / "small.toml").write_text(bewitched(text), encoding="utf-8")
    (here / "tame.toml").write_text(bewitched("tame"), encoding="utf-8")  # what draws titles is loaded then
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", WATCH],
        cwd=here,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    code, seen = json.loads(ran.stdout.splitlines()[-1])

    assert code == 0
    assert {kind for kind, *_ in seen} <= {"write", "change", "start"}
    for kind, *words in seen:
        if kind == "start":
            started = shlex.split(words[0], posix=False)[0].strip('"') if WINDOWS else words[0]
            assert started == imageio_ffmpeg.get_ffmpeg_exe()
            assert not [word for word in words if "pwned" in word]
        else:
            assert all(_is_ours(word, here) for word in words), words


def _is_ours(word, directory):
    """Whether a name is that of an output or of a temporary without a name."""
    path = Path(word)
    if word.isdecimal() or path == Path(os.devnull) or path.parent.name == "fd":
        return True
    if WINDOWS and path.parent == Path(tempfile.gettempdir()) and path.name.startswith("tmp"):
        return True  # there it has a name, until it is closed
    return path.name in {"tmp", Path(tempfile.gettempdir()).name} or (
        (path.parent == directory or path.parent == Path()) and path.name.startswith((".boidsgen-", "flock"))
    )


@pytest.mark.parametrize(
    "document",
    [
        'output.path = "/etc/passwd"',
        'output.directory = ".."',
        'include = "/etc/passwd"',
        'extends = "other.toml"',
        'style.theme = "../../themes/night"',
        'style.font = "/etc/passwd"',
        'style.theme = "__class__"',
        'world.boundary = "../torus"',
        'world.boundary = { kind = "os.system" }',
        'output.format = "../gif"',
        "output.format = 'image2'",
        'flock.start = { layout = "/etc/passwd" }',
        'events = [{ at = 0, set = { "flock.__class__.name" = 3 } }]',
        'events = [{ at = 0, set = { "world.size" = [1, 1] } }]',
        'events = [{ at = 0, set = { "flock.model_config.extra" = "allow" } }]',
        "__class__ = 3",
        '"" = 3',
    ],
)
def test_no_key_leads_outside(document, boidsgen, here):
    """No key takes a path or the name of code: what looks like one is an unknown key or an unknown word."""
    (here / "small.toml").write_text(document)
    before = content(here)
    ran = boidsgen("render", "small.toml", "-o", "flock.gif")

    assert (ran.code, ran.out, len(ran.lines)) == (3, "", 1)
    assert ran.err.startswith("small.toml:1: ")
    assert content(here) == before


def test_the_name_of_a_scenario_stays_in_the_directory(here):
    """Without -o the output is called like the scenario, in the usual directory, wherever the scenario comes from."""
    (here / "deep").mkdir()
    (here / "deep" / "..toml").write_text(SMALL)
    (here / "deep" / "...toml").write_text(SMALL)
    for name in ("..toml", "...toml"):
        code, out, err = finish(start("render", f"deep/{name}", cwd=here))
        assert (code, err) == (0, "")
        assert Path(out.strip()).parent == Path("outputs")
        assert (here / out.strip()).resolve().parent == here / "outputs"
