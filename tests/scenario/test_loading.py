import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boidsgen.cli.main import run
from boidsgen.errors import MAX_DEPTH, BoidsgenError, ScenarioError
from boidsgen.scenario.loading import MAX_SHOWN, draft, load_scenario
from boidsgen.scenario.overrides import from_text
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.schema import json_schema
from boidsgen.scenario.sources import Source
from boidsgen.scenario.suggestions import SAME_KEY, SAME_WORD
from boidsgen.scenario.wording import dotted, written
from tests.scenario.loaded import loaded


def test_formats_are_judged_with_the_line():
    """What a format cannot do is told like any other mistake."""
    document = draft(Source("test.toml", "test", "[output]\nsize = [63, 64]\nfps = 60"))
    with pytest.raises(ScenarioError) as caught:
        document.refuse(document.scenario().unfit_for(["gif", "mp4", "gif"]))

    assert [line.partition(": ")[0] for line in caught.value.mistakes] == ["test.toml:2", "test.toml:3"]


def test_mistake_in_an_override_from_python(tmp_path):
    """From Python the override is named by its key."""
    (tmp_path / "a.toml").touch()
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "a.toml", overrides={"flock.count": -1})

    assert caught.value.mistakes == ("overrides: flock.count: must be at least 0, not -1",)


def test_all_mistakes_at_once_from_top_to_bottom():
    """Every mistake in a file is told, in the order of its lines, and those of overrides after them."""
    text = (
        "[output]\nfps = 0\n[flock]\ncount = -1\naligment = {}\n[world]\nsize = [1, 2, 3]\n[flock.home]\npoint = [1, 2]"
    )
    with pytest.raises(ScenarioError) as caught:
        draft(Source("bad.toml", "bad", text), [from_text("seed=-1")]).scenario()

    assert [line.split(": ")[0] for line in caught.value.mistakes] == [
        "bad.toml:2",
        "bad.toml:4",
        "bad.toml:5",
        "bad.toml:9",
        "--set seed=-1",
    ]


def test_thousands_of_mistakes_are_counted():
    """A file that is wrong throughout shows the first mistakes and the number of the others."""
    text = "\n".join(f"a{number} = 1" for number in range(MAX_SHOWN + 5))
    with pytest.raises(ScenarioError) as caught:
        draft(Source("bad.toml", "bad", text)).scenario()

    assert len(caught.value.mistakes) == MAX_SHOWN + 1
    assert caught.value.mistakes[-1] == "bad.toml: and 5 more errors"


def test_depth_is_counted_from_the_top():
    """The deepest document that is allowed is judged by its keys, not by its depth."""
    text = f"x = {'[' * (MAX_DEPTH - 2)}{']' * (MAX_DEPTH - 2)}"
    with pytest.raises(ScenarioError, match="unknown key"):
        draft(Source("bad.toml", "bad", text)).scenario()


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="[]{}=.,\"'#\n abflock01-")), st.lists(st.text(), max_size=2))
def test_any_text_is_a_scenario_or_a_mistake(text, settings_):
    """No text and no override, however odd, leads to anything but a scenario or a mistake in words."""
    try:
        overrides = [from_text(setting) for setting in settings_]
        outcome = draft(Source("any.toml", "any", text), overrides).scenario()
    except BoidsgenError as error:
        outcome = str(error)

    assert isinstance(outcome, Scenario) or outcome.strip()


KEYS = st.sampled_from(
    ["flock", "world", "size", "boundary", "kind", "count", "obstacles", "events", "at", "set", "start", "output"]
)


TREES = st.recursive(
    st.one_of(st.integers(), st.floats(), st.booleans(), st.sampled_from(["soft", "circle", "ring", "x"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_any_document_is_a_scenario_or_mistakes_with_lines(document):
    """Known keys with any values lead to a scenario or to mistakes that each name a line."""
    text = "".join(f"{dotted((key,))} = {written(value)}\n" for key, value in document.items())
    mistakes = ()
    try:
        draft(Source("any.toml", "any", text)).scenario()
    except ScenarioError as error:
        mistakes = error.mistakes

    assert all(line.split(":")[1].isdecimal() for line in mistakes)


def test_suggestions_lead_somewhere():
    """Every key and every word that a suggestion may name is one of ours."""
    schema = json.dumps(json_schema())

    for name in {*SAME_KEY.values(), *SAME_WORD.values()}:
        assert all(f'"{part}"' in schema for part in name.split(".")), name


@pytest.mark.parametrize("text", [f"{'k' * 900_000} = 1", f"theme = {'x' * 900_000}", f'title = "{"x" * 900_000}'])
def test_very_long_lines_make_short_messages(text):
    """A key or a line of a megabyte is compared, and shown, in part only."""
    with pytest.raises(ScenarioError) as raised:
        loaded(text)

    assert len(str(raised.value)) < 1000


def test_strict_treats_warnings_as_errors(tmp_path, monkeypatch, capsys):
    """A rendering prints warnings and goes on; with --strict it is refused in the same words, and so is a check."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.toml").write_text("time = { frames = 2 }\noutput = { size = [64, 32] }\n", encoding="utf-8")

    assert run(["render", "my.toml", "-o", "my.gif"]) == 0
    assert "my.toml:2: output.size: has another aspect ratio" in capsys.readouterr().err
    assert run(["check", "my.toml"]) == 0
    assert "my.toml:2: output.size: has another aspect ratio" in capsys.readouterr().out
    for command in ("check", "render"):
        assert run([command, "my.toml", "--strict"]) == 3
        assert capsys.readouterr().err.startswith("my.toml:2: output.size: has another aspect ratio")
