from pathlib import Path

import pytest

from tests.systems import WINDOWS, native, refusal

USUAL = native("outputs/small.gif")
USAGE = [
    (["render", "small.toml", "--size", "64"], "boidsgen: --size 64: must look like 640x360"),
    (
        ["render", "small.toml", "--set", "seed"],
        "boidsgen: --set seed: must look like KEY=VALUE, as in --set flock.count=80",
    ),
    (["render", "small.toml", "--engine", "abacus"], "boidsgen: there is no engine 'abacus'"),
    (["measure", "small.toml", "-o", "-"], "boidsgen: -: say with --format what to write to standard output: csv"),
    (["render", "-", "-"], "boidsgen: standard input can be read only once"),
    (["render", "small.toml", "small.toml"], f"boidsgen: {USUAL}: is already the output of small.toml"),
    (
        ["render", "small.toml", "-o", "a.gif", "-o", "./a.gif"],
        "boidsgen: ./a.gif: is already the output of small.toml",
    ),
    (["render", "self.gif", "-o", "self.gif"], "boidsgen: self.gif: is already a scenario"),
    (["render", "small.toml", "-o", "a.avi"], "boidsgen: a.avi: "),
    (["still", "small.toml", "--at", "3"], "boidsgen: there is no frame 3; the scenario has 3, numbered 0 to 2"),
    (["still", "small.toml", "--at", "-1"], "boidsgen: --at -1: must be the number of a frame"),
    (
        ["still", "small.toml", "-o", "a.gif"],
        "boidsgen: a.gif: a still is a PNG, or a figure; end its name with one of .png, .svg, .pdf",
    ),
    (["still", "self.png", "-o", "./self.png"], "boidsgen: ./self.png: is the scenario"),
    (["render"], "boidsgen: missing argument"),
    (["render", "small.toml", "--frames", "x"], "boidsgen: invalid value"),
    (["bogus"], "boidsgen: no such command"),
]


@pytest.mark.parametrize(("arguments", "line"), USAGE, ids=[" ".join(arguments) for arguments, _ in USAGE])
def test_wrong_usage(boidsgen, arguments, line):
    """A command line that makes no sense is refused with code 2 before anything is written."""
    for name in ("self.gif", "self.png"):
        Path(name).write_text("[time]\nframes = 1")
    ran = boidsgen(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert any(told.startswith(line) for told in ran.err.splitlines())
    assert not Path("outputs").exists()


STORAGE = [
    ["render", "nowhere.toml"],
    ["render", "small.toml", "-o", "nowhere/a.gif"],
    ["render", "small.toml", "-o", "small.toml/"],
    ["still", "small.toml", "-o", "small.toml/"],
    ["still", "small.toml", "-o", "nowhere/a.png"],
    ["new", "nowhere/a.toml"],
    ["new", "a.toml", "--from", "nopreset"],
]


@pytest.mark.parametrize("arguments", STORAGE, ids=map(repr, STORAGE))
def test_missing_places(boidsgen, arguments):
    """What cannot be read or written is told in one line, with code 5."""
    ran = boidsgen(*arguments)

    assert (ran.code, ran.out, len(ran.err.splitlines())) == (5, "", 1)


def test_name_that_no_system_takes(boidsgen):
    """A NUL in a name is told in one line; where the system keeps names for itself, as wrong usage."""
    ran = boidsgen("new", "a\0b")

    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2 if WINDOWS else 5, "", 1)


def test_usual_directory_that_cannot_be_made(boidsgen):
    """A file in the place of the directory for outputs is told."""
    Path("outputs").touch()
    reason = refusal(Path("outputs").mkdir)
    ran = boidsgen("render", "small.toml")

    assert (ran.code, ran.err) == (5, f"boidsgen: outputs: {reason}\n")


def test_scenario_mistakes_come_before_any_rendering(boidsgen):
    """A mistake in the last scenario is told before the first one is rendered."""
    Path("bad.toml").write_text("seed = -1")
    ran = boidsgen("render", "small.toml", "bad.toml")

    assert (ran.code, ran.out, ran.err) == (3, "", "bad.toml:1: seed: must be at least 0, not -1\n")
    assert not Path("outputs").exists()


def test_option_for_a_key_is_named_in_its_mistake(boidsgen):
    """A mistake in an option that is short for a key names the option."""
    ran = boidsgen("render", "small.toml", "--frames", 0, "--fps", "nan", "--quality", "best", "--format", "avi")

    assert ran.code == 3
    assert ran.err.splitlines() == [
        "--frames 0: must be at least 1, not 0",
        "--fps nan: must be a finite number, not nan",
        '--quality best: must be "draft", "standard" or "high", not "best"',
        '--format avi: must be "gif", "mp4", "webp", "webm" or "png", not "avi" (did you mean \'mp4\'?)',
    ]


def test_format_that_cannot_do_it(boidsgen):
    """An odd size is refused for mp4 with the nearest even one, by the option or by the line."""
    assert boidsgen("render", "small.toml", "--size", "63x48", "-o", "a.mp4").err.startswith(
        "--size 63x48: an mp4 needs"
    )
    Path("odd.toml").write_text("\n[output]\nsize = [63, 48]")

    assert boidsgen("render", "odd.toml", "-o", "a.mp4").err.startswith("odd.toml:3: output.size: an mp4 needs")


def test_no_clobber(boidsgen):
    """An existing output stays as it is, with code 4."""
    Path("a.gif").write_bytes(b"old")
    ran = boidsgen("render", "small.toml", "-o", "a.gif", "--no-clobber")

    assert (ran.code, ran.out, Path("a.gif").read_bytes()) == (4, "", b"old")


def test_too_large(boidsgen):
    """A scenario beyond the limits is refused with code 8, by its name."""
    ran = boidsgen("render", "small.toml", "--set", "flock.count=1000000000")

    assert ran.code == 8
    assert ran.err.startswith(
        "boidsgen: small.toml: 1,000,000,000 boids wanted, 2,000,000 allowed; --set limits.boids="
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["render", "small.toml", "--set", 'title="\udcff"'],
        ["compare", "small.toml", "--with", 'title="\udcff"'],
        ["compare", "small.toml", "--labels", "\udcff"],
        ["sweep", "small.toml", "--vary", "title=a,\udcff"],
    ],
    ids=lambda arguments: " ".join([arguments[0], arguments[2]]),
)
def test_text_that_is_not_utf8(boidsgen, arguments):
    """Bytes on the command line that are no letters are told in one line, before any work."""
    ran = boidsgen(*arguments)

    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert ran.err.endswith(": is not UTF-8\n")
