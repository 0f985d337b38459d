"""What a command must not import: a start is mostly imports."""

import json
import subprocess
import sys

import pytest

from boidsgen.scenario.sources import preset

TOLD = "import json, sys; from boidsgen.cli.program import run; run({}); sys.stderr.write(json.dumps([*sys.modules]))"
BUILT = """
from boidsgen.scenario.scenario import Scenario
from boidsgen.tables import Table

def below(kind):
    return {{kind}}.union(*map(below, kind.__subclasses__()))

Scenario.model_validate({})
print(*(kind.__name__ for kind in below(Table) if kind.__pydantic_complete__))
"""
FOR_THE_NET = {"webbrowser", "http", "ssl", "html", "xml", "urllib.request"}
HELP = {"numpy", "pydantic", "PIL", "tomllib", "secrets", "boidsgen.tables", "boidsgen.pipeline", *FOR_THE_NET}
CHECK = {
    *(
        "numpy.random",
        "PIL.ImageOps",
        "numba",
        "imageio",
        "boidsgen.pipeline",
        "boidsgen.scenario.syntax",
        *FOR_THE_NET,
    ),
    *(f"boidsgen.simulation.{name}" for name in ("run", "stepping", "sequential", "compiling")),
    *(f"boidsgen.drawing.{name}" for name in ("renderer", "lit", "flat", "vector", "crowd", "embers", "quickness")),
    *(
        f"boidsgen.output.{name}"
        for name in ("outputs", "figures", "svg", "pdf", "npz", "series", "provenance", "recording")
    ),
}
RENDER = {"numba", "boidsgen.scenario.syntax", "boidsgen.drawing.vector", "boidsgen.output.recording", *FOR_THE_NET}
FROM_FILE = "scenario.toml"


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (["--help"], HELP),
        (["check", "quickstart"], CHECK),
        (["check", FROM_FILE], CHECK),
        (["render", FROM_FILE, "--frames", "2"], RENDER),
    ],
    ids=["help", "check", "check a file", "render"],
)
def test_a_command_waits_for_nothing_that_it_does_not_use(arguments, needless, tmp_path):
    """Counted in what is imported, which is the same on every machine, however busy."""
    (tmp_path / FROM_FILE).write_text(preset("quickstart").text)
    command = [sys.executable, "-c", TOLD.format(arguments)]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stderr

    assert set(json.loads(told.splitlines()[-1])) & needless == set()


def test_only_tables_that_are_written_are_built():
    """Of a hundred tables a scenario writes a few, and pydantic takes a millisecond to build the validator of one."""
    code = BUILT.format({"flock": {"noise": {}}})
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert set(told.split()) == {"Scenario", "Flock", "Noise"}
