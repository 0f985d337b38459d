"""A film lies below its animals: pixel by pixel in its place, picture by picture in its time."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import boidsgen
from boidsgen.cli.main import run
from boidsgen.drawing.frame import Frame
from boidsgen.errors import BoidsgenError
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.film import FilmRenderer, probe
from boidsgen.output.formats import WRITERS
from boidsgen.output.recording import SavedRun
from boidsgen.output.video import Glaze, colors_over, planes_of, yuv
from boidsgen.pipeline import not_shown, render
from boidsgen.scenario.layers import Override
from boidsgen.studies.requests import TrackFormat

SIDES, FRAMES, ANIMALS, NEAR = (240, 160), 20, 6, 12
FORM = TrackFormat(25.0, ("frame", "id", "x", "y"), y_down=True, film="film.mp4")
LOOK = {"style": {"theme": "paper", "shape": "dot", "size": 12, "trails": 0}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """Places of the animals of film.mp4 in its pixels, (frames, n, 2); fish.csv is their table."""
    monkeypatch.chdir(tmp_path)
    world = {"world": {"size": [*SIDES], "boundary": "reflect"}, "output": {"size": [*SIDES]}}
    flock = {"flock": {"count": ANIMALS, "max_speed": 4, "separation": {"radius": 40}}}
    scenario = boidsgen.load_scenario({**world, **flock, **LOOK, "time": {"frames": FRAMES}})
    boidsgen.render(scenario, "film.mp4")
    states = [state.flocks[0].position for state in boidsgen.simulate(scenario)]
    written = np.stack(states) * (1, -1) + (0, SIDES[1])
    table(written)
    return written


def table(place: np.ndarray, first: int = 0) -> None:
    rows = [f"{first + t},{i},{x},{y}" for t, now in enumerate(place) for i, (x, y) in enumerate(now)]
    Path("fish.csv").write_text("\n".join(["frame,id,x,y", *rows]), "utf-8")


def drawn(form: TrackFormat = FORM, **keys: object) -> tuple[FilmRenderer, list[Frame], list[np.ndarray]]:
    """The pictures of the tracks over the film, and what is where in them: each with planes of its own."""
    given = {
        "style.shape": "dot",
        "style.size": 12,
        "style.trails": 0,
        **{key.replace("__", "."): value for key, value in keys.items()},
    }
    overrides = [Override(key, value, key) for key, value in given.items()]
    scenario, _ = record_tracks(["fish.csv"], "fish.npz", form, overrides)
    draw, frames, grounds = FilmRenderer(scenario, scenario.picture_size), [], []
    for state in SavedRun(Path("fish.npz"), scenario):
        frames.append(draw(state))
        grounds.append(frames[-1].ground.copy())
    return draw, frames, grounds


def middle(weight: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The middle of what has weight near a place."""
    down, across = np.indices(weight.shape) + 0.5
    near = np.where(np.hypot(across - place[0], down - place[1]) < NEAR, weight, 0.0)
    return np.array([(near * across).sum(), (near * down).sum()]) / near.sum()


@pytest.mark.parametrize(
    ("form", "keys", "scale", "shift"),
    [
        (FORM, {}, 1, (0, 0)),
        (FORM._replace(scale=0.25), {}, 1, (0, 0)),
        (FORM, {"output__size": [480, 320], "style__size": 24}, 2, (0, 0)),
        (FORM, {"camera__zoom": 2, "style__size": 24}, 2, (-120, -80)),
        (FORM, {"camera__center": [90, 100]}, 1, (30, 20)),
        (FORM._replace(origin=(0.0, 160.0)), {"world__size": [240, 160], "output__size": [240, 160]}, 1, (0, 0)),
    ],
)
def test_the_animals_lie_on_those_of_the_film(place, form, keys, scale, shift) -> None:
    """In every picture what is drawn and what is dark in the film are within a pixel of each other, at any scale."""
    _, frames, grounds = drawn(form, **keys)
    checked = 0
    for number, (frame, ground) in enumerate(zip(frames, grounds, strict=True)):
        bright = planes_of(ground)[0].astype(float)
        inked, dark = (frame.index > 0) * 1.0, (bright.max() - bright > 25) * 1.0
        here = scale * place[number] + shift
        for one in here:
            apart = np.sort(np.hypot(*(here - one).T))[1] > 3 * NEAR
            inside = (one > 2 * NEAR).all() and (one < np.array(frame.index.shape[::-1]) - 2 * NEAR).all()
            if apart and inside:
                checked += 1

                assert np.abs(middle(inked, one) - middle(dark, one)).max() < 1
                assert np.abs(middle(inked, one) - one).max() < 1

    assert checked > FRAMES // 2


