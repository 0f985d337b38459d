"""Attacks by packages: members of families that give anything, end the program, or take names that have a meaning."""

import os
import subprocess
import sys

import numpy as np
import pytest

from boidsgen import plugins, simulate
from boidsgen.drawing import shapes
from boidsgen.drawing.shapes import Shape, centered, outline_of
from boidsgen.drawing.sprites import masks
from boidsgen.errors import PackageError
from boidsgen.simulation import measures
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.obstacles import Circle, Silhouette, no_ribs, silhouette_of
from boidsgen.simulation.rules import foreign
from boidsgen.simulation.rules.rule import Rule
from boidsgen.simulation.world import World
from tests.faults.setting import SCENARIO

pytestmark = pytest.mark.faults

RULE = """
import numpy as np
from boidsgen.simulation.rules.rule import Rule

class Wind(Rule):
    def desired(self, view):
        {}
"""
MEASURE = """
import numpy as np
from boidsgen.simulation.measures import Measure

class Drift(Measure):
    def value(self, population):
        return {}
"""
WIND, DRIFT = ("rules", "wind = windy:Wind"), ("measures", "drift = windy:Drift")
ACTS, COUNTS = ("--set", "flock.wind.weight=1"), ("--set", 'measure.names=["drift"]')
MEASURED = ("measure", SCENARIO, "-o", "a.csv")


@pytest.fixture
def package(here):
    """Lays out a package with code and one entry point or several, where an installer would."""

    def lay_out(code, *points, name="windy", version="1.0"):
        about = here / "site" / f"{name}-{version}.dist-info"
        about.mkdir(parents=True, exist_ok=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (about / "entry_points.txt").write_text("".join(f"[boidsgen.{group}]\n{point}\n" for group, point in points))
        (here / "site" / f"{name}.py").write_text(code)

    return lay_out


def ran(here, *arguments):
    """What came of a command line in a process where the packages are installed; its output as bytes."""
    environment = {**os.environ, "PYTHONPATH": str(here / "site")}
    command = [sys.executable, "-m", "boidsgen", *arguments]
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, check=False)


def refusal(here, *arguments, code=2):
    """The one line that a command ends with, after which there is no file."""
    done = ran(here, *arguments)
    lines = done.stderr.decode().splitlines()

    assert len(lines) == 1, lines
    assert done.returncode == code, lines
    assert not list(here.glob("a.*"))
    return lines[0]


@pytest.mark.parametrize("steering", ["direct", "reynolds"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda view: view.position * 1j, "not complex numbers"),
        (lambda view: np.full(view.position.shape, "a"), "not texts"),
        (lambda view: np.full(view.position.shape, None), "not objects"),
        (lambda _: [[1], [2, 3]], "not lists of unequal length"),
        (lambda _: None, "not None"),
        (lambda view: view.position * np.nan, "not nan"),
        (lambda view: view.position[:2], "not (2, 2)"),
    ],
)
def test_what_a_rule_gives(steering, given, said):
    """B20: what is no vector for each animal is told with the rule that gave it."""

    class Odd(Rule):
        def desired(self, view):
            return given(view)

    with pytest.raises(PackageError, match=r"Odd: must give one vector for each animal, shape \(5, 2\), not ") as error:
        list(simulate("quickstart", flock__count=5, frames=2, rules=[Odd(steering=steering)]))

    assert said in str(error.value)


def test_what_a_rule_may_give():
    """Whole numbers and lists are vectors, too."""

    class Even(Rule):
        def desired(self, view):
            return [[1, 0]] * len(view.position)

    class Whole(Rule):
        def desired(self, view):
            return np.full(view.position.shape, [1, 0], np.int8)

    first, second = (
        list(simulate("quickstart", flock__count=5, frames=2, rules=[rule]))[-1].flocks[0].velocity
        for rule in (Even(), Whole())
    )
    assert np.array_equal(first, second)


@pytest.fixture
def family(package, here, monkeypatch):
    """A family as it is made where the package is installed that has been laid out, in this process."""

    def make(group, own, fault):
        monkeypatch.setattr(sys, "path", [str(here / "site"), *sys.path])
        monkeypatch.setattr(plugins, "_loaded", [])
        plugins._points.cache_clear()
        return plugins.Family(group, own, fault)

    del package
    yield make
    plugins._points.cache_clear()
    sys.modules.pop("windy", None)


@pytest.mark.parametrize("name", ["start", "perception", "from", "wander", "tables", "contributions", "rules", "count"])
def test_names_of_rules_that_mean_something(package, family, monkeypatch, name):
    """B21: a rule cannot take the place of a key, or of what code calls a flock by."""
    package(RULE.format("return view.position"), ("rules", f"{name} = windy:Wind"))
    monkeypatch.setattr(foreign, "FOREIGN", family("rules", {}, foreign._fault))

    with pytest.raises(PackageError, match=rf"^package windy 1\.0: boidsgen\.rules: {name}: is a key of flock already"):
        foreign.refuse_taken(Flock)


