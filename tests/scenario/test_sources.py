import pytest

import boidsgen
from boidsgen.caps import MAX_DOCUMENT
from boidsgen.errors import ScenarioError, StorageError
from boidsgen.scenario.estimate import excess
from boidsgen.scenario.loading import load_scenario
from boidsgen.scenario.sources import preset, presets
from tests.systems import posix

PRESETS = [shipped.name for shipped in presets()]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_load(name):
    """Every shipped scenario loads, says in its first line what it shows, and suits its format and the limits."""
    scenario = load_scenario(name)

    assert preset(name).title
    assert not list(scenario.unfit_for([scenario.output.format]))
    assert not excess(scenario)


def test_unknown_preset():
    """A preset that is not there says what is like it."""
    with pytest.raises(boidsgen.StorageError, match="did you mean 'quickstart'"):
        preset("quickstat")


BYTES = [
    (b"\xef\xbb\xbfseed = -1", "{file}:1: seed: must be at least 0, not -1"),
    (b"title = 'x'\r\nseed = -1\r\n", "{file}:2: seed: must be at least 0, not -1"),
    (b"\ntitle = 'caf\xe9'", "{file}:2: byte 13 (0xe9) is not UTF-8; save the file as UTF-8"),
    (b"title = 'a\0b'", "{file}:1:11: not TOML: found invalid character '\\x00'"),
    (b"x" * (MAX_DOCUMENT + 1), "{file}: more than 1000 kB, too large for a scenario"),
    (b"x = " + b"[" * 100_000, "{file}: tables and lists are nested more than 30 levels deep"),
    (b"x = " + b"[" * 40 + b"]" * 40, "{file}: tables and lists are nested more than 30 levels deep"),
    (b".".join([b"x"] * 5000) + b" = 1", "{file}: tables and lists are nested more than 30 levels deep"),
    (b"seed = " + b"1" * 5000, None),
]


@pytest.mark.parametrize(("content", "line"), BYTES, ids=[repr(content[:20]) for content, _ in BYTES])
def test_unusual_files(tmp_path, content, line):
    """Whatever is in a file, there is one clear line about it."""
    file = tmp_path / "odd.toml"
    file.write_bytes(content)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)

    assert len(caught.value.mistakes) == 1
    assert line is None or caught.value.mistakes[0].partition("\n")[0] == line.format(file=file)


MISSING = [
    ("nowhere.toml", StorageError, "nowhere.toml: neither a file nor a shipped preset"),
    ("qqq", StorageError, "qqq: neither a file nor a shipped preset; `boidsgen presets` lists those"),
    (
        "x.gif",
        StorageError,
        "x.gif: neither a file nor a shipped preset; -o x.gif is for a file to be made",
    ),
    ("qickstart", StorageError, "qickstart: neither a file nor a shipped preset (did you mean 'quickstart'?)"),
    ("a\0b", StorageError, "'a\\x00b': no name of a file holds a NUL"),
    pytest.param("x" * 5000, StorageError, f"{'x' * 5000}: File name too long", marks=posix),
    (".", ScenarioError, ".: a directory, not a scenario; name one of the files in it"),
]


@pytest.mark.parametrize(("name", "error", "line"), MISSING, ids=lambda value: str(value)[:20])
def test_missing_files(name, error, line):
    """A scenario that cannot be read says why."""
    with pytest.raises(error) as caught:
        load_scenario(name)

    assert str(caught.value) == line
