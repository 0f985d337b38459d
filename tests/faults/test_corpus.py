"""Every bad scenario of the corpus is refused in the words that stand beside it."""

import pytest

from tests.faults.corpus import scenarios, told, words
from tests.faults.setting import content


@pytest.mark.parametrize("path", scenarios(), ids=lambda path: path.stem)
def test_a_bad_scenario(path, boidsgen, here):
    """T50, T51, T52, T53: the words are exactly these, whichever command meets the file, and nothing is written."""
    assert words(path) == told(path).read_text(encoding="utf-8"), "python -m tests.faults.corpus writes them anew"
    (here / path.name).write_bytes(path.read_bytes())
    before = content(here)
    for command in ("check", "render"):
        ran = boidsgen(command, path.name)
        assert f"exit {ran.code}\n{ran.out}{ran.err}" == told(path).read_text(encoding="utf-8")
    assert content(here) == before


def test_the_corpus_is_of_bad_ones():
    """Every file is refused, for a reason that begins with its name, and none stands there without its words."""
    for path in scenarios():
        code, *lines = told(path).read_text(encoding="utf-8").splitlines()
        assert code in {"exit 3", "exit 8"}
        assert lines
        told_of = [line for line in lines if not line.startswith("  ")]  # the others show a place
        assert all(line.removeprefix("boidsgen: ").startswith(path.name) for line in told_of)
    assert {*map(told, scenarios())} == {*scenarios()[0].parent.glob("*.txt")}