def test_each_frame_has_its_picture(place) -> None:
    """With `start` and another rate, frames lie over those pictures of the film which show the same time."""
    _, _, plain = drawn()
    table(place[4::2], first=4)
    _, _, sparse = drawn(FORM._replace(fps=12.5))
    table(place[4:], first=4)
    _, _, later = drawn()

    for found, expected in ((sparse, plain[4::2]), (later, plain[4:])):
        assert len(found) == len(expected)
        assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    ("frames", "said"), [(FRAMES - 5, "20 frames, the run 15"), (FRAMES + 5, "stays for 5 frames")]
)
def test_numbers_of_frames_that_differ_are_reported(place, frames: int, said: str) -> None:
    """A film that is longer or shorter than the run is reported; the last picture of a shorter one stays."""
    table(np.concatenate([place, place])[:frames])
    draw, _, grounds = drawn()

    assert said in draw.notices[1]
    assert np.array_equal(grounds[-1], grounds[min(frames, FRAMES) - 1])
    assert probe("film.mp4") == ((240, 160), FRAMES, pytest.approx(25.0))


def test_inks_are_mixed_with_the_film_pixel_by_pixel() -> None:
    """Brightness is that of each pixel, colors are the means of four, mixed by opacity; colors come back from them."""
    random = np.random.default_rng(1)
    index, inks = random.integers(0, 9, (20, 16)).astype(np.uint8), random.integers(0, 256, (9, 4)).astype(np.uint8)
    inks[0, 3] = 0
    ground = random.integers(60, 180, (30, 16)).astype(np.uint8)
    planes, opaque, color = np.empty_like(ground), (inks[:, 3] / 255)[index], yuv(inks[:, :3])[:, index]
    Glaze(inks).over(index, ground, planes)
    for number, (found, below) in enumerate(zip(planes_of(planes), planes_of(ground), strict=True)):
        size = 2 if number else 1
        wide = below.repeat(size, 0).repeat(size, 1) * 1.0
        mixed = (wide + opaque * (color[number] - wide)).reshape(20 // size, size, 16 // size, size).mean(axis=(1, 3))

        assert np.abs(found - mixed).max() <= 0.51

    plain = np.full((30, 16), 128, np.uint8)
    plain[:20] = 126
    solid = Frame(np.ones((20, 16), np.uint8), inks[:, :3], np.array([[0, 0, 0, 0], [200, 40, 90, 255]], np.uint8))

    assert np.abs(colors_over(Glaze(solid.inks), solid.index, plain) - np.array([200.0, 40.0, 90.0])).max() <= 3


@pytest.mark.usefixtures("place")
def test_one_command_makes_the_overlay(capsys) -> None:
    """The command makes a clip and a still as large as the film, and says that the film is not embedded."""
    command = ["tracks", "fish.csv", "--columns", "frame,id,x,y", "--fps", "25", "--y-down", "--film", "film.mp4"]

    assert run([*command, "-o", "overlay.mp4"]) == 0
    assert "does not embed it" in capsys.readouterr().err
    assert len([*WRITERS["mp4"].pictures(Path("overlay.mp4"))]) == FRAMES
    assert run([*command, "-o", "fish.npz"]) == 0
    assert run(["still", "fish.npz", "--trust", "--at", "7", "-o", "seven.png"]) == 0
    film, seven = (
        next(iter(each)) for each in (pictures_from("film.mp4", 7), WRITERS["png"].pictures(Path("seven.png")))
    )
    assert seven.shape == film.shape
    assert np.abs(seven[0] - (0.7 * film[0] + 0.3 * np.array([11, 16, 32]))).max() < 4
    assert run(["render", "fish.npz", "-o", "again.mp4"]) != 0
    assert "background.video" in capsys.readouterr().err


def pictures_from(path: str, first: int):
    return [*WRITERS["mp4"].pictures(Path(path))][first:]


@pytest.mark.usefixtures("place")
def test_pages_and_comparisons_say_that_they_show_no_film() -> None:
    """What does not show the film reports it."""
    scenario = drawn()[0]._scenario

    assert "not here" in "".join(not_shown(scenario))


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"style.theme": "dusk"}, "paints a background of its own"),
        ({"style.transparent": True}, "leave out style.transparent"),
        ({"camera.follow": "flock"}, "needs a camera at rest"),
        ({"output.loop_seam": 2}, "leave out output.loop_seam"),
        ({"background.video": "none.mp4"}, 'there is no file "none.mp4"'),
        ({"background.video": "fish.csv"}, "fish.csv: is not a readable film"),
        ({"background.video": "none/%04d.png"}, "there is no file .none/%04d.png"),
        ({"background.start": 20}, "background.start: must be below 20"),
        ({"background.origin": [9000, 0]}, "no part of film.mp4 is in the picture"),
        ({"output.size": [241, 160]}, "needs an even width and height"),
        ({"output.format": "gif"}, "a gif has too few colors"),
        ({"world.size": [9, 9, 9]}, "background"),
    ],
)
def test_what_does_not_fit_is_refused(keys: dict[str, object], said: str) -> None:
    """Whatever hinders a film is one line about its key."""
    world = {"world": {"size": [*SIDES], "boundary": "open"}, "time": {"frames": 3}}
    path = f"clip.{keys.pop('output.format', 'mp4')}"
    with pytest.raises(BoidsgenError, match=said):
        boidsgen.render(world, path, overrides={"background.video": "film.mp4", **keys})
    assert not Path("clip.mp4").exists()


