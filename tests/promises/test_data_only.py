"""Promise 6: scenarios and clips are data; no code in them runs, and nothing but the output is written."""

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

from tests.promises.setting import amount, content, finish, start_python
from tests.running import SCENARIO
from tests.systems import WINDOWS

pytestmark = pytest.mark.faults

WITCHED = [
    "../../pwned",
    "$(touch pwned)`touch pwned`; touch pwned | touch pwned & touch pwned",
    "{0.__class__.__mro__} {} {x!r} %s %n %(path)s ${HOME} $HOME",
    "\n;FFMETADATA1\ntitle=pwned\n[CHAPTER]\nSTART=0\nEND=1\n",
    "comment=pwned\\\n#;=\\",
    "\0\x1b]0;pwned\x07\x1b[31m\r\b",
    "movie=/etc/passwd,drawtext=textfile=/etc/passwd:[out] concat:/etc/passwd|pipe:0",
    "</comment><script>pwned()</script>",
    "\u202egnp.exe\u202c \ufeff\u2028\u2029",
    ']]\n[[flock]]\ncount = 99\n"""\ntime.frames = 99\n"""',
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
    said = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
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
    import tomllib

    (here / SCENARIO).write_text(bewitched(text), encoding="utf-8")
    ran = boidsgen("render", SCENARIO, "-o", "flock.gif", "-o", "flock.mp4", "--quiet")

    assert (ran.code, ran.out, ran.err) == (0, "flock.gif\nflock.mp4\n", "")
    assert sorted(content(here)) == ["flock.gif", "flock.mp4", SCENARIO]
    with Image.open("flock.gif") as picture:
        assert picture.n_frames == 3
    for name in ("flock.gif", "flock.mp4"):
        assert boidsgen("new", f"{name}.toml", "--from", name).code == 0
        assert tomllib.loads((here / f"{name}.toml").read_text(encoding="utf-8"))["title"] == text
    assert tags("flock.mp4") <= {"major_brand", "minor_version", "compatible_brands", "encoder", "comment"}


def tags(path):
    """The names of everything that a film tells about itself."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", path, "-f", "ffmetadata", "-"]
    said = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    lines = said.replace("\\\n", "").split("\n")
    assert not [line for line in lines if line.startswith("[")]
    return {line.partition("=")[0] for line in lines if "=" in line and not line.startswith(";")}


@pytest.mark.parametrize("text", WITCHED[: amount(2, len(WITCHED))], ids=ascii)
def test_only_the_outputs_are_touched(text, here):
    """Python itself reports what is opened for writing, renamed, removed and started: outputs and ffmpeg."""
    (here / SCENARIO).write_text(bewitched(text), encoding="utf-8")
    (here / "tame.toml").write_text(bewitched("tame"), encoding="utf-8")  # what draws titles is loaded then
    _, out, err = finish(start_python("-c", WATCH, cwd=here))
    code, seen = json.loads(out.splitlines()[-1])

    assert (code, err) == (0, "")
    assert {kind for kind, *_ in seen} <= {"write", "change", "start"}
    for kind, *words in seen:
        if kind == "start":
            started = shlex.split(words[0], posix=False)[0].strip('"') if WINDOWS else words[0]
            assert started == imageio_ffmpeg.get_ffmpeg_exe()
            assert not [word for word in words if "pwned" in word]
        else:
            assert all(is_ours(word, here) for word in words), words


def is_ours(word, directory):
    """True for the name of an output, of a temporary file, or of one in a private temporary directory."""
    path, temporary = Path(word), Path(tempfile.gettempdir())
    if word.isdecimal() or path in {Path(os.devnull), temporary} or path.parent.name == "fd":
        return True
    if path.parent == temporary:
        return path.name.startswith(("tmp", "boidsgen"))
    if path == Path("metadata"):  # in a private folder, which is removed by descriptor
        return True
    if path.parent.name.startswith(".boidsgen-"):
        return True
    return path.parent in {directory, Path()} and path.name.startswith((".boidsgen-", "flock"))


@pytest.mark.parametrize(
    "document",
    [
        'output.path = "/etc/passwd"',
        'include = "/etc/passwd"',
        'extends = "other.toml"',
        'style.theme = "../../themes/night"',
        'style.font = "/etc/passwd"',
        'style.theme = "__class__"',
        'world.boundary = { kind = "os.system" }',
        'output.format = "../gif"',
        'flock.start = { layout = "/etc/passwd" }',
        'events = [{ at = 0, set = { "flock.__class__.name" = 3 } }]',
        'events = [{ at = 0, set = { "flock.model_config.extra" = "allow" } }]',
        "__class__ = 3",
    ],
)
def test_no_key_leads_outside(document, boidsgen, here):
    """No key takes the name of code or a path to write to: what looks like one is an unknown key or word."""
    (here / SCENARIO).write_text(document)
    before = content(here)
    ran = boidsgen("render", SCENARIO, "-o", "flock.gif")

    assert (ran.code, ran.out, len([line for line in ran.lines if line[0] != " "])) == (3, "", 1)
    assert ran.err.startswith("small.toml:1: ")
    assert content(here) == before


PACKAGE = "raise SystemExit('pwned')"


def test_nothing_is_imported_from_the_current_directory(here):
    """Modules and packages that lie beside a scenario are not loaded, whatever they call themselves."""
    about = here / "windy-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: windy\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[boidsgen.rules]\nwind = windy:Wind\n")
    for name in ("windy", "numpy", "boidsgen_rules", "sitecustomize"):
        (here / f"{name}.py").write_text(PACKAGE)
    ran = subprocess.run(
        [sys.executable, "-m", "boidsgen.__main__" if WINDOWS else "boidsgen", "render", SCENARIO, "-o", "flock.gif"],
        cwd=here,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "flock.gif\n", "")


def test_a_title_is_no_part_of_a_page(here, boidsgen):
    """No title is taken for a place to be filled in the page of a sweep, nor for markup or mathematics."""
    for title in ("@STUDY@", "</script><b>", "a $b$ {c}"):
        sweep = ("sweep", SCENARIO, "--seeds", 1, "--measures-only", "-o", "s", "--force")
        assert boidsgen(*sweep, "--set", f"title={json.dumps(title)}").code == 0
        assert "</script><b>" not in (here / "s" / "index.html").read_text(encoding="utf-8")


def test_cells_are_no_formulas(boidsgen, here):
    """A text that a spreadsheet would compute stands in every table as a text."""
    values = '"=cmd|x","@SUM(1)","+1","-2","plain"'
    sweep = ("sweep", SCENARIO, "--vary", f"title={values}", "-o", "own", "--measures-only")
    assert boidsgen(*sweep).code == 0
    assert boidsgen("plot", "own", "--x", "title", "-o", "figure.csv").code == 0

    for table in (here / "own" / "manifest.csv", here / "figure.csv"):
        for text in ("'=cmd|x", "'@SUM(1)", "'+1", "'-2", "plain"):
            assert f",{text}," in table.read_text()


CARRIED = {
    "extends": 'extends = "other.toml"',
    "extends, from the kernel": 'extends = "/proc/kmsg"',
    "flock.start.csv": 'flock.start = { layout = "points", csv = "private.csv" }',
    "flock.start.image": 'flock.start = { image = "private.png" }',
    "events": 'events = [{ at = 1, set = { "flock.start" = { csv = "private.csv" } } }]',
    "style.font": 'style.font = "/private.ttf"',
    "limits": "limits.frames = 2000000\ntime.frames = 2000000",
}
"""Documents that are harmless in a file of one's own, by what they name."""


@pytest.mark.parametrize("named", CARRIED)
def test_an_embedded_scenario_is_a_strangers(named, boidsgen, here):
    """A clip's scenario has no files of this machine read, by whatever command, nor does it raise our limits."""
    (here / "private.csv").write_text("3,4\n")
    boidsgen("render", SCENARIO, "-o", "own.gif")
    head, begin, rest = (here / "own.gif").read_bytes().partition(b"!\xfe")
    text = CARRIED[named].encode()
    (here / "clip.gif").write_bytes(head + begin + bytes([len(text)]) + text + b"\0" + rest[rest.index(b"!\xf9") :])
    (here / "mine.toml").write_text('extends = "clip.gif"')
    before = content(here)

    for line in ("replay clip.gif", "render clip.gif", "render mine.toml", "compare clip.gif small.toml"):
        ran = boidsgen(*line.split(), "-o", "made.gif")
        assert (ran.code, len(ran.lines)) == (8 if named == "limits" else 3, 1), ran
        assert ("limits.frames" if named == "limits" else named.partition(",")[0]) in ran.err
        assert "--trust" in ran.err or named == "limits"
    assert content(here) == before


def test_what_is_extended_is_not_quoted(boidsgen, here):
    """A file that a scenario extends and that is no scenario is named, and nothing in it is told."""
    (here / "secret").write_text("root:x:0\n")
    (here / SCENARIO).write_text('extends = "secret"')
    ran = boidsgen("check", SCENARIO)

    assert (ran.code, ran.err) == (3, "secret:1:5: not TOML\n")
