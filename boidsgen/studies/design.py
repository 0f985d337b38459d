"""Designs: points that fill the ranges of some keys, where a grid would need too many; and sensitivity indices.

A design is a list of points in the unit cube, (n, k), and each key maps its coordinate to a value. All but the grid can
be extended: the first points stay the same when more are requested, so a sweep that gets more runs keeps those that it
has. As axes of a sweep the values of a design are paired.

The sensitivity of a measure shows on which keys it depends, alone and together with others, separate from the noise of
the seeds. The first-order index of a key is the share of the variance of a measure's expected value that this key alone
explains, the total index that of all its effects, with other keys too. Both exclude noise, whose share in the variance
of single runs is reported beside them. With values f(a), f(b) and f(ab) at the points of the blocks of a Saltelli
design, V the variance of f(a) and f(b), and the noise of a mean over the seeds subtracted from V and total,

  first = mean of f(b) (f(ab) - f(a)) / V     (A. Saltelli et al., Computer Physics Communications 181, 2010)
  total = mean of (f(a) - f(ab))² / 2 V       (M. J. W. Jansen, Computer Physics Communications 117, 1999)

Intervals are those of 95 % of bootstrap samples of whole blocks with all of their seeds, so that noise widens them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, exp, log, log2, prod
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import UsageError
from boidsgen.records import optional_package
from boidsgen.scenario.layers import Override, refuse_undecodable
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario, versions
from boidsgen.scenario.sources import Source
from boidsgen.studies.plan import SweepAxis, SweepOptions, SweepPlan, parse_values, plan_sweep, refuse_runs
from boidsgen.studies.results import INTERVAL, STYLE, Estimate, Results, in_words, key_label, save_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats: TypeAlias = NDArray[np.float64]
"""Points of a design in the unit cube, (n, k), or numbers about them."""

VALUE_DIGITS = 6  # Significant digits of a value, so that names of runs are short
_EXAMPLE = "must look like KEY=LOW:HIGH, KEY=log:LOW:HIGH or KEY=V1,V2, as in flock.separation.weight=0:3"
PRIORS = ("log", "normal")
_TAIL = 0.001
"""Share of a normal distribution on each side that is left out, beyond 3.09 standard deviations."""
OWN_SEEDS = Override("sweep", {"independent": True}, "--design")
"""Every run has seeds of its own, and a table [sweep] of the scenario does not count."""


@dataclass(frozen=True)
class Factor:
    """One key that a design varies: over a range, or over some choices.

    The ends of a normal distribution are where it is cut off.
    """

    key: str  # dotted
    low: float = 0.0
    high: float = 1.0
    logarithmic: bool = False
    whole: bool = False  # takes whole numbers, both ends included
    choices: tuple[object, ...] = ()  # instead of a range
    normal: NormalDist | None = None  # of the values; else they are uniform, or their logarithms are

    @property
    def prior(self) -> str:
        """The distribution of its values in words."""
        if self.normal:
            return f"normal, mean {self.normal.mean:g}, standard deviation {self.normal.stdev:g}"
        return "log-uniform" if self.logarithmic else "uniform"

    def value(self, unit: float) -> object:
        """The value at a coordinate from 0 to 1."""
        if self.choices:
            return self.choices[min(int(unit * len(self.choices)), len(self.choices) - 1)]
        low, high = (self.low - 0.5, self.high + 0.5) if self.whole else (self.low, self.high)
        if self.normal:
            number = self.normal.inv_cdf(_TAIL + unit * (1 - 2 * _TAIL))
        else:
            number = exp(log(low) + unit * (log(high) - log(low))) if self.logarithmic else low + unit * (high - low)
        if self.whole:
            return int(min(max(round(number), self.low), self.high))
        return min(max(float(f"{number:.{VALUE_DIGITS}g}"), self.low), self.high)


def parse_factor(text: str) -> Factor:
    """Parse `--vary KEY=RANGE` of a design; UsageError if the text is none, or its range has nothing to vary."""
    refuse_undecodable(text, "--vary")
    key, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not key or not values:
        raise UsageError(f"--vary {text}: {_EXAMPLE}")
    prior, *parts = values.split(":")
    if len(parts) == 2 and prior.isidentifier() and prior not in PRIORS:
        raise UsageError(f"--vary {text}: there is no prior {prior}; use LOW:HIGH, log:LOW:HIGH or normal:MEAN:SD")
    start, *ends = parts if prior in PRIORS and len(parts) == 2 else [prior, *parts]
    if len(ends) != 1:
        try:
            choices = parse_values(values)
        except ValueError as error:
            raise UsageError(f"--vary {text}: {error}") from None
        if len(choices) < 2:
            raise UsageError(f"--vary {text}: has one value; give two, or set the key with --set {key}={values}")
        return Factor(key, choices=choices)
    return _range(text, key, prior, start, ends[0])


def _range(text: str, key: str, prior: str, start: str, end: str) -> Factor:
    """The factor of a range, or of a distribution with two numbers; `text` is all of it."""
    try:
        low, high = float(start), float(end)
    except ValueError:
        raise UsageError(f"--vary {text}: {_EXAMPLE}") from None
    if not abs(low) + abs(high) < np.inf:
        what = "mean and standard deviation" if prior == "normal" else "both ends"
        raise UsageError(f"--vary {text}: {what} must be finite numbers")
    if prior == "normal":
        if high <= 0:
            raise UsageError(f"--vary {text}: the standard deviation must be above 0, not {end}")
        normal = NormalDist(low, high)
        return Factor(key, normal.inv_cdf(_TAIL), normal.inv_cdf(1 - _TAIL), normal=normal)
    if low == high:
        raise UsageError(f"--vary {text}: both ends are equal; set the key with --set {key}={start}")
    if low > high:
        raise UsageError(f"--vary {text}: the lower end comes first, as in {key}={end}:{start}")
    logarithmic = prior == "log"
    if logarithmic and low <= 0:
        raise UsageError(f"--vary {text}: a logarithmic range must begin above 0, not at {start}")
    return Factor(key, low, high, logarithmic)


def _latin_hypercube(number: int, factors: int, seed: int) -> Floats:
    """Points of which the first 2, 4, 8, … are each a Latin hypercube; in between no stratum has two points.

    One point is doubled again and again: the new points go into the strata of half the width that are still empty, in
    random order for each factor. Source: C. J. Sallaberry, J. C. Helton and S. C. Hora, Extension of Latin hypercube
    samples with correlated variables, Reliability Engineering and System Safety 93, 2008.
    """
    random = np.random.default_rng(seed)
    points = random.random((1, factors))
    while (half := len(points)) < number:
        empty = [np.setdiff1d(np.arange(2 * half), (2 * half * column).astype(np.intp)) for column in points.T]
        strata = np.stack([random.permutation(one) for one in empty], axis=1)
        points = np.concatenate([points, (strata + random.random(strata.shape)) / (2 * half)])
    return points[:number]


def _sobol(number: int, factors: int, seed: int) -> Floats:
    """The scrambled sequence of I. M. Sobol', of scipy."""
    sequence = optional_package("scipy.stats.qmc", "--design sobol or saltelli").Sobol(
        factors, rng=np.random.default_rng(seed)
    )
    points: Floats = sequence.random_base2(ceil(log2(number)))[:number]
    return points


