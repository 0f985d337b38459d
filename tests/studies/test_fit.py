"""Fits: what they find, what they refuse before the first run, and that a fit that was stopped goes on."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from boidsgen import load_scenario, measure, simulate, tracks
from boidsgen.cli.main import run
from boidsgen.measuring import entries_of
from boidsgen.scenario.loading import load_run
from boidsgen.simulation.observing import observation_of
from boidsgen.simulation.run import simulate as states_of
from boidsgen.studies.fit import compared_measures
from boidsgen.studies.posterior import QUANTILES, ReferenceTable, cross_check
from boidsgen.studies.prediction import FEWEST, Prediction

SMALL = """\
seed = 3
[world]
size = [100, 100]
[time]
frames = 40
[flock]
count = 12
"""
VARY = ("--vary", "flock.alignment.weight=0:3")


@pytest.fixture
def fit(boidsgen):
    """Runs `boidsgen fit` in an empty directory with a small scenario."""
    Path("small.toml").write_text(SMALL)
    return lambda *arguments: boidsgen("fit", *arguments)


def _film(path):
    """A run with alignment 1.2, in whatever form the name of the file wants."""
    command = "measure" if path.endswith(".csv") else "simulate"
    run([command, "small.toml", "--set", "flock.alignment.weight=1.2", "--seed", "9", "-o", path])
    return path


def _table(runs, noise, seed=1):
    """A model in closed form: each summary is the point with some noise."""
    random = np.random.default_rng(seed)
    points = random.random((runs, 2))
    numbers = np.concatenate([points, points[:, :1] * points[:, 1:]], axis=1)
    return ReferenceTable(points, numbers + noise * random.standard_normal(numbers.shape))


@pytest.mark.parametrize("noise", [0.1, 0.5, 5.0])
def test_intervals_cover_what_they_say(noise):
    """Whatever the noise, the share of points in an interval is the one it says to some hundredths."""
    found = cross_check(_table(800, noise), 400)

    assert np.abs(found.coverage_90 - 0.9).max() < 0.05
    assert np.abs(found.coverage_50 - 0.5).max() < 0.08
    assert found.flagged < 0.1


def test_a_posterior_is_that_of_the_theory():
    """With uniform priors and Gaussian noise the posterior is the Gaussian around the observation."""
    random = np.random.default_rng(2)
    points = random.random((4000, 1))
    table = ReferenceTable(points, points + 0.05 * random.standard_normal(points.shape))

    found = table.posterior(np.array([0.4])).quantiles()[:, 0]

    assert found == pytest.approx(0.4 + 0.05 * np.array([-1.645, -0.674, 0, 0.674, 1.645]), abs=0.012)


def test_noise_tells_nothing():
    """Summaries that have nothing to do with the points leave the prior as it was."""
    random = np.random.default_rng(3)
    table = ReferenceTable(random.random((1000, 2)), random.standard_normal((1000, 12)))

    for number in range(5):
        low, *_, high = table.of_run(number).quantiles()
        assert (high - low > 0.75).all()


def test_what_no_run_reaches_is_told():
    """A summary out of reach has a surprise of one; where all are within reach, none is reported."""
    table = _table(600, 0.05)

    found = table.posterior(np.array([0.5, 0.5, 2.0]))

    assert table.surprise(found.misfit)[2] == 1
    fitting = table.posterior(np.array([0.5, 0.5, 0.25]))
    assert (table.fits(found.misfit), table.fits(fitting.misfit)) == (False, True)


@pytest.mark.parametrize(("runs", "number", "few"), [(50, 24, True), (100, 24, True), (200, 4, False)])
def test_few_runs_flag_no_film_of_the_model_itself(runs, number, few):
    """Of 24 summaries one is often farther off than in all of fifty runs, which tells nothing; much farther does."""
    random, found = np.random.default_rng(6), []
    for _ in range(6):
        points = random.random((runs + 40, 1))
        summaries = points + random.standard_t(5, size=(runs + 40, number))
        table = ReferenceTable(points[:runs], summaries[:runs])
        found += [table.fits(table.posterior(film).misfit) for film in summaries[runs:]]
        assert table.fits(table.posterior(summaries[runs] + 1e4 * (np.arange(number) == 3)).misfit) is False

    assert np.mean([one is False for one in found]) < 0.1
    assert (np.mean([one is None for one in found]) > 0.05) == few


def test_the_predicted_interval_is_that_of_the_runs_like_the_film():
    """One summary tells the point, the other scatters by 5: its interval and the runs on both sides are the model's."""
    random = np.random.default_rng(5)
    points = random.random((4000, 1))
    summaries = np.concatenate([points, 1000 + 7 * points], axis=1) + random.normal(size=(4000, 2)) * [0.01, 5]
    table = ReferenceTable(points, summaries)

    found, far = (table.posterior(np.array([0.4, 1002.8 + 5 * off])) for off in (1, -4))

    assert found.predicted_interval[:, 1] == pytest.approx(1002.8 + 5 * np.array([-1.645, 0, 1.645]), abs=1)
    assert found.share_below(np.array([0.4, 1007.8]))[1] == pytest.approx(0.84, abs=0.05)
    assert far.share_below(np.array([0.4, 982.8]))[1] == pytest.approx(0, abs=0.001)
    assert (np.sign(found.misfit[1]), np.sign(far.misfit[1])) == (1, -1)


