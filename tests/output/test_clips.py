"""Animated pictures, films and PNG, pictures without background, and encoding in the background."""

import hashlib
import os
import threading
import time
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import imageio_ffmpeg
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageSequence

from boidsgen import compare, load_scenario, render, replay
from boidsgen.drawing.frame import Frame
from boidsgen.drawing.renderer import Renderer
from boidsgen.errors import StorageError, UsageError
from boidsgen.output.formats import WRITERS, Target
from boidsgen.output.pictures import Clip, OneItemWorker, Png, Webp
from boidsgen.output.video import Yuv420
from boidsgen.pipeline import render_as_is, still
from boidsgen.simulation.run import simulate

TRANSPARENT = {
    "style.transparent": True,
    "style.theme": "night",
    "style.size": 8,
    "style.trails": 4,
    "title": "",
    "time.frames": 4,
    "world.size": [64, 48],
    "flock.count": 12,
}
LOSSY = {name for name, writer in WRITERS.items() if not writer.exact}
CLEAR = [name for name, writer in WRITERS.items() if writer.transparent]


def pillow(path, mode="RGB"):
    """Pixels and delays of every frame, by Pillow."""
    with Image.open(path) as image:
        frames = [(np.asarray(one.convert(mode)), one.info.get("duration")) for one in ImageSequence.Iterator(image)]
    return np.array([pixels for pixels, _ in frames]), [delay for _, delay in frames]


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (500, 1), (201, 101)], ids=str)
@pytest.mark.parametrize("noise", [False, True])
def test_pillow_and_ffmpeg_see_every_pixel(size, noise, frames, write, decode, tmp_path):
    """Also where unchanged pixels are marked as transparent."""
    pictures = [picture for picture in frames(4, size, 255 if noise else 2) for _ in range(2)]

    write([(tmp_path / "flock.gif", "gif")], pictures)

    wanted = [picture.palette[picture.index] for picture in pictures]
    assert np.array_equal(pillow(tmp_path / "flock.gif")[0], wanted)
    assert np.array_equal(decode(tmp_path / "flock.gif", size), wanted)


@pytest.mark.parametrize("fps", [0.01, 0.5, 10, 12, 15, 24, 25, 29.97, 30, 33, 50])
def test_rounded_delays_never_add_up(fps, frames, write, tmp_path):
    """However the rate divides a second, the end of a GIF is off by half of its unit at most."""
    write([(tmp_path / "flock.gif", "gif")], frames(1, (8, 8)) * 9, fps=fps)

    delays = pillow(tmp_path / "flock.gif")[1]
    assert len(delays) == 9
    assert abs(sum(delays) - 9000 / fps) <= 5


@pytest.mark.parametrize(
    ("kind", "loop", "stored"),
    [("gif", 0, 0), ("gif", 1, None), ("gif", 2, 1), ("gif", 65536, 65535), ("webp", 0, 0), ("webp", 65536, 65535)],
)
def test_plays_as_often_as_requested(kind, loop, stored, frames, write, tmp_path):
    """A GIF stores how often to play again, a WebP how often to play."""
    write([(tmp_path / "flock", kind)], frames(2, (8, 8)), loop=loop)

    with Image.open(tmp_path / "flock") as image:
        assert image.info.get("loop") == stored


def test_bytes_of_a_gif_are_pinned(frames, write, tmp_path):
    """They change only on purpose; Pillow labels its function behind them as legacy."""
    write([(tmp_path / "flock.gif", "gif")], frames(3, (16, 12)), provenance="seed = 7")

    found = hashlib.sha256((tmp_path / "flock.gif").read_bytes()).hexdigest()
    assert found == "a2e2a18eda7cbe0eab11dbd8732df72b4136b6cc7f883a4374222acef2f5e69e"


