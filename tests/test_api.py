"""What Python callers use."""

import doctest
import inspect
import re
import subprocess
import sys
import tomllib
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import boidsgen
from boidsgen import (
    Records,
    SweepError,
    UsageError,
    api,
    compare,
    load_scenario,
    measure,
    record,
    render,
    replay,
    simulate,
    still,
    sweep,
)
from boidsgen.output.formats import origin, shown_in_html
from boidsgen.simulation.rules.rule import Rule
from tests.systems import posix

TOML = "[flock]\ncount = 9\n[time]\nframes = 2\n"


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


FUNCTIONS = [name for name in boidsgen.__all__ if name.islower()]


def test_names_of_the_package():
    """Every name that the package exports can be imported, and no other."""
    assert all(getattr(boidsgen, name) for name in boidsgen.__all__)
    assert set(boidsgen.__all__) <= set(dir(boidsgen))
    with pytest.raises(AttributeError, match="no attribute 'swarm'"):
        boidsgen.swarm  # noqa: B018


LONG = {"fit", "sensitivity"}  # Their examples take several seconds; what they do has tests in tests/studies


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in (*FUNCTIONS, "Records")]
)
def test_examples_of_docstrings_run(name):
    """Every public function has examples, and they give what stands there."""
    if name == "sensitivity":
        pytest.importorskip("scipy")
    public = getattr(boidsgen, name)
    named = {name: getattr(boidsgen, name) for name in boidsgen.__all__}
    (example,) = doctest.DocTestFinder(recurse=False).find(public, globs=named | vars(api))
    assert example.examples
    assert not doctest.DocTestRunner().run(example).failed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_hold(name):
    """Every public function has an example, explains its parameters, and names public types and errors alone."""
    public = getattr(boidsgen, name)
    described, _, arguments = inspect.getdoc(public).partition("Args:\n")
    assert ">>>" in described
    for parameter in inspect.signature(public).parameters:
        assert re.search(rf"^    {parameter}: ", arguments, re.MULTILINE), parameter
    given = re.findall(r"[A-Z]\w+", str(inspect.signature(public).return_annotation).replace("boidsgen.", ""))
    raised = re.findall(r"^ +(\w+Error): ", arguments, re.MULTILINE)
    assert {*given, *raised} - {"Path", "Axes"} <= {*boidsgen.__all__}


@pytest.mark.parametrize(
    "given",
    [
        TOML,
        {"flock": {"count": np.int64(9)}, "time": {"frames": 2}},
        {"extends": "quickstart", "flock": {"count": 9}, "time": {"frames": 2}},
        load_scenario(TOML),
    ],
    ids=["text", "dictionary", "extending", "scenario"],
)
def test_scenarios_come_in_any_form(given):
    """The same flock, however it is given, and as a file."""
    assert [len(state.flocks[0].position) for state in simulate(given)] == [9, 9]
    Path("own.toml").write_text(TOML, "utf-8")
    assert load_scenario(Path("own.toml")) == load_scenario("own.toml") == load_scenario(TOML)


def test_keys_are_set_by_keywords():
    """Two underscores for a dot, and options by their own names; a dictionary for all other keys."""
    scenario = load_scenario(TOML)
    states = list(simulate(scenario, frames=3, flock__count=4, overrides={"world.size": np.array([300.0, 200.0])}))

    assert len(states) == 3
    assert states[0].flocks[0].position.shape == (4, 2)
    assert states[0].setup.world.size == (300, 200)
    assert simulate(scenario, seed=5) is not simulate(scenario)


def test_a_rendered_scenario_equals_its_copy():
    """What has been computed from a scenario does not count, and a number of numpy is a number."""
    scenario = load_scenario(TOML, {"seed": np.int64(5), "output.size": [64, 48]})
    report = render(scenario, "x.gif", states=simulate(scenario))

    assert scenario == deepcopy(scenario)
    assert scenario != load_scenario(scenario, {"seed": 6})
    assert (report.seed, compare([scenario] * 2, "two.gif", columns=np.int64(1)).frames) == (5, 2)
    assert still(scenario, "x.png", at=np.array([0, 1])).path.exists()