def test_an_undefined_summary_is_left_out():
    """A summary that no run, or not the observation, defines changes nothing."""
    table = _table(400, 0.05)
    empty = np.full((400, 1), np.nan)
    wider = ReferenceTable(table.points, np.concatenate([table.summaries, empty], axis=1))

    plain, more = table.posterior(np.array([0.3, 0.6, 0.2])), wider.posterior(np.array([0.3, 0.6, 0.2, np.nan]))

    assert np.allclose(plain.quantiles(), more.quantiles())


@pytest.mark.parametrize("name", ["film.npz", "film.csv"])
def test_a_fit(fit, name):
    """The value of the film is in its interval, and the directory has every result, the misfit first."""
    told = fit(_film(name), "small.toml", *VARY, "--runs", "120", "--check", "20", "-o", "fitted", "--json")

    with Path("fitted/intervals.csv").open() as file:
        [row] = csv.DictReader(file)
    assert told.code == 0
    assert float(row["quantile_0.05"]) <= 1.2 <= float(row["quantile_0.95"])
    assert float(row["quantile_0.95"]) - float(row["quantile_0.05"]) < 0.8 * 0.9 * 3
    assert row["informed"] == str("does not fit" not in told.err)
    manifest = Path("fitted/manifest.jsonl").read_text().splitlines()
    with Path("fitted/posterior.csv").open() as file:
        assert {one["run"] for one in csv.DictReader(file)} <= {json.loads(line)["run"] for line in manifest}
    assert len(manifest) == 120
    names = [Path(json.loads(line)["path"]).name for line in told.out.splitlines()]
    assert names[:5] == ["misfit.csv", "intervals.csv", "posterior.csv", "check.csv", "methods.txt"]
    assert names[5:] == ([] if name.endswith(".csv") else ["beside.html", "beside.gif"])


@pytest.mark.parametrize("name", ["film.npz", "film.csv"])
def test_a_prediction_shows_the_film_among_runs_like_it(fit, name):
    """The film's own series stands beside bands of runs with fitted values, in a table and a figure, done once."""
    command = (_film(name), "small.toml", *VARY, "--runs", "100", "--predict", "19", "-o", "fitted")
    told = fit(*command, "--plot", "fitted/posterior.png", "--plot", "fitted/posterior.svg")
    first = Path("fitted/series.csv").read_bytes()
    runs = Path("fitted/predictive/manifest.jsonl").read_bytes()
    assert told.code == fit(*command).code == 0
    assert (Path("fitted/series.csv").read_bytes(), Path("fitted/predictive/manifest.jsonl").read_bytes()) == (
        first,
        runs,
    )
    assert b"nearest neighbor distance" in Path("fitted/posterior-series.svg").read_bytes()
    assert Path("fitted/posterior-series.png").read_bytes().startswith(b"\x89PNG")

    film = {row["frame"]: row for row in measure("film.npz" if name == "film.npz" else _film("film.npz"))}
    with Path("fitted/series.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert {row["measure"]: row["unit"] for row in rows}["mean_speed"] == "world units per unit of time"
    assert len(rows) == 40 * len({row["measure"] for row in rows})
    for row in rows:
        ends = [float(row[f"quantile_{share:g}"]) for share in QUANTILES]
        assert ends == sorted(ends)
        if row["measure"] in film[0]:
            assert float(row["observed"]) == pytest.approx(film[int(row["frame"])][row["measure"]], rel=1e-9)
    assert [line for line in told.err.splitlines() if "series, polarization: " in line]


def test_a_band_has_its_share_of_further_runs():
    """Of runs like those that made the bands, 90 % are within the outer one at any frame, however few made it."""
    values = np.random.default_rng(2).normal(size=(FEWEST + 1, 1, 4000))
    bands = np.quantile(values[:-1], QUANTILES, axis=0, method="weibull")
    found = Prediction(["polarization"], range(4000), 1.0, values[-1], bands, FEWEST)

    assert found.within(0) == pytest.approx(0.9, abs=0.015)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (("small.toml", "--predict", "18"), "--predict 18: bands of 90 % need at least 19 runs"),
        (("--models", "small.toml,quickstart", "--predict", "20"), "--predict: shows runs of one scenario"),
    ],
)
def test_a_prediction_that_shows_nothing_is_refused(fit, asked, reason):
    """Before the first run."""
    told = fit("film.npz", *asked, *VARY, "-o", "fitted")

    assert (told.code, reason in told.err, Path("fitted").exists()) == (2, True, False)


