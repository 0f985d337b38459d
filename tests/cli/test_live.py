"""`boidsgen live`: a page that follows its file, and a file that takes what is moved in the page."""

import json
import os
import shutil
import socket
import sys
import urllib.error
import urllib.request
from codecs import BOM_UTF8
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from boidsgen import BoidsgenError, StorageError, UsageError, load_scenario, presets, render, system
from boidsgen.cli import author as cli_author
from boidsgen.cli.author import Author, _Server, moved, serving, with_values
from boidsgen.comparison import compare, comparison_of
from boidsgen.pipeline import record, still
from boidsgen.scenario.documents import parsed
from boidsgen.scenario.sources import find
from boidsgen.webpage.controls import sliders
from tests.running import SCENARIO
from tests.systems import link, posix

SMALL = "seed = 3\n[world]\nsize = [64, 48]\n[time]\nframes = 3\n[flock]\ncount = 5\n"
COMMENTED = """# A flock
[flock]  # of many
count = 5
[flock.cohesion]
weight = 1.0  # strong
[time]
frames = 9
"""


@pytest.mark.parametrize("name", [one.name for one in presets() if "extends" not in parsed(find(one.name).text)])
def test_every_slider_can_be_written_back(name):
    """The weights of all sliders are set in each preset that extends none; nothing else changes there."""
    text = find(name).text
    keys = [one["key"] for one in sliders(load_scenario(name)) if not one["key"].endswith("count")]
    values = {key: 1.25 for key in keys if key.endswith("weight")}
    written = with_values(text, values)

    assert [line for line in text.splitlines() if line.startswith("#")] == [
        line for line in written.splitlines() if line.startswith("#")
    ]
    assert load_scenario(written) == load_scenario(text, values)


def test_comments_and_order_stay():
    """Only the values differ; a table that the file lacks is added to its flock."""
    written = with_values(COMMENTED, {"flock.0.cohesion.weight": 2, "flock.0.perception.radius": "inf"})

    assert written.startswith("# A flock\n[flock]  # of many\ncount = 5\n[flock.cohesion]\nweight = 2  # strong\n")
    assert parsed(written) == {
        "flock": {"count": 5, "cohesion": {"weight": 2}, "perception": {"radius": float("inf")}},
        "time": {"frames": 9},
    }


FORMS = {
    "headers": "[flock]  # all\ncount = 5\n\n[flock.cohesion]\nweight = 1\n",
    "headers in a list": "[[flock]]\ncount = 5\n[flock.cohesion]\nweight = 1\n[[flock]]\ncount = 6\n",
    "only one below": "[flock.cohesion]\nweight = 1\n[time]\nframes = 9\n[flock.alignment]\nweight = 2\n",
    "dotted": "flock.count = 5  # few\nflock.cohesion.weight = 1\n",
    "dotted below a header": "[flock]\ncount = 5\ncohesion.weight = 1\n# end\n[time]\nframes = 9\n",
    "in braces": "flock = { count = 5, cohesion = { weight = 1 } }  # short\n",
    "in braces, empty": "flock = {}\n",
    "in braces, in a list": "flock = [{ count = 5 }, { count = 6 }]\n",
    "mixed": "flock.count = 5\n[flock.cohesion]\nweight = 1\n",
    "nothing": "# later\n",
}
MOVED = {"flock.0.separation.weight": 2.5, "flock.0.cohesion.weight": 0.5, "flock.0.perception.radius": "inf"}
MOVED |= {"flock.0.max_speed": 3}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_takes_values(form, end):
    """However a flock is written, it takes values, and its other lines stay as they are to the byte."""
    text = FORMS[form].replace("\n", end)
    written = with_values(text, MOVED)
    meant = {key: float(value) for key, value in MOVED.items()}

    assert load_scenario(f"{written}{end}") == load_scenario(f"{text}{end}", meant)
    assert written.count("\n") == written.count(end)
    kept = [
        line for line in text.splitlines() if not line.startswith(("flock =", "weight", "flock.cohesion", "cohesion"))
    ]
    assert [line for line in written.splitlines() if line in kept and line] == [line for line in kept if line]


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        (COMMENTED, "attractors.0.weight", "attractors.0 is not in this file"),
        ("flock = []\n", "flock.0.alignment.weight", "flock.0 is not in this file"),
        *((COMMENTED, key, "is not moved in a page") for key in ("limits.boids", "flock.0.start.csv", "time.0.frames")),
    ],
)
def test_what_cannot_be_written_is_refused(text, key, reason):
    """A key that has no place in the file is one line, and the file stays."""
    with pytest.raises(UsageError, match=reason):
        with_values(text, {key: "points.csv"})


