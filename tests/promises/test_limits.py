"""Promise 5: memory does not grow with the number of frames; work beyond the [limits] is refused before it starts."""

import time

import pytest

from boidsgen.scenario.scenario import Limits
from tests.promises.setting import FULL, PRODUCTS, amount, content, finish, leftovers, limited, start, start_python
from tests.running import SCENARIO
from tests.systems import posix

pytestmark = pytest.mark.faults

TINY = ("--size", "32x32", "--set", "flock.count=2", "--set", "world.size=[32, 32]")
PEAK = """
import sys
import resource
from boidsgen.cli.main import run
code = run(sys.argv[1:])
print(code, *(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
"""
SLACK = {"gif": 5_000, "apng": 5_000, "avif": 15_000, "mov": 15_000, "mp4": 15_000, "webm": 15_000, "npz": 5_000}
"""Kilobytes by which an output of many times the length may differ."""
AT_ONCE = 1.0  # Seconds of processor time in which a request is refused that is too large by far


def peak(directory, ending, frames):
    """The most memory in kilobytes that the program and its child had."""
    command = "simulate" if ending == "npz" else "render"
    arguments = (command, SCENARIO, "-o", f"flock.{ending}", "--quiet", "--frames", frames, *TINY)
    _, out, _ = finish(start_python("-c", PEAK, *arguments, cwd=directory))
    code, own, others = map(int, out.splitlines()[-1].split())
    assert code == 0
    return own, others


@posix
@pytest.mark.parametrize("ending", SLACK if FULL else ["gif", "mp4"])
def test_memory_does_not_grow_with_length(ending, here):
    """Eight times the frames, in full two hundred times, take the memory of the shorter clip."""
    short, long = (peak(here, ending, frames) for frames in (100, amount(800, 20_000)))

    assert long[0] - short[0] <= SLACK[ending]
    assert long[1] - short[1] <= SLACK[ending]


ABSURD = {
    "boids": "render small.toml --set flock.count=1000000000",
    "frames": "render small.toml -o o.gif --frames 100000000",
    "pixels": "render small.toml -o o.gif --size 100000x100000",
    "a world": "still small.toml --set world.size=[1e50,1e50]",
    "steps": "check small.toml --set time.steps_per_frame=9223372036854775807",
    "steps before a picture": "still small.toml -o o.png --set time.warmup=100000000000",
    "boids of a saved run": "simulate small.toml -o o.npz --set flock.count=1000000000",
    "boids of one of several": "compare small.toml --with flock.count=1000000000 -o c.png",
    "a crowd": "check small.toml --set flock.count=1000000 --set flock.start=center --set time.frames=100000",
    "a million cubed": "sweep small.toml --vary seed=1:1000000:1000000 --vary flock.max_speed=1:2:1000000",
    "a billion seeds": "sweep small.toml --seeds 1000000000",
    "seeds by frames": "measure small.toml --seeds 10000 --frames 1000000",
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_requests_are_refused_at_once(name, boidsgen, here):
    """A request that is far too large is refused within a second of work, and nothing is made."""
    assert boidsgen(ABSURD[name].split()[0], "--help").code == 0  # from now on the command is loaded
    assert boidsgen("check", SCENARIO).code == 0
    before, began = content(here), time.process_time()
    ran = boidsgen(*ABSURD[name].split())

    assert time.process_time() - began < AT_ONCE
    assert (ran.code, ran.out) == (8, "")
    assert ran.lines
    assert all(" requested" in line and "allow" in line for line in ran.lines), ran.err
    assert content(here) == before


@pytest.mark.parametrize("key", sorted({*Limits.model_fields} - {"runs", "positions"}))
def test_every_limit_holds(key, boidsgen):
    """A limit of one refuses, and the setting that the message names lets the scenario through."""
    settings = ["--set", f"limits.{key}=1"]
    ran = boidsgen("render", SCENARIO, *settings)

    assert ran.code == 8
    advice = ran.err.rpartition("; ")[2].removesuffix(" allows it\n").split()
    assert boidsgen("render", SCENARIO, *settings, *advice).code == 0


LARGE = 10**9
BOIDS = (
    *("--set", f"flock.count={LARGE}", "--set", f"limits.boids={LARGE}"),
    *("--set", f"limits.neighbor_visits={4 * LARGE**2}"),
)
PIXELS = ("--set", "output.size=[60000, 45000]", "--set", f"limits.pixels={10 * LARGE}")


@posix
@pytest.mark.parametrize(
    ("product", "options"),
    [("gif", BOIDS), *(pytest.param(one, BOIDS, marks=pytest.mark.slow) for one in ("mp4", "png")), ("still", PIXELS)],
)
def test_memory_that_ends(product, options, here):
    """If limits are raised and memory ends all the same, there is code 8, one line, and the old file."""
    wanted = PRODUCTS[product]
    wanted.put_old(here)
    before = content(here)
    process = start(*wanted.arguments, *options, cwd=here, preexec_fn=limited("RLIMIT_AS", 2_500_000_000))
    code, out, err = finish(process)

    assert (code, out, err.count("\n")) == (8, "", 1)
    assert content(here) == before


@posix
@pytest.mark.turns(2)
@pytest.mark.parametrize("ending", ["gif", "mp4", "npz"])
@pytest.mark.parametrize("memory", range(40, 700, 20) if FULL else (100, 200))
def test_too_little_memory_at_any_moment(memory, ending, here):
    """Whichever library meets the end of memory first, there is one line, and nothing temporary stays."""
    before = content(here)
    command = "simulate" if ending == "npz" else "render"
    limit = limited("RLIMIT_AS", memory << 20)
    code, _, err = finish(start(command, SCENARIO, "-o", f"flock.{ending}", cwd=here, preexec_fn=limit))

    assert code in {0, 8, *([6] if ending == "mp4" else [])}, (code, err)  # 6 where ffmpeg met it
    assert err.count("\n") == (code != 0), err
    assert leftovers(here) == []
    if code:
        assert content(here) == before