@pytest.mark.parametrize("name", ["usual", "copy", "model_fields"])
def test_names_of_rules_that_every_table_has(here, package, name):
    """B21: nor what every table is called by, of which all are told at once."""
    package(RULE.format("return view.position"), ("rules", f"{name} = windy:Wind"))

    assert refusal(here, "check", SCENARIO).startswith(f"boidsgen: package windy 1.0: boidsgen.rules: {name}: is ")


@pytest.mark.parametrize("name", ["seed", "mean_squared_displacement"])
def test_names_of_measures_that_mean_something(here, package, name):
    """B22: a measure cannot take the place of a column of every table, or of a measure of runs."""
    package(MEASURE.format("1.0"), ("measures", f"{name} = windy:Drift"))

    assert refusal(here, "check", SCENARIO).startswith(f"boidsgen: package windy 1.0: boidsgen.measures: {name}: is ")


@pytest.mark.parametrize(
    ("line", "said"),
    [("raise SystemExit(0)", "SystemExit: 0"), ("raise KeyboardInterrupt", "KeyboardInterrupt")],
)
def test_a_rule_that_ends_the_program(here, package, line, said):
    """B23: nothing is made then, so the code is not 0, and the line names the package."""
    package(RULE.format(line), WIND)

    told = refusal(here, "render", SCENARIO, "-o", "a.gif", *ACTS)
    assert told.startswith(f"boidsgen: package windy 1.0: {said};")


def test_a_rule_that_ends_a_process(here, package):
    """B23: several scenarios at a time, and the runs of a sweep: the package is named, too."""
    package(RULE.format("raise SystemExit(0)"), WIND)
    (here / "other.toml").write_text((here / SCENARIO).read_text())

    at_once = ran(here, "render", SCENARIO, "other.toml", "--jobs", "2", *ACTS)
    sweep = ran(here, "sweep", SCENARIO, "--seeds", "1", "--measures-only", *ACTS, "-o", "s")

    assert at_once.returncode == 2
    assert at_once.stderr.startswith(b"boidsgen: package windy 1.0: ")
    assert sweep.returncode == 10
    assert b"package windy 1.0: " in sweep.stderr + (here / "s" / "manifest.jsonl").read_bytes()


def test_a_package_that_ends_the_program(here, package):
    """B23: at import as well."""
    package("raise KeyboardInterrupt", WIND)

    assert refusal(here, "check", SCENARIO).startswith("boidsgen: package windy 1.0: KeyboardInterrupt")


def test_a_rule_that_prints(here, package):
    """B24: standard output is for results alone."""
    package(RULE.format("print('hello'); return 0 * view.position"), WIND)

    clip = ran(here, "render", SCENARIO, *ACTS, "-o", "-", "--format", "gif")
    table = ran(here, "measure", SCENARIO, *ACTS, "-o", "-", "--format", "csv")
    named = ran(here, "render", SCENARIO, *ACTS, "-o", "b.gif")

    assert clip.stdout.startswith(b"GIF89a")
    assert table.stdout.startswith(b"seed,frame,time")
    assert b"hello" not in clip.stdout + table.stdout
    assert named.stdout.split() == [b"b.gif"]
    assert b"hello" in named.stderr


@pytest.mark.parametrize(
    ("value", "said"),
    [(10**400, "gave int"), (np.arange(9000.0), "gave (9000,)"), (True, "gave True"), ("a", "gave str")],
)
def test_what_a_measure_gives(value, said):
    """B25: what is no number is told in one line."""
    with pytest.raises(PackageError, match="must be a finite number") as error:
        measures._number(value, "drift")

    assert said in str(error.value)
    assert len(str(error.value)) < 200


def test_a_count_of_numpy_is_a_number(here, package):
    """B25: a number of numpy's is one."""
    package(MEASURE.format("np.int32(3)"), DRIFT)

    assert ran(here, *MEASURED, *COUNTS).returncode == 0
    assert (here / "a.csv").read_text().splitlines()[-1].endswith(",3.0")


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        (np.zeros((4, 2)), "encloses nothing"),
        (np.array([(0, 0), (1, 1), (1, 0), (0, 1)]) * 1.0, "encloses nothing"),
        (np.array([(1, 0), (0, 1), (-1, 0)]) * 1j, "shape (k, 2), but complex numbers"),
        (np.array([(1, 0), (0, 1), (-1, 0)]) * 1e9, "reaches over 10 lengths"),
        (np.array([(1, 0), (0, np.nan), (-1, 0)]), "shape (k, 2), but nan"),
        ([(1, 0), (0, 1)], "shape (k, 2), but 2"),
        ([(0.5, 0), (0, 0.2), (-0.5, 0)], ""),
    ],
)
def test_what_a_shape_gives(corners, said):
    """B26: corners that no picture can show are refused; a list of points is an outline."""

    class Kite(Shape):
        def outline(self):
            return corners

    told = shapes._fault("kite", Kite)

    assert said in told
    assert bool(told) == bool(said)
    assert said or masks(centered(outline_of(Kite())) * 10).any()