def differing(more, text=SMALL):
    """The keys to be moved from a small scenario to one with more in it."""
    return moved(load_scenario(text), load_scenario(text + more))


def test_only_keys_that_a_page_can_move_are_moved():
    """A change of rules alone is moved in the frame shown; a count, a world or a look makes a new page."""
    assert differing("cohesion.weight = 0.5\n") == {"flock.0.cohesion.weight": 0.5}
    assert differing("perception.radius = inf\n") == {"flock.0.perception.radius": float("inf")}
    assert differing("") == {}
    assert differing('start.layout = "center"\n') is None
    assert differing('[style]\ntheme = "paper"\n') is None
    assert differing('[[obstacles]]\nkind = "circle"\ncenter = [9, 9]\nradius = 3\n') is None
    assert moved(load_scenario(SMALL), load_scenario(SMALL, {"flock.count": 6})) is None


@pytest.fixture
def author(tmp_path, monkeypatch):
    """A small scenario that is edited; it has been read once."""
    monkeypatch.chdir(tmp_path)
    Path(SCENARIO).write_text(SMALL)
    made = Author(SCENARIO)
    made.read()
    return made


def answer(address, body=None, **headers):
    """Status and text of an answer."""
    request = urllib.request.Request(address, body, {name.title(): value for name, value in headers.items()})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=60) as found:  # noqa: S310
            return found.status, found.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_page_hears_of_changes_and_errors(author):
    """What is said about a change is what a page needs: keys to move, an error with its line, or a new version."""
    with serving(author, 0) as address:

        def said(text, look, shown):
            Path(SCENARIO).write_text(text)
            author.read()
            return json.loads(answer(f"{address}changes?look={look}&shown={shown}")[1])

        assert "boidsgen live" in answer(address)[1]
        assert "<canvas" in answer(f"{address}page?version=0")[1]
        change = said(SMALL + "cohesion.weight = 0.5\n", 1, 0)
        assert (change["version"], change["moved"], change["error"]) == (1, {"flock.0.cohesion.weight": 0.5}, "")
        wrong = said(SMALL + "cohesion.weigth = 0.5\n", 2, 1)
        assert wrong["version"] == 1
        assert wrong["error"].startswith(f"{SCENARIO}:")
        look = said(SMALL + '[style]\ntheme = "paper"\n', 3, 0)
        assert (look["version"], look["moved"], look["same"], look["error"]) == (2, None, True, "")


def test_what_is_moved_is_written(author):
    """Keys are set in the file; what would not be valid is refused with its reason, and the file stays."""
    with serving(author, 0) as address:
        assert answer(f"{address}write", b'{"flock.0.cohesion.weight": 0.5}') == (200, "")
        assert load_scenario(SCENARIO) == load_scenario(SMALL, {"flock.cohesion.weight": 0.5})
        before = Path(SCENARIO).read_text()
        status, reason = answer(f"{address}write", b'{"flock.0.cohesion.radius": -1}')

    assert (status, Path(SCENARIO).read_text()) == (409, before)
    assert "radius" in reason


@pytest.mark.parametrize(
    "asked",
    [
        {"token": "guessed"},
        {"place": "page?version=7"},
        {"place": "page?version=x"},
        {"place": "../../etc/passwd"},
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"place": "write", "body": b"{}", "origin": "null"},
        {"place": "write", "body": b"{}", "host": "evil.example"},
    ],
)
def test_nobody_else_is_answered(asked, author):
    """Another address, host or origin gets no page and writes nothing."""
    before = Path(SCENARIO).read_bytes()
    with serving(author, 0) as address:
        root = address.replace(author.token, asked.pop("token", author.token))
        status, text = answer(root + asked.pop("place", ""), asked.pop("body", None), **asked)

    assert (status, text) == (404, "there is nothing at this address")
    assert Path(SCENARIO).read_bytes() == before


