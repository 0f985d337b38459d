"""Leaders are found by the definition of the correlation of directions with a delay, and nobody where nobody leads."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import boidsgen
from boidsgen.cli.main import run
from boidsgen.observations.leaders import CHANCE, lead, write_leaders_figure
from docs.programs.validation.loops import directional_delay


def _headings(delays: list[int], frames: int, noise: float, seed: int) -> np.ndarray:
    """Unit vectors that turn at random, each animal's so many frames later than the first one's."""
    random = np.random.default_rng(seed)
    way = np.cumsum(random.normal(0.0, 0.1, frames + max(delays)))
    angle = np.stack([way[max(delays) - delay :][:frames] for delay in delays], axis=1)
    angle = angle + random.normal(0.0, noise, angle.shape)
    return np.stack((np.cos(angle), np.sin(angle)), axis=-1)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_delays_are_those_of_plain_loops(missing: float) -> None:
    """Delay and correlation of each pair are those of loops over pairs, delays and frames, gaps left out."""
    heading = _headings([0, 2, 5, 3], 60, 0.2, 1)
    heading[np.random.default_rng(2).random((60, 4)) < missing] = np.nan
    found = lead(heading, 8)
    for one in range(4):
        for other in range(4):
            if one != other:
                delay, correlation = directional_delay(heading[:, one], heading[:, other], 8)

                assert found.delay[0, one, other] == delay
                assert found.correlation[one, other] == pytest.approx(correlation, abs=1e-12)


def test_who_turns_first_leads() -> None:
    """Delays are found to the frame and lie in their intervals; the first one is a leader and nobody else."""
    delays = [3, 0, 7, 5, 9, 4]
    found = lead(_headings(delays, 400, 0.02, 3), 20)
    expected = np.subtract.outer(delays, delays).T.astype(float)
    apart = ~np.eye(6, dtype=bool)

    assert (found.delay[0] == expected)[apart].all()
    assert ((found.delay[1] <= expected) & (expected <= found.delay[2]))[apart].all()
    assert found.order[0] == 1
    assert np.flatnonzero(found.chance <= CHANCE).tolist() == [1]
    assert all(delays[leader] < delays[follower] for follower, leader in found.links)


def _walks(frames: int, turn: float, seed: int, kept: float = 1.0) -> np.ndarray:
    """Unit vectors of animals that turn at random, each for itself, and keep so much of their angles."""
    angle = np.random.default_rng(seed).normal(0.0, turn, (frames, 8))
    for time in range(1, frames):
        angle[time] += kept * angle[time - 1]
    return np.stack((np.cos(angle), np.sin(angle)), axis=-1)


@pytest.mark.parametrize(
    "group",
    [
        lambda seed: _walks(200, 1.0, seed, 0.0),
        lambda seed: _walks(200, 1.0, seed, 0.8),
        lambda seed: _walks(400, 0.3, seed),
        lambda seed: _walks(3000, 0.1, seed),
        lambda seed: _headings([0] * 8, 200, 0.2, seed),
    ],
    ids=["no memory", "short memory", "walks", "slow walks", "alike"],
)
def test_nobody_leads_where_all_turn_together_or_each_for_itself(group: Callable[[int], np.ndarray]) -> None:
    """In twenty groups without a leader one is found in two at most: all are alike, or each turns for itself."""
    chances = [lead(group(seed), 20).chance for seed in range(20)]

    assert np.isfinite(chances).all()
    assert np.any(np.array(chances) <= CHANCE, axis=1).sum() <= 2


def test_there_is_no_telling_leaders_of_animals_that_do_not_forget() -> None:
    """Where animals keep their own directions for as long as they are seen, chances are unknown, and nobody leads."""
    found = lead(_walks(200, 0.1, 1), 20)

    assert np.isnan(found.chance).all()
    assert np.isfinite(found.score).all()


def test_the_command_writes_tables_a_figure_and_a_clip_with_arrows(tmp_path: Path) -> None:
    """Scores, pairs, a figure and a clip are written, and the clip embeds an arrow to the leader of each follower."""
    heading = _headings([0, 4, 8], 160, 0.02, 5)
    place = 50 + np.cumsum(heading, axis=0) + 8 * np.arange(3)[:, None]
    table = ["frame,id,x,y"]
    table += [f"{t},{i},{x},{y}" for t, row in enumerate(place) for i, (x, y) in enumerate(row)]
    (tmp_path / "fish.csv").write_text("\n".join(table), "utf-8")
    fish, animals, pairs, clip = (str(tmp_path / name) for name in ("fish.npz", "animals.csv", "pairs.csv", "clip.gif"))
    figure = str(tmp_path / "leaders.svg")
    run(["tracks", str(tmp_path / "fish.csv"), "--columns", "frame,id,x,y", "--fps", "10", "-o", fish])

    assert run(["leaders", fish, "--delay", "2", "-o", animals, "-o", figure, "-o", clip, "--pairs", pairs]) == 0

    with Path(pairs).open(encoding="utf-8") as file:
        found = {(row["leader"], row["follower"]): float(row["delay"]) for row in csv.DictReader(file)}
    assert found == {("0", "1"): pytest.approx(0.4), ("0", "2"): pytest.approx(0.8), ("1", "2"): pytest.approx(0.4)}
    with Path(animals).open(encoding="utf-8") as file:
        assert [row["animal"] for row in csv.DictReader(file)] == ["0", "1", "2"]
    links = dict(boidsgen.load_scenario(clip).overlay.links)
    assert links.keys() == {1, 2}
    assert links[1] == 0
    assert Path(figure).stat().st_size


@pytest.mark.parametrize("leaders", [0, 1])
def test_a_figure_tells_leaders_from_the_others_where_there_are_both(tmp_path: Path, leaders: int) -> None:
    """A legend with a single entry tells nothing apart; ranks are whole numbers."""
    found = lead(_headings([3, 0, 7], 160, 0.02, 3), 10)._replace(chance=np.array([1.0, 1.0 - leaders, 1.0]))
    write_leaders_figure(found, boidsgen.load_scenario("quickstart"), str(tmp_path / "leaders.svg"), about="")
    drawn = (tmp_path / "leaders.svg").read_text("utf-8")

    assert ("<!-- no leader -->" in drawn) == bool(leaders)
    assert "<!-- 2 -->" in drawn
    assert "<!-- 1.5 -->" not in drawn
