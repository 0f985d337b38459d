"""The imageio plugins for users."""

import warnings
from pathlib import Path

import imageio.v3
import numpy as np
import pytest
from PIL import Image, ImageSequence

import boidsgen.output.outputs  # noqa: F401  makes them known
from boidsgen.output.formats import WRITERS


@pytest.fixture
def path(kind, tmp_path):
    """Path of an output, as users write it: a folder ends with a slash."""
    return f"{tmp_path}/theirs{'/' if WRITERS[kind].makes == 'folder' else WRITERS[kind].extensions[0]}"


@pytest.mark.parametrize("palette", [True, False])
def test_imwrite_equals_render(kind, path, palette, frames, write, tmp_path):
    """Colors or palette indices give what the command line gives, as imageio's own readers find."""
    pictures = frames(5, (64, 48))
    index = np.stack([one.index for one in pictures])
    theirs, options = (index, {"palette": pictures[0].palette}) if palette else (pictures[0].palette[index], {})
    name = f"boidsgen-{kind}"

    imageio.v3.imwrite(path, theirs, plugin=name, fps=10, provenance="seed = 7", **options)
    write([(tmp_path / "ours", kind)], pictures, fps=10, frames=None, provenance="seed = 7")

    files = sorted(Path(path).iterdir()) if kind == "png" else [Path(path)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # imageio leaves the pipes of its ffmpeg open
        read = np.concatenate([imageio.v3.imread(file, index=...)[..., :3] for file in files])
    assert read.shape == (5, 48, 64, 3)
    assert np.array_equal(read, list(WRITERS[kind].pictures(tmp_path / "ours")))
    with files[0].open("rb") as file:
        assert WRITERS[kind].comment(file) == (b"# frame 0\n" if kind == "png" else b"") + b"seed = 7"
    if kind in {"gif", "webp", "avif", "apng"}:
        with Image.open(path) as image:
            assert sum(one.convert("RGB").info["duration"] for one in ImageSequence.Iterator(image)) == 500


def test_imopen_publishes_at_its_end_or_nothing(frames, tmp_path):
    """Picture by picture; an exception within the block leaves no file, unlike imageio's own writers."""
    (picture,) = frames(1, (8, 8))
    options = {"plugin": "boidsgen-gif", "palette": picture.palette}

    with (  # noqa: PT012  the point is when it is raised
        pytest.raises(KeyboardInterrupt),
        imageio.v3.imopen(tmp_path / "a.gif", "w", **options) as file,
    ):
        file.write(picture.index)
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []

    file = imageio.v3.imopen(tmp_path / "a.gif", "w", **options)
    for _ in range(3):
        file.write(picture.index)
    file.close()
    assert WRITERS["gif"].count(tmp_path / "a.gif") == 3


@pytest.mark.parametrize("wrong", [np.zeros((8, 8)), np.zeros(8, np.uint8), np.zeros((2, 8, 8, 3), np.uint8)])
def test_only_indices_go_with_a_palette(wrong, tmp_path):
    """RGB and floats are refused rather than reinterpreted."""
    with pytest.raises(ValueError, match="palette indices"):
        imageio.v3.imwrite(tmp_path / "a.gif", wrong, plugin="boidsgen-gif", palette=[[0, 0, 0]])


def test_too_many_colors_are_reduced(tmp_path):
    """A picture of more colors than a palette holds is shown in the nearest ones; a gray one is gray."""
    ramp = np.linspace(0, 255, 64 * 48 * 3).astype(np.uint8).reshape(48, 64, 3).copy()
    ramp[..., 1] = np.arange(64)
    imageio.v3.imwrite(tmp_path / "ramp.gif", ramp, plugin="boidsgen-gif")
    imageio.v3.imwrite(tmp_path / "gray.gif", ramp[..., 0], plugin="boidsgen-gif")

    close = imageio.v3.imread(tmp_path / "ramp.gif")[0].astype(int) - ramp
    gray = imageio.v3.imread(tmp_path / "gray.gif")[0].astype(int)
    assert abs(close).mean() < 4
    assert abs(gray - ramp[..., :1].astype(int)).max() <= 2


@pytest.mark.parametrize("name", ["a.foo", "a", "a.png", "a.jpgx", "<bytes>"])
def test_files_of_others_are_left_to_other_plugins(kind, name, tmp_path, monkeypatch):
    """Imageio tries every plugin it knows; ours take no names that are not theirs."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(OSError, match="can not handle"):
        imageio.v3.imwrite(name, np.zeros((8, 8, 3), np.uint8), plugin=f"boidsgen-{kind}")
    assert [*tmp_path.iterdir()] == []


def test_our_plugins_do_not_read(kind, path):
    """Reading is refused even of our own clips, so that imageio goes on to its own readers."""
    imageio.v3.imwrite(path, np.zeros((8, 8, 3), np.uint8), plugin=f"boidsgen-{kind}")

    with pytest.raises(OSError, match="can not handle") as refused:
        imageio.v3.imread(path, plugin=f"boidsgen-{kind}")
    assert "imageio reads them by itself" in str(refused.value.__cause__)
