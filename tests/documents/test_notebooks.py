"""The notebooks under docs/notebooks run from top to bottom."""

from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))
TIMEOUT = 120
"""Seconds that a cell may take; all together take a few."""


@pytest.mark.filterwarnings("ignore")  # of the libraries that talk to the kernel, some only on Windows
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    """Every cell runs, pictures are shown, and the order falls with the noise."""
    notebook = nbformat.read(path, as_version=4)

    nbclient.NotebookClient(notebook, timeout=TIMEOUT, resources={"metadata": {"path": str(tmp_path)}}).execute()

    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in shown if output.output_type in {"error", "stream"}]
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert any("gif" in output.get("data", {}).get("text/html", "") for output in shown)
    texts = [output.get("data", {}).get("text/plain", "") for output in shown]
    means = next(text for text in texts if text.startswith("flock.noise.weight"))
    first, *_, last = (float(line.split()[1]) for line in means.splitlines() if line[0].isdigit())
    assert first > 0.95
    assert last < 0.6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path):
    """Pictures would make every change of it large."""
    assert not any(cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells)
