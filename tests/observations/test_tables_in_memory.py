"""Tables that a program has in memory are read as those in files, without a round trip."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boidsgen import measure, tracks
from boidsgen.errors import BoidsgenError

FRAMES, ANIMALS, FPS = 15, 4, 20.0


def place() -> np.ndarray:
    generator = np.random.default_rng(8)
    return 30 + np.cumsum(generator.normal(0.3, 1, (FRAMES, ANIMALS, 2)), axis=0)


def rows() -> pd.DataFrame:
    made = [(frame, one, *place()[frame, one]) for frame in range(FRAMES) for one in range(ANIMALS)]
    return pd.DataFrame(made, columns=["Step", "AgentID", "x", "y"])


def points() -> pd.DataFrame:
    """Points of DeepLabCut, as its functions return them."""
    levels = [["net"], [f"f{one}" for one in range(ANIMALS)], ["nose"], ["x", "y"]]
    columns = pd.MultiIndex.from_product(levels, names=["scorer", "individuals", "bodyparts", "coords"])
    return pd.DataFrame(place().reshape(FRAMES, -1) * np.tile([1, -1], ANIMALS), columns=columns)


def dataset() -> object:
    """A dataset of movement, in image coordinates."""
    xarray = pytest.importorskip("xarray")
    names = [f"f{one}" for one in range(ANIMALS)]
    coords = {"time": np.arange(FRAMES) / FPS, "space": ["x", "y"], "keypoint": ["nose"], "individual": names}
    values = (place() * [1, -1]).transpose(0, 2, 1)[:, :, None]
    dims = ("time", "space", "keypoint", "individual")
    return xarray.Dataset(
        {"position": (dims, values), "confidence": (dims[:1] + dims[2:], values[:, 0] * 0 + 1)}, coords
    )


WAYS = {
    "table": lambda: (rows(), {"columns": "Step,AgentID,x,y"}),
    "index": lambda: (rows().set_index(["Step", "AgentID"]), {"source": "mesa"}),
    "both": lambda: (rows().set_index("Step", drop=False), {"source": "mesa"}),
    "several": lambda: ([rows().head(24), rows().iloc[24:]], {"source": "mesa"}),
    "wide": lambda: (pd.DataFrame(place().reshape(FRAMES, -1)), {"columns": "x=0,y=1"}),
    "deeplabcut": lambda: (points(), {"source": "deeplabcut"}),
    "movement": lambda: (dataset(), {"source": "movement"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_table_in_memory_is_read_as_one_in_a_file(way: str, tmp_path: Path) -> None:
    """Mean speeds and polarizations are those of plain numpy, and the table is as it was."""
    given, more = WAYS[way]()
    before = given.copy() if hasattr(given, "copy") and not isinstance(given, list) else None
    assert tracks(given, tmp_path / "t.npz", fps=FPS, **more) == ()
    if before is not None:
        assert before.equals(given)
    here = place()[:, :1] if way == "wide" else place()
    velocity = FPS * np.gradient(here, axis=0)
    speed = np.hypot(velocity[..., 0], velocity[..., 1])
    found = measure(tmp_path / "t.npz")
    assert np.allclose(found["mean_speed"], speed.mean(axis=1), rtol=0, atol=1e-9)
    heading = (velocity / speed[..., None]).mean(axis=1)
    assert np.allclose(found["polarization"], np.hypot(heading[:, 0], heading[:, 1]), rtol=0, atol=1e-9)


def test_a_table_of_numbers_is_the_same_in_a_file(tmp_path: Path) -> None:
    """A file and its table give the same recording to the last bit."""
    rows().to_parquet(tmp_path / "t.parquet")
    for name, given in (("a.csv", tmp_path / "t.parquet"), ("b.csv", rows())):
        tracks(given, tmp_path / name, fps=FPS, source="mesa")
    first, second = (pd.read_csv(tmp_path / f"{name}.csv", comment="#") for name in "ab")
    assert np.array_equal(first[["x", "y", "vx", "vy"]], second[["x", "y", "vx", "vy"]])


@pytest.mark.parametrize("given", [7, None, np.zeros(3)])
def test_other_things_are_refused(given: object, tmp_path: Path) -> None:
    """One line names what was given."""
    with pytest.raises(BoidsgenError, match=f"table 0: must be a path, a DataFrame .* not {type(given).__name__}"):
        tracks(given, tmp_path / "t.npz", fps=FPS)
    with pytest.raises(BoidsgenError, match="table 0: has no column 'frame'; it has Step, AgentID, x, y; source mesa"):
        tracks(rows(), tmp_path / "t.npz", fps=FPS)
