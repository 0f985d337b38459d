"""More than a machine can do is refused at once; and where memory ends all the same, one line says so."""

import time

import pytest

from boidsgen.scenario.scenario import Limits
from tests.faults.processes import finish, start
from tests.faults.setting import PRODUCTS, content
from tests.systems import posix, posix_module

resource = posix_module("resource")

pytestmark = pytest.mark.faults

LARGE = 10**9
MEMORY = 2_500_000_000
"""Bytes of address space: enough to start, and too few for what is asked."""
TOO_MUCH = [
    (
        "flock.count=1000000000",
        "1,000,000,000 boids wanted, 2,000,000 allowed; --set limits.boids=1000000000 allows it",
    ),
    ("time.frames=100000000", "100,000,000 frames wanted, 1,000,000 allowed; --set limits.frames=100000000 allows it"),
    (
        "output.size=[100000, 100000]",
        "10,000,000,000 pixels wanted, 64,000,000 allowed; --set limits.pixels=10000000000 allows it",
    ),
    ("world.size=[100000, 100000]", "10,000,000,000 pixels wanted, 64,000,000 allowed; "),
    ("time.warmup=1000000000", "1,000,000,002 steps wanted, 100,000,000 allowed; "),
    ("time.steps_per_frame=9223372036854775807", "steps wanted, 100,000,000 allowed; no limit can allow that"),
    ("world.size=[1e50, 1e50]", "about 10^100 pixels wanted, 64,000,000 allowed; no limit can allow that"),
]


@pytest.mark.parametrize("command", ["render", "still", "check"])
@pytest.mark.parametrize(("setting", "told"), TOO_MUCH, ids=[setting for setting, _ in TOO_MUCH])
def test_too_much_is_refused_at_once(setting, told, command, boidsgen, here):
    """T62: code 8 within a second, with the estimate and what would raise the limit, before anything is made."""
    assert boidsgen(command, "small.toml", "--help").code == 0  # from now on the command is loaded
    assert boidsgen("check", "small.toml").code == 0
    before = content(here)
    began = time.monotonic()
    ran = boidsgen(command, "small.toml", "--set", setting)

    assert time.monotonic() - began < 1
    assert (ran.code, ran.out) == (8, "")
    assert all(line.startswith("boidsgen: small.toml: ") for line in ran.lines)
    assert told in ran.err
    assert content(here) == before


@pytest.mark.parametrize("key", sorted({*Limits.model_fields} - {"runs"}))
def test_every_limit_holds(key, boidsgen):
    """T62: a limit of one refuses, and the setting that the message names lets the scenario through."""
    settings = ["--set", f"limits.{key}=1"]
    ran = boidsgen("render", "small.toml", *settings)

    assert ran.code == 8
    advice = ran.err.rpartition("; ")[2].removesuffix(" allows it\n").split()
    assert boidsgen("render", "small.toml", *settings, *advice).code == 0


def test_a_size_that_a_format_cannot_hold(boidsgen):
    """T62, T13: what the limits allow and the format does not is a mistake in the scenario."""
    ran = boidsgen("render", "small.toml", "--size", "70000x2")

    assert (ran.code, ran.err) == (3, "--size 70000x2: a gif is at most 65535 pixels wide and high\n")


@pytest.mark.parametrize("digits", [19, 400, 4200, 5000])
@pytest.mark.parametrize(
    "option", ["--size {}x3", "--frames {}", "--seed {}", "--set flock.count={}", "--set flock.{}.count=3"]
)
def test_numbers_of_any_length(option, digits, boidsgen):
    """T52: a number that no machine holds is refused like any other."""
    ran = boidsgen("render", "small.toml", *option.format(digits * "9").split())

    assert ran.code in {2, 3}
    assert "Traceback" not in ran.err


BOIDS = (
    "--set",
    f"flock.count={LARGE}",
    "--set",
    f"limits.boids={LARGE}",
    "--set",
    f"limits.neighbor_visits={4 * LARGE**2}",
)
PIXELS = ("--set", "output.size=[60000, 45000]", "--set", f"limits.pixels={10 * LARGE}")


@posix
@pytest.mark.parametrize(
    ("product", "options"),
    [("gif", BOIDS), ("gif", PIXELS), ("mp4", BOIDS), ("png", BOIDS), ("still", BOIDS), ("still", PIXELS)],
    ids=["gif-boids", "gif-pixels", "mp4-boids", "png-boids", "still-boids", "still-pixels"],
)
def test_memory_that_ends(product, options, here):
    """T62: under a limit of address space there is code 8 and one line, the old file, and nothing else."""
    wanted = PRODUCTS[product]
    wanted.put_old(here)
    before = content(here)
    process = start(
        *(*wanted.arguments, *options),
        cwd=here,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )

    assert finish(process) == (8, "", "boidsgen: not enough memory for this scenario\n")
    assert content(here) == before
