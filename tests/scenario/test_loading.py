import json

import pytest

from boidsgen.errors import MAX_DEPTH, MAX_DOCUMENT, ScenarioError
from boidsgen.scenario.loading import MAX_ERRORS, load_scenario
from boidsgen.scenario.reference import json_schema
from boidsgen.scenario.wording import SAME_KEY, SAME_WORD
from tests.scenario.loaded import loaded


def test_all_mistakes_at_once_from_top_to_bottom():
    """Every error in a file is told, in the order of its lines, and those of overrides after them."""
    text = (
        "[output]\nfps = 0\n[flock]\ncount = -1\naligment = {}\n[world]\nsize = [1, 2, 3]\n[flock.home]\npoint = [1, 2]"
    )
    with pytest.raises(ScenarioError) as caught:
        loaded(text, "seed=-1")

    places = ["test.toml:2", "test.toml:4", "test.toml:5", "test.toml:9", "--set seed=-1"]
    assert [line.split(": ")[0] for line in caught.value.errors] == places


def test_thousands_of_mistakes_are_counted():
    """A file that is wrong throughout shows the first errors and the number of the others."""
    with pytest.raises(ScenarioError) as caught:
        loaded("\n".join(f"a{number} = 1" for number in range(MAX_ERRORS + 5)))

    assert len(caught.value.errors) == MAX_ERRORS + 1
    assert caught.value.errors[-1] == "test.toml: and 5 more errors"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"x = {'[' * (MAX_DEPTH - 2)}{']' * (MAX_DEPTH - 2)}", ":1: x: unknown key"),  # deepest that is allowed
        (f"x = {'[' * 40}{']' * 40}", ": tables and lists are nested more than 30 levels deep"),
        ("x" * (MAX_DOCUMENT + 1), ": more than 1000 kB, too large for a scenario"),
        ("title = 'a\0b'", ":1:11: not TOML: found invalid character '\\x00'"),
        (f"{'k' * 900_000} = 1", ":1: kkk"),
        (f"theme = {'x' * 900_000}", ":1:9: not TOML: "),
        (f'title = "{"x" * 900_000}', ":1:"),
    ],
    ids=["deep", "too deep", "large", "NUL", "long key", "long word", "long text"],
)
def test_unusual_files(tmp_path, content, said):
    """However large or deep a file is, there is one short error about it."""
    file = tmp_path / "odd.toml"
    file.write_text(content)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)

    (error,) = caught.value.errors
    assert error.startswith(f"{file}{said}")
    assert len(error) < 1000


def test_suggestions_lead_somewhere():
    """Every key and every word that a suggestion may name is one of ours."""
    schema = json.dumps(json_schema())

    for name in {*SAME_KEY.values(), *SAME_WORD.values()}:
        assert all(f'"{part}"' in schema for part in name.split(".")), name
