"""Draws of the numbers that the texts leave open: how often the verdict on a measured claim stands.

The ranges are in open.toml. Each number is drawn twenty times, once from each twentieth of its range (a Latin
hypercube), by a generator of its own, so that a new number leaves the draws of the others as they are. A run and its
control have the numbers of the same draw. draws.json has the values of all runs, with a digest of what they were made
from, over the same twenty seeds as the runs of the presets, and the verdict is by the same code.
"""

import json
import os
import tomllib
import warnings
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import repeat
from pathlib import Path

import numpy as np

from docs.programs.claims.running import RUNS, SEEDS, measures_of, settings_of, values
from docs.programs.claims.verdicts import DIFFERS, verdict_on
from docs.programs.digest import digest_of

DRAWS = range(20)
STANDS = 18  # Draws in which a verdict must stand; below, the row flips
SHARE = (
    0.95  # Share of pairs, a flipping and a standing draw, that a number must order alike to be the one that decides
)
FEWEST = 3  # Draws on each side without which no number is named
FILE = Path(__file__).with_name("draws.json")


@dataclass(frozen=True)
class OpenNumber:
    """A number that a text leaves open, with its range and the keys that it decides."""

    document: str
    number: str
    runs: tuple[str, ...]
    keys: dict[str, object]
    between: tuple[float, float]
    why: str
    log: bool = False
    whole: int = 0

    @cached_property
    def drawn(self):
        """The number in each draw."""
        low, high = self.between
        source = np.random.default_rng(zlib.crc32(f"{self.document} {self.number}".encode()))
        part = (source.permutation(len(DRAWS)) + source.random(len(DRAWS))) / len(DRAWS)
        numbers = low * (high / low) ** part if self.log else low + (high - low) * part
        if self.whole:
            return [int(np.rint(number / self.whole)) * self.whole for number in numbers]
        return [float(f"{number:.4g}") for number in numbers]

    def settings(self, draw):
        """Keys with their values in a draw."""
        return {key: times(factor, self.drawn[draw]) for key, factor in self.keys.items()}


def times(factor, number):
    """The product, of each entry of a list; a word stays."""
    if isinstance(factor, list):
        return [times(one, number) for one in factor]
    return factor if isinstance(factor, str) else factor * number


OPEN = [
    OpenNumber(document, **entry)
    for document, entries in tomllib.loads(Path(__file__).with_name("open.toml").read_text("utf-8")).items()
    for entry in entries
]


def open_numbers(name):
    """The open numbers of a run."""
    return [number for number in OPEN if any(fnmatchcase(name, pattern) for pattern in number.runs)]


VARIED = [name for name in RUNS if open_numbers(name)]
"""The runs that have open numbers."""


def drawn(name, draw):
    """The open numbers of a run in a draw, by their keys."""
    return {key: value for number in open_numbers(name) for key, value in number.settings(draw).items()}


def digest(name):
    """A digest of the tables of the preset that decide what happens, and of the overrides in all draws."""
    return digest_of(RUNS[name].preset, [settings_of(name, drawn(name, draw)) for draw in DRAWS])


def stored():
    """Everything in the file: for each run its digest, and for each of its measures a list of values for each draw."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def is_stale(name):
    """True for a run without values, or with those of another state of its preset, its claims or its ranges."""
    known = stored().get(name, {})
    return known.get("digest") != digest(name) or not known.keys() >= set(measures_of(name))


def values_of_draw(name, draw):
    """The values of all measures of a run in one draw."""
    return values(name, SEEDS, drawn=drawn(name, draw))


def store(names):
    """Measure these runs in all draws and put each into the file when it is done; runs that no claim needs leave it."""
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        for name in names:
            found = list(workers.map(values_of_draw, repeat(name), DRAWS))
            rows = {measure: [row[measure] for row in found] for measure in measures_of(name)}
            write(stored() | {name: {"digest": digest(name), **rows}})
            yield name
    write(stored())


def write(table):
    """Write the file, a line for each draw."""
    blocks = []
    for name in (known for known in VARIED if known in table):
        rows = [f'  "digest": {json.dumps(table[name]["digest"])}']
        for measure in measures_of(name):
            draws = ",\n".join(f"   {json.dumps(row)}" for row in table[name][measure])
            rows.append(f"  {json.dumps(measure)}: [\n{draws}\n  ]")
        blocks.append(f" {json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n }")
    FILE.write_text("{\n" + ",\n".join(blocks) + "\n}\n", "utf-8")


def standing(claim, table):
    """For each draw, True if the verdict on the claim is that of its row; nothing where no number is open.

    What has no value in a draw does not hold there.
    """
    if claim.run not in table:
        return []
    ours, control = table[claim.run][claim.measure], table[claim.against.run][claim.against.measure]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # no value in any run, or in one only
        return [verdict_on(claim, *pair) != DIFFERS for pair in zip(ours, control, strict=True)]


def deciding(claim, stands):
    """The open numbers that put nearly all flipping draws on one side of the standing ones, and that side."""
    stands = np.array(stands)
    if min(stands.sum(), (~stands).sum()) < FEWEST:
        return []
    sides = []
    for number in (one for one in OPEN if one in open_numbers(claim.run) + open_numbers(claim.against.run)):
        value = np.array(number.drawn)
        larger = (value[~stands][:, None] > value[stands]).mean()
        if max(larger, 1 - larger) >= SHARE:
            sides.append((number, "large" if larger > 0.5 else "small"))
    return sides
