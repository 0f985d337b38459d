"""The starter can be completed from the article's text, and its checker tells typical wrong answers apart."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from boidsgen.cli.main import run
from boidsgen.errors import OutputExistsError

FUNCTIONS = ("separation", "alignment", "cohesion", "obstacle_avoidance")
RIGHT = [f"{name}: right" for name in FUNCTIONS]
FLOCK = ("flock.0.position", "flock.0.velocity")
SOLUTION = (
    Path(__file__).with_name("solution.py").read_text("utf-8").partition("import numpy as np")[2].replace("given.", "")
)
WRONG = {
    "away = my_position - neighbour_position|away = neighbour_position - my_position": "separation: points toward",
    "+= away / distance|+= away": "separation: not divided by the distance",
    "+= away / distance|+= away / distance**2": "separation: divided by the distance twice",
    "0 < distance < PERSONAL_SPACE|0 < distance": "separation: also pushes away from neighbours farther",
    "0 < distance < PERSONAL_SPACE|distance < PERSONAL_SPACE": "separation: divides by zero",
    "return average_velocity - my_velocity|return average_velocity": "alignment: the average velocity itself",
    "average_velocity - my_velocity|my_velocity - average_velocity": "alignment: has the wrong sign",
    "neighbour_velocities.mean|neighbour_velocities.sum": "alignment: takes the sum",
    "return centre_of_mass - my_position|return centre_of_mass": "cohesion: the centre of mass itself",
    "centre_of_mass - my_position|my_position - centre_of_mass": "cohesion: points away",
    "neighbour_positions.mean|neighbour_positions.sum": "cohesion: takes the sum",
    "return centre_of_mass - my_position|my_position -= centre_of_mass; return -my_position": "cohesion: changes",
    "positions[i] - obstacle_centre|obstacle_centre - positions[i]": "obstacle_avoidance: points toward",
    "= unit * strength|= direction * strength": "obstacle_avoidance: takes the whole direction",
    "= unit * strength|= unit": "obstacle_avoidance: equally strong",
    "OBSTACLE_RADIUS * 1.5|OBSTACLE_RADIUS": "obstacle_avoidance: felt within OBSTACLE_RADIUS",
    "0 < distance < OBSTACLE_RADIUS * 1.5|0 < distance": "obstacle_avoidance: also acts beyond",
    "return steering|return steering[0]": "obstacle_avoidance: gives",
    "return steering|return strange": "obstacle_avoidance: stops with NameError",
    "return steering|return 3 * steering": "obstacle_avoidance: for (",
}
"""A line of the solution and what a student has written instead, and what the checker says."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The exercise as the command writes it; a second time it overwrites nobody's work."""
    made = tmp_path_factory.mktemp("course") / "exercise"
    codes = [run(["course", "starter", "numpy", "-o", str(made), "--quiet"]) for _ in range(2)]
    assert codes == [0, OutputExistsError.exit_code]
    return made


@pytest.fixture
def checked(folder, tmp_path, monkeypatch, capsys):
    """A function that completes the starter and gives the lines of its checker, and its exit code."""

    def lines(completed, frames=None):
        with np.load(folder / "flock.npz") as saved:
            np.savez(tmp_path / "flock.npz", **{name: saved[name][:frames] for name in FLOCK})
        starter = (folder / "boids_starter.py").read_text("utf-8")
        (tmp_path / "boids_starter.py").write_text(f"{starter}\n\n{completed}", "utf-8")
        (tmp_path / "check.py").write_bytes((folder / "check.py").read_bytes())
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "boids_starter", raising=False)
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(tmp_path / "check.py"))
        return capsys.readouterr().out.splitlines(), int(ended.value.code)

    return lines


def test_the_article_completes_the_starter(checked):
    """As shipped everything is to do; with the article's own formulas the flock is boidsgen's, to the bit."""
    assert checked("") == ([f"{name}: still to do" for name in FUNCTIONS], 1)
    assert checked(SOLUTION) == ([*RIGHT, "flock: the same flock to the bit, 200 frames"], 0)


@pytest.mark.parametrize("change", WRONG)
def test_wrong_answers_are_told_apart(checked, change):
    """Each slip is named in words of its own, and everything else stays right."""
    before, after = change.split("|")
    assert before in SOLUTION

    lines, code = checked(SOLUTION.replace(before, after), frames=2)
    (wrong,) = [line for line in lines if not line.endswith(": right") and not line.startswith("flock: the same")]

    assert wrong.startswith(WRONG[change])
    assert code == 1


def test_other_roundings_and_other_flocks(checked):
    """A formula that only rounds otherwise is right, and its flock the same but for the last bits."""
    rounded = SOLUTION.replace(
        "return centre_of_mass - my_position", "return (centre_of_mass * 3 - my_position * 3) / 3"
    )
    other = "MAX_FORCE = 0.2\n" + SOLUTION

    assert "the last bits differ" in checked(rounded, frames=9)[0][-1]
    assert "it is another flock" in checked(other, frames=9)[0][-1]
