"""Scenarios by the thousand, through the real command: rendered in full, or refused with a reason."""

import contextlib
import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from PIL import Image

from boidsgen.cli.main import run
from tests.faults.bounded import bounded
from tests.faults.generating import hostile, text, valid
from tests.faults.setting import FULL, Ran, amount, content

pytestmark = pytest.mark.faults

MEMORY = 6 << 30
"""Bytes of address space, most of which is never used."""
PATIENCE = 60
"""Seconds after which a render of three tiny frames counts as hung."""
FINE, INVALID, NOT_FINITE, TOO_MUCH = 0, 3, 7, 8
TRIES = settings(
    max_examples=amount(30, 5000),
    deadline=None,
    derandomize=not FULL,
    database=None,
    phases=[Phase.generate, Phase.shrink] if FULL else [Phase.generate],
    suppress_health_check=list(HealthCheck),
)
LINES = {
    INVALID: ("fuzz.toml:", "output."),
    NOT_FINITE: ("boidsgen: ",),
    TOO_MUCH: ("boidsgen: fuzz.toml: ", "boidsgen: fuzz.gif: output.max_bytes: ", "boidsgen: not enough memory"),
}
"""How each line begins by exit code."""


def rendered(document, *options):
    """Render the text of a scenario, as a user's system would: numpy warns, and warnings are failures here."""
    Path("fuzz.toml").write_bytes(document if isinstance(document, bytes) else document.encode())
    Path("fuzz.gif").write_bytes(b"old")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), np.errstate(all="warn", under="ignore"):
        code = run(["render", "fuzz.toml", "-o", "fuzz.gif", "--quiet", *options])
    return Ran(code, out.getvalue(), err.getvalue())


def check(document, ran):
    """Rendered in full, or refused with file and key on each line and the old file in its place."""
    if ran.code == FINE:
        assert ran.err == ""
        with Image.open("fuzz.gif") as picture:
            for number in range(picture.n_frames):
                picture.seek(number)
                picture.load()
    else:
        assert ran.code in LINES, (document[:3000], ran)
        assert ran.lines, document[:3000]
        told = [line for line in ran.lines if not line.startswith("  ")]  # the others show the place
        assert told, ran.lines[:5]
        assert all(line.startswith(LINES[ran.code]) for line in told), ran.lines[:5]
        assert Path("fuzz.gif").read_bytes() == b"old"
    assert sorted(content(Path())) == ["fuzz.gif", "fuzz.toml", "small.toml"]


@pytest.mark.parametrize("documents", [valid(), hostile()], ids=["valid", "hostile"])
def test_scenarios_by_the_thousand(documents, here):
    """T63, T52, T60, T61: whatever stands in a scenario, it is rendered or refused, and the place is named."""
    del here

    def tried(progress):
        codes = Counter()

        @TRIES
        @given(documents)
        def one(document):
            progress()
            ran = rendered(text(document))
            check(text(document), ran)
            codes[ran.code] += 1

        one()
        return codes

    codes = bounded(tried, seconds=PATIENCE, memory=MEMORY)
    assert codes[FINE] > TRIES.max_examples // 10, codes
    assert codes[INVALID] > 0, codes


ANYTHING = st.text(max_size=60) | st.binary(max_size=60) | st.text("[]{}=.\"'#\n\\ax10_-:", max_size=40)
"""What is hardly ever TOML."""


def test_anything_at_all(here):
    """T53: text and bytes that are no TOML are refused with file and line."""
    del here

    def tried(progress):
        @TRIES
        @given(ANYTHING)
        def one(document):
            progress()
            ran = rendered(document)
            assert ran.code in {FINE, INVALID}
            check(document, ran)

        one()

    bounded(tried, seconds=PATIENCE, memory=MEMORY)


MANY = amount(4_000, 40_000)
LARGE = {
    "fifty megabytes": b"# " + 50_000_000 * b"x",
    "deep lists": b"title = " + 200_000 * b"[",
    "deep lists that close": b"title = " + 40_000 * b"[" + 40_000 * b"]",
    "deep tables": b".".join([b"a"] * 100_000) + b" = 1",
    "deep headers": b"[" + b".".join([b"a"] * 100_000) + b"]",
    "deep inline tables": 10_000 * b"a = {" + 10_000 * b"}",
    "a long number": b"seed = " + 500_000 * b"9",
    "a long key": 900_000 * b"k" + b" = 1",
    "many keys": b"".join(b"k%d = 1\n" % number for number in range(MANY)),
    "many tables": MANY * b"[[flock]]\ncount = -1\n",
    "many obstacles": b"obstacles = [" + MANY * b"{}, " + b"]",
    "a long title": b"title = '" + MANY * b"t" + b"'",
    "zeros": 900_000 * b"\0",
}


@pytest.mark.parametrize("name", LARGE)
def test_large_documents(name, here):
    """T53: a document of any size and depth is refused or rendered in seconds."""
    del here
    ran = bounded(lambda _: rendered(LARGE[name]), seconds=PATIENCE, memory=MEMORY)
    assert ran.code == (FINE if name == "a long title" else INVALID)
    assert len(ran.err) < 100_000
    check(LARGE[name], ran)