FORKS = """
import os, sys
from boidsgen import record, render
def fork(number):
    child = os.fork()
    if child == 0:
        sys.exit()
    os.waitpid(child, 0)
for name in ("x.gif", "x.mp4", "x.npz", "x.csv"):
    for progress in (None, fork):
        make = record if name[2:] in {"npz", "csv"} else render
        make("quickstart", name, frames=2, flock__count=9, output__size=(64, 48), progress=progress)
        print(sum(open(name, "rb").read()))
"""


@posix
def test_a_forked_child_leaves_its_parents_work_alone():
    """A child of a program that forks meanwhile may exit: nothing is removed, and nothing is written twice."""
    ran = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True)
    sums = ran.stdout.split()

    assert (sums[::2], ran.stderr) == (sums[1::2], "")


def test_scenario_prints_as_toml():
    """What is printed is the scenario, and nothing else."""
    scenario = load_scenario("hunt")

    assert load_scenario(str(scenario)) == scenario
    assert tomllib.loads(str(load_scenario({}))) == {"seed": 0}


def test_notebooks_show_pictures():
    """A report plays, a still and a scenario are seen, and a file that no page can hold is named."""
    report = render(TOML, "x.gif")
    assert report._repr_html_().startswith('<img src="data:image/gif;base64,R0lGOD')
    assert load_scenario(TOML)._repr_png_().startswith(b"\x89PNG")
    assert still(TOML, "x.png")._repr_png_().startswith(b"\x89PNG")
    assert shown_in_html(Path("<x>.xyz")) == "<code>&lt;x&gt;.xyz</code>"


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("flock.count", [4, 5]),
        ("flock.perception.radius", [50.0, np.inf]),
        ("measure.names", [["groups"], ["groups", "rotation"]]),
        ("world.size", [[300, 200], [200, 200]]),
        ("flock.integrator", ["explicit", "semi_implicit"]),
    ],
)
def test_sweep(key, values):
    """A record a run, with keys as they were given, seed and measures; what has been done is kept in a directory."""
    done = []
    first, again = (
        sweep(TOML, {key: values}, seeds=2, directory="runs", jobs=1, progress=done.append) for _ in range(2)
    )

    assert done == [1, 2, 3, 4]
    assert list(first) == list(again)
    assert again[key].tolist() == [values[0], values[0], values[1], values[1]]
    assert again[0][key] == values[0]
    assert len({*first["seed"]}) == 2
    assert key == "measure.names" or np.isfinite(first["polarization"]).all()


def test_failed_runs_are_an_error(monkeypatch):
    """With the reason of each."""
    monkeypatch.setattr(api.Study, "run", lambda *_: iter([{"run": "one", "status": "failed", "reason": "tired"}]))

    with pytest.raises(SweepError, match="1 of 1 runs failed\none: tired"):
        sweep(TOML, {"flock.count": [4]}, jobs=1)


def test_measures_are_those_of_the_table():
    """Only the measures that the scenario asks for, with nan where one is not defined; also for pandas."""
    table = measure(TOML, flock__count=0, measure__names=["polarization"], seeds=2)

    assert table.columns == ("seed", "frame", "time", "polarization")
    assert np.isnan(table["polarization"]).all()
    assert len(table[:3]) == 3
    assert list(table.to_pandas().columns) == list(table.columns)
    with pytest.raises(KeyError, match="there is no 'groups'"):
        table["groups"]


