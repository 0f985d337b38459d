"""`boidsgen mcp`, by the client of the protocol's own library."""

import sys

import anyio
import numpy as np
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from PIL import Image

from boidsgen import measure as measured
from boidsgen import render as rendered
from boidsgen.cli import mcp
from tests.systems import link

QUICK = 'extends = "quickstart"\nflock.count = 8\ntime.frames = 4\n'


@pytest.fixture
def folder(tmp_path):
    """The folder of the server, beside a file that is not in it."""
    (tmp_path / "secret.toml").write_text(QUICK)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "own.toml").write_text(QUICK)
    return tmp_path / "inside"


def asked(server, *calls):
    """The results of calls, one after another, of one client."""

    async def ask():
        async with Client(server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return anyio.run(ask)


def refusals(folder, *calls):
    """The messages of calls that have to fail."""
    results = asked(mcp.mcp_server(folder), *calls)
    assert all(one.is_error for one in results)
    return [one.content[0].text.partition(": ")[2] for one in results]  # after the words of the library


def test_makes_what_python_makes(folder, tmp_path):
    """Tools return what the functions of Python do, of a preset, a file and a text."""
    checked, clip, picture, table, told = asked(
        mcp.mcp_server(folder),
        ("check", {"scenario": QUICK}),
        ("render", {"scenario": "own.toml", "output": "own.gif", "seed": 5}),
        ("still", {"scenario": "quickstart", "output": "flock.png", "frame": 2}),
        ("measure", {"scenario": "own.toml", "frames": 3}),
        ("explain", {"key": "flock.separation.weight"}),
    )
    here = rendered(QUICK, tmp_path / "here.gif", seed=5)
    series = measured(QUICK, frames=3)

    assert checked.structured_content == {
        "size": [400, 436],
        "frames": 4,
        "duration": 0.16,
        "seed": 4,
        "animals": 8,
        "seconds": checked.structured_content["seconds"],
    }
    assert clip.structured_content == {"output": "own.gif", "frames": 4, "digest": here.digest, "notices": []}
    with Image.open(folder / "own.gif") as image:
        assert image.n_frames == 4
    assert (picture.content[0].type, picture.content[0].mime_type) == ("image", "image/png")
    with Image.open(folder / "flock.png") as image:
        assert image.size == (400, 436)
    assert [*table.structured_content] == [*series.columns]
    assert table.structured_content["polarization"] == series["polarization"].tolist()
    assert table.structured_content["predator_distance"] == [None] * 3
    assert np.isnan(series["predator_distance"]).all()
    assert "flock.separation.weight" in told.content[0].text


@pytest.mark.parametrize("name", ["../secret.toml", "{root}/secret.toml", "link.toml", "\0"])
def test_nothing_outside_of_the_folder(folder, name):
    """No tool reads or writes elsewhere: by a path, a link, or a name that no file has."""
    if name == "link.toml":
        link(folder / name, folder.parent / "secret.toml")
    name = name.format(root=folder.parent)
    away = name.replace("toml", "gif") if name != "link.toml" else "link.toml"
    calls = [("check", {"scenario": name}), ("measure", {"scenario": name})]
    calls += [("render", {"scenario": "own.toml", "output": away})]

    assert refusals(folder, *calls) == [f"{one}: is not in the folder" for one in (name, name, away)]
    assert {one.name for one in folder.parent.iterdir()} == {"inside", "secret.toml"}


def test_scenarios_are_not_trusted(folder):
    """A scenario, as a text or from a file, names no file and raises no limit; a long one is refused."""
    (folder / "reads.toml").write_text(f"{QUICK}style.font = '../secret.ttf'\n")
    reading = f"{QUICK}style.font = '/etc/secret.ttf'\n"
    crowd = QUICK.replace("= 8", "= 2000").replace("= 4", "= 5000000")
    calls = [("check", {"scenario": one}) for one in (reading, "reads.toml", 'extends = "../secret.toml"\n')]
    *messages, long = refusals(folder, *calls, ("render", {"scenario": crowd, "output": "long.gif"}))

    assert [message.partition(": ")[2] for message in messages] == [
        f"names files of this machine, or limits ({key}), which only your own scenario may; --trust allows it"
        for key in ("style.font", "style.font", "extends")
    ]
    assert long.endswith(" s; at most 600 are allowed: use fewer frames")
    assert not (folder / "long.gif").exists()


def test_no_file_is_replaced(folder):
    """What exists is left as it is."""
    (folder / "mine.gif").write_text("mine")
    (message,) = refusals(folder, ("render", {"scenario": "own.toml", "output": "mine.gif"}))

    assert "exists" in message
    assert (folder / "mine.gif").read_text() == "mine"


def test_speaks_over_standard_output(folder):
    """The program itself answers; nothing else is printed there."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "boidsgen", "mcp", str(folder)])
    (told,) = asked(stdio_client(server), ("explain", {"key": "seed"}))

    assert told.content[0].text.startswith("seed")


def test_needs_the_library(boidsgen, monkeypatch):
    """Without it there is one line with the command that installs it; without a folder, too."""
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    ran = boidsgen("mcp")

    assert ran.code == 2
    assert ran.lines == [
        "boidsgen: boidsgen mcp needs mcp.server.mcpserver, which is not installed: pip install 'boidsgen[mcp]'"
    ]
    assert boidsgen("mcp", "nowhere").lines == ["boidsgen: nowhere: is no folder; create it first"]
