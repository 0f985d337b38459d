"""Measure speed for docs/explanation/speed.md: `python -m docs.programs.benchmarks.peers [CASES] [--clone DIR]`.

Two comparisons of simulators state their model and their protocol so that anyone can repeat them; their numbers stand
below as they were published. With a clone of the first one, which has the code of its frameworks, MASON (needs a JDK)
and Mesa (needs uv) are run on this machine, too. Without names every case is measured, which takes some minutes.
"""

import json
import statistics
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from boidsgen import load_scenario, render
from docs.programs.benchmarks.beside import CASES, ROOT, measure, opened, show
from docs.programs.benchmarks.worker import CROWDS, PUBLISHED, STEPS, VICINITY
from docs.programs.reference import table

STORED = Path(__file__).with_name("peers.json")
STEPPED = {"200": "1.6", "400": "34", "10,000": "20", "100,000": "20", "hunt": "", "murmuration": "", "trefoil": ""}
"""Flocks that both engines step, and neighbors of each boid."""
GROWTH = {f"native {name}": count for name, (count, _) in VICINITY.items() if name not in {"200", "400"}}
ONE_THREAD = [name for name, case in CASES.items() if case.ask[0] in {"steps", "published"}]
BROWSER = {"browser 400": 200, "browser 1,000": 100, "browser 10,000": 10}
"""Steps of a frame of a page with so many boids."""
SIZES = ("200", "400")
REPEATS = 20  # Runs of MASON, so that its virtual machine is warm for most
MESA = """
import statistics, time
from Flocking import BoidFlockers
def run(seed):
    flock = BoidFlockers(seed, {boids}, {side}, {side}, {vision})
    began = time.perf_counter()
    for _ in range(100): flock.step()
    return time.perf_counter() - began
print(1000 * statistics.median(map(run, (1, 2, 3))))
"""


class Peer(NamedTuple):
    """What is published of a program, in each of the sizes of a comparison; None where its budget did not suffice."""

    name: str
    published: tuple[float | None, ...]


FRAMEWORKS = (
    Peer("Ark.jl 0.4.0", (0.73, 0.36)),
    Peer("Agents.jl 6.2.10", (1.0, 1.0)),
    Peer("MASON 22.0", (1.42, 0.61)),
    Peer("NetLogo 6.4.0", (15.37, 19.14)),
    Peer("Mesa 3.2.0", (159.29, 59.5)),
)
"""Times of 100 steps relative to Agents.jl, 200 and 400 birds: README.md of ABMFrameworksComparison at 553c3944."""
SIMULATORS = (
    Peer("Henad 0.3.0, RTX 4090", (0.0213, 0.0487, 0.230)),
    Peer("Henad 0.3.0, 24 threads", (0.0713, 0.404, 4.01)),
    Peer("Henad 0.3.0, one thread", (0.494, 4.67, 56.6)),
    Peer("krABMaga 0.6.2", (0.723, 7.17, 74.3)),
    Peer("MASON 22", (0.729, 7.39, 118.0)),
    Peer("Agents.jl 7.0.3", (1.33, 16.8, 290.0)),
    Peer("NetLogo 7.0.4", (35.0, None, None)),
    Peer("Mesa 3.5.1", (57.3, None, None)),
)
"""Median seconds of 100 steps after 10: docs/assets/benchmarks/lium4090_20261008.csv of Henad at 14767e0a."""


