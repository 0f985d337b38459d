"""Studies under rules and measures of a program: in any number of processes, resumed, and without cloudpickle."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from boidsgen import audit, compare, describe, fit, record, render, replay, sweep
from boidsgen.errors import UsageError
from boidsgen.measuring import own_parts
from boidsgen.parcels import fingerprint
from boidsgen.simulation.rules.rule import Rule
from tests.systems import needs_a_scheduler_of_dask

SMALL = "time.frames = 6\nflock.count = 8\noutput.size = [64, 64]\n"
FORCE = [0.2]


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Wind(Rule):
    """A steady wind."""

    toward: float = 1.0

    def desired(self, view):
        """East, for everybody."""
        return [[self.toward, 0]] * len(view.position)


def gentle(view):
    """Blow as hard as the module says."""
    return strength(view) * view.position


def strength(view):
    """Blow hard."""
    return FORCE[0] + 0 * view.time


def swirl(view, by=0.1):
    """Turn around."""
    return by * view.velocity[:, ::-1]


def eastmost(state):
    """Return how far the first boid is."""
    return float(state.flocks[0].position[0, 0])


def closure(force):
    """Return a rule that only this process knows."""
    return lambda view: force * view.position


def counting():
    """Return a rule that blows harder with every step."""
    calls = []

    def rising(view):
        calls.append(view.time)
        return 0.01 * len(calls) * view.position

    return rising


def returning(force):
    """Return an object that refers to itself, with a method that does so."""

    class Blower:
        def blow(self, view):
            return self.force * view.velocity if view else self.blow

    made = Blower()
    made.force, made.other = force, made
    return made


OWN = [
    {"rules": [gentle]},
    {"rules": {"own": closure(0.3)}},
    {"rules": {"own": partial(swirl, by=0.5)}},
    {"rules": [Wind(toward=2.0)]},
]
TOGETHER = [
    {"rules": {"function": gentle, "closure": closure(0.3), "part": partial(swirl, by=0.5)}},
    {"rules": [gentle, Wind(toward=2.0)], "measures": [eastmost]},
]


def plain(table):
    """Everything that a table says of its runs, as text, in which nan equals nan."""
    return {name: str(table[name].tolist()) for name in table.columns}


@pytest.mark.parametrize("own", TOGETHER, ids=["functions", "classes"])
def test_results_do_not_depend_on_processes(own):
    """One process and two give the same rows and the same clips."""
    found = {}
    for jobs in (1, 2):
        where = Path(str(jobs))
        found[jobs] = plain(sweep(SMALL, seeds=3, directory=where, draw=True, jobs=jobs, **own))
        found[jobs]["clips"] = [path.read_bytes() for path in sorted(where.glob("*.gif"))]
        found[jobs]["study"] = Path(where, "study.toml").read_text("utf-8")

    assert found[1] == found[2]
    assert len(found[1]["clips"]) == 3
    assert plain(sweep(SMALL, seeds=3))["mean_speed"] != found[1]["mean_speed"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("own", TOGETHER, ids=["functions", "classes"])
def test_results_are_those_of_a_cluster(own):
    """The workers of Dask, who do not have these modules, do the same."""
    distributed = pytest.importorskip("distributed", reason="Dask is an extra: pip install 'boidsgen[dask]'")
    needs_a_scheduler_of_dask()
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as local:
        there = sweep(SMALL, seeds=3, dask=local.scheduler_address, **own)

    assert plain(there) == plain(sweep(SMALL, seeds=3, jobs=1, **own))


def runs_done(directory="runs", **own):
    """Number of runs that a sweep in a directory does."""
    done = []
    sweep(SMALL, seeds=2, directory=directory, jobs=1, progress=done.append, **own)
    return len(done)


@pytest.mark.parametrize("own", [*OWN, *TOGETHER], ids=",".join)
def test_a_sweep_under_the_same_rules_is_resumed(own):
    """Nothing is done twice; without the rules all is done again."""
    assert [runs_done(**own), runs_done(**own), runs_done(), runs_done()] == [2, 0, 2, 0]


CHANGED = {
    "value of a closure": lambda _: {"rules": {"own": closure(0.4)}},
    "argument": lambda _: {"rules": {"own": partial(swirl, by=0.6)}},
    "default": lambda patch: patch.setattr(swirl, "__defaults__", (0.7,)) or {"rules": [swirl]},
    "field of a class": lambda _: {"rules": [Wind(toward=3.0)]},
    "method of a class": lambda patch: patch.setattr(Wind, "desired", lambda _, v: -v.velocity) or {"rules": [Wind()]},
    "constant of the module": lambda patch: patch.setitem(globals(), "FORCE", [0.25]) or {"rules": [gentle]},
    "function that it calls": lambda patch: patch.setitem(globals(), "strength", lambda _: 0.1) or {"rules": [gentle]},
    "name": lambda _: {"rules": {"other": closure(0.3)}},
    "measure": lambda _: {"rules": [gentle], "measures": [eastmost]},
    "none": lambda _: {},
}


@pytest.mark.parametrize("change", CHANGED)
def test_a_sweep_under_changed_rules_begins_again(change, monkeypatch):
    """Whatever of a rule has changed, no run under the earlier one is kept."""
    for own in OWN:
        runs_done(str(OWN.index(own)), **own)
    changed = CHANGED[change](monkeypatch)

    assert [runs_done(str(number), **changed) for number in range(4)] == [2, 2, 2, 2]


SCRIPT = """
from boidsgen.measuring import own_parts
from boidsgen.parcels import fingerprint
HARD = {"east": 0.5}
class Air:
    def __init__(self): self.force = HARD["east"]
