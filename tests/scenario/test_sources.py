import re

import pytest

from boidsgen.errors import MAX_DOCUMENT, ScenarioError, StorageError
from boidsgen.scenario.loading import load_scenario
from boidsgen.scenario.sources import presets
from tests.systems import posix

PRESETS = [shipped.name for shipped in presets()]


BYTES = [
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
    ("a\0b", StorageError, "'a\\x00b': no name of a file holds a NUL"),
    pytest.param("x" * 5000, StorageError, f"{'x' * 5000}: File name too long", marks=posix),
    (".", ScenarioError, ".: a directory, not a scenario; name one of the files in it"),
]


@pytest.mark.parametrize(("name", "error", "line"), MISSING, ids=lambda value: str(value)[:20])
def test_missing_files(name, error, line):
    """A scenario that cannot be read is refused with the reason."""
    with pytest.raises(error, match=re.escape(line)):
        load_scenario(name)