def stepped(names: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Milliseconds on one thread: of one step, of the 100 of a model, or of the yardstick; the least of all turns."""
    with ExitStack() as stack:
        checkout = opened(stack, ROOT, Path(sys.executable), BOIDSGEN_THREADS="1")
        for name in names:
            yield name, measure(name, CASES[name], [checkout]).best[0]


def browsed(name: str) -> float:
    """Milliseconds of a step of a page in Chromium."""
    from playwright.sync_api import sync_playwright

    preset, keys, _ = STEPS[name.removeprefix("browser ")]
    clock = {"time.warmup": 0, "time.frames": 20, "time.steps_per_frame": BROWSER[name]}
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder, "page.html")
        render(load_scenario(preset, {**keys, **clock, "output.loop_seam": 0}), page)
        with driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]) as browser:
            shown = browser.new_page(reduced_motion="reduce")  # which does not play by itself
            shown.goto(page.as_uri())
            timed = "n => { const began = performance.now(); boidsgen.seek(n); return performance.now() - began; }"
            return min(shown.evaluate(timed, frame) for frame in range(1, 10)) / BROWSER[name]


def mason(clone: Path, boids: str) -> float:
    """Median milliseconds of 100 steps of MASON, as the comparison runs it."""
    size = {"200": "small", "400": "large"}[boids]
    sources = [str(clone / "Flocking" / "Mason" / f"{kind}_{size}.java") for kind in ("Flocking", "Flocker")]
    with TemporaryDirectory() as folder:
        path = ["-classpath", f"{clone / 'mason.22.jar'}:{folder}"]
        command = ["javac", "-nowarn", *path, "-d", folder, *sources]
        subprocess.run(command, check=True)
        command = ["java", *path, f"Flocking_{size}", "-seed", "42", "-for", "100", "-repeat", str(REPEATS), "-quiet"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return statistics.median(int(line.split()[1]) / 1e6 for line in printed.splitlines() if "JobTime:" in line)


def mesa(clone: Path, boids: str) -> float:
    """Median milliseconds of 100 steps of Mesa, of the version that the comparison runs."""
    keys = PUBLISHED[f"flocking {boids}"][1]
    side, vision = keys["world.size"][0], keys["flock.perception.radius"]
    program = MESA.format(boids=boids, side=side, vision=vision)
    command = ["uv", "run", "--quiet", "--no-project", "--with", "mesa==3.2.0", "python", "-c", program]
    folder = clone / "Flocking" / "Mesa"
    return float(subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout)


def main() -> None:
    """Measure what is named, and store it with the day and the time of the yardstick."""
    parser = ArgumentParser(prog="python -m docs.programs.benchmarks.peers", description="Measure as peers do.")
    peers = {f"{framework.__name__} {size}": framework for framework in (mason, mesa) for size in SIZES}
    every = [*ONE_THREAD, *BROWSER, *peers]
    parser.add_argument("cases", nargs="*", help=f"beginnings of names, all unless given: {', '.join(every)}")
    parser.add_argument("--clone", type=Path, help="a clone of github.com/JuliaDynamics/ABMFrameworksComparison")
    asked = parser.parse_args()
    possible = every if asked.clone else [name for name in every if name not in peers]
    chosen = [name for name in possible if name.startswith(tuple(asked.cases or every))]
    known = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    ((_, yardstick),) = stepped(["yardstick"])
    pages = ((name, browsed(name)) for name in chosen if name in BROWSER)
    others = ((name, peers[name](asked.clone.resolve(), name.split()[1])) for name in chosen if name in peers)
    for name, took in chain(stepped([name for name in chosen if name in CASES]), pages, others):
        show(f"{name:20} {took:12.4g} ms")
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        known[name] = {"ms": float(f"{took:.4g}"), "yardstick": round(yardstick, 1), "day": day}
        STORED.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def _figures(number: float) -> str:
    """Three figures, and no power of ten."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def engines_table() -> str:
    """Milliseconds of one step under either engine."""
    head, rows = ("case", "neighbors of each", "`native`", "`numpy`", "ratio"), list[list[str]]()
    for name, neighbors in STEPPED.items():
        native, plain = (STORED_ROWS[f"{engine} {name}"]["ms"] for engine in ("native", "numpy"))
        label = f"{name} boids" if neighbors else f"`{name}`"
        rows.append([label, neighbors, _figures(native), _figures(plain), f"{plain / native:.1f}"])
    return table(head, rows)


def frameworks_table() -> str:
    """Ratios as published, and milliseconds here."""
    here = {"MASON 22.0": "mason", "Mesa 3.2.0": "mesa"}
    head = ("framework", "published, 200 birds", "published, 400 birds", "ms here, 200", "ms here, 400")
    rows = list[list[str]]()
    for name, published in FRAMEWORKS:
        times = [_figures(STORED_ROWS[f"{here[name]} {size}"]["ms"]) if name in here else "" for size in SIZES]
        rows.append([name, *(f"{ratio:.2f}" for ratio in published), *times])
    for label, which in (("boidsgen", ""), ("boidsgen, all birds at once", " at once")):
        mine = [STORED_ROWS[f"flocking {size}{which}"]["ms"] for size in SIZES]
        by_mason = [
            time / STORED_ROWS[f"mason {size}"]["ms"] * ratio
            for time, size, ratio in zip(mine, SIZES, FRAMEWORKS[2].published, strict=True)
        ]
        rows.append([label, *(f"{ratio:.2f}, by MASON here" for ratio in by_mason), *(_figures(time) for time in mine)])
    return table(head, rows)


def simulators_table() -> str:
    """Seconds as published, and those of boidsgen here."""
    head, rows = ("engine", *(f"{name} boids" for name in CROWDS)), list[list[str]]()
    for name, published in SIMULATORS:
        rows.append([name, *("over budget" if time is None else _figures(time) for time in published)])
    rows.append(
        ["boidsgen, one thread, here", *(_figures(STORED_ROWS[f"henad {name}"]["ms"] / 1000) for name in CROWDS)]
    )
    return table(head, rows)


def growth_table() -> str:
    """Milliseconds of a step of flocks of any size, and the exponent of the power of the number that fits them."""
    times = {count: STORED_ROWS[name]["ms"] for name, count in GROWTH.items()}
    exponent = np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0]
    head = ("boids", "ms", "ns for each boid")
    rows = [[f"{count:,}", _figures(time), f"{1e6 * time / count:.0f}"] for count, time in times.items()]
    return f"{table(head, rows)}\nThe time grows with the number of boids to the power of {exponent:.2f}."


def yardstick() -> str:
    """The day of the measurements, and the time of the yardstick then."""
    days, times = ({row[key] for row in STORED_ROWS.values()} for key in ("day", "yardstick"))
    spread = f"{min(times):.0f} to {max(times):.0f} ms"
    return f"It took {spread} in the runs of {' and '.join(sorted(days))} that measured the numbers on this page."


def browser_table() -> str:
    """Steps a second of a page, and of the command line."""
    head, rows = ("boids", "steps a second in Chromium", "on the command line"), list[list[str]]()
    for name in BROWSER:
        size = name.removeprefix("browser ")
        rows.append([size, *(f"{1000 / STORED_ROWS[of]['ms']:,.0f}" for of in (name, f"native {size}"))])
    return table(head, rows)


STORED_ROWS = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}

if __name__ == "__main__":
    main()