@pytest.mark.parametrize(
    ("method", "value", "said"),
    [
        ("reach", "far", "must give how far it is felt as `reach`, a number, not str"),
        ("reach", np.nan, "must give how far it is felt as `reach`, a number, not nan"),
        ("surface", None, "must give distances and directions as `surface`, not None"),
        (
            "surface",
            (np.full(5, np.nan), np.zeros((5, 2))),
            "one distance for each place, shape (5,), not nan",
        ),
        ("surface", (np.ones(5), np.zeros((5, 3))), "one direction for each place, shape (5, 2), not (5, 3)"),
        ("silhouette", None, "must give a Silhouette, not None"),
        ("silhouette", Silhouette("round", no_ribs(2)), "the points of its silhouette, shape (k, 2), not str"),
        ("silhouette", Silhouette(np.zeros((0, 2)), no_ribs(2)), "must give a silhouette of at least one point"),
        ("silhouette", Silhouette(np.ones((3, 2)), (None, None)), "the starts of its ribs, shape (k, 2), not None"),
    ],
)
def test_what_an_obstacle_gives(monkeypatch, method, value, said):
    """B27: what is no surface and no silhouette is told with the obstacle that gave it."""

    class Pillar(Circle):
        pass

    monkeypatch.setattr(Pillar, method, lambda *_: value)
    pillar = Pillar(center=(5.0, 5.0), radius=2.0)

    with pytest.raises(PackageError, match=r"Pillar: must give ") as error:
        (pillar.push(np.zeros((5, 2)), World.usual()), silhouette_of(pillar, 2))
    assert said in str(error.value)


def test_the_package_that_is_to_blame(here, package):
    """B28: what another package does wrong is not told of the one that met it; a place that is none is told so."""
    package(RULE.format("return view.position") + "from boidsgen.simulation.measures import Measure", WIND)
    package(MEASURE.format("1.0"), ("measures", "polarization = bad:Drift"), name="bad")
    other = refusal(here, "check", SCENARIO)
    package(MEASURE.format("1.0"), ("measures", "drift = !!!"), name="bad")
    nowhere = refusal(here, *MEASURED, *COUNTS)

    assert other.startswith("boidsgen: package bad 1.0: boidsgen.measures: polarization: is there already")
    assert nowhere == "boidsgen: package bad 1.0: boidsgen.measures: drift: '!!!' is no place such as windy:Wind"


def test_code_that_changes_under_its_version(package, family):
    """B33: whoever writes a rule changes its code and not its version; a run of before is not one of now."""
    package(RULE.format("return view.position"), WIND)
    family("rules", {}, foreign._fault)
    (before,) = plugins.codes()
    package(RULE.format("return 9 * view.position"), WIND)
    (after,) = plugins.codes()

    assert before.startswith("windy 1.0 (")
    assert after.startswith("windy 1.0 (")
    assert before != after


def test_a_sweep_after_code_has_changed(here, package):
    """B33: its runs are done again, and kept where nothing has changed."""
    sweep = ("sweep", SCENARIO, "--seeds", "1", "--measures-only", *ACTS, "-o", "s")
    package(RULE.format("return view.position"), WIND)
    first, again = ran(here, *sweep), ran(here, *sweep)
    package(RULE.format("return 9 * view.position"), WIND)
    changed = ran(here, *sweep)

    said = [done.stderr.decode() for done in (first, again, changed)]
    assert ["1 done now" in one for one in said] == [True, False, True], said


def test_a_clip_without_its_package(here, package):
    """B34: a clip that a package is needed for says so, before what cannot be read without it."""
    package(RULE.format("return 0 * view.position"), WIND)
    assert ran(here, "still", SCENARIO, *ACTS, "-o", "b.png").returncode == 0
    (here / "site" / "windy-1.0.dist-info" / "entry_points.txt").write_text("")
    replay = ran(here, "replay", "b.png", "-o", "c.png")

    assert replay.returncode == 3
    assert replay.stderr.startswith(b"b.png: was made with windy 1.0, which is not installed here")