@pytest.mark.parametrize(
    "asked",
    [
        b"GET x HTTP/1.1",
        b"GET http://[ HTTP/1.1",
        *(b"POST /TOKEN/write HTTP/1.1\r\nContent-Length: " + length for length in (b"abc", b"-5", b"9" * 5000)),
        *(
            b"POST /TOKEN/write HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            for body in (b"", b"x", b"[1]", b"5", b"[" * 9000, b"\xff", b'{"flock.0": 1}', b'{"flock.x.y": 1}')
        ),
    ],
    ids=lambda asked: repr(asked[-20:]),
)
def test_a_request_that_is_none(asked, author, capsys):
    """Whatever another program sends, the server says nothing, writes nothing and goes on."""
    before = Path(SCENARIO).read_bytes()
    with serving(author, 0) as address:
        place = address.split("/")[2]
        with socket.create_connection(place.split(":"), 60) as line:
            head, _, body = asked.replace(b"TOKEN", author.token.encode()).partition(b"\r\n\r\n")
            line.sendall(b"\r\n".join([head, b"Host: " + place.encode(), b"Connection: close", b"", body]))
            assert line.recv(100).split()[1] in {b"404", b"409"}
        assert answer(address)[0] == 200

    assert capsys.readouterr().err == ""
    assert Path(SCENARIO).read_bytes() == before


def test_a_port_that_is_taken(author):
    """It is one line."""
    with serving(author, 0) as address:
        again = serving(author, int(address.split(":")[2].split("/")[0]))
        with pytest.raises(StorageError, match="port "), again:
            pass


def test_a_page_that_was_closed_is_no_error(capsys):
    """A connection that ends before its answer leaves no traceback; anything else does."""
    server = _Server(("127.0.0.1", 0), BaseHTTPRequestHandler)
    said = []
    for error in (BrokenPipeError, ConnectionResetError, ZeroDivisionError):
        try:
            raise error
        except (OSError, ArithmeticError):
            server.handle_error(None, "here")
        said.append("Traceback" in capsys.readouterr().err)
    server.server_close()

    assert said == [False, False, True]


def test_a_file_that_vanishes(author):
    """It is an error in the page, and the last flock stays."""
    Path(SCENARIO).unlink()
    author.read()

    assert author.since(1, 0) == {"look": 2, "error": f"{SCENARIO}: neither a file nor a shipped preset", "version": 0}


def make_outputs(folder):
    """One file of each format that embeds its scenario."""
    for name, command in {
        **{f"clip.{ending}": render for ending in ("gif", "mp4", "webp", "webm", "html")},
        **{f"still.{ending}": still for ending in ("png", "svg", "pdf")},
        **{f"run.{ending}": record for ending in ("npz", "nc", "csv", "glb")},
    }.items():
        command(load_scenario(SMALL), folder / name)
    compare(comparison_of([find("small.toml")] * 2, []), folder / "two.gif")
    return sorted(path for path in folder.iterdir() if path.suffix != ".toml")


def test_only_a_toml_file_is_edited(author):
    """An output that embeds a scenario is refused in one line, also when it takes the place of the file later."""
    for path in make_outputs(Path.cwd()):
        content = path.read_bytes()
        if path.suffix != ".csv":  # which is text, with an error for a scenario
            with pytest.raises(BoidsgenError) as refused:
                Author(path.name)
        shutil.copy(path, SCENARIO)
        author.read()

        assert "\n" not in str(refused.value)
        assert author.since(0, -1)["error"]
        with pytest.raises(BoidsgenError):
            author.write({"flock.0.max_speed": 2.0})
        assert (path.read_bytes(), Path(SCENARIO).read_bytes()) == (content, content)


def save_over(text):
    """Save as an editor does that writes a new file and renames it."""
    Path("new~").write_text(text)
    Path("new~").replace(SCENARIO)


EDITORS = {
    "renames": save_over,
    "rewrites": lambda text: Path(SCENARIO).write_text(text),
    "has begun to rewrite": lambda _: Path(SCENARIO).write_text(""),
    "deletes": lambda _: Path(SCENARIO).unlink(),
}
"""What editors do when they save."""
LAST = pytest.param("exchange", marks=pytest.mark.skipif(sys.platform != "linux", reason="others exchange no names"))
MOMENTS = ("before", "with_values", "draft", "preflight", "open_file", "fsync", "copystat", LAST)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("editor", EDITORS)
def test_a_save_in_between_is_kept(editor, moment, author, monkeypatch):
    """Whenever an editor saves while values are written, its text stays, and the page gets the reason."""
    edited = SMALL + "# my own words\n"
    place = {"fsync": os, "copystat": shutil, "exchange": system}.get(moment, cli_author)
    if moment == "before":
        EDITORS[editor](edited)
    else:
        real = getattr(place, moment)

        def interrupted(*arguments, **options):
            EDITORS[editor](edited)
            return real(*arguments, **options)

        monkeypatch.setattr(place, moment, interrupted)
    with pytest.raises(StorageError, match=r"nothing was written|No such file"):
        author.write({"flock.0.cohesion.weight": 0.5})
    expected = {"has begun to rewrite": [""], "deletes": []}.get(editor, [edited])

    assert [path.read_text() for path in Path.cwd().iterdir()] == expected


def test_a_disk_that_exchanges_no_names(author, monkeypatch):
    """Values are written there too, by a rename."""
    monkeypatch.setattr(system, "exchange", lambda *_: False)
    author.write({"flock.0.cohesion.weight": 0.5})

    assert load_scenario(SCENARIO).flock[0].cohesion.weight == 0.5
    assert [path.name for path in Path.cwd().iterdir()] == [SCENARIO]


def test_values_can_be_written_again_and_again(author):
    """What a page has written itself is no save in between; what it was refused, it may write after a look."""
    author.write({"flock.0.cohesion.weight": 0.5})
    author.write({"flock.0.cohesion.weight": 0.75})
    Path(SCENARIO).write_text(SMALL + "# my own words\n")
    with pytest.raises(StorageError):
        author.write({"flock.0.cohesion.weight": 0.25})
    author.read()
    author.write({"flock.0.cohesion.weight": 0.25})

    assert Path(SCENARIO).read_text().startswith(SMALL)
    assert "# my own words" in Path(SCENARIO).read_text()
    assert load_scenario(SCENARIO).flock[0].cohesion.weight == 0.25


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755, 0o620])
def test_permissions_stay(mode, author):
    """A file is as private as it was, whatever the umask."""
    Path(SCENARIO).chmod(mode)
    author.write({"flock.0.cohesion.weight": 0.5})

    assert Path(SCENARIO).stat().st_mode & 0o777 == mode


