"""Model choice: probabilities in closed form, units that cancel out, and a film of one of two scenarios."""

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from boidsgen import fit, record, simulate
from boidsgen.errors import UsageError
from boidsgen.measuring import entries_of
from boidsgen.scenario.loading import load_run
from boidsgen.studies.choice import Choice, Model, lines_of_choice, without_units
from boidsgen.studies.posterior import TOO_FEW, ReferenceTable

NAMES = ("polarization", "nearest_neighbor_distance", "mean_speed")
SMALL = "seed = 3\n[world]\nsize = [100, 100]\n[time]\nframes = 40\n[flock]\ncount = 12\n"
FILES = {"aligned.toml": SMALL + "alignment.weight = 2\n", "alone.toml": SMALL + "alignment.weight = 0\n"}


def _model(name, mean, runs=200):
    """A model whose nine summaries scatter by one around the mean."""
    random = np.random.default_rng(len(name))
    return Model(name, ReferenceTable(random.random((runs, 1)), mean + random.normal(size=(runs, 9))), 1)


def _choice(observed, *means):
    models = tuple(_model("m" * (1 + at), mean) for at, mean in enumerate(means))
    return Choice(np.full(9, float(observed)), models, NAMES, 1, 40)


def test_the_model_that_made_the_film_is_the_probable_one():
    """Models three deviations apart in each summary are told apart, in the film and in runs taken for films."""
    found = _choice(3, 0, 3, 6)

    assert [record["probability"] for record in found.tables["models"]] == pytest.approx([0, 1, 0], abs=0.02)
    assert [record["fits"] for record in found.tables["models"]] == [False, True, False]
    shares = [[row["m"], row["mm"], row["mmm"]] for row in found.tables["confusion"]]
    assert np.allclose(shares, np.eye(3), atol=0.03)


def test_models_alike_are_equally_probable():
    """Two that do the same have a half each, on average, and both fit."""
    shares = [[one["probability"] for one in _choice(film, 0, 0).tables["models"]] for film in (-0.5, 0, 0.2, 0.5)]

    assert np.mean(shares, axis=0) == pytest.approx([0.5, 0.5], abs=0.15)
    assert all(one["fits"] for one in _choice(0, 0, 0).tables["models"])


def test_no_model_fits_a_film_of_another_one():
    """It is flagged for all, whatever the probabilities, and the record tells the worst summary and its interval."""
    for one in _choice(50, 0, 3).tables["models"]:
        assert not one["fits"]
        assert one["observed"] > one["predicted_high"] > one["predicted"] > one["predicted_low"]


def test_too_few_runs_are_told():
    """A film that is farther off than all of sixty runs, though not by much, is neither flagged nor said to fit."""
    model = _model("m", 0, runs=60)
    far = (np.arange(9) == 4) * np.linspace(2, 12, 60)[:, None]
    films = [Choice(one, (model, model), NAMES, 1, 0) for one in far]
    said = [one.tables["models"][0]["fits"] for one in films]

    assert [key for key, _ in groupby(said)] == [True, None, False]
    assert TOO_FEW in lines_of_choice(films[said.index(None)])[0]
    assert lines_of_choice(films[-1])[0].startswith("no model fits")


def test_units_cancel_out(tmp_path, monkeypatch):
    """The same motion in a world ten times as large, with a clock half as fast, has the same summaries."""
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(SMALL.replace("[time]\n", "[time]\ndt = 1\n") + "min_speed = 1\nmax_speed = 4\n")
    run = load_run("one.toml")
    entries = entries_of(run.scenario, simulate(run.scenario))
    scaled = {kind: dict(values) for kind, values in entries.items() if isinstance(values, dict)}
    for name, factor in (("nearest_neighbor_distance", 10.0), ("mean_speed", 5.0)):
        scaled["mean"][name] *= factor
        scaled["moments"][name] = [entries["moments"][name][0] * factor**2, 0.0]

    assert without_units(scaled, NAMES) == pytest.approx(without_units(entries, NAMES))
    assert without_units(entries, NAMES)[[3, 6]].tolist() == [1, 1]


def test_a_film_of_one_of_two_scenarios(tmp_path, monkeypatch):
    """The scenario that made it is chosen, in its units too, and each model keeps its runs in its directory."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    record("aligned.toml", "film.npz", overrides={"seed": 8, "time.steps_per_frame": 2})

    found = fit("film.npz", models=[*FILES], runs=100, check=10, directory="chosen", jobs=2)

    first, second = found["models"]
    assert (first["model"], second["model"]) == ("aligned", "alone")
    assert first["probability"] > 0.8
    assert first["fits"]
    assert first["steps_per_frame"] == 2
    assert found["confusion"][0]["aligned"] > 0.8
    assert len(Path("chosen/alone/manifest.jsonl").read_text().splitlines()) == 50


def test_a_table_without_units_is_refused(tmp_path, monkeypatch):
    """Nothing can be compared with models in other units without a length and a speed."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(1).random(40)
    rows = [f"0,{frame},{frame},{value}" for frame, value in enumerate(values)]
    Path("film.csv").write_text("\n".join(["seed,frame,time,polarization", *rows]))

    with pytest.raises(UsageError) as refused:
        fit("film.csv", models=["vicsek", "quickstart"])

    needed = "nearest_neighbor_distance and mean_speed, the units in which models are compared"
    assert str(refused.value) == f"film.csv: needs {needed}"


def test_a_model_that_cannot_have_the_dimensions_of_the_film_is_named(tmp_path, monkeypatch):
    """In one line, before the first run."""
    monkeypatch.chdir(tmp_path)
    places = [[at, 2, 3] for at in range(12)]
    deep = SMALL.replace("[100, 100]", "[100, 100, 100]")
    Path("deep.toml").write_text(f"{deep}start = {{ points = {places} }}\n")
    Path("aligned.toml").write_text(FILES["aligned.toml"])
    record("aligned.toml", "film.npz", overrides={"time.frames": 200})

    with pytest.raises(UsageError) as refused:
        fit("film.npz", models=["aligned.toml", "deep.toml"])

    assert str(refused.value).startswith("deep: cannot have 12 animals in 2 dimensions, as the film: ")
    assert "\n" not in str(refused.value)