def test_a_clip_is_a_film_and_another_model_is_told(fit, boidsgen):
    """A clip stands for its scenario; one with a speed that the scenario cannot have is reported before intervals."""
    fast = ("--set", "flock.max_speed=8", "--set", "flock.min_speed=8")
    assert boidsgen("render", "small.toml", *fast, "-o", "film.gif").code == 0

    told = fit("film.gif", "small.toml", *VARY, "--runs", "100", "--check", "20", "-o", "fitted")

    assert told.err.splitlines()[0].startswith("boidsgen: does not fit, so that intervals mean little: ")
    assert "speed" in told.err.splitlines()[0]
    assert "the data tell nothing" not in told.err
    with Path("fitted/intervals.csv").open() as file:
        assert {row["informed"] for row in csv.DictReader(file)} == {"False"}
    with Path("fitted/misfit.csv").open() as file:
        rows = {row["summary"]: row for row in csv.DictReader(file)}
    speed, time = rows["mean mean speed"], rows["autocorrelation time of polarization"]
    assert (speed["unit"], time["unit"]) == ("world units per unit of time", "frames")
    assert float(speed["predicted_high"]) < float(speed["observed"])
    shares = [float(speed[f"share_of_runs_{side}"]) for side in ("below", "above")]
    assert shares == pytest.approx([1, 0])
    for row in rows.values():
        assert float(row["predicted_low"]) <= float(row["predicted"]) <= float(row["predicted_high"])


def test_a_fit_that_was_stopped_goes_on(fit):
    """After its manifest was cut anywhere, the same command leaves the same tables to the byte."""
    command = (_film("film.npz"), "small.toml", *VARY, "--runs", "100", "--check", "20", "-o", "fitted")
    fit(*command)
    tables = {path: path.read_bytes() for path in Path("fitted").glob("*.csv") if path.name != "manifest.csv"}
    manifest = Path("fitted/manifest.jsonl")
    lines = manifest.read_bytes().splitlines(keepends=True)

    for kept in (30, 80):
        manifest.write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
        fit(*command)

        assert {path: path.read_bytes() for path in tables} == tables


TRACKED = {"world.boundary": "torus", "world.size": [100.0, 100.0], "output.fps": 25}


def _tracked(every=1, name="film.npz", **form):
    """Tracks of a run with alignment 1.2, with noise and gaps, of one frame in so many."""
    random = np.random.default_rng(7)
    keys = {"time.frames": 40 * every, "seed": 9, "flock.alignment.weight": 1.2}
    table = simulate("small.toml", overrides=keys).to_pandas()
    table = table[table["frame"] % every == 0]
    table["frame"] //= every
    table["x"] += random.normal(0, 0.2, len(table))
    table["y"] += random.normal(0, 0.2, len(table))
    table[random.random(len(table)) > 0.2].to_csv("table.csv", index=False)
    columns = "frame=frame,id=number,x=x,y=y"
    tracks("table.csv", name, columns=columns, fps=1 / every, origin=(0, 0), overrides=TRACKED, **form)
    return name


def test_runs_are_seen_as_the_film_shows_its_animals(fit):
    """Each row of the manifest has the measures of its run under the film's gaps, noise and smoothing, and its rate.

    A frame may last several steps of the scenario, whatever these are drawn as. Runs seen otherwise are done again.
    """
    fit(_tracked(every=3), "small.toml", *VARY, "--runs", "100", "-o", "fitted")
    told = fit(_tracked(every=3, smooth=5), "small.toml", *VARY, "--runs", "100", "-o", "fitted")

    assert load_scenario("fitted/study.toml").time.steps_per_frame == 3
    rows = [json.loads(line) for line in Path("fitted/manifest.jsonl").read_text().splitlines()]
    film = load_run("film.npz")
    model = observation_of(film.states, film.scenario)
    rows = [row for row in rows if row["observation"] == model.digest]
    assert len(rows) == 100
    for row in rows[:3]:
        keys = row["parameters"] | {"seed": row["seed"], "measure.names": [*compared_measures(film.scenario)]}
        keys["time.steps_per_frame"] = 3
        scenario = load_scenario("small.toml", keys)
        seen = entries_of(scenario, model.tracks(states_of(scenario), row["seed"]))
        all_animals = entries_of(scenario, states_of(scenario))
        assert row["mean"]["nearest_neighbor_distance"] == seen["mean"]["nearest_neighbor_distance"]
        assert row["mean"]["nearest_neighbor_distance"] != all_animals["mean"]["nearest_neighbor_distance"]
    assert "runs are seen as the film: 0.2" in told.err
    assert "smoothed over 5 frames" in told.err


@pytest.mark.parametrize(
    ("noise", "film", "reason"),
    [
        ("-1", "film.npz", "--noise -1: must be 0 or above, in world units"),
        ("nan", "film.npz", "--noise nan: must be 0 or above, in world units"),
        ("0.1", "run.npz", "run.npz: --noise is for recordings of tracks; the positions of this one are exact"),
        ("0.1", "run.csv", "run.csv: --noise is for recordings of tracks; the positions of this one are exact"),
    ],
)
def test_noise_that_makes_no_sense_is_refused(fit, noise, film, reason):
    """Before the first run, in one line."""
    _tracked() if film == "film.npz" else _film(film)

    told = fit(film, "small.toml", *VARY, "--runs", "100", "-o", "fitted", "--noise", noise)

    assert (told.code, told.err.splitlines()[-1]) == (2, f"boidsgen: {reason}")
