"""Audits: which changes a claim survives, and that each change is the one that its row names."""

import csv
import json
import operator
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from boidsgen import load_scenario, sweep
from boidsgen.jobs import DeadWorkerError
from boidsgen.measuring import NOTHING_OWN, Own
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import source_of
from boidsgen.studies.audit import AuditRow, audit_claim, plan_audit
from boidsgen.studies.requests import AuditRequest, Claim, parse_claim
from tests.running import SMALL, in_this_process

STRAIGHT = """\
world = { size = [64, 48], boundary = "open" }
time = { frames = 5, warmup = 6 }
flock = { count = 4, separation.weight = 0, alignment.weight = 0, cohesion.weight = 0 }
"""
FAST = {"layout": "uniform", "speed": [40, 40]}


@pytest.fixture(autouse=True)
def _no_workers(monkeypatch):
    in_this_process(monkeypatch)


def audited(text, claim, seeds=3, **settings):
    """The rows of an audit by their variants."""
    request = AuditRequest(parse_claim(claim), seeds)
    overrides = [Override(key.replace("__", "."), value, key) for key, value in settings.items()]
    return {row.variant: row for row in audit_claim(request.claim, *plan_audit(source_of(text), overrides, request))}


def test_a_claim_that_is_always_true_survives_everything():
    """Every kind of change is tried, with every seed."""
    rows = audited(SMALL, "polarization < 5")

    orders, edges = ["sequential", "shuffled"], ["wrap", "reflect", "open"]
    sizes = ["dt / 2", "dt × 2", "N / 2", "N × 2"]
    names = [
        *sizes,
        *(f"update = {one}" for one in orders),
        "limit_speed = false",
        *(f"boundary = {one}" for one in edges),
    ]
    assert [*rows] == ["as written", *names]
    assert {(row.survives, row.holding) for row in rows.values()} == {("yes", 3)}


def test_order_decides_in_parkers_pseudocode():
    """Boids that see the earlier ones moved speed up without end; those that move at once do not, nor where limited."""
    rows = audited("parker", "final.mean_speed > 100", seeds=2, time__frames=120)
    kept = {name for name, row in rows.items() if row.survives == "yes"}

    assert {"as written", "update = shuffled", "N × 2", "boundary = torus"} <= kept
    assert {name for name, row in rows.items() if row.survives == "no"} == {
        "update = synchronous",
        "limit_speed = true",
    }


def test_a_limit_on_speed_decides_where_nothing_else_can():
    """Boids that begin ten times as fast as allowed are slowed down at once unless they are not limited."""
    rows = audited(STRAIGHT, "mean_speed <= 4.5", flock__max_speed=4, flock__start=FAST)

    assert [name for name, row in rows.items() if row.survives != "yes"] == ["limit_speed = false"]
    assert rows["limit_speed = false"].mean == pytest.approx(40)


@pytest.mark.parametrize("text", ["update = sequential", "N / 2", "dt / 2", "dt × 2", "boundary = open"])
def test_a_row_is_what_a_sweep_finds_with_its_settings(text):
    """Seeds, frames and means are those of `sweep`, whoever does the runs."""
    row = audited(SMALL, "polarization > 0.9")[text]
    by_hand = sweep(SMALL, {}, seeds=3, overrides=row.settings, measure={"names": ["polarization"]})

    assert row.mean == pytest.approx(by_hand["polarization"].mean(), rel=1e-12)
    assert row.error == pytest.approx(by_hand["polarization"].std(ddof=1) / 3**0.5, rel=1e-12)
    assert row.holding == (by_hand["polarization"] > 0.9).sum()


@pytest.mark.parametrize("steps", [1, 2])
def test_a_time_step_covers_the_same_time(steps):
    """Boids that fly straight are equally far in the end, whether steps or frames were halved."""
    rows = audited(
        STRAIGHT, "final.mean_squared_displacement > 1", time__steps_per_frame=steps, measure__from=2, measure__every=2
    )

    whole = rows["as written"].mean
    assert [rows[name].mean for name in ("dt / 2", "dt × 2")] == pytest.approx([whole, whole])
    assert [rows[name].settings["time.warmup"] for name in ("dt / 2", "dt × 2")] == [12, 3]
    assert ("time.frames" in rows["dt × 2"].settings) == (steps == 1)


@pytest.mark.parametrize(("forces", "remark"), [("per_step", "changes the model itself"), ("per_time", "")])
def test_a_row_says_that_forces_are_per_step(forces, remark):
    """Only then does another time step change what the rules do."""
    rows = audited(SMALL, "polarization > 0.9", flock__forces=forces)

    assert all(rows[name].remark.endswith(remark) for name in ("dt / 2", "dt × 2"))
    assert bool(rows["dt / 2"].remark) == bool(remark)


@pytest.mark.parametrize("size", [[64, 48], [30, 40, 50]])
def test_other_numbers_have_the_same_density(size):
    """All flocks grow and shrink, and the world with them."""
    text = f"world.size = {size}\n[[flock]]\ncount = 4\n[[flock]]\nname = 'others'\ncount = 10\n[time]\nframes = 3\n"
    rows, density = audited(text, "polarization > 0.9"), 14 / prod(size)
    for name, counts in {"N / 2": (2, 5), "N × 2": (8, 20)}.items():
        found = load_scenario(text, rows[name].settings)

        assert tuple(flock.count for flock in found.flock) == counts
        assert sum(counts) / prod(found.world.size) == pytest.approx(density)


