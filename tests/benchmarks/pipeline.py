"""Whole processes, from the command line to the finished file."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import imageio.v2
import imageio_ffmpeg
import numpy as np

from boidsgen import load_scenario
from boidsgen.drawing import Renderer
from boidsgen.drawing.frame import Frame
from boidsgen.output.contract import Clip
from boidsgen.output.film import source
from boidsgen.output.mp4 import Mp4
from boidsgen.output.outputs import open_outputs
from boidsgen.output.planes import Planes
from boidsgen.output.targets import Target
from boidsgen.simulation import simulate
from tests.benchmarks.table import Row, alternately, seconds


def rows() -> Iterator[Row]:
    """Every whole-process case."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        yield from _start_up()
        yield _quickstart(directory)
        yield from _collected(directory)
        yield _memory(directory)
        yield _encoding(directory, "trefoil", [])
        yield _encoding(directory, "quickstart", LARGE)


LARGE = [
    "flock.count=10000",
    "time.frames=300",
    "world.size=[1280,720]",
    "flock.perception.radius=10",
    "flock.separation.radius=5",
    'output.format="mp4"',
]
"""Ten thousand boids at 1280×720."""


def _start_up() -> Iterator[Row]:
    for arguments in (["--help"], ["check", "quickstart"]):
        ours = seconds(lambda arguments=arguments: _boidsgen(arguments), runs=7)
        yield Row(f"`boidsgen {' '.join(arguments)}`", f"{ours:.3f} s")


def _quickstart(directory: Path) -> Row:
    output = directory / "quickstart.gif"
    ours = seconds(lambda: _boidsgen(["render", "quickstart", "-o", str(output), "--quiet"]), runs=5)
    return Row("`boidsgen render quickstart` (50 boids, 400×400, 200 frames), whole process", f"{ours:.2f} s")


def _collected(directory: Path) -> Iterator[Row]:
    """Our frames written as they come, against the same frames collected and saved by the usual libraries."""
    scenario = load_scenario("quickstart")

    def ours() -> None:
        draw = Renderer(scenario, scenario.picture_size)
        target = Target(str(directory / "ours.gif"), "gif")
        with open_outputs([target], Clip(scenario.picture_size, 25)) as outputs:
            for state in simulate(scenario):
                outputs.write(draw(state))

    def mimsave() -> None:
        draw = Renderer(scenario, scenario.picture_size)
        frames = [_rgb(draw(state)) for state in simulate(scenario)]
        imageio.v2.mimsave(directory / "theirs.gif", frames, duration=40, loop=0)

    yield _compared(
        "GIF end to end, in one process", ours, "the same frames collected for `imageio.v2.mimsave`", mimsave
    )
    if find_spec("matplotlib"):
        yield _compared(
            "GIF end to end, in one process", ours, "matplotlib's PillowWriter", lambda: _matplotlib(directory)
        )


def _compared(case: str, ours: object, comparison: str, theirs: object) -> Row:
    mine, other, ratio = alternately(ours, theirs)
    return Row(case, f"{mine:.2f} s", comparison, f"{other:.2f} s", f"{ratio:.1f} times faster")


def _matplotlib(directory: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.animation import FuncAnimation, PillowWriter

    figure, axes = plt.subplots(figsize=(4, 4), dpi=100)
    states = list(simulate(load_scenario("quickstart")))
    arrows = axes.quiver(*states[0].flocks[0].position.T, *states[0].flocks[0].velocity.T)

    def update(state: object) -> None:
        arrows.set_offsets(state.flocks[0].position)
        arrows.set_UVC(*state.flocks[0].velocity.T)

    FuncAnimation(figure, update, states).save(directory / "matplotlib.gif", writer=PillowWriter(fps=25))
    plt.close(figure)


def _memory(directory: Path) -> Row:
    short, long = (_peak(directory, frames) for frames in (200, 2000))
    return Row(
        "peak memory of `boidsgen render quickstart`, 2,000 frames",
        f"{long:.1f} MiB",
        "200 frames",
        f"{short:.1f} MiB",
        f"{long - short:+.1f} MiB",
    )


def _peak(directory: Path, frames: int) -> float:
    """Peak memory of the whole process in MiB, told by the system."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    render = _command(["render", "quickstart", "--frames", str(frames), "-o", str(directory / "m.gif"), "--quiet"])
    told = subprocess.run([sys.executable, "-c", code, *render], check=True, capture_output=True, text=True)
    return int(told.stdout) / 1024


def _encoding(directory: Path, preset: str, settings: Sequence[str]) -> Row:
    """The whole process against ffmpeg alone, fed with the same frames already drawn, with the same arguments."""
    options = [option for setting in settings for option in ("--set", setting)]
    scenario = load_scenario(preset, overrides=dict(_pair(setting) for setting in settings))
    drawn = directory / "frames.raw"
    _draw(scenario, drawn)
    clip = Clip(size=scenario.picture_size, fps=scenario.output.fps)
    ffmpeg = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *source(clip), "-i", "pipe:0", *Mp4.result(clip)]

    def encode() -> None:
        with drawn.open("rb") as frames:
            subprocess.run([*ffmpeg, str(directory / "alone.mp4")], stdin=frames, check=True)

    ours, theirs, ratio = alternately(
        lambda: _boidsgen(["render", preset, "-o", str(directory / "whole.mp4"), "--quiet", *options]), encode
    )
    drawn.unlink()
    case = f"`boidsgen render {preset}`, {scenario.flock[0].count} boids, {scenario.time.frames} frames of 1280×720"
    return Row(
        case, f"{ours:.1f} s", "encoding alone, frames already drawn", f"{theirs:.1f} s", f"{1 / ratio:.2f} of it"
    )


def _draw(scenario: object, path: Path) -> None:
    draw = Renderer(scenario, scenario.picture_size)
    planes = Planes(scenario.picture_size)
    with path.open("wb") as file:
        for state in simulate(scenario):
            file.write(planes.of(draw(state)))


def _pair(setting: str) -> tuple[str, object]:
    import tomllib

    key, _, value = setting.partition("=")
    return key, tomllib.loads(f"value = {value}")["value"]


def _rgb(frame: Frame) -> np.ndarray:
    return frame.palette[frame.index]


def _command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "boidsgen", *arguments]


def _boidsgen(arguments: Sequence[str]) -> None:
    subprocess.run(_command(arguments), check=True, stdout=subprocess.DEVNULL)
