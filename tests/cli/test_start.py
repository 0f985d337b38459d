"""What a command must not import: a start is mostly imports."""

import json
import subprocess
import sys

import pytest

TOLD = "import json, sys; from boidsgen.cli.program import run; run({}); sys.stderr.write(json.dumps([*sys.modules]))"
FOR_THE_NET = {"webbrowser", "http", "ssl", "html", "xml", "urllib.request"}
HELP = {"numpy", "pydantic", "PIL", "tomllib", "secrets", "boidsgen.tables", "boidsgen.pipeline", *FOR_THE_NET}
CHECK = {
    *("PIL.ImageOps", "numba", "imageio", "boidsgen.pipeline", "boidsgen.scenario.syntax", *FOR_THE_NET),
    *(f"boidsgen.simulation.{name}" for name in ("run", "stepping", "sequential", "compiling")),
    *(f"boidsgen.drawing.{name}" for name in ("renderer", "lit", "flat", "vector", "crowd", "embers", "quickness")),
    *(f"boidsgen.writers.{name}" for name in ("outputs", "figures", "svg", "pdf", "npz", "series", "provenance")),
}
RENDER = {"numba", "boidsgen.scenario.syntax", *FOR_THE_NET}


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [(["--help"], HELP), (["check", "quickstart"], CHECK), (["render", "quickstart", "--frames", "2"], RENDER)],
    ids=["help", "check", "render"],
)
def test_a_command_waits_for_nothing_that_it_does_not_use(arguments, needless, tmp_path):
    """Counted in what is imported, which is the same on every machine, however busy."""
    command = [sys.executable, "-c", TOLD.format(arguments)]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stderr

    assert set(json.loads(told.splitlines()[-1])) & needless == set()