IMPOSSIBLE = {
    "a turn of all boids at once": (
        {"flock__angular_noise": 20},
        {"update = sequential", "update = shuffled"},
        "cannot be combined with angular_noise",
    ),
    "things at fixed places": ({"attractors": [{"point": [3, 4]}]}, {"N / 2", "N × 2"}, "attractors would have to be"),
    "a field at a fixed place": ({"fields": [{"kind": "vortex"}]}, {"N / 2", "N × 2"}, "fields would have to be"),
    "a field that comes later": (
        {"fields": [{"kind": "wind", "vector": [0.1, 0], "from": 1}]},
        {"N / 2", "N × 2", "dt × 2"},
        "",
    ),
    "an event": ({"events": [{"at": 1, "set": {"flock.max_speed": 2}}]}, {"dt × 2"}, "steps_per_frame is odd"),
    "a number that an event sets": (
        {"events": [{"at": 1, "set": {"flock.count": 9}}], "time__steps_per_frame": 2},
        {"N / 2", "N × 2"},
        "events that set a count",
    ),
    "too many steps": ({"limits__steps": 2}, {"dt / 2"}, "4 steps requested, 2 allowed"),
    "no frame that is left": ({"measure__from": 1, "time__frames": 2}, {"dt × 2"}, "nothing is left to measure"),
}


@pytest.mark.parametrize(("settings", "names", "reason"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_be_changed_is_not_tried(settings, names, reason):
    """The row has the reason, and everything else is tried."""
    rows = audited(SMALL, "polarization < 5", seeds=2, **settings)

    assert {name for name, row in rows.items() if row.survives == "not tried"} == names
    assert all(reason in rows[name].remark for name in names)
    assert {row.survives for name, row in rows.items() if name not in names} == {"yes"}


class Told(NamedTuple):
    """A run whose outcome is known."""

    run: str
    outcome: Any
    options: RunOptions = DEFAULT_OPTIONS
    own: Own = NOTHING_OWN

    def do(self):
        """The outcome."""
        return self.outcome


VERDICTS = [
    (operator.gt, [0.95, 0.96, 0.95], "yes"),
    (operator.gt, [0.8, 0.81, 0.8], "no"),
    (operator.gt, [0.91, *[0.5] * 20], "no"),
    (operator.gt, [0.85, 0.99, 0.95], "undecided"),
    (operator.lt, [0.85, 0.99, 0.95], "undecided"),
    (operator.gt, [0.9, 0.9], "no"),
    (operator.ge, [0.9, 0.9], "yes"),
    (operator.gt, [0.95, None], "undefined"),
    (operator.gt, [0.95, None, 0.95], "yes"),
    (operator.gt, [0.95, "not finite"], "failed"),
    (operator.gt, [0.95, DeadWorkerError("the worker died")], "failed"),
]


@pytest.mark.parametrize(("compare", "values", "verdict"), VERDICTS)
def test_verdicts(compare, values, verdict):
    """A mean within three standard errors of the number decides nothing; a run that fails is never left out."""
    jobs = [Told("dt / 2", _outcome(value)) for value in values]
    row, untried = audit_claim(
        Claim("mean", "polarization", compare, 0.9), [AuditRow("dt / 2", {}), AuditRow("N / 2", None, "too many")], jobs
    )

    assert row.survives == verdict
    assert untried == AuditRow("N / 2", None, "too many")
    assert (row.mean is None) == (verdict in {"undefined", "failed"})


def _outcome(value):
    if isinstance(value, Exception):
        return value
    if isinstance(value, str):
        return {"status": "failed", "reason": value}
    return {"status": "done", "mean": {} if value is None else {"polarization": value}}


CLAIMS = {
    "polarization > 0.9": ("mean", "polarization", operator.gt, 0.9),
    "final.groups<=2": ("final", "groups", operator.le, 2.0),
    " mean.mean_speed >= -1e-3 ": ("mean", "mean_speed", operator.ge, -0.001),
    "groups < .5": ("mean", "groups", operator.lt, 0.5),
}


@pytest.mark.parametrize(("text", "claim"), CLAIMS.items(), ids=CLAIMS)
def test_claims(text, claim):
    """A measure, with or without the kind of its value, a comparison and a number."""
    assert parse_claim(text) == claim


def test_the_table(boidsgen):
    """The command prints a row for each variant, also as JSON, and writes the same to a file."""
    call = partial(boidsgen, "audit", "small.toml", "--claim", "polarization < 5", "--seeds", 2)
    table, told, written = call(), call("--json"), call("-o", "a.csv")
    rows = [json.loads(line) for line in told.paths]

    assert (table.code, table.err) == (0, "")
    assert table.paths[0].split() == ["variant", "mean", "polarization", "seeds", "survives", "settings"]
    assert table.paths[2].endswith("2/2    yes       time.dt=0.5 time.steps_per_frame=2; " + rows[1]["remark"])
    assert [line.partition("  ")[0] for line in table.paths[1:]] == [row["variant"] for row in rows]
    assert rows[1]["settings"] == {"time.dt": 0.5, "time.steps_per_frame": 2}
    assert written.paths == [*table.paths, "a.csv"]
    with Path("a.csv").open() as file:
        kept = [*csv.DictReader(file)]
    assert [row["survives"] for row in kept] == ["yes"] * len(rows)
    assert [float(row["mean"]) for row in kept] == [row["mean"] for row in rows]


def test_runs_that_fail_are_told(boidsgen):
    """The table is printed all the same, and the exit code is that of a sweep with failed runs."""
    far = ["flock.cohesion.weight=1e50", "flock.cohesion.steering=direct", "world.boundary=open", "time.frames=20"]
    far += ["flock.perception.radius=inf"]
    settings = [word for one in far for word in ("--set", one)]
    ran = boidsgen("audit", "small.toml", "--claim", "mean_speed < 9", "--seeds", 2, *settings)

    assert ran.code == 10
    assert "variants failed: " in ran.err
    assert "limit_speed = false" in ran.err
    assert [line for line in ran.paths if line.startswith("as written") and " yes" in line]