def wind(view):
    air = Air()
    return [[air.force * x for x in row] for row in view.position if row is not None]
print(fingerprint(own_parts({"wind": wind, "still": lambda view: 0 * view.velocity}, [])))
"""


def test_a_rule_is_the_same_in_the_next_process(tmp_path):
    """Neither the process nor file, line and comment count, but what runs does."""
    found = []
    for number, text in enumerate((SCRIPT, SCRIPT, f"# moved\n\n{SCRIPT}", SCRIPT.replace("0.5", "0.6"))):
        path = tmp_path / f"{number}.py"
        path.write_text(text, "utf-8")
        found.append(subprocess.run([sys.executable, path], capture_output=True, check=True, text=True).stdout)

    assert found[0] == found[1] == found[2] != found[3]


def test_what_no_one_can_compare_is_never_the_same(tmp_path):
    """A rule that holds an open file is done again each time; equal arrays are equal."""
    with (tmp_path / "notes").open("w") as file:
        noted = own_parts({"noted": lambda view: file.write("") + view.velocity}, [])
        assert fingerprint(noted) != fingerprint(noted)
    endless = []
    endless.append(endless)
    circular = own_parts({"circular": lambda view: endless and view.velocity}, [])
    assert fingerprint(circular) != fingerprint(circular)
    own, same = (own_parts({"returning": returning(0.1).blow}, []) for _ in range(2))
    assert fingerprint(own) == fingerprint(same) != fingerprint(own_parts({"returning": returning(0.2).blow}, []))
    first, again, other = (own_parts({"blow": partial(swirl, by=np.array([by, 1.0]))}, []) for by in (0.5, 0.5, 0.6))
    assert fingerprint(first) == fingerprint(again) != fingerprint(other)
    assert not fingerprint(own_parts([], []))


def test_no_run_changes_the_rule_of_another():
    """What a rule remembers ends with its run."""
    alone = [sweep(SMALL, seed=seed, vary={"flock.count": [8]}, rules=[counting()], jobs=1) for seed in (1, 2)]
    together = sweep(SMALL, {"seed": [1, 2]}, rules=[counting()], jobs=2)

    assert [one["mean_speed"][0] for one in alone] == together["mean_speed"].tolist()


def test_without_cloudpickle_a_rule_must_be_importable(monkeypatch):
    """Functions of modules travel by name; any other is one line that says what to do."""
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    expected = plain(sweep(SMALL, seeds=2, rules=[gentle, Wind()], jobs=1))

    assert plain(sweep(SMALL, seeds=2, rules=[gentle, Wind()], jobs=2)) == expected
    for rule in (lambda view: view.velocity, closure(1), counting()):
        with pytest.raises(UsageError, match=r"rules: own: is known to this process only; pip install cloudpickle"):
            sweep(SMALL, seeds=2, rules={"own": rule}, jobs=2)
        assert len(sweep(SMALL, seeds=2, rules={"own": rule}, jobs=1)) == 2
    monkeypatch.setattr(gentle, "__module__", "__main__")
    with pytest.raises(UsageError, match="measures: eastmost: is known to this process only"):
        sweep(SMALL, seeds=2, measures=[partial_name(eastmost)], jobs=2)
    with pytest.raises(UsageError, match="rules: gentle: is known to this process only"):
        sweep(SMALL, seeds=2, rules=[gentle], jobs=2)


def partial_name(function):
    """Return a function of this name that no other process can import."""

    def same(state):
        return function(state)

    same.__name__ = function.__name__
    return same


def test_what_cannot_be_packed_is_one_line(tmp_path):
    """A rule that holds an open file stays in this process."""
    with (tmp_path / "notes").open("w") as file:

        def noted(view):
            file.write(".")
            return view.velocity

        with pytest.raises(UsageError, match=r"rules: noted: cannot be sent to another process .*; give jobs=1"):
            sweep(SMALL, seeds=2, rules=[noted], jobs=2)
        assert len(sweep(SMALL, seeds=2, rules=[noted], jobs=1)) == 2


def test_what_is_no_rule_is_refused_before_the_first_run():
    """One line, not one for each run."""
    for own, message in (
        ({"rules": {"own": Wind}}, "is not a rule"),
        ({"rules": {"cohesion": gentle}}, "already exists"),
    ):
        with pytest.raises(UsageError, match=message):
            sweep(SMALL, seeds=2, **own)
        with pytest.raises(UsageError, match=message):
            audit(SMALL, "polarization > 0.5", jobs=1, **own)


def test_a_comparison_under_rules_tells_them():
    """Each tile is steered, and the clip needs the rules again."""
    compare([SMALL], "two.gif", variants=[{}, {"flock.count": 4}], rules=[gentle])
    compare([SMALL], "none.gif", variants=[{}, {"flock.count": 4}])
    assert b"def gentle(view):" in Path("two.gif").read_bytes()
    assert Path("two.gif").read_bytes() != Path("none.gif").read_bytes()
    with pytest.raises(UsageError, match="needs gentle, which was passed in Python"):
        replay("two.gif", "again.gif")
    render(SMALL, "one.gif", rules=[gentle])
    compare(["one.gif", "one.gif"], "same.gif", rules=[gentle])
    assert b"def gentle(view):" in Path("same.gif").read_bytes()


def test_the_methods_of_a_study_name_its_rules():
    """The table is that of the scenario, and the text says where the source is."""
    sweep(SMALL, seeds=2, directory="runs", rules=[gentle], jobs=1)

    assert "Every flock was also steered by gentle, written in Python." in describe("runs")
    assert "The whole scenario and the source of gentle are in study.toml." in describe("runs")
    assert "# | def gentle(view):" in Path("runs/study.toml").read_text("utf-8")


def trials(**given):
    """What an audit tells of its variants, as text, in which nan equals nan."""
    return plain(audit(SMALL, "polarization > 0.5", seeds=2, frames=3, **given))


@pytest.mark.parametrize("rules", [TOGETHER[0]["rules"], [gentle, Wind(toward=2.0)]], ids=["functions", "classes"])
def test_an_audit_under_rules_does_not_depend_on_processes(rules):
    """Every variant is steered, in one process as in two."""
    alone, unsteered = trials(rules=rules, jobs=1), trials(jobs=1)

    assert trials(rules=rules, jobs=2) == alone
    assert alone["variant"] == unsteered["variant"]
    assert alone["mean"] != unsteered["mean"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_audit_under_rules_is_that_of_a_cluster():
    """The workers of Dask, who do not have these modules, find the same."""
    distributed = pytest.importorskip("distributed", reason="Dask is an extra: pip install 'boidsgen[dask]'")
    needs_a_scheduler_of_dask()
    rules = [gentle, Wind(toward=2.0)]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as local:
        there = trials(rules=rules, dask=local.scheduler_address)

    assert there == trials(rules=rules, jobs=1)


@pytest.mark.slow
def test_a_fit_under_rules_is_resumed_under_the_same_ones():
    """Runs are steered by the rules, which the methods section names; another rule repeats them."""
    keys = {"flock.alignment.weight": "0:3"}
    record(SMALL, "film.npz", frames=20, rules=[Wind()], flock__count=6)
    tables, done = [], []
    for rules in ([Wind()], [Wind()], [Wind(toward=-3.0)]):
        done.append([])
        manner = {"directory": "fitted", "jobs": 1, "progress": done[-1].append}
        found = fit("film.npz", SMALL, keys, runs=100, rules=rules, **manner)
        tables.append(found["posterior"]["weight"].tolist())

    assert [len(one) for one in done] == [100, 0, 100]
    assert tables[0] == tables[1] != tables[2]
