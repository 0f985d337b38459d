import subprocess
import sys

import imageio.v3
import numpy as np
import pytest

from boidsgen.drawing.frame import Frame
from boidsgen.output.formats import WRITERS
from boidsgen.output.plugins import BoidsgenPlugin


@pytest.mark.parametrize("kind", WRITERS)
def test_imageio_writes_through_the_same_contract(kind, frames, write, decode, path_of):
    """A clip written through imageio equals one written directly, by who cannot tell how many frames follow either."""
    pictures = frames(5, (64, 48))
    options = {"plugin": BoidsgenPlugin, "palette": pictures[0].palette, "format": kind}

    with imageio.v3.imopen(path_of(kind, "plugin"), "w", **options) as file:
        file.write(pictures[0].index)
        file.write(np.stack([picture.index for picture in pictures[1:]]))
    write([(path_of(kind, "direct"), kind)], pictures, frames=None)

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


@pytest.mark.parametrize("wrong", ["<bytes>", "a.avi"])
def test_only_known_files_are_written(wrong):
    """Targets that are no paths, or tell no format, are refused."""
    with pytest.raises(OSError, match="can not handle"):
        imageio.v3.imopen(wrong, "w", plugin=BoidsgenPlugin, palette=[[0, 0, 0]])


@pytest.mark.parametrize("kind", WRITERS)
def test_render_goes_through_imopen(kind, frames, write, path_of, monkeypatch):
    """Frames are streamed into a plugin that imageio has opened, on a part that is not yet under its name."""
    opened = []
    imopen = imageio.v3.imopen

    def spy(uri, mode, **options):
        opened.append((mode, options["plugin"], path_of(kind).exists()))
        return imopen(uri, mode, **options)

    monkeypatch.setattr(imageio.v3, "imopen", spy)

    write([(path_of(kind), kind)], frames(2, (8, 8)))

    assert opened == [("w", WRITERS[kind], False)]
    assert WRITERS[kind].count(path_of(kind)) == 2


def test_imageio_is_imported_by_who_writes():
    """What only reads or checks a scenario does not wait for imageio; GIF needs no package of ffmpeg either."""
    script = """
import sys
def imported():
    return [name for name in ("imageio", "imageio_ffmpeg") if name in sys.modules]
from boidsgen import load_scenario, render
scenario = load_scenario("quickstart", overrides={"time.frames": 1})
import boidsgen.output.outputs
print(imported())
render(scenario, "/dev/null")
print(imported())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n['imageio']\n"


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("palette", [True, False])
def test_everybody_can_name_the_writers(kind, palette, frames, write, tmp_path):
    """`imageio.v3.imwrite` finds every format by its name; colors or indices give the pictures that we give."""
    ending = "/" if WRITERS[kind].makes == "folder" else WRITERS[kind].extensions[0]
    pictures = frames(5, (64, 48))
    colors = sorted({tuple(color) for color in pictures[0].palette.tolist()})
    sorted_pictures = [
        Frame(
            np.array([colors.index(tuple(color)) for color in one.palette.tolist()], np.uint8)[one.index],
            np.array(colors, np.uint8),
        )
        for one in pictures
    ]
    index = np.stack([one.index for one in sorted_pictures])
    options = {"palette": colors} if palette else {}

    imageio.v3.imwrite(
        f"{tmp_path}/theirs{ending}",
        index if palette else sorted_pictures[0].palette[index],
        plugin=f"boidsgen-{kind}",
        fps=10,
        provenance="seed = 7",
        **options,
    )
    write([(f"{tmp_path}/ours{ending}", kind)], sorted_pictures, fps=10, frames=None, provenance="seed = 7")

    ours, theirs = (list(WRITERS[kind].pictures(tmp_path / f"{name}{ending}")) for name in ("ours", "theirs"))
    assert len(ours) == 5
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("kind", WRITERS)
def test_everybody_can_read_with_them(kind, frames, write, tmp_path):
    """Pictures, shape, number, duration and text of a clip come back through imageio."""
    ending = "/" if WRITERS[kind].makes == "folder" else WRITERS[kind].extensions[0]
    path, pictures = f"{tmp_path}/flock{ending}", frames(5, (64, 48))
    write([(path, kind)], pictures, fps=10, provenance="seed = 7")

    read = imageio.v3.imread(path, plugin=f"boidsgen-{kind}")
    third = imageio.v3.imread(path, plugin=f"boidsgen-{kind}", index=2)
    about = imageio.v3.improps(path, plugin=f"boidsgen-{kind}")
    meta = imageio.v3.immeta(path, plugin=f"boidsgen-{kind}")

    assert np.array_equal(read[2], third)
    assert read.shape == about.shape == (5, 48, 64, 3)
    assert about.n_images == meta["frames"] == 5
    assert meta["duration"] in {None, 0.5}
    assert meta.get("comment", "seed = 7") == "seed = 7"
    if WRITERS[kind].exact:
        assert np.array_equal(read, [one.palette[one.index] for one in pictures])
    with pytest.raises(IndexError):
        imageio.v3.imread(path, plugin=f"boidsgen-{kind}", index=5)


def test_too_many_colors_are_reduced(tmp_path):
    """A picture of more colors than a palette holds is shown in the nearest ones; a gray one is gray."""
    ramp = np.linspace(0, 255, 64 * 48 * 3).astype(np.uint8).reshape(48, 64, 3).copy()
    ramp[..., 1] = np.arange(64)

    imageio.v3.imwrite(tmp_path / "ramp.gif", ramp, plugin="boidsgen-gif")
    imageio.v3.imwrite(tmp_path / "gray.gif", ramp[..., 0], plugin="boidsgen-gif")

    close = imageio.v3.imread(tmp_path / "ramp.gif", plugin="boidsgen-gif")[0].astype(int) - ramp
    gray = imageio.v3.imread(tmp_path / "gray.gif", plugin="boidsgen-gif")[0].astype(int)
    assert abs(close).mean() < 4
    assert abs(gray - ramp[..., :1].astype(int)).max() <= 2


@pytest.mark.parametrize("name", ["a.foo", "a", "a.png", "a.jpgx"])
def test_nothing_is_taken_from_others(name, tmp_path):
    """Imageio asks every plugin it knows; ours take neither names nor files that are not theirs."""
    picture = np.zeros((8, 8, 3), np.uint8)
    (tmp_path / "other").write_bytes(b"something else")

    for kind in WRITERS:
        with pytest.raises(OSError, match="can not handle"):
            imageio.v3.imwrite(tmp_path / name, picture, plugin=f"boidsgen-{kind}")
        with pytest.raises(OSError, match="can not handle"):
            imageio.v3.imread(tmp_path / "other", plugin=f"boidsgen-{kind}")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


@pytest.mark.parametrize("kind", ["gif", "png"])
def test_indices_of_many_colors(kind, tmp_path):
    """A lit look has more colors than a byte counts; its indices are two bytes, and its pictures come back."""
    name = tmp_path / ("flock/" if kind == "png" else f"flock.{kind}")
    colors = np.arange(3 * 1000, dtype=np.uint16).reshape(-1, 3).astype(np.uint8)
    pictures = np.stack([np.full((8, 8), 900, np.uint16), np.arange(64, dtype=np.uint16).reshape(8, 8)])

    imageio.v3.imwrite(f"{name}/" if kind == "png" else name, pictures, plugin=f"boidsgen-{kind}", palette=colors)

    found = imageio.v3.imread(f"{name}/" if kind == "png" else name, plugin=f"boidsgen-{kind}")
    assert np.array_equal(found, colors[pictures])