def test_a_draft_of_webp_is_smaller_and_near(write, tmp_path):
    """A draft loses detail, little enough to look alike; the other qualities are exact."""
    given = {"time.frames": 3, "flock.count": 400, "output.size": [320, 180]}
    scenario = load_scenario("murmuration", overrides=given)
    draw = Renderer(scenario, (320, 180))
    frames = [draw(state).kept() for state in simulate(scenario)]
    drawn = np.array([frame.full() for frame in frames]).astype(int)
    sizes, errors = {}, {}
    for quality in ("draft", "standard", "high"):
        path = tmp_path / f"{quality}.webp"
        write([(path, "webp")], frames, quality=quality)
        sizes[quality] = path.stat().st_size
        errors[quality] = np.abs(np.array(list(Webp.pictures(path))) - drawn).mean()

    assert sizes["draft"] < 0.5 * sizes["standard"]
    assert sizes["high"] <= sizes["standard"]
    assert 0 < errors["draft"] < 6
    assert errors["standard"] == errors["high"] == 0


LIT = ["couzin-torus", "murmuration", "trefoil"]


@pytest.mark.parametrize("preset", LIT)
@pytest.mark.parametrize("kind", ["webp", "png", "apng"])
def test_lit_clips_have_all_colors(kind, preset, tmp_path):
    """In exact formats of many colors, a picture of a lit theme is the still of the same frame, which has no dither."""
    given = {"time.frames": 3, "time.warmup": 0, "output.loop_seam": 0, "output.size": [480, 320]}
    path, scenario = tmp_path / ("frames" if kind == "png" else f"a.{kind}"), load_scenario(preset, given)
    render(scenario, Target(str(path), kind))
    *_, last = WRITERS[kind].pictures(path)
    still(scenario, tmp_path / "still.png")

    np.testing.assert_array_equal(last, pillow(tmp_path / "still.png")[0][0])


@pytest.mark.parametrize("preset", LIT)
def test_lit_films_have_the_brightness_of_stills(preset):
    """The encoder gets the brightness of every pixel as in a still: a film has no dots."""
    scenario = load_scenario(preset, {"time.frames": 3, "time.warmup": 0, "output.size": [480, 320]})
    draw, planes = Renderer(scenario, (480, 320)), Yuv420((480, 320))
    for state in simulate(scenario):
        frame = draw(state)
        wanted, *_ = bt709(*np.moveaxis(frame.full().astype(float), -1, 0))
        assert np.abs(planes.of(frame)[:320] - wanted).max() < 0.51


