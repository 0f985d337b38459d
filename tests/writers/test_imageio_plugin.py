import subprocess
import sys

import imageio.v3
import numpy as np
import pytest

from boidsgen.writers.formats import WRITERS
from boidsgen.writers.plugins import BoidsgenPlugin


@pytest.mark.parametrize("kind", WRITERS)
def test_imageio_writes_through_the_same_contract(kind, frames, write, decode, path_of):
    """A clip written through imageio equals one written directly."""
    pictures = frames(5, (64, 48))
    options = {"plugin": BoidsgenPlugin, "palette": pictures[0].palette, "format": kind}

    with imageio.v3.imopen(path_of(kind, "plugin"), "w", **options) as file:
        file.write(pictures[0].index)
        file.write(np.stack([picture.index for picture in pictures[1:]]))
    write([(path_of(kind, "direct"), kind)], pictures)

    assert np.array_equal(decode(path_of(kind, "plugin"), (64, 48)), decode(path_of(kind, "direct"), (64, 48)))


def test_imageio_publishes_nothing_after_an_exception(frames, tmp_path):
    """An exception within the block leaves no file, unlike imageio's own writers."""
    (picture,) = frames(1, (8, 8))

    with (  # noqa: PT012  the point is when it is raised
        pytest.raises(KeyboardInterrupt),
        imageio.v3.imopen(tmp_path / "a.gif", "w", plugin=BoidsgenPlugin, palette=picture.palette) as file,
    ):
        file.write(picture.index)
        raise KeyboardInterrupt

    assert list(tmp_path.iterdir()) == []


def test_close_publishes(frames, tmp_path):
    """The plugin works without a block, as imageio's own do."""
    (picture,) = frames(1, (8, 8))

    file = imageio.v3.imopen(tmp_path / "a.gif", "w", plugin=BoidsgenPlugin, palette=picture.palette)
    file.write(picture.index)
    file.close()

    assert imageio.v3.imread(tmp_path / "a.gif", index=0).shape == (8, 8, 3)


@pytest.mark.parametrize("wrong", [np.zeros((8, 8)), np.zeros(8, np.uint8), np.zeros((2, 8, 8, 3), np.uint8)])
def test_only_indices_are_pictures(wrong, tmp_path):
    """RGB and floats are refused rather than reinterpreted."""
    with (
        pytest.raises(ValueError, match="palette indices"),
        imageio.v3.imopen(tmp_path / "a.gif", "w", plugin=BoidsgenPlugin, palette=[[0, 0, 0]]) as file,
    ):
        file.write(wrong)


@pytest.mark.parametrize("wrong", ["<bytes>", "a.webm"])
def test_only_known_files_are_written(wrong):
    """Targets that are no paths, or tell no format, are refused."""
    with pytest.raises(OSError, match="can not handle"):
        imageio.v3.imopen(wrong, "w", plugin=BoidsgenPlugin, palette=[[0, 0, 0]])


def test_a_gif_needs_no_imageio(tmp_path):
    """Writing a GIF imports neither imageio nor the ffmpeg package: it starts sooner and works without them."""
    script = f"""
import sys
import numpy as np
from boidsgen.drawing.frame import Frame
from boidsgen.writers.outputs import open_outputs
from boidsgen.writers.targets import target
with open_outputs([target({str(tmp_path / "a.gif")!r}, stem="")], size=(4, 4), fps=25) as outputs:
    outputs.write(Frame(np.zeros((4, 4), np.uint8), np.zeros((1, 3), np.uint8)))
print([name for name in sys.modules if name.startswith("imageio")])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
