"""Plugins: the example of the documentation, installed, and packages that are wrong."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from boidsgen import UsageError, plugins
from boidsgen.drawing import themes
from boidsgen.simulation import measures, obstacles, setup

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "own-rules.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(?:python|text)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
CODE, PROJECT, SCENARIO, CALL, _ = BLOCKS  # the last is of studies
MEMBERS = {"kite": "Style", "midnight": "Style", "drift": "Measuring", "A circle with a long-range push.": "Pillar"}
ENTRY_POINTS = tomllib.loads(PROJECT)["project"]["entry-points"]
STATES = """
from boidsgen import load_scenario, measure, simulate
scenario = load_scenario("own.toml", {"time.frames": 9})
for engine in ("numpy", "native"):
    *_, last = simulate(scenario, engine)
    print(last.flocks[0].velocity.tobytes().hex())
*_, still = simulate(scenario, "numpy", flock__wind__weight=0)
print(last.flocks[0].velocity[:, 0].mean() > still.flocks[0].velocity[:, 0].mean() + 0.2)
print(load_scenario(str(scenario)) == scenario)
print(measure(scenario)["drift"][-1] == last.flocks[0].velocity[:, 0].mean())
"""


def wheel(folder, points, code=CODE):
    """A wheel of the package with this code and these entry points."""
    path = folder / "windy-1.0-py3-none-any.whl"
    lines = [line for group, named in points for line in (f"[{group}]", *(f"{one} = {named[one]}" for one in named))]
    with ZipFile(path, "w") as archive:
        archive.writestr("windy.py", code)
        archive.writestr("windy-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: windy\nVersion: 1.0\n")
        archive.writestr("windy-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("windy-1.0.dist-info/entry_points.txt", "\n".join(lines))
        archive.writestr("windy-1.0.dist-info/RECORD", "")
    return path


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Where pip has installed the example of the page, and its scenario lies beside."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder / "site"]
    subprocess.run([*pip, wheel(folder, ENTRY_POINTS.items())], check=True)
    (folder / "own.toml").write_text(SCENARIO, "utf-8")
    return folder


@pytest.fixture
def laid_out(tmp_path):
    """Lays a package out where an installer would, with one entry point."""

    def lay_out(family, point, code=CODE):
        name, _, value = point.partition(" = ")
        with ZipFile(wheel(tmp_path, [(f"boidsgen.{family}", {name: value})], code)) as archive:
            archive.extractall(tmp_path / "site")
        return tmp_path

    return lay_out


def run(folder, *arguments, site="site", **environment):
    """Runs Python in a folder where the packages of its site are installed."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(folder / site), **environment},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_members_of_a_package_take_part(installed):
    """Both engines give the same states, others than without the rule; all is drawn, measured and written back."""
    ran = run(installed, "-c", STATES)
    drawn = run(installed, "-m", "boidsgen", "still", "own.toml", "--at", "0", "-o", "own.svg")

    assert (ran.returncode, drawn.returncode) == (0, 0), ran.stderr + drawn.stderr
    first, second, *alike = ran.stdout.split()
    assert first == second
    assert alike == ["True"] * 3
    assert re.search("windy 1.0.*#000000", (installed / "own.svg").read_text("utf-8"), re.DOTALL)


def test_members_of_a_package_are_known_everywhere(installed):
    """Schema, explanations, errors and the doctor know them as they know our own; each family has one."""
    (installed / "bad.toml").write_text('[flock.wind]\ntoward = [1, 2]\nweigth = 3\n[style]\nshape = "kit"\n', "utf-8")

    definitions = json.loads(run(installed, "-m", "boidsgen", "schema").stdout)["$defs"]
    checked = run(installed, "-m", "boidsgen", "check", "bad.toml")

    assert {plugins.GROUP_PREFIX + family for family in plugins.FAMILIES} == set(ENTRY_POINTS)
    assert definitions["Flock"]["properties"]["wind"]["description"] == "Pushes all boids in the same direction."
    assert "Change of velocity" in definitions["windy__Wind"]["properties"]["toward"]["description"]
    assert all(one in json.dumps(definitions[table]) for one, table in MEMBERS.items())
    assert checked.returncode == 3
    assert "bad.toml:3: flock.wind.weigth: unknown key (did you mean 'weight'?)" in checked.stderr
    assert re.search('bad.toml:5: style.shape: .*"kite"', checked.stderr)
    assert "Pushes all boids" in run(installed, "-m", "boidsgen", "explain", "flock.wind").stdout
    assert 'kind "pillar"' in run(installed, "-m", "boidsgen", "explain", "obstacles").stdout
    assert "windy 1.0" in run(installed, "-m", "boidsgen", "doctor").stdout