def test_a_decoded_film_is_near_its_stills(ffmpeg, tmp_path):
    """What is left after encoding is little, and no shift of colors, for a player that rounds as exactly as it can."""
    deep = {"style.theme": "deep", "style.size": "4.4%", "camera.zoom": 0.9, "style.flocks": ["#8fd8ff"]}
    scenario = load_scenario("couzin-torus", {"time.frames": 3, "time.warmup": 0, "output.loop_seam": 0, **deep})
    render(scenario, tmp_path / "a.mp4")
    still(scenario, tmp_path / "still.png")
    exactly = "-sws_flags", "accurate_rnd+full_chroma_int"  # ffmpeg's own rounding makes all a number darker
    wanted = pillow(tmp_path / "still.png")[0][0].astype(int)
    raw = ffmpeg("-i", tmp_path / "a.mp4", *exactly, "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
    away = np.frombuffer(raw, np.uint8).reshape(-1, *wanted.shape)[-1] - wanted

    assert np.abs(away).mean() <= 1.2
    assert np.abs(away.mean(axis=(0, 1))).max() < 0.3


def test_crops_of_webp_begin_at_even_places(frames, write, tmp_path):
    """A single pixel that changes at an odd place changes there and nowhere else."""
    (first,) = frames(1, (9, 7))
    index = first.index.copy()
    index[5, 7] = (index[5, 7] + 1) % 16
    write([(tmp_path / "a.webp", "webp")], [first, replace(first, index=index)])

    assert np.array_equal(pillow(tmp_path / "a.webp")[0], [first.palette[first.index], first.palette[index]])


def read_alpha(path, ffmpeg):
    """Opacity of every picture, (frames, height, width)."""
    if path.suffix in {".webm", ".mov"}:
        decoder = ["-c:v", "libvpx-vp9"] if path.suffix == ".webm" else []  # ffmpeg's own drops the alpha plane
        raw = ffmpeg(*decoder, "-i", path, "-pix_fmt", "rgba", "-f", "rawvideo", "-")
        return np.frombuffer(raw, np.uint8).reshape(-1, 48, 64, 4)[..., 3].astype(int)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return np.concatenate([pillow(file, "RGBA")[0] for file in files])[..., 3].astype(int)


@pytest.mark.parametrize("kind", CLEAR)
def test_an_empty_background_is_transparent(kind, tmp_path, ffmpeg):
    """Most of each picture is transparent, boids are not, and nothing stays of the picture before."""
    path = tmp_path / ("frames" if kind == "png" else f"a.{kind}")
    render(load_scenario("quickstart", TRANSPARENT), Target(str(path), kind))
    still(load_scenario("quickstart", TRANSPARENT), tmp_path / "last.png")

    opacity, wanted = read_alpha(path, ffmpeg), read_alpha(tmp_path / "last.png", ffmpeg)[0]
    assert len(opacity) == 4
    assert (opacity == 0).mean() > 0.5
    assert (opacity > 200).any(axis=(1, 2)).all()
    if kind == "gif":
        assert np.array_equal(opacity[-1] > 0, wanted > 0)
    else:
        assert abs(opacity[-1] - wanted).mean() < (4 if kind in LOSSY else 1e-9)


def test_a_mov_keeps_color_and_opacity(tmp_path, ffmpeg):
    """At full resolution: a program that lays it over a slide sees what it sees of a PNG, also at edges."""
    scenario = load_scenario("quickstart", {**TRANSPARENT, "output.quality": "high"})
    render(scenario, tmp_path / "a.mov")
    still(scenario, tmp_path / "last.png")

    raw = ffmpeg("-i", tmp_path / "a.mov", "-pix_fmt", "rgba", "-f", "rawvideo", "-")
    found, wanted = np.frombuffer(raw, np.uint8).reshape(-1, 48, 64, 4)[-1], pillow(tmp_path / "last.png", "RGBA")[0][0]
    over = [picture[..., :3] * (picture[..., 3:] / 255.0) for picture in (found, wanted)]
    assert np.abs(found[..., 3].astype(int) - wanted[..., 3]).max() <= 3
    assert np.abs(over[0] - over[1]).mean() < 1.5


def test_an_avif_does_not_tell_when_it_was_made(frames, write, tmp_path):
    """Its bytes are the same a second later."""
    pictures = frames(3, (64, 48))
    write([(tmp_path / "one.avif", "avif")], pictures)
    time.sleep(1.1)
    write([(tmp_path / "two.avif", "avif")], pictures)

    assert (tmp_path / "one.avif").read_bytes() == (tmp_path / "two.avif").read_bytes()


def test_a_pillow_without_avif_is_named(frames, write, tmp_path, monkeypatch):
    """One line says what to install or to choose, and nothing is left."""
    monkeypatch.setattr("PIL.features.check", lambda feature: feature != "avif")

    with pytest.raises(UsageError, match=r"a\.avif: this Pillow was built without AVIF; install its wheel"):
        write([(tmp_path / "a.avif", "avif")], frames(1, (64, 48)))
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("kind", ["avif", "apng"])
def test_pictures_of_the_same_length(kind, frames, write, tmp_path, ffmpeg):
    """By Pillow and by ffmpeg a clip lasts as long as it should, whatever its rate."""
    for fps in (12, 24, 29.97, 60):
        path = tmp_path / f"{fps}.{kind}"
        write([(path, kind)], frames(1, (64, 48)) * 30, fps=fps)
        delays = pillow(path)[1]
        stream = ["-map", "0:v:1"] if kind == "avif" else []
        told = ffmpeg("-i", path, *stream, "-fps_mode", "passthrough", "-f", "framecrc", "-").decode().splitlines()
        unit = Fraction(next(line for line in told if line.startswith("#tb 0")).partition(": ")[2])
        last = [int(line.split(",")[2]) for line in told if line.startswith("0,")][-1]
        assert abs(sum(delays) - 30_000 / fps) < 5
        assert abs(last * unit - 29 / fps) < 0.002


def test_partly_transparent_pixels_have_colors_of_their_own(tmp_path):
    """They are not mixed with a background, so that no rim is seen on another one."""
    still(load_scenario("quickstart", {**TRANSPARENT, "style.color_by": "flock"}), tmp_path / "a.png")

    picture = pillow(tmp_path / "a.png", "RGBA")[0].reshape(-1, 4)
    partly = picture[(picture[:, 3] > 0) & (picture[:, 3] < 255)]
    opaque = {tuple(color) for color in picture[picture[:, 3] == 255][:, :3].tolist()}
    assert len(partly) > 0
    assert {tuple(color) for color in partly[:, :3].tolist()} <= opaque


def test_frames_are_exact_and_numbered(frames, write, tmp_path):
    """Each frame is a palette picture with exactly the pixels drawn, numbered from 1."""
    pictures = frames(3, (31, 17), 255)

    write([(tmp_path / "frames", "png")], pictures, provenance="seed = 7 ü")

    names = ["frame_0001.png", "frame_0002.png", "frame_0003.png"]
    assert sorted(path.name for path in (tmp_path / "frames").iterdir()) == names
    for name, picture in zip(names, pictures, strict=True):
        with Image.open(tmp_path / "frames" / name) as image:
            assert image.mode == "P"
            assert image.text["Comment"] == "seed = 7 ü"
            assert np.array_equal(np.asarray(image.convert("RGB")), picture.palette[picture.index])
        assert Png.is_own(tmp_path / "frames" / name)
    assert not Png.is_own((tmp_path / "frames" / names[0]).rename(tmp_path / "frame_0007.png"))


def test_digits_suffice_for_the_last_frame(tmp_path):
    """Names sort like frames, also beyond 9999."""
    for number in (9_999, 10_000):
        part = SimpleNamespace(add=lambda name, content: (tmp_path / name).write_bytes(content))
        writer = Png(None, part=part, clip=Clip((1, 1), 25, number))
        writer.write(Image.new("P", (1, 1)))

    assert sorted(path.name for path in tmp_path.iterdir()) == ["frame_00001.png", "frame_0001.png"]


@pytest.fixture
def background():
    made = []

    def make(work):
        made.append(OneItemWorker(work))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_every_result_and_every_exception_comes_once_and_in_order(background):
    """They come when the next item is started, the last on request; after a failed item all goes on."""
    divided = background(lambda divisor: 6 // divisor)

    assert [divided.exchange(divisor) for divisor in (1, 2, 0)] == [None, 6, 3]
    with pytest.raises(ZeroDivisionError):
        divided.exchange(3)
    assert divided.exchange(3) is None
    assert [divided.last(), divided.last()] == [2, None]


def test_works_in_another_thread(background):
    """The owner goes on meanwhile: here the work ends only when the owner has got ahead of it."""
    ahead = threading.Event()
    waiting = background(lambda _: ahead.wait(60) and threading.get_ident())
    waiting.exchange(0)
    ahead.set()

    assert waiting.last() not in {None, False, threading.get_ident()}


def bt709(red, green, blue):
    """Recommendation ITU-R BT.709, limited range: brightness, blue and red difference."""
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    blue, red = (blue - light) / 1.8556, (red - light) / 1.5748
    return 16 + 219 * light / 255, 128 + 224 * blue / 255, 128 + 224 * red / 255


@given(
    size=st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda half: (2 * half[0], 2 * half[1])),
    wide=st.booleans(),
    full=st.booleans(),
    seed=st.integers(0, 99),
)
def test_planes_are_those_of_the_recommendation(size, wide, full, seed):
    """In every frame, each pixel has the brightness of BT.709 and each block the mean color, dithered in lit frames."""
    random, planes, (width, height) = np.random.default_rng(seed), Yuv420(size), size
    colors = 700 if wide else 255
    palette = random.integers(0, 256, (colors, 3)).astype(np.uint8)
    index = random.integers(0, colors, size[::-1]).astype(np.uint16 if wide else np.uint8)
    for _ in range(3):
        shown = palette[index]
        found = planes.of(Frame(index, palette, full=(lambda: shown) if full else None)).reshape(-1).astype(float)  # noqa: B023  it is asked at once
        exact = bt709(*np.moveaxis(palette[index].astype(float), -1, 0))
        mean = [plane.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3)).reshape(-1) for plane in exact]
        brightness, blue, red = np.split(found, [width * height, width * height * 5 // 4])
        assert abs(brightness - exact[0].reshape(-1)).max() <= 0.5 + (0.01 if full else 1e-9)
        assert abs(blue - mean[1]).max() < (1.1 if wide or full else 0.6)
        assert abs(red - mean[2]).max() < (1.1 if wide or full else 0.6)
        index[random.integers(0, height), random.integers(0, width)] = random.integers(0, colors)  # drawn over


@pytest.mark.parametrize(("fps", "rate"), [(10, "10"), (23.976, "24000/1001"), (29.97, "30000/1001"), (12.5, "25/2")])
def test_the_rate_is_an_exact_fraction(fps, rate, frames, write, ffmpeg, tmp_path):
    """Frames of an MP4 follow each other at the rate without a gap."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(7, (64, 48)), fps=fps)

    lines = ffmpeg("-i", tmp_path / "flock.mp4", "-f", "framecrc", "-").decode().splitlines()
    assert f"#tb 0: {Fraction(1) / Fraction(rate)}" in lines
    assert [int(line.split(",")[2]) for line in lines if not line.startswith("#")] == list(range(7))


def test_an_mp4_plays_everywhere(frames, write, tmp_path):
    """Pixels and colors are what every player understands, tagged so, with the index in front."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(3, (64, 48)))

    content = (tmp_path / "flock.mp4").read_bytes()
    assert imageio_ffmpeg.count_frames_and_secs(tmp_path / "flock.mp4") == (3, 0.12)
    assert b"colrnclx\0\1\0\1\0\1\0" in content
    assert content.index(b"moov") < content.index(b"mdat")


def test_without_threads_there_is_no_child(frames, write, tmp_path, monkeypatch):
    """If the system allows no thread, one line says so, and ffmpeg has ended."""

    def refused(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)

    with pytest.raises(StorageError, match="can't start new thread"):
        write([(tmp_path / "flock.mp4", "mp4")], frames(2, (64, 48)))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not bind processes to cores")
@pytest.mark.parametrize("quality", ["draft", "standard", "high"])
def test_films_have_the_same_bytes_on_one_core_and_on_all(frames, write, tmp_path, quality):
    """The encoder's threads are the same two everywhere, and who is first shows nowhere."""
    pictures, every, films = frames(48, (160, 96)), os.sched_getaffinity(0), set()
    for number in range(4):
        path = tmp_path / f"{number}.mp4"
        os.sched_setaffinity(0, every if number % 2 else {min(every)})
        try:
            write([(path, "mp4")], pictures, quality=quality)
        finally:
            os.sched_setaffinity(0, every)
        films.add(path.read_bytes())

    assert len(films) == 1


FADING = {"extends": "quickstart", "time": {"frames": 8}, "output": {"size": [200, 218], "loop_seam": 2}}


def fading(**output):
    """A scenario whose own file has a cross-fade, and these keys of `[output]`."""
    return load_scenario({**FADING, "output": {**FADING["output"], **output}})


def last_picture(scenario):
    """The picture of the last state, in full color."""
    draw = Renderer(scenario, scenario.picture_size)
    *_, picture = map(draw, simulate(scenario))
    return picture.palette[picture.index].astype(int)


@pytest.mark.turns(3)  # of four repetitions each kind has one or two
@pytest.mark.parametrize("loop", [None, 0, 1, 3])
@pytest.mark.parametrize("kind", WRITERS)
def test_what_stops_shows_its_last_state_alone(kind, loop, tmp_path):
    """In every format, a clip that stops has every frame, and ends with the picture of the last state."""
    looping = loop != 1 if loop is not None else WRITERS[kind].loops
    scenario = fading(**({} if loop is None else {"loop": loop}))
    path = tmp_path / ("frames" if kind == "png" else f"a.{kind}")

    report = render(scenario, Target(str(path), kind))
    found = [*WRITERS[kind].pictures(path)]

    assert len(found) == report.frames == (6 if looping else 8)
    assert report.duration == report.frames / 25
    away = np.abs(found[-1] - last_picture(scenario)).mean()
    assert away > 2.5 if looping else away < (2.5 if kind in LOSSY else 1e-9)


@pytest.mark.parametrize("kind", ["gif", "webp", "avif", "apng", "mp4", "webm", "mov"])
def test_a_comparison_stops_likewise(kind, tmp_path):
    """A comparison has the cross-fade of its first scenario in formats that loop, and every frame in the others."""
    report = compare([fading(), fading()], tmp_path / f"two.{kind}")

    assert report.frames == len([*WRITERS[kind].pictures(report.path)]) == (6 if WRITERS[kind].loops else 8)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_cross_fade_that_an_override_asks_for_is_in_every_format(kind, tmp_path):
    """`--set output.loop_seam` asks for a clip that loops, in every format; an override by 0 for one without."""
    target = Target(str(tmp_path / "made"), kind)

    assert render("quickstart", target, frames=8, size=(64, 64), overrides={"output.loop_seam": 2}).frames == 6
    assert render(fading(), target, overrides={"output.loop_seam": 0}).frames == 8


def test_outputs_of_one_command_have_one_number_of_frames(tmp_path):
    """A gif made together with a video has its frames, and a notice names both; a page changes nothing."""
    gif, mp4, page = (str(tmp_path / f"a.{kind}") for kind in ("gif", "mp4", "html"))
    both, alone = render(fading(), gif, mp4), render(fading(), gif, page)

    assert (both.frames, alone.frames, render(fading(), page).frames) == (8, 6, 8)
    why = f"it has the frames of {mp4}, which does not loop"
    assert both.notices == (f"{gif}: no cross-fade into its beginning: {why}; render it by itself for one",)
    assert alone.notices == ()
    assert render(fading(loop=0), gif, mp4).frames == 6


@pytest.mark.turns(2)  # of three repetitions each kind has one or two
@pytest.mark.parametrize("loop", [None, 0, 1])
@pytest.mark.parametrize(
    "kinds", [["gif"], ["webp"], ["gif", "mp4"], ["mp4"], ["webm"], ["avif", "apng"], ["mov"]], ids="+".join
)
def test_replays_have_the_cross_fade_of_the_original(kinds, loop, tmp_path):
    """Every clip replays to the byte, also one that fades where clips of today would not."""
    scenario = fading(**({} if loop is None else {"loop": loop}))
    targets = [Target(str(tmp_path / f"a.{kind}"), kind) for kind in kinds]
    for make in (lambda: render(scenario, *targets), lambda: render_as_is(scenario, targets)):
        make()
        for one in targets:
            replay(one.path, tmp_path / f"again.{one.format}")
            assert (tmp_path / f"again.{one.format}").read_bytes() == (tmp_path / f"a.{one.format}").read_bytes()