def test_records_as_xarray():
    """What tells records apart are dimensions: seeds and frames of a measurement, keys and seeds of a sweep."""
    measured = measure(TOML, seeds=2, measure__names=["polarization"]).to_xarray()
    rows = [{"world.size": [n, n], "seed": s, "order": n + s} for n in (1, 2) for s in (3, 4)]
    swept = Records(rows, dimensions=("world.size", "seed")).to_xarray()

    assert dict(measured.sizes) == {"seed": 2, "frame": 2}
    assert float(swept["order"].sel({"world.size": "[2, 2]", "seed": 3})) == 5
    assert dict(Records(rows).to_xarray().sizes) == {"record": 4}


def test_states_as_xarray():
    """Positions and velocities of every group, with numbers where they share a name, and nan for who is absent."""
    flocks = {"flock": [{"count": 3}, {"count": 2}], "predators": [{}], "time": {"frames": 4}}
    states = simulate(flocks).to_xarray()
    *_, last = simulate(flocks)

    assert dict(states.sizes) == {"frame": 4, "boids": 3, "boids 2": 2, "predators": 1, "axis": 2}
    assert (states["boids 2.position"][-1].values == last.flocks[1].position).all()
    assert (states["predators.velocity"].sel(axis="y", frame=3).values == last.predators[0].velocity[:, 1]).all()
    assert states["time"].values.tolist() == [0, 1, 2, 3]
    growing = simulate({**flocks, "events": [{"at": 2, "set": {"flock.0.count": 60}}]}).to_xarray()
    assert np.isfinite(growing["boids.position"][:, :, 0]).sum("boids").values.tolist() == [3, 3, 60, 60]


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_records_without_libraries(library, monkeypatch):
    """What is missing is said in a line."""
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(UsageError, match=rf"needs {library}, which is not installed: pip install 'boidsgen\[table\]'"):
        getattr(Records([]), f"to_{library}")()


def test_pictures_of_a_comparison():
    """A png is a picture of one frame, which is replayed as one; a recorded run is a scenario, too."""
    made = compare([TOML, "quickstart"], "two.png", variants=[{}, {"title": 'it\'s "so"'}], at=1, frames=2)

    assert made.path.name == "two.png"
    assert replay("two.png", "again.png") == Path("again.png")
    record(TOML, "run.npz")
    assert load_scenario("run.npz") == load_scenario(TOML)


def test_a_run_can_be_gone_through_again():
    """A second loop over a run gives the same states, tables have a row for each animal, arrays their units."""
    run = simulate(TOML)
    first, second = ([state.flocks[0].position for state in run] for _ in range(2))
    assert len(first) == len(second) == len(run) == 2
    assert np.array_equal(first, second)
    table, dataset = run.to_pandas(), run.to_xarray()
    assert len(table) == 18
    assert list(table.columns) == ["frame", "time", "kind", "group", "number", "x", "y", "vx", "vy"]
    assert dataset["boids.position"].attrs["units"] == "world units"
    assert np.array_equal(dataset["boids.position"], first)
    assert load_scenario(dataset.attrs["scenario"]).flock[0].count == 9


def leftmost(state):
    """A measure of its own."""
    return float(state.flocks[0].position[:, 0].min())


class Wind(Rule):
    """A steady wind."""

    def desired(self, view):
        """East, for everybody."""
        return [[1, 0]] * len(view.position)


def test_rules_and_measures_of_a_program_work_everywhere():
    """Every function takes rules, and those that measure take measures; columns have the names of functions."""
    wind = [Wind(weight=5.0)]
    still_air, windy = (measure(TOML, rules=rules, measures=[leftmost], frames=20) for rules in ([], wind))
    swept = sweep(TOML, {"flock.count": [4, 8]}, rules=wind, measures=[leftmost], frames=20)
    states = list(simulate(TOML, rules=wind, frames=20))
    assert windy["leftmost"][-1] == leftmost(states[-1]) != still_air["leftmost"][-1]
    assert swept["leftmost"].shape == (2,)
    render(TOML, "windy.gif", rules=wind)
    record(TOML, "windy.npz", rules=wind)
    for again in (
        lambda: replay("windy.gif", "again.gif"),
        lambda: render("windy.gif", "again.gif"),
        lambda: measure("windy.gif"),
        lambda: compare(["windy.gif"], "again.gif"),
        lambda: sweep("windy.gif", seeds=2),
    ):
        with pytest.raises(UsageError, match=r"windy.gif: needs wind, which was passed in Python; .* pass it again"):
            again()
    assert not Path("again.gif").exists()
    assert render("windy.gif", "again.gif", rules=wind).digest == render("windy.npz", "saved.gif").digest
    assert len(sweep("windy.gif", seeds=2, rules=wind)) == 2
    assert len([*simulate("windy.gif", rules=wind)]) == len([*simulate(TOML)])
    with pytest.raises(UsageError, match="already exists"):
        measure(TOML, measures=[leftmost, leftmost])