@posix
@pytest.mark.parametrize("kind", ["read-only", "hard link"])
def test_a_file_that_must_not_be_replaced_stays(kind, author):
    """A read-only file, or one with two names, is refused with its reason, and stays as it is."""
    Path(SCENARIO).chmod(0o444) if kind == "read-only" else Path("other.toml").hardlink_to(SCENARIO)
    before = Path(SCENARIO).stat()
    with pytest.raises(StorageError, match=kind):
        author.write({"flock.0.cohesion.weight": 0.5})

    after = Path(SCENARIO).stat()
    assert (after.st_ino, after.st_mode, after.st_nlink) == (before.st_ino, before.st_mode, before.st_nlink)
    assert Path(SCENARIO).read_text() == SMALL


@posix
def test_a_link_stays_a_link(author):
    """Values are written where a symbolic link leads."""
    Path(SCENARIO).rename("real.toml")
    link(Path(SCENARIO), "real.toml")
    author.write({"flock.0.cohesion.weight": 0.5})

    assert Path(SCENARIO).is_symlink()
    assert load_scenario("real.toml").flock[0].cohesion.weight == 0.5


def test_a_byte_order_mark_stays(author):
    """A file of an editor on Windows keeps its mark and its line ends."""
    Path(SCENARIO).write_bytes(BOM_UTF8 + SMALL.replace("\n", "\r\n").encode())
    author.read()
    author.write({"flock.0.max_speed": 3})

    assert Path(SCENARIO).read_bytes() == BOM_UTF8 + SMALL.replace("\n", "\r\n").encode() + b"max_speed = 3\r\n"


@pytest.mark.parametrize("values", [{"flock.0.count": 50_000_000}, {"flock.0.perception.radius": -1}])
def test_what_could_not_be_read_is_not_written(values, author):
    """What is beyond the limits, or not valid, is refused as it would be in the file."""
    with pytest.raises(BoidsgenError) as refused:
        author.write(values)

    assert Path(SCENARIO).read_text() == SMALL
    assert "allowed" in str(refused.value) or "radius" in str(refused.value)


def test_a_file_that_would_grow_too_large_stays(author):
    """A file that could not be read any more with the values in it is left as it is."""
    text = SMALL + "#" * (1_000_000 - len(SMALL) - 1) + "\n"
    Path(SCENARIO).write_text(text)
    author.read()
    with pytest.raises(StorageError, match="kB"):
        author.write({"flock.0.max_speed": 3})

    assert Path(SCENARIO).read_text() == text


def test_files_are_those_beside_the_scenario(tmp_path, monkeypatch):
    """Files that a scenario names are looked for in its folder, not in the current one."""
    monkeypatch.chdir(tmp_path)
    Path("here").mkdir()
    named = 'extends = "base.toml"\n[flock]\nstart.csv = "points.csv"\n'
    for folder, points in ((Path("here"), "1,1\n2,2\n3,3\n"), (Path(), "1,1\n")):
        (folder / "points.csv").write_text(points)
        (folder / "base.toml").write_text("flock.count = 3\n" if points.count("\n") == 3 else "wrong = 1\n")
    (Path("here") / SCENARIO).write_text(named)
    edited = Author(f"here/{SCENARIO}")
    edited.read()
    edited.write({"flock.0.max_speed": 3})

    assert load_scenario(f"here/{SCENARIO}").flock[0].max_speed == 3
    assert (Path("here") / SCENARIO).read_text() == named + "max_speed = 3\n"
