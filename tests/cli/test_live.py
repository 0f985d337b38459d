"""`boidsgen live`: a page that follows its file, and a file that takes what is moved in the page."""

import json
import socket
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from boidsgen import StorageError, UsageError, load_scenario, presets
from boidsgen.cli.author import Author, _Server, moved, serving, with_values
from boidsgen.scenario.documents import parsed
from boidsgen.scenario.sources import find
from boidsgen.webpage.controls import sliders
from tests.running import SCENARIO

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


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        (COMMENTED, "attractors.0.weight", "attractors.0 is not in this file"),
        ("flock.count = 5\nflock.cohesion.weight = 1\n", "flock.0.alignment.weight", "dotted keys"),
    ],
)
def test_what_cannot_be_written_is_refused(text, key, reason):
    """A key that has no place in the file is one line, and the file stays."""
    with pytest.raises(UsageError, match=reason):
        with_values(text, {key: 2})


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
