"""Sensitivity: which keys a measure depends on, alone and together with others, apart from the noise of the seeds.

The first-order index of a key is the share of the variance of a measure's expected value that this key alone explains,
the total index that of all its effects, with other keys too. Both are free from noise, whose share in the variance of
single runs stands beside them. With values f(a), f(b) and f(ab) at the points of the blocks of a Saltelli design, V the
variance of f(a) and f(b), and the noise of a mean over the seeds taken off V and total,

  first = mean of f(b) (f(ab) - f(a)) / V     (A. Saltelli et al., Computer Physics Communications 181, 2010)
  total = mean of (f(a) - f(ab))² / 2 V       (M. J. W. Jansen, Computer Physics Communications 117, 1999)

Intervals are those of 95 % of bootstrap samples of whole blocks with all of their seeds, so that noise widens them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import versions
from boidsgen.simulation.geometry import Array
from boidsgen.studies.plot import STYLE, key_label, save_panels
from boidsgen.studies.results import Estimate, Results, in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MIN_BLOCKS = 16  # Fewer blocks give no interval
RESAMPLED = 2000  # Bootstrap samples
INTERVAL = (0.025, 0.975)


class Sensitivity(NamedTuple):
    """Indices of one measure, a first-order and a total one for each key, and the share of noise in single runs."""

    measure: str
    first: Sequence[Estimate]
    total: Sequence[Estimate]
    noise: float


def indices(measure: str, values: Array, seed: int = 0) -> Sensitivity | None:
    """The indices of a measure in runs of a design, (blocks, keys + 2, seeds); None where it varies by noise alone."""
    mean, noise = values.mean(axis=2), values.var(axis=2, ddof=1).mean(axis=1)
    every = np.arange(len(values))
    samples = np.random.default_rng(seed).integers(0, len(values), (RESAMPLED, len(values)))
    found = [_estimates(mean[rows], noise[rows], values.shape[2]) for rows in (every, *samples)]
    variance = np.array([one[0] for one in found])
    if np.quantile(variance, INTERVAL[0]) <= 0:
        return None
    first, total = (np.array([one[at] for one in found]) for at in (1, 2))
    shares = float(noise.mean() / (variance[0] + noise.mean()))
    return Sensitivity(measure, _with_ends(first), _with_ends(total), shares)


def _estimates(mean: Array, noise: Array, seeds: int) -> tuple[float, Array, Array]:
    """Variance without noise, first-order and total indices of some blocks."""
    own = noise.mean() / seeds  # what noise adds to the variance of a mean
    centered = mean - mean[:, [0, -1]].mean()
    start, mixed, end = centered[:, :1], centered[:, 1:-1], centered[:, -1:]
    variance = centered[:, [0, -1]].var(ddof=1) - own
    scale = variance if variance > 0 else np.nan
    first = (end * (mixed - start)).mean(axis=0) / scale
    total = (((start - mixed) ** 2).mean(axis=0) / 2 - own) / scale
    return float(variance), first, total


def _with_ends(samples: Array) -> list[Estimate]:
    low, high = np.nanquantile(samples[1:], INTERVAL, axis=0)
    return [Estimate(*map(float, one)) for one in zip(samples[0], low, high, strict=True)]


def sensitivity(results: Results, measures: Sequence[str] = ()) -> list[Sensitivity]:
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
    if blocks < MIN_BLOCKS:
        raise UsageError(f"{name}: {blocks} blocks are too few for an interval, use --runs {MIN_BLOCKS * size} or more")
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
