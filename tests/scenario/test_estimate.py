"""The estimate of `check`."""

import json

import pytest

from boidsgen import load_scenario, presets
from boidsgen.errors import LimitError
from boidsgen.output import film
from boidsgen.output.film import VideoInfo
from boidsgen.scenario.loading import MAX_MEMORY, gif_bytes, memory, refuse_costly, seconds, stepping_seconds
from docs.programs.benchmarks.presets import STORED

MEASURED = json.loads(STORED.read_text("utf-8"))


@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_seconds_are_within_a_factor_of_two(name):
    """The estimated time of every preset is at most twice and at least half of what was measured."""
    measured = MEASURED[name]["seconds"]
    assert measured / 2 <= seconds(load_scenario(name)) <= 2 * measured


def test_sizes_of_gifs_are_within_a_factor_of_three():
    """The estimated size of every preset that has one; the middle one of forty is a quarter off, nine in ten by two."""
    found = {name: size for name, one in MEASURED.items() if (size := gif_bytes(load_scenario(name)))}
    off = sorted(max(size / MEASURED[name]["bytes"], MEASURED[name]["bytes"] / size) for name, size in found.items())

    assert len(off) >= 40
    assert off[len(off) // 2] <= 1.25
    assert off[len(off) * 9 // 10] <= 2
    assert off[-1] <= 3


@pytest.mark.parametrize(
    "keys",
    [
        {"output.format": "mp4"},
        {"output.format": "webp"},
        {"style.theme": "reef"},
        {"events": [{"at": 1, "caption": "now"}]},
        {"output.max_bytes": "1 MB"},
    ],
    ids=str,
)
def test_other_sizes_are_not_estimated(keys):
    """A guess that may be off by more than three is none."""
    assert gif_bytes(load_scenario("quickstart"))
    assert gif_bytes(load_scenario("quickstart", keys)) is None


BASE = "seed = 1\nworld.size = [1000, 1000]\ntime.frames = {frames}\n"
BASE += "[output]\nsize = [{side}, {side}]\nformat = {form}\n"
ROUND = '[[obstacles]]\nkind = "circle"\ncenter = [{0}, 1]\nradius = 1\n'
CORNERS = ", ".join([*(f"[{n + 1}, {1 + n / 100}]" for n in range(900)), "[1, 900]"])
LONG_WAY = ", ".join(f"[{number % 999}, {number // 9}]" for number in range(5000))


def costing(frames=2, side=64, form="gif", more=""):
    """A scenario of a format, a size and a length."""
    return load_scenario(BASE.format(frames=frames, side=side, form=f'"{form}"') + more)


@pytest.mark.parametrize(
    ("more", "measured"),
    [
        ("[flock]\ncount = 1000\n" + "".join(map(ROUND.format, range(1, 4001))), 24),
        (f"[flock]\ncount = 1000\nfollow_path = {{ points = [{LONG_WAY}], radius = 16 }}\n", 5.5),
        (f'[flock]\ncount = 1000\n[[obstacles]]\nkind = "polygon"\npoints = [{CORNERS}]\n', 1.5),
        ("[flock]\ncount = 1000\n" + "[[attractors]]\npoint = [1, 1]\n" * 1000, 7),
        ("[flock]\ncount = 1000\n" + '[[fields]]\nkind = "curl_noise"\n' * 10, 0.3),
        ("[flock]\ncount = 1000\n" + '[[fields]]\nkind = "vortex"\n' * 10, 0.06),
    ],
    ids=["obstacles", "a way", "corners", "attractors", "waves", "fields"],
)
def test_what_animals_meet_is_counted(more, measured):
    """A hundred frames among many obstacles, corners, attractors or fields: within three times what was measured."""
    found = stepping_seconds(costing(frames=100, more=more))

    assert measured / 3 <= found <= 3 * measured


MEASURED_PIXELS = (
    *(("gif", 8000, 8, 8.9), ("gif", 1730, 20, 1.2), ("webp", 6930, 4, 4.8), ("webp", 1730, 20, 1.8)),
    *(("png", 1730, 20, 1.2), ("mp4", 4000, 4, 2.5), ("webm", 1730, 20, 2.5), ("webm", 6930, 4, 12.0)),
)
"""Format, side, frames and seconds of one processor."""


@pytest.mark.parametrize(("form", "side", "frames", "measured"), MEASURED_PIXELS)
def test_pixels_of_every_format_are_counted(form, side, frames, measured):
    """Large pictures take roughly the time that is told, in every format."""
    assert measured / 3 <= seconds(costing(frames, side, form, "[flock]\ncount = 50\n")) <= 3 * measured


@pytest.mark.parametrize(("form", "side", "measured"), [("mp4", 1920, 0.25), ("mp4", 4000, 1.0), ("png", 4000, 5.0)])
def test_pixels_of_a_film_are_counted(form, side, measured, tmp_path, monkeypatch):
    """Twenty pictures of a film that is larger than the clip: within three times what was measured."""
    path = tmp_path / f"film.{form}"
    path.write_bytes(b"a film")
    monkeypatch.setattr(film, "probe", lambda _: VideoInfo((side, side), 20, 25.0))
    plain = costing(frames=20, form="mp4")
    over = load_scenario(plain, {"background.video": path, "world.boundary": "open"})

    assert measured / 3 <= seconds(over) - seconds(plain) <= 3 * measured


@pytest.mark.parametrize(
    ("frames", "side", "form", "more"),
    [
        (1500, 8000, "gif", ""),
        (2, 8000, "webm", ""),
        (2, 4000, "mp4", '[style]\ntheme = "dusk"\n'),
        (120, 8000, "gif", "loop_seam = 60\n"),
    ],
    ids=["seconds", "memory of an encoder", "memory of a lit scene", "memory of a seam"],
)
def test_what_a_stranger_may_not_ask(frames, side, form, more):
    """A clip that would take more than ten minutes or two gigabytes is refused before it is made again."""
    with pytest.raises(LimitError, match=r"a\.gif: takes roughly .* allowed; replay --trust allows it"):
        refuse_costly("a.gif", [costing(frames, side, form, more)], "replay")


@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_presets_may_be_replayed(name):
    """No preset takes a tenth of the memory that a stranger's clip may take."""
    assert memory(load_scenario(name)) < MAX_MEMORY / 2