def part(kind: bytes, data: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side: int) -> bytes:
    """The beginning of a large picture, in some bytes."""
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(bytes(1000))) + part(b"IEND", b"")


def gif(side: int) -> bytes:
    """A film of one large picture."""
    size = struct.pack("<HH", side, side)
    return b"GIF89a" + size + b"\x80\0\0" + bytes(6) + b"," + bytes(4) + size + b"\0\x02\x02\x44\x01\0;"


HUGE = {
    "15,000 squared": ("film.png", png(15_000)),
    "a little too large": ("film.png", png(8001)),
    "one of several": ("%d.png", png(15_000)),
    "a gif": ("film.gif", gif(65_535)),
}


@pytest.mark.parametrize("kind", HUGE)
@pytest.mark.parametrize("command", ["render", "check"])
def test_huge_pictures_are_not_decoded(command: str, kind: str, tmp_path: Path, monkeypatch, capsys) -> None:
    """A film whose pictures have more pixels than one of ours may have is refused in a line, by its header."""
    monkeypatch.chdir(tmp_path)
    name, content = HUGE[kind]
    Path(name.replace("%d", "1")).write_bytes(content)
    Path("a.toml").write_text(f'background.video = "{name}"\ntime.frames = 2\nflock.count = 2\n')
    code = run(
        [command, "a.toml", "--size", "64x64", *(["-o", "o.mp4"] if command == "render" else ["--format", "mp4"])]
    )
    told = capsys.readouterr().err

    assert (code, told.count("\n")) == (3, 1), told
    assert f"{name}: is not a readable film: Picture size" in told
    assert sorted(path.name for path in Path().iterdir()) == sorted({name.replace("%d", "1"), "a.toml"})


@pytest.mark.usefixtures("place")
def test_numbered_pictures_are_a_film() -> None:
    """Pictures named by a pattern are shown one by one, in their colors."""
    Path("pictures").mkdir()
    colors = [(200, 40, 40), (40, 200, 40), (40, 40, 200)]
    for number, color in enumerate(colors):
        Image.new("RGB", SIDES, color).save(f"pictures/{number:02}.png")
    scenario = boidsgen.load_scenario({"world": {"size": [*SIDES]}, "time": {"frames": 3}, "flock": {"count": 0}})
    over = boidsgen.load_scenario(scenario, {"background.video": "pictures/%02d.png", "background.dim": 0.0})
    render(over, "clip.mp4")

    for found, color in zip(pictures_from("clip.mp4", 0), colors, strict=True):
        assert np.abs(found[80, 120] - np.array(color, float)).max() < 6


@pytest.mark.usefixtures("place")
def test_a_film_needs_a_plane() -> None:
    """Tracks with three coordinates take no film."""
    with pytest.raises(BoidsgenError, match="leave out the third coordinate"):
        record_tracks(["fish.csv"], "fish.npz", FORM._replace(columns=("frame", "id", "x", "y", "x")))
