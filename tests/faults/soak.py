"""A soak: a sweep of a thousand runs and more, killed at a random moment after about every hundred, and begun again.

    python -m tests.faults.soak                     a thousand runs
    python -m tests.faults.soak --runs 10000        the full form

Each round starts the same sweep in the same directory and kills it without warning, or asks it to stop, when about
a hundred more runs are done; the last round is left alone. What must hold is checked after every round: each file is
whole and equal to what an undisturbed render makes (a sample of them), no process lives on, and finished runs are not
done again. At the end everything is there, and nothing else. Prints one line a round, and a summary.
"""

import argparse
import hashlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.processes import alive, children, finish, start, until
from tests.faults.setting import SCENARIO, SMALL, leftovers

BETWEEN = 100
"""Runs from one kill to the next, on average."""
SAMPLE = 5
"""Runs that are rendered alone at the end, to be compared."""
SUMMARIES = {"manifest.jsonl", "manifest.csv", "index.html"}
SECONDS = 3600
PAUSE = 0.2
"""Seconds between two looks at the directory."""


def soak(directory, runs, seed):
    """Do all of it in an empty directory; gives the number of kills. Raises AssertionError when a promise is broken."""
    chance = random.Random(seed)  # noqa: S311  no secret
    (directory / SCENARIO).write_text(SMALL)
    kills, done = 0, 0
    while True:
        wanted = done + chance.randint(BETWEEN // 2, 3 * BETWEEN // 2)
        last = wanted >= runs
        process = start(*command(runs), cwd=directory)
        if not last:
            until(lambda n=wanted: finished(directory) >= n, process, SECONDS, PAUSE)
            stop(process, chance)
            kills += 1
        code, _, err = finish(process, SECONDS)
        check(directory, code, err, last=last)
        before, done = done, finished(directory)
        assert done >= before, f"{before} runs were finished, and now there are {done}"
        print(f"{done} of {runs} runs, {kills} kills, ended with {code}", flush=True)  # noqa: T201  what it is for
        if last:
            compare(directory, runs, chance)
            return kills


def command(runs):
    """The sweep."""
    return ["sweep", SCENARIO, "--seeds", runs, "--no-sheet", "-o", "runs", *settings(runs), "--quiet"]


def settings(runs):
    """What lets so many runs through; it stands in every file, too."""
    return "--set", f"limits.runs={runs}"


def stop(process, chance):
    """Kill a sweep, or one of its workers first, or ask it to stop; wait until none of its workers is there."""
    time.sleep(chance.uniform(0, 0.2))
    workers = children(process.pid)
    if workers and chance.random() < 0.3:
        signalled(chance.choice(workers))
    process.send_signal(chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)))
    process.wait(SECONDS)
    for _ in range(1000):
        if not any(map(alive, workers)):
            return
        time.sleep(0.01)
    raise AssertionError("a worker lives on")


def signalled(pid):
    """Kill a process that may have ended."""
    subprocess.run(["/bin/kill", "-KILL", str(pid)], check=False, capture_output=True)


def finished(directory):
    """How many runs have their file."""
    folder = directory / "runs"
    return sum(1 for path in folder.glob("seed=*.gif")) if folder.exists() else 0


def check(directory, code, err, *, last):
    """After every round: the code is one of those that may be, and every file of a run is whole."""
    assert code in ({0} if last else {0, -9, 143, 130}), (code, err)
    assert "Traceback" not in err, err
    if last:
        assert leftovers(directory / "runs") == []
    for path in (directory / "runs").glob("seed=*.gif"):
        with path.open("rb") as file:
            assert file.read(6) == b"GIF89a"
            file.seek(-1, 2)
            assert file.read() == b";", f"{path} is not whole"


def compare(directory, runs, chance):
    """At the end: all runs and no other file, digests that are right, and the bytes of undisturbed renders."""
    folder = directory / "runs"
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    assert len(rows) == runs
    assert {row["status"] for row in rows} == {"done"}
    assert {path.name for path in folder.iterdir()} == {row["file"] for row in rows} | SUMMARIES
    for row in rows:
        assert hashlib.sha256((folder / row["file"]).read_bytes()).hexdigest() == row["sha256"]
    for row in chance.sample(rows, min(SAMPLE, runs)):
        code, _, err = finish(
            start("render", SCENARIO, *settings(runs), "--seed", row["seed"], "-o", "alone.gif", cwd=directory), SECONDS
        )
        assert (code, err) == (0, "")
        assert (directory / "alone.gif").read_bytes() == (folder / row["file"]).read_bytes()


def main():
    """The command."""
    parser = argparse.ArgumentParser(description="A sweep that is killed about every hundred runs, and begun again.")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    wanted = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts this in the background ignores it
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="boidsgen-soak-") as directory:
        kills = soak(Path(directory), wanted.runs, wanted.seed)
    minutes = (time.monotonic() - began) / 60
    print(f"{wanted.runs} runs, {kills} kills, seed {wanted.seed}: all is as undisturbed, {minutes:.1f} minutes")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
