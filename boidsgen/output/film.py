"""Films below the animals: the pictures of a film that others made, decoded by `ffmpeg` while a clip is drawn.

ffmpeg scales, crops, dims and pads them; of each picture there is one in memory. A picture is put at even pixels, where
colors of two by two pixels are whole, and so at most one pixel from its place.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from io import BufferedReader
from math import prod
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryFile
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.frame import Frame, rgb
from boidsgen.drawing.look import BackgroundVideo, Drawable
from boidsgen.drawing.renderer import Renderer
from boidsgen.errors import ScenarioError
from boidsgen.output.video import Glaze, colors_over, first_line, running, yuv
from boidsgen.simulation.setup import State

FILM_FORMATS = (
    "mov,matroska,avi,mpegts,mpeg,ogg,asf,flv,gif,apng,image2,png_pipe,jpeg_pipe,tiff_pipe,webp_pipe,nut,mxf,m4v"
)
"""Of ffmpeg, for films; others are lists of further files, or show any text."""

MAX_PIXELS = 64_000_000  # Of one picture, as many as a picture of ours may have
DECODED = 7e-9  # Seconds for a pixel


class VideoInfo(NamedTuple):
    """A film as it is in its file."""

    size: tuple[int, int]  # width and height in pixels
    frames: int
    fps: float  # mean frames per second; of pictures 25


def _decoded(name: str, *options: str) -> Iterator[BufferedReader]:
    """The output of ffmpeg for a film, which the scenario has opened; ScenarioError if it cannot be read."""
    allowed = ["-protocol_whitelist", "file,pipe", "-format_whitelist", FILM_FORMATS]
    source = ["-loglevel", "error", "-nostdin", *allowed, "-max_pixels", f"{MAX_PIXELS}", "-i", f"file:{name}"]
    with (
        TemporaryFile() as log,
        running(name, [*source, "-map", "0:v:0", *options, "pipe:1"], DEVNULL, PIPE, log) as process,
    ):
        yield cast("BufferedReader", process.stdout)
        if process.wait():
            raise ScenarioError([f"{name}: is not a readable film: {first_line(log)}"])


def probe(name: str) -> VideoInfo:
    """Size, number of frames and rate of a film, without decoding more than its first picture."""
    # The same stream twice: its packets, and its first picture, which ffmpeg turns upright.
    both = ["-map", "0:v:0", "-c:0", "copy", "-filter:1", "trim=end_frame=1", "-f", "framecrc"]
    (told,) = (pipe.read().decode() for pipe in _decoded(name, *both))
    width, height = map(int, re.findall(r"#dimensions 1: (\d+)x(\d+)", told)[0])
    lasting = [int(line.split(",")[3]) for line in told.splitlines() if line.startswith("0,")]
    unit = Fraction(re.findall(r"#tb 0: (\S+)", told)[0])
    return VideoInfo((width, height), len(lasting), float(len(lasting) / (unit * sum(lasting))))


def decoding_seconds(name: str, frames: int) -> float:
    """Estimated processor time for so many pictures of a film, as large as they are in its file."""
    return DECODED * prod(probe(name).size) * frames


class FilmRenderer(Renderer):
    """Draws the frames of one run over the pictures of a film.

    Attributes:
        notices: of frames that do not match, and that the film is not embedded.
    """

    def __init__(self, scenario: Drawable, size: tuple[int, int]) -> None:
        super().__init__(scenario, size)
        background = scenario.background
        name = str(background.video)
        film = probe(name)
        self.inks = self.painter.inks.alone()
        self._glaze = Glaze(self.inks)
        self._picture = np.empty((3 * size[1] // 2, size[0]), np.uint8)
        self._pictures = _pictures(name, self._filters(name, film, background), self._picture)
        self._shown = -1
        there, told = film.frames - background.start, f"{film.frames:,} frames"
        if background.start:
            told += f", {there:,} of them from frame {background.start:,} on"
        if background.fps:
            there = round(there * background.fps / film.fps)
            told += f" at {film.fps:.4g} per second, resampled to {there:,} at {background.fps:.4g}"
        if there < 1:
            raise ScenarioError([f"background.start: must be below {film.frames:,}, the number of pictures in {name}"])
        wanted = scenario.time.frames
        self.notices = (f"background.video: the clip shows {name} and does not embed it; keep the file",)
        if there != wanted or background.fps:
            last = f"; the last picture stays for {wanted - there:,} frames" if there < wanted else ""
            self.notices += (f"background.video: {name} has {told}, the run {wanted:,}{last}",)

    @override
    def __call__(self, state: State) -> Frame:
        frame = super().__call__(state)
        while self._shown < state.frame:
            next(self._pictures, None)  # of a shorter film the last one stays
            self._shown += 1
        full = partial(colors_over, self._glaze, frame.index.view(np.uint8), self._picture)
        return replace(frame, ground=self._picture, full=full)

    def _filters(self, name: str, film: VideoInfo, background: BackgroundVideo) -> Sequence[str]:
        """The filters of ffmpeg that put the film into its part of the picture."""
        wide, high = film.size
        scale = background.scale or self._scenario.world.size[0] / wide
        column, row = background.origin or (0.0, high)
        ends = scale * np.array([(-column, row), (wide - column, row - high)])
        begin, end = _even(self._viewpoint.projection(0)(ends).xy)
        low, most = _even(np.clip(self._viewpoint.window(self._layout.viewport), 0, self._layout.stage))
        corner = np.maximum(begin, low)
        width, height = (np.minimum(end, most) - corner).tolist()
        if min(width, height) <= 0:
            raise ScenarioError([f"background.origin: no part of {name} is in the picture"])
        color = self._scenario.style.colors.background
        ground = yuv(rgb(color))
        mixed = [f"{1 - background.dim}*val+{background.dim * value}" for value in ground]
        left, top = corner - begin
        across, down = self._size
        return (
            f"trim=start_frame={background.start}",
            "setpts=PTS-STARTPTS",
            *([f"fps={background.fps}"] if background.fps else []),
            f"scale={end[0] - begin[0]}:{end[1] - begin[1]}:out_color_matrix=bt709:out_range=tv",
            "format=yuv420p",
            f"crop={width}:{height}:{left}:{top}",
            "lutyuv='{}':'{}':'{}'".format(*mixed),
            f"pad={across}:{down}:{corner[0]}:{corner[1]}:{color}",
        )


def _pictures(name: str, filters: Sequence[str], planes: NDArray[np.uint8]) -> Iterator[None]:
    """Put picture after picture of a film into planes."""
    rate = ["-fps_mode", "passthrough"]  # all that there are, or those of the filter
    for pipe in _decoded(name, "-vf", ",".join(filters), *rate, "-f", "rawvideo"):
        while pipe.readinto(planes.data) == planes.size:
            yield


def _even(place: NDArray[np.float64]) -> NDArray[np.int64]:
    return 2 * np.rint(place / 2).astype(np.int64)