def breeze(view):
    """Blow.

    # states from "elsewhere"
    # frame 3
    """
    return view.position[:, ::-1] * [0.01, 0.0]


def test_functions_are_rules_whose_source_a_clip_embeds_and_never_executes():
    """Under any name and by any door a function steers alike; passed again it gives the same frames, else none do."""

    class Breeze(Rule):
        def desired(self, view):
            return breeze(view)

    drawn = [
        render(TOML, "a.gif", rules={"breeze": breeze}),
        render(TOML, "b.gif", rules=[breeze]),
        render(TOML, "c.gif", states=simulate(TOML, rules=[Breeze()])),
        render(load_scenario(TOML).with_rule(breeze), "d.gif"),
        render(load_scenario(TOML).with_rule(partial(breeze), "breeze"), "e.gif"),
        render("a.gif", "again.gif", rules=[breeze]),
    ]
    lines = inspect.getsource(breeze).splitlines()
    assert len({report.digest for report in drawn}) == 1
    assert render(TOML, "f.gif").digest != drawn[0].digest
    assert Path("a.gif").read_bytes() == Path("b.gif").read_bytes() == Path("d.gif").read_bytes()
    with Path("a.gif").open("rb") as file:
        text = origin(file, "a.gif")
    assert [line for line in text.splitlines() if line.startswith("# | ")] == [
        f"# | {line.expandtabs()}" for line in lines
    ]
    assert load_scenario("a.gif") == load_scenario(TOML)
    render(load_scenario(TOML).with_rule(breeze), "page.html")
    assert "def breeze(view):" in Path("page.html").read_text("utf-8")
    for name, at in (("one.png", 1), ("strip.png", [0, 1])):
        still(TOML, name, at=at, states=simulate(TOML, rules=[breeze]))
    for again in ("a.gif", "page.html", "one.png", "strip.png"):
        with pytest.raises(UsageError, match=rf"{again}: needs breeze, which was passed"):
            replay(again, "replayed.gif")
    assert not Path("replayed.gif").exists()


def test_what_reads_a_scenario_as_text_does_not_lose_its_rules_in_silence():
    """Keys are set before a rule is added; functions that would write the scenario as text refuse it."""
    windy = load_scenario(TOML).with_rule(breeze).with_rule(lambda view: 0 * view.velocity)
    assert list(simulate(windy).own_rules) == ["breeze", "lambda"]
    for door in (lambda: simulate(windy, frames=3), lambda: sweep(windy, seeds=2), lambda: compare([windy], "two.gif")):
        with pytest.raises(UsageError, match="scenario: breeze, lambda: a rule in Python; set keys and then add it"):
            door()


def test_sweeps_give_what_their_manifest_has():
    """Errors, final values and profiles stand beside the means."""
    table = sweep(TOML, seeds=2, frames=30, measure__names=["polarization"], measure__profiles=["density_profile"])
    assert {"polarization", "final.polarization", "error.polarization", "profiles.density_profile"} <= set(
        table.columns
    )
    assert len(table[0]["profiles.density_profile"]["mean"]) == len(table[0]["profiles.density_profile"]["distance"])