def test_rule_in_python_needs_no_package(tmp_path):
    """The call of the page steers every flock, and its states are drawn; a clip tells which rules were added."""
    ran = run(tmp_path, "-c", CODE + CALL.replace("rules=", "frames=3, rules=").replace("states=", "frames=3, states="))

    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "windy.gif").read_bytes().startswith(b"GIF")

    replayed = run(tmp_path, "-m", "boidsgen", "replay", "windy.gif", "-o", "again.gif")
    assert replayed.returncode == 2
    assert "windy.gif: needs wind, which was passed in Python" in replayed.stderr


@pytest.mark.parametrize("packaged", [False, True])
def test_scenario_loads_no_code(tmp_path, packaged):
    """A module beside the scenario is nothing, nor is a package there, even where Python imports from that folder."""
    (tmp_path / "windy.py").write_text("print('loaded')", "utf-8")
    (tmp_path / "own.toml").write_text("[flock.wind]\ntoward = [1, 2]\n", "utf-8")
    if packaged:
        with ZipFile(wheel(tmp_path, ENTRY_POINTS.items(), "print('loaded')")) as archive:
            archive.extractall(tmp_path)

    checked = run(tmp_path, "-m", "boidsgen", "check", "own.toml", PYTHONPATH="", PYTHONSAFEPATH="")

    assert "own.toml:1: flock.wind: unknown key" in checked.stderr
    assert "loaded" not in checked.stdout + checked.stderr


FAULTS = {
    "rules": ({}, setup._rule_fault),
    "measures": (measures._OWN, measures._fault),
    "obstacles": (obstacles.OBSTACLES, obstacles.fault),
    "themes": (themes._OWN, themes._fault),
}
"""Our own members of each family, and what says what is wrong with others."""
THEME = "from dataclasses import replace\nfrom boidsgen.drawing.themes import THEMES\nMINE = replace(THEMES['night'], "


@pytest.fixture
def asked(laid_out, monkeypatch):
    """Lays a package out and gives the family to which it adds, as if that were made now."""

    def ask(family, point, code=CODE):
        monkeypatch.setattr(sys, "path", [str(laid_out(family, point, code) / "site"), *sys.path])
        monkeypatch.delitem(sys.modules, "windy", raising=False)
        plugins._points.cache_clear()
        return plugins.Family(family, *FAULTS[family])

    yield ask
    plugins._points.cache_clear()
    sys.modules.pop("windy", None)


@pytest.mark.parametrize(
    ("family", "point", "code", "said"),
    [
        ("rules", "wind = windy:np", CODE, "wind: windy:np is not a class made of Rule with a method `desired`"),
        ("rules", "wind = gone:Wind", CODE, "wind: gone:Wind cannot be loaded: No module named 'gone'"),
        ("rules", "Wind = windy:Wind", CODE, "Wind: must be a name in lowercase letters, such as wind"),
        ("measures", "groups = windy:Drift", CODE, "groups: already exists; the package must give it another name"),
        ("obstacles", "tower = windy:Pillar", CODE, 'windy:Pillar has no field kind: Literal["tower"] = "tower"'),
        ("themes", "pale = windy:MINE", f'{THEME}text="#333333")', "has text #333333, of contrast 1"),
    ],
)
def test_what_is_no_member(asked, family, point, code, said):
    """It is refused in a line that names the package, when it is used at the latest."""
    with pytest.raises(UsageError) as refused:
        dict(asked(family, point, code))

    assert str(refused.value).startswith(f"package windy 1.0: boidsgen.{family}: ")
    assert said in str(refused.value)


def test_group_that_is_none(asked, monkeypatch):
    """A misspelled group would be ignored for ever."""
    monkeypatch.setattr(plugins, "FAMILIES", ("measures",))
    with pytest.raises(UsageError, match=r"package windy 1\.0: boidsgen\.rules: wind: there is no such group; use one"):
        asked("rules", "wind = windy:Wind")


