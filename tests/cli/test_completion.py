"""What a shell offers: commands, presets, keys and values."""

import os
import subprocess
import sys

import pytest

from boidsgen import load_scenario
from boidsgen.cli.completion import keys, scenario_names, settings
from boidsgen.scenario.explanation import explained_key


def test_presets_are_offered():
    """A half-written name becomes the presets that begin like it."""
    assert scenario_names("couz") == ["couzin-highly-parallel", "couzin-parallel", "couzin-swarm", "couzin-torus"]
    assert load_scenario(scenario_names("hu")[0])


def test_keys_and_words_are_offered():
    """A half-written key becomes keys; behind the equals sign stand the words that it may have, or nothing."""
    assert settings("flock.cohesion.w") == ["flock.cohesion.weight="]
    assert settings("style.theme=p") == ["style.theme=paper", "style.theme=plot"]
    assert settings("world.boundary=t") == ["world.boundary=teleport", "world.boundary=torus"]
    assert settings("flock.count=") == []


def test_every_key_that_is_offered_is_known():
    """Whatever is offered can be explained."""
    assert all(explained_key(name) for name in keys(""))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_for_every_shell(shell):
    """Each shell gets a script that calls the program, and the program answers with presets."""
    environment = {**os.environ, "_BOIDSGEN_COMPLETE": f"source_{shell}"}
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'boidsgen'; from boidsgen.__main__ import main; main()"]
    script = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout

    assert "_BOIDSGEN_COMPLETE" in script
