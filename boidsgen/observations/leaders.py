"""Leaders: whose turns the others copy, by the correlation of directions with a delay.

With u the unit velocity of an animal, and the mean over all frames in which both are seen,

  C_ij(τ) = mean of u_i(t) · u_j(t + τ), and the delay of j behind i is the τ of the largest C_ij within ± T:

j follows i where it is positive (M. Nagy et al., Hierarchical group dynamics in pigeon flocks, Nature 464, 2010). The
score of an animal is the mean delay of all others behind it, weighted by their correlations, none below zero. Intervals
are those of 95 % of bootstrap samples of eight blocks of time; a pair follows where that of its delay is above zero.

A leader leads throughout. The recording is cut into independent parts: no delay crosses a border, and a part lasts
three times the lag at which the autocorrelation of the animals' differences from the mean direction has fallen to 1/e.
An animal is a leader if its mean score over the parts exceeds the largest one of any animal in 95 % of the cases in
which the animals within each part are shuffled. Two animals, or fewer than two parts, do not allow that test.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boidsgen.drawing.themes import THEMES
from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.geometry import SHORTEST, Array, length
from boidsgen.simulation.run import flock_tracks
from boidsgen.simulation.setup import State
from boidsgen.studies.results import INTERVAL, STYLE, escape_math, save_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLOCKS = 8  # Blocks of time that are resampled, and the largest number of independent parts
APART = 3  # Length of a part, in correlation times: correlations have fallen to 1/e³, or 5 %
RESAMPLED, SHUFFLED = 100, 2000
CHANCE = 0.05  # How often shuffled animals give a leader
MIN_FRAMES = 4 * BLOCKS
TIED = 1e-12  # Correlations that differ less are equal; then the shorter delay counts
MAX_CORRELATIONS = 2_000_000  # Correlations in memory at a time
PAIR = 14  # Positions that take as much memory as a pair, which is kept for each sample


class Leadership(NamedTuple):
    """Delays and scores of animals, in units of time; arrays begin with the value and both ends of its interval."""

    delay: Array  # (3, n, n) of the second animal behind the first; nan where they are never seen together
    correlation: Array  # (n, n) at this delay
    score: Array  # (3, n)
    chance: Array  # (n,) how often shuffled animals have such a score; nan where that is unknown

    @property
    def order(self) -> list[int]:
        """The animals by their scores, the highest first."""
        return [*map(int, np.argsort(-self.score[0], kind="stable"))]

    @property
    def links(self) -> list[tuple[int, int]]:
        """Each animal that follows others, and the one of them with which it correlates most."""
        known = np.where(self.delay[1] > 0, self.correlation, -np.inf)
        followers = np.flatnonzero((known > -np.inf).any(axis=0)).tolist()
        return [(follower, int(known[:, follower].argmax())) for follower in followers]


def leadership(states: Iterable[State], scenario: Scenario, longest: float | None = None) -> Leadership:
    """Delays and scores in the measured part of a run; delays are at most `longest`, by default a quarter of its time.

    Raises:
        UsageError: there is too little to compare.
    """
    clock, first = scenario.time, scenario.measure.first(scenario.time)
    step, frames = clock.dt * clock.steps_per_frame, clock.frames - first
    late = frames // 4 if longest is None else longest / step
    most = round(late) if 0 < late <= frames else 0
    if frames < MIN_FRAMES or not 1 <= most <= frames // 2:
        wrong = f"{frames} frames allow delays from {step:g} to {frames // 2 * step:g}"
        raise UsageError(f"leaders: {wrong}" if frames >= MIN_FRAMES else f"leaders: {MIN_FRAMES} frames are needed")
    flocks = flock_tracks(scenario)
    if (animals := sum(track.animals for track in flocks)) < 2:
        raise UsageError("leaders: no two animals move, so none can follow another")
    pairs = animals**2
    wanted = {"neighbor_visits": pairs * (2 * most + 1) * frames, "positions": PAIR * pairs}
    scenario.refuse_excess(drawn=False, more=wanted)
    every = (np.concatenate([track.full(state, "velocity") for track in flocks]) for state in states)
    velocity = np.stack([one for number, one in enumerate(every) if number >= first])
    speed = length(velocity)[..., None]
    found = lead(np.where(speed > 0, velocity / np.maximum(speed, SHORTEST), np.nan), most)
    if not np.isfinite(found.delay[0]).any():
        raise UsageError("leaders: no two animals move in the same frames, so none can follow another")
    return found._replace(delay=step * found.delay, score=step * found.score)


def lead(heading: Array, longest: int) -> Leadership:
    """Delays and scores by unit vectors, (frames, n, d), nan where there are none; in frames."""
    generator = np.random.default_rng(0)
    samples = generator.multinomial(BLOCKS, np.full(BLOCKS, 1 / BLOCKS), RESAMPLED)
    delay, correlation = _delays(heading, longest, np.vstack((np.ones(BLOCKS), samples)))
    score, chance = _scores(delay, correlation), _chances(heading, longest, generator)
    return Leadership(_with_ends(delay), correlation[0], _with_ends(score), chance)


def _scores(delay: Array, correlation: Array) -> Array:
    weight = np.maximum(np.nan_to_num(correlation), 0.0)
    return np.asarray((np.nan_to_num(delay) * weight).sum(axis=2) / np.maximum(weight.sum(axis=2), SHORTEST))


def _chances(heading: Array, longest: int, generator: np.random.Generator) -> Array:
    """Share of shuffles in which any mean score is as high, (n,); nan where there are fewer than two parts."""
    number = min(BLOCKS, len(heading) // (APART * _lasting(heading)))
    if number < 2:
        return np.full(heading.shape[1], np.nan)
    parts = ((part, min(longest, len(part) // 2)) for part in np.array_split(heading, number))
    own = np.concatenate([_scores(*_delays(part, late, np.ones((1, BLOCKS)))) for part, late in parts])
    shuffled = generator.permuted(np.tile(own, (SHUFFLED, 1, 1)), axis=2).mean(axis=1).max(axis=1)
    return np.asarray((1 + (shuffled[:, None] >= own.mean(axis=0)).sum(axis=0)) / (1 + SHUFFLED))


def _lasting(heading: Array) -> int:
    """Frames after which an animal's difference from the mean direction is forgotten; all, if that takes half of them.

    What all do together lasts longer, and gives no animal a place of its own.
    """
    seen = np.isfinite(heading[..., :1]).astype(np.float64)
    known = np.nan_to_num(heading)
    apart = seen * (known - known.sum(axis=1, keepdims=True) / np.maximum(seen.sum(axis=1, keepdims=True), 1.0))

    def correlation(lag: int) -> float:
        now, then = np.s_[: len(seen) - lag], np.s_[lag:]
        return float((apart[now] * apart[then]).sum() / max((seen[now] * seen[then]).sum(), 1.0))

    least = correlation(0) / np.e
    return next((lag for lag in range(1, len(seen) // 2) if correlation(lag) < least), len(seen))


def _with_ends(samples: Array) -> Array:
    """The first value, and the ends of the interval of those after it, undefined ones left out."""
    value = samples[0]
    resampled = np.where(np.isnan(samples[1:]), np.nan_to_num(value), samples[1:])
    return np.where(np.isnan(value), np.nan, np.stack((value, *np.quantile(resampled, INTERVAL, axis=0))))


def _delays(heading: Array, longest: int, weights: Array) -> tuple[Array, Array]:
    """Delays and their correlations, (samples, n, n), nan for none; each sample weights the blocks of time."""
    frames, animals, _ = heading.shape
    block = -(-frames // BLOCKS)
    room = (longest, longest + BLOCKS * block - frames), (0, 0), (0, 0)
    padded = np.pad(heading, room, constant_values=np.nan)
    parts = np.nan_to_num(padded), np.isfinite(padded[..., :1]).astype(np.float64)

    def shifted(part: Array, lag: int) -> Array:
        begin = longest + lag
        blocks = part[begin : begin + BLOCKS * block].reshape(BLOCKS, block, animals, -1)
        return blocks.swapaxes(2, 3).reshape(BLOCKS, -1, animals)

    delay = np.full((len(weights), animals, animals), np.nan)
    correlation = delay.copy()
    for rows in np.array_split(np.arange(animals), -(-len(weights) * animals**2 // MAX_CORRELATIONS)):
        here = [shifted(part, 0)[..., rows].swapaxes(1, 2) for part in parts]
        best, at = np.full((len(weights), len(rows), animals), -np.inf), delay[:, rows]
        apart = rows[:, None] != np.arange(animals)
        for lag in sorted(range(-longest, longest + 1), key=abs):
            total, seen = (
                np.tensordot(weights, now @ shifted(part, lag), 1) for now, part in zip(here, parts, strict=True)
            )
            value = np.divide(total, seen, out=total, where=seen > 0)
            better = (value > best + TIED) & (seen > 0) & apart
            np.copyto(best, value, where=better)
            np.copyto(at, lag, where=better)
        delay[:, rows], correlation[:, rows] = at, np.where(np.isnan(at), np.nan, best)
    return delay, correlation


def leader_tables(found: Leadership, scenario: Scenario) -> Mapping[str, list[dict[str, object]]]:
    """A record for each animal, the highest score first, and for each pair; animals are counted through all flocks."""
    flocks = [(track.name, number) for track in flock_tracks(scenario) for number in range(track.animals)]
    low = np.nan_to_num(found.delay[1])
    animals: list[dict[str, object]] = [
        {"animal": at, "flock": flocks[at][0], "number": flocks[at][1]}
        | dict(zip(("score", "score_low", "score_high"), found.score[:, at].tolist(), strict=True))
        | {"followers": int((low[at] > 0).sum()), "chance": float(found.chance[at])}
        | {"leader": bool(found.chance[at] <= CHANCE)}
        for at in found.order
    ]
    pairs: list[dict[str, object]] = [
        {"leader": one, "follower": other}
        | dict(zip(("delay", "delay_low", "delay_high"), found.delay[:, one, other].tolist(), strict=True))
        | {"correlation": float(found.correlation[one, other]), "follows": bool(low[one, other] > 0)}
        for one, other in np.argwhere((found.delay[0] > 0) | np.triu(found.delay[0] == 0)).tolist()
    ]
    return {"animals": animals, "pairs": pairs}


def write_leaders_figure(
    found: Leadership, scenario: Scenario, path: str, *, about: str, no_clobber: bool = False
) -> tuple[str, ...]:
    """Draw scores with their intervals, and the delays of those who follow as a matrix. Returns notices."""
    order, rank = found.order, np.arange(len(found.chance))
    value, low, high = found.score[:, order]
    leads = found.chance[order] <= CHANCE

    def draw(figure: "Figure", panels: Sequence["Axes"]) -> None:
        from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  takes long to import
        from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  likewise

        ramp = LinearSegmentedColormap.from_list("delay", THEMES["paper"].sequential[::-1])
        figure.suptitle(escape_math(scenario.title))
        for which, color, label in ((leads, "#d55e00", "leader"), (~leads, "#0072b2", "no leader")):
            if which.any():
                ends = np.abs([value - low, high - value])[:, which]
                panels[0].errorbar(rank[which], value[which], ends, fmt="o", markersize=3, color=color, label=label)
        panels[0].axhline(0, color="#555555", linewidth=0.8)
        panels[0].set(xlabel="rank by score, from 0 on", ylabel="units of time")
        for axis in (panels[0].xaxis, panels[1].xaxis, panels[1].yaxis):
            axis.set_major_locator(MaxNLocator(integer=True))
        panels[0].set_title("Mean delay of the others, with 95 % intervals", loc="left")
        if leads.any() and not leads.all():
            panels[0].legend(frameon=False)
        behind = np.where(found.delay[1] > 0, found.delay[0], np.nan)[np.ix_(order, order)]
        picture = panels[1].imshow(behind, cmap=ramp, vmin=0, interpolation="nearest")
        panels[1].grid(visible=False)
        panels[1].set(xlabel="followers", ylabel="leaders, by their scores")
        panels[1].set_title("Who follows whom", loc="left")
        figure.colorbar(picture, ax=panels[1], label="delay, units of time")

    about += "\n# boidsgen leaders\n"
    return save_panels(path, 2, draw, about, STYLE, columns=2, panel=(4.2, 3.2), no_clobber=no_clobber)
