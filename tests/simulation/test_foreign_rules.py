"""Rules that other installed packages bring along: the example of the documents, installed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-rules.md"
STATES = """
from boidsgen import load_scenario, simulate
scenario = load_scenario({"flock": {"wind": {"toward": [0.5, 0.0], "weight": 2.0}}, "time": {"frames": 9}})
for engine in ("numpy", "numba"):
    *_, last = simulate(scenario, engine)
    print(last.flocks[0].velocity.tobytes().hex())
*_, still = simulate(scenario, "numpy", flock__wind__weight=0)
print(last.flocks[0].velocity[:, 0].mean() > still.flocks[0].velocity[:, 0].mean() + 1)
print(load_scenario(str(scenario)) == scenario)
"""


@pytest.fixture
def install(tmp_path):
    """Installs a package with the example of the page and these entry points."""

    def install(points):
        (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        (tmp_path / "windy.py").write_text(code, "utf-8")
        folder = tmp_path / "windy-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: windy\nVersion: 1.0\n", "utf-8")
        (folder / "entry_points.txt").write_text(f"[boidsgen.rules]\n{points}\n", "utf-8")

    return install


@pytest.fixture
def run(tmp_path):
    """Runs Python where the package is installed."""

    def run(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
        return subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


def test_rule_of_a_package_steers(install, run):
    """Both engines give the same states, another than without the rule, and the scenario can be written back."""
    install("wind = windy:Wind")

    ran = run("-c", STATES)

    assert ran.returncode == 0, ran.stderr
    first, second, blown, alike = ran.stdout.split()
    assert first == second
    assert (blown, alike) == ("True", "True")


def test_rule_of_a_package_is_known_everywhere(install, run, tmp_path):
    """The schema has its table with what its class says, and mistakes in it are told as in any other."""
    install("wind = windy:Wind")
    (tmp_path / "bad.toml").write_text("[flock.wind]\ntoward = [1, 2]\nweigth = 3\n", "utf-8")

    schema = json.loads(run("-m", "boidsgen", "schema").stdout)
    checked = run("-m", "boidsgen", "check", "bad.toml")

    assert schema["$defs"]["Flock"]["properties"]["wind"]["description"] == "Blows everybody the same way."
    assert "Change of velocity" in schema["$defs"]["Wind"]["properties"]["toward"]["description"]
    assert "bad.toml:3: flock.wind.weigth: unknown key (did you mean 'weight'?)" in checked.stderr
    assert checked.returncode == 3


def test_scenario_loads_no_code(run, tmp_path):
    """A module beside the scenario is nothing, unless its package is installed."""
    (tmp_path / "windy.py").write_text("print('loaded')", "utf-8")
    (tmp_path / "own.toml").write_text("[flock.wind]\ntoward = [1, 2]\n", "utf-8")

    checked = run("-m", "boidsgen", "check", "own.toml")

    assert "own.toml:1: flock.wind: unknown key" in checked.stderr
    assert "loaded" not in checked.stdout


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("wind = windy:np", "boidsgen.rules: wind: windy:np is not a class made of Rule with a method `desired`"),
        ("wind = gone:Wind", "boidsgen.rules: wind: gone:Wind cannot be loaded: No module named 'gone'"),
        ("count = windy:Wind", "boidsgen.rules: count: is a key of flock already; the package must rename it"),
        ("hunt = windy:Wind", "boidsgen.rules: hunt: is a key of predators already; the package must rename it"),
        ("Wind = windy:Wind", "boidsgen.rules: Wind: must be a name in small letters, such as wind"),
    ],
)
def test_packages_that_are_wrong(install, run, points, said):
    """Whoever has installed them is told so in a line, without a traceback."""
    install(points)

    ran = run("-m", "boidsgen", "check", "quickstart")

    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.returncode == 2