@pytest.mark.parametrize("damaged", [b"wi\xffnd = windy:Wind\n", b"wind\nwind = = windy:Wind\n[\n"])
def test_damaged_entry_points(damaged, laid_out):
    """A package whose list of members cannot be read is named, and ends no command with a traceback."""
    site = laid_out("rules", "wind = windy:Wind", CODE) / "site"
    (points,) = site.glob("*-info/entry_points.txt")
    points.write_bytes(points.read_bytes() + damaged)
    ran = run(site.parent, "-m", "boidsgen", "check", "quickstart")

    assert ran.returncode == 2
    assert re.fullmatch("boidsgen: package windy: its entry points cannot be read: .*Error\n", ran.stderr)


@pytest.mark.parametrize(
    ("point", "old", "new", "setting", "said"),
    [
        ("wind = windy:Wind", "return np.tile", "return 1 / 0 + np.tile", "flock.wind.toward=[1,0]", "ZeroDivision"),
        ("wind = windy:Wind", ", 1))", ", 2))", "flock.wind.toward=[1,0]", "must give one vector for each animal"),
        ("drift = windy:Drift", "float(pop", "np.nan * float(pop", 'measure.names=["drift"]', "drift: gave nan"),
        ("count = windy:Wind", "import", "import", "seed=1", "rules: count: is a key of flock already"),
    ],
    ids=["raises", "shape", "nan", "name"],
)
def test_code_of_a_package_that_fails(laid_out, point, old, new, setting, said):
    """A run that meets an error of a package, or a name that is taken, ends with a line that names the package."""
    assert old in CODE
    folder = laid_out("measures" if "Drift" in point else "rules", point, CODE.replace(old, new))

    ran = run(folder, "-m", "boidsgen", "measure", "quickstart", "--frames", "2", "--set", setting, "-o", "x.csv")

    assert re.fullmatch(f"boidsgen: .*windy.*{said}.*\n", ran.stderr)
    assert ran.returncode == 2


HARM = {
    "OSError: [Errno 28] full": "raise OSError(28, 'full')",
    "StopIteration": "raise StopIteration",
    "GeneratorExit": "raise GeneratorExit",
    "CancelledError": "import asyncio; raise asyncio.CancelledError",
    "SystemExit: 0": "raise SystemExit(0)",
    "Silent": "class Silent(Exception): __str__ = lambda self: 1 / 0\nraise Silent",
}
"""What a rule does, by what is said of it."""
CALLS = """
import os, sys
from boidsgen import render, PackageError
from boidsgen.cli.main import run
for harm in sys.argv[1:]:
    os.environ["HARM"] = harm
    for command, name in (("render", "x.gif"), ("still", "x.png"), ("simulate", "x.npz")):
        print(run([command, "quickstart", "--frames", "2", "--set", "flock.wind.toward=[1,0]", "-o", name]))
    try:
        render("quickstart", "x.gif", frames=2, flock__wind__toward=[1, 0])
    except PackageError as error:
        print("python", file=sys.stderr)
"""


def test_whatever_a_package_raises(laid_out):
    """Every command and Python name the package and what it raised, with code 2, and nothing is left."""
    folder = laid_out(
        "rules",
        "wind = windy:Wind",
        CODE.replace("return np.tile", "exec(compile(__import__('os').environ['HARM'], '', 'exec'))"),
    )
    ran = run(folder, "-c", CALLS, *HARM.values())
    said = [
        f"boidsgen: package windy 1.0: {harm}; its author can fix this, and without it everything else works"
        for harm in HARM
    ]

    assert ran.stderr.splitlines() == [line for one in said for line in (one, one, one, "python")]
    assert ran.stdout.split() == ["2"] * 3 * len(HARM)
    assert not [*folder.glob("x.*"), *folder.glob(".boidsgen-*")]


def test_start_up_asks_no_package(tmp_path, monkeypatch):
    """No package is asked as long as none has our groups, whatever else is installed."""
    points = tmp_path / "other-1.0.dist-info" / "entry_points.txt"
    points.parent.mkdir()
    points.write_text("[console_scripts]\nother = other:main\n", "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr("importlib.metadata.distributions", lambda **_: pytest.fail("asked"))

    assert plugins._points.__wrapped__() == ()
    points.write_text("[boidsgen.rules]\nother = other:Other\n", "utf-8")
    with pytest.raises(pytest.fail.Exception, match="asked"):
        plugins._points.__wrapped__()