def _saltelli(number: int, factors: int, seed: int) -> Floats:
    """Blocks of k + 2 points: a, then for each factor a with this coordinate of b, then b.

    Source: A. Saltelli et al., Variance based sensitivity analysis of model output, Computer Physics Communications
    181, 2010.
    """
    size = factors + 2
    if number % size:
        nearest = max(2, round(number / size)) * size
        raise UsageError(f"--runs {number}: {factors} keys need blocks of {size} runs; use --runs {nearest}")
    both = _sobol(number // size, 2 * factors, seed).reshape(-1, 2, factors)
    mixed = np.where(np.eye(factors, dtype=bool), both[:, 1:], both[:, :1])
    return np.concatenate([both[:, :1], mixed, both[:, 1:]], axis=1).reshape(number, factors)


POINTS: Mapping[str, Callable[[int, int, int], Floats]] = {
    "lhs": _latin_hypercube,
    "sobol": _sobol,
    "random": lambda number, factors, seed: np.random.default_rng(seed).random((number, factors)),
    "saltelli": _saltelli,
}
"""Designs by their names: functions of the number of points, that of factors and a seed."""
GRID = "grid"
DESIGNS = ("lhs", "sobol", GRID, "random", "saltelli")


def _grid(factors: Sequence[Factor], number: int) -> Floats:
    """All combinations of evenly spaced values, ends included, the same number for each range; choices as they are."""
    fixed, ranges = prod(len(one.choices) or 1 for one in factors), sum(not one.choices for one in factors)
    levels = max(2, round((number / fixed) ** (1 / ranges))) if ranges else 1
    if (found := fixed * levels**ranges) != number:
        raise UsageError(f"--runs {number}: a grid has all combinations; use --runs {found}, or choose another design")
    sides = [np.linspace(0.0, 1.0, len(one.choices) or levels) for one in factors]
    return np.array([*product(*sides)])


@dataclass(frozen=True)
class Design:
    """Keys to vary and the way to fill their ranges."""

    name: str  # one of DESIGNS
    factors: tuple[Factor, ...]
    seed: int
    most: int  # points

    def points(self, number: int) -> Floats:
        """So many points in the unit cube, (n, k); UsageError if the design does not have so many."""
        if number < 2:
            raise UsageError(f"--runs {number}: a design has at least 2 runs")
        refuse_runs(number, self.most)
        if self.name == GRID:
            return _grid(self.factors, number)
        return POINTS[self.name](number, len(self.factors), self.seed)

    def axes(self, points: Floats) -> tuple[SweepAxis, ...]:
        """Axes of a sweep whose paired values are those at these points."""
        return tuple(
            SweepAxis(one.key, tuple(one.value(unit) for unit in column.tolist()), f"--vary {one.key}=")
            for one, column in zip(self.factors, points.T, strict=True)
        )


def read_design(name: str, texts: Sequence[str], source: Source, overrides: Sequence[Override]) -> Design:
    """The design of this name over the ranges in these texts, as after `--vary`, with the seed of the scenario.

    Raises:
        UsageError: there is no such design, nothing to vary, a key is named twice, or a range does not suit its key.
    """
    if name not in DESIGNS:
        raise UsageError(f"--design {name}: use one of {', '.join(DESIGNS)}")
    factors = {}
    written = draft(source, overrides)
    for text in texts:
        factor = parse_factor(text)
        if factor.key in factors:
            raise UsageError(f"--vary {text}: names a key twice; give it one range")
        if not factor.choices and written.takes_whole_numbers(factor.key):
            if not factor.normal and (factor.low % 1 or factor.high % 1):
                raise UsageError(f"--vary {text}: takes whole numbers, so both ends must be whole")
            factor = replace(factor, low=round(factor.low), high=round(factor.high), whole=True)
        factors[factor.key] = factor
    if not factors:
        raise UsageError("nothing to vary; give --vary KEY=LOW:HIGH")
    bare = Scenario.default()
    seed, limits = written.document.get("seed", bare.seed), written.document.get("limits")
    most = limits.get("runs") if isinstance(limits, Mapping) else None
    numbers = [value if isinstance(value, int) else usual for value, usual in ((seed, 0), (most, bare.limits.runs))]
    return Design(name, tuple(factors.values()), *numbers)


def plan_design(
    source: Source, overrides: Sequence[Override], design: Design, points: Floats, options: SweepOptions
) -> SweepPlan:
    """The plan of a sweep over these points of a design, whose options have no axes."""
    paired = replace(options, axes=design.axes(points), seeds=options.seeds or 1, zipped=True)
    return plan_sweep(source, [*overrides, OWN_SEEDS], paired)


MIN_BOOTSTRAP_BLOCKS = 16  # Fewer blocks give no interval
BOOTSTRAP_SAMPLES = 2000


class Sensitivity(NamedTuple):
    """Indices of one measure, a first-order and a total one for each key, and the share of noise in single runs."""

    measure: str
    first: Sequence[Estimate]
    total: Sequence[Estimate]
    noise: float


def indices(measure: str, values: Floats) -> Sensitivity | None:
    """The indices of a measure in runs of a design, (blocks, keys + 2, seeds); None where it varies by noise alone."""
    mean, noise = values.mean(axis=2), values.var(axis=2, ddof=1).mean(axis=1)
    every = np.arange(len(values))
    samples = np.random.default_rng(0).integers(0, len(values), (BOOTSTRAP_SAMPLES, len(values)))
    found = [_estimates(mean[rows], noise[rows], values.shape[2]) for rows in (every, *samples)]
    variance = np.array([one[0] for one in found])
    if np.quantile(variance, INTERVAL[0]) <= 0:
        return None
    first, total = (np.array([one[at] for one in found]) for at in (1, 2))
    shares = float(noise.mean() / (variance[0] + noise.mean()))
    return Sensitivity(measure, _with_ends(first), _with_ends(total), shares)


def _estimates(mean: Floats, noise: Floats, seeds: int) -> tuple[float, Floats, Floats]:
    """Variance without noise, first-order and total indices of some blocks."""
    own = noise.mean() / seeds  # what noise adds to the variance of a mean
    centered = mean - mean[:, [0, -1]].mean()
    start, mixed, end = centered[:, :1], centered[:, 1:-1], centered[:, -1:]
    variance = centered[:, [0, -1]].var(ddof=1) - own
    scale = variance if variance > 0 else np.nan
    first = (end * (mixed - start)).mean(axis=0) / scale
    total = (((start - mixed) ** 2).mean(axis=0) / 2 - own) / scale
    return float(variance), first, total


def _with_ends(samples: Floats) -> list[Estimate]:
    low, high = np.nanquantile(samples[1:], INTERVAL, axis=0)
    return [Estimate(*map(float, one)) for one in zip(samples[0], low, high, strict=True)]


def sensitivities(results: Results, measures: Sequence[str] = ()) -> list[Sensitivity]:
    """The indices of measures, by default of all that every run defines and that do not vary by noise alone.

    Raises:
        UsageError: the runs are no such design, or there is nothing to tell.
    """
    keys, name = [*results.keys], results.name
    size = len(keys) + 2
    makes = f"; boidsgen sweep SCENARIO --design saltelli --runs {64 * size} --seeds 2 makes such runs"
    seeds = int(results.rows[0].get("seeds") or 1)
    points = [[row["parameters"][key] for key in keys] for row in results.rows[::seeds]]
    blocks, rest = divmod(len(points), size)
    runs = len(results.rows)
    if rest or not keys or runs != seeds * len(points) or not _is_saltelli(points, size):
        raise UsageError(f"{name}: its {runs:,} runs are not a complete Saltelli design of {len(keys)} keys{makes}")
    if seeds < 2:
        raise UsageError(f"{name}: one seed per point cannot separate effects from noise{makes}")
    if blocks < MIN_BOOTSTRAP_BLOCKS:
        raise UsageError(
            f"{name}: {blocks} blocks are too few for an interval, use --runs {MIN_BOOTSTRAP_BLOCKS * size} or more"
        )
    wanted = [results.quantity(one).measure for one in measures] or results.measures
    found = []
    for measure in wanted:
        numbers = [row.get("mean", {}).get(measure) for row in results.rows]
        if None not in numbers:
            one = indices(measure, np.array(numbers, float).reshape(blocks, size, seeds))
            found += [one] if one else []
    if not found:
        raise UsageError(
            f"{name}: {', '.join(wanted)}: not defined in every run, or varies by the noise of seeds alone"
        )
    return found


def _is_saltelli(points: Sequence[Sequence[object]], size: int) -> bool:
    """True if each block of so many points is one of `studies.design`."""
    for at in range(0, len(points), size):
        start, *mixed, end = points[at : at + size]
        for factor, point in enumerate(mixed):
            if point != [*start[:factor], end[factor], *start[factor + 1 :]]:
                return False
    return True


def index_records(found: Sequence[Sensitivity], keys: Sequence[str]) -> list[dict[str, object]]:
    """A record for each measure and key."""
    return [
        {"measure": one.measure, "key": key, "first": first.value, "first_low": first.low, "first_high": first.high}
        | {"total": total.value, "total_low": total.low, "total_high": total.high, "noise": one.noise}
        for one in found
        for key, first, total in zip(keys, one.first, one.total, strict=True)
    ]


def write_index_figure(
    found: Sequence[Sensitivity], keys: Sequence[str], path: str, *, no_clobber: bool = False
) -> tuple[str, ...]:
    """Draw the indices as bars with intervals, a panel for each measure. Returns notices."""
    place = np.arange(len(keys))

    def draw(figure: "Figure", panels: Sequence["Axes"]) -> None:
        figure.suptitle("Sensitivity: share of variance, with 95 % intervals")
        for panel, one in zip(panels, found, strict=True):
            for estimates, shift, color, label in (
                (one.first, 0.2, "#0072b2", "alone"),
                (one.total, -0.2, "#d55e00", "with others"),
            ):
                value, low, high = np.transpose(estimates)
                ends = np.abs([value - low, high - value])
                panel.barh(place + shift, value, 0.36, xerr=ends, color=color, label=label, capsize=2)
            panel.set_yticks(place, [key_label(key) for key in keys])
            panel.invert_yaxis()
            panel.set_xlim(left=0)
            panel.set_title(f"{in_words(one.measure)}; noise {one.noise:.0%} of a run", loc="left")
        panels[0].legend(frameon=False)

    about = f"{versions()}# boidsgen sensitivity\n"
    return save_panels(path, len(found), draw, about, STYLE, columns=2, panel=(4.2, 2.4), no_clobber=no_clobber)
