"""Frames, writers and decoders for tests of outputs."""

import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence

from boidsgen.drawing.frame import Frame
from boidsgen.output.formats import WRITERS, Target
from boidsgen.output.outputs import open_outputs
from boidsgen.output.pictures import Clip

FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path, no_child_left):
    """Whatever a test does to the writers: no temporary and no child process stays."""
    del no_child_left
    yield

    assert [path.name for path in tmp_path.rglob(".boidsgen-*")] == []


@pytest.fixture
def frames():
    """Make `number` frames in which a few pixels move, in `colors` colors."""

    def make(number, size, colors=16):
        random = np.random.default_rng(7)
        palette = random.integers(0, 256, (colors, 3)).astype(np.uint8)
        index = random.integers(0, colors, size[::-1]).astype(np.uint8)
        pictures = []
        for _ in range(number):
            index = index.copy()
            rows, columns = random.integers(0, size[1], 5), random.integers(0, size[0], 5)
            index[rows, columns] = random.integers(0, colors, 5)
            pictures.append(Frame(index, palette))
        return pictures

    return make


@pytest.fixture
def write():
    """Write frames to one path or several, and return the outputs object."""

    def run(paths, pictures, fps=25, *, no_clobber=False, **options):
        targets = [Target(str(path), kind) for path, kind in paths]
        clip = Clip(pictures[0].index.shape[::-1], fps, **{"frames": len(pictures)} | options)
        with open_outputs(targets, clip, no_clobber=no_clobber) as outputs:
            for picture in pictures:
                outputs.write(picture)
        return outputs

    return run


@pytest.fixture
def ffmpeg():
    """Run the real ffmpeg with arguments and return what it writes."""

    def run(*arguments):
        done = subprocess.run([FFMPEG, "-v", "error", *map(str, arguments)], capture_output=True, check=True)
        assert done.stderr == b""
        return done.stdout

    return run


@pytest.fixture
def decode(ffmpeg):
    """Every frame of an output as ffmpeg sees it, or Pillow for WebP: (frames, height, width, 3) uint8."""

    def run(path, size):
        if path.suffix == ".webp":  # which ffmpeg 7 cannot read when it moves
            with Image.open(path) as image:
                return np.array([np.asarray(each.convert("RGB")) for each in ImageSequence.Iterator(image)])
        source = ["-i", path]
        if path.is_dir():
            digits = len(next(path.iterdir()).stem.removeprefix("frame_"))
            source = ["-i", path / f"frame_%0{digits}d.png"]
        if path.suffix == ".avif":  # whose first stream is a still, for programs that show no more
            with Image.open(path) as image:
                source += ["-map", f"0:v:{int(image.n_frames > 1)}"]
        raw = ffmpeg(*source, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
        return np.frombuffer(raw, np.uint8).reshape(-1, size[1], size[0], 3)

    return run


@pytest.fixture(params=WRITERS)
def kind(request):
    """The name of every format of clips."""
    return request.param


@pytest.fixture
def path_of(tmp_path):
    """The path for an output of a format in this test."""

    def path(kind, stem="flock") -> Path:
        writer = WRITERS[kind]
        return tmp_path / (stem if writer.makes == "folder" else f"{stem}{writer.extensions[0]}")

    return path
