import errno
import re
import shutil
from itertools import cycle
from pathlib import Path

import pytest

from boidsgen import LimitError, UsageError, load_scenario, pipeline, record, render, simulate, still
from boidsgen.errors import OutputExistsError, StorageError
from boidsgen.output.fitting import Reduction
from boidsgen.output.formats import FITTED, WRITERS
from boidsgen.output.pictures import Gif
from boidsgen.pipeline import RunOptions

SMALL = {"world.size": [64, 48], "time.frames": 3, "flock.count": 5}


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    """A small scenario, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return load_scenario("quickstart", SMALL)


def test_report(scenario):
    """A report says what came of it, for every target; the frames decide the digest, not the format."""
    told = []
    report = render(scenario, "a.gif", Path("b.mp4"), progress=told.append)
    Path("clips").mkdir()
    again = render(scenario, "clips", "c.gif")

    assert (report.path, report.paths) == (Path("a.gif"), (Path("a.gif"), Path("b.mp4")))
    assert (report.frames, report.duration, report.engine, told) == (3, 0.12, "native", [1, 2, 3])
    assert again.digest == report.digest
    assert again.paths == (Path("clips/boids.gif"), Path("c.gif"))
    assert render(scenario, "d.gif", states=list(simulate(scenario))).engine is None


def test_states_are_as_many_as_frames(scenario):
    """Too few or too many of them, even without an end, are told, and nothing half-written stays."""
    states = list(simulate(scenario))
    looped = load_scenario("quickstart", {**SMALL, "output.loop_seam": 1})
    for made in (scenario, looped):
        with pytest.raises(UsageError, match=r"^states: has 2 frames, the scenario 3$"):
            render(made, "a.gif", states=iter(states[:2]))
        with pytest.raises(UsageError, match=r"^states: has more frames than the 3 of the scenario$"):
            render(made, "a.gif", states=cycle(states))
    for at in (2, [0, 2]):
        with pytest.raises(UsageError, match=r"^states: has 1 frame, the scenario 3$"):
            still(scenario, "a.png", at=at, states=states[:1])
    assert not list(Path().iterdir())


def test_a_scenario_that_could_not_be_read_again_is_refused_before_the_first_frame(scenario, monkeypatch):
    """The text that an output would embed is checked for its length and depth by all that embed it."""
    monkeypatch.setattr("boidsgen.scenario.scenario.MAX_ORIGIN", 100)
    seen = []
    for make in (lambda: render(scenario, "a.gif", progress=seen.append), lambda: record(scenario, "a.npz")):
        with pytest.raises(LimitError, match="could not be read again from its output"):
            make()
    with pytest.raises(LimitError, match="could not be read again from its output"):
        still(scenario, "a.png")

    assert seen == []
    assert not list(Path().iterdir())


def test_what_the_font_lacks_is_noticed(scenario, tmp_path):
    """Each text with characters that cannot be drawn is told, by render and by still; legends only where shown."""
    wanted = scenario.model_copy(update={"title": "Star 鳥 ß"})
    expected = ("title: the font has no 鳥; shown as a box",)

    assert render(wanted, tmp_path / "a.gif").notices == expected
    assert still(wanted, tmp_path / "a.png") == expected
    named = {"flock.name": "鳥", "overlay.legend": True}
    assert still(load_scenario("quickstart", {"time.frames": 1, **named}), tmp_path / "b.png") == (
        "flock.0.name: the font has no 鳥; shown as a box",
    )
    assert still(load_scenario("quickstart", {"time.frames": 1, "flock.name": "鳥"}), tmp_path / "c.png") == ()


def test_a_gif_is_made_to_fit(tmp_path):
    """It has at most the bytes that were asked for, lasts as long, and is the same each time."""
    free = load_scenario({"time": {"frames": 31}, "output": {"size": [200, 200]}, "flock": {"count": 12}})
    whole = pipeline.render(free, tmp_path / "whole.gif")
    allowed = whole.path.stat().st_size // 2
    fitting = load_scenario(str(free), {"output.max_bytes": allowed})
    fitted, again = pipeline.render(fitting, tmp_path / "fitted.gif"), pipeline.render(fitting, tmp_path / "again.gif")

    assert 0.9 * allowed < fitted.path.stat().st_size <= allowed
    assert fitted.path.read_bytes() == again.path.read_bytes()
    assert fitted.duration == pytest.approx(whole.duration, abs=2 / 25)
    assert fitted.notices[0].startswith("output.max_bytes: ")
    assert load_scenario(fitted.path) == fitting


@pytest.mark.parametrize("quality", ["draft", "standard"])
@pytest.mark.parametrize("kind", [name for name in FITTED if WRITERS[name].losses])
def test_what_can_lose_detail_does_so_first(kind, quality, tmp_path):
    """It keeps size and rate, uses most of the bytes that were asked for, and is the same each time."""
    given = {"time": {"frames": 13}, "output": {"size": [120, 90], "quality": quality}, "flock": {"count": 30}}
    whole = pipeline.render(load_scenario({**given, "title": ""}), tmp_path / f"whole.{kind}")
    allowed = whole.path.stat().st_size * 2 // 3
    fitting = load_scenario({**given, "title": "", "output": {**given["output"], "max_bytes": f"{allowed} B"}})
    fitted, again = (pipeline.render(fitting, tmp_path / f"{name}.{kind}") for name in ("fitted", "again"))

    assert 0.6 * allowed < fitted.path.stat().st_size <= allowed
    assert fitted.path.read_bytes() == again.path.read_bytes()
    assert (fitted.frames, fitted.digest) == (whole.frames, whole.digest)
    assert re.match(r"output.max_bytes: 120 x 90 .* \d+ of 20 steps coarser than", fitted.notices[0])
    assert load_scenario(fitted.path) == fitting


def test_outputs_that_fit_have_the_same_frames(tmp_path):
    """Each is at most as large as was asked for; one that is exact makes all of them smaller pictures."""
    targets = [tmp_path / name for name in ("a.gif", "a.mp4", "b.mp4")]
    report = pipeline.render(small_gif(9_000), *targets)

    assert report.notices[0].startswith("output.max_bytes: ")
    assert "coarser" not in report.notices[0]
    assert all(path.stat().st_size <= 9_000 for path in targets)
    sizes = {next(WRITERS[path.suffix[1:]].pictures(path)).shape[:2] for path in targets}
    assert len(sizes) == 1
    assert max(sizes) < (200, 200)
    with pytest.raises(LimitError, match=r"a\.mp4: output.max_bytes: 1,000 is too small: .* the mp4 still has"):
        pipeline.render(small_gif(1_000), tmp_path / "a.mp4")


def small_gif(allowed):
    return load_scenario(
        {"time": {"frames": 16}, "output": {"size": [200, 200], "max_bytes": allowed}, "flock": {"count": 12}}
    )


def test_every_form_is_made_once(tmp_path, monkeypatch):
    """The clip that was found to fit is the one that is published, to all targets; states are observed once."""
    runs, seen = [], []
    monkeypatch.setattr(pipeline, "simulate", lambda *run: runs.append(run) or simulate(*run))
    monkeypatch.setattr(pipeline, "best_reduction", lambda _, bytes_of, __: tried(bytes_of))
    forms = [Reduction((200, 200)), Reduction((100, 100), 2), Reduction((150, 150), 2)]

    def tried(bytes_of):
        sizes.extend(bytes_of(form) for form in forms)
        return forms[-1]

    sizes = []
    targets = [tmp_path / "one.gif", tmp_path / "two.gif"]
    report = pipeline.render(small_gif(10**6), *targets, options=RunOptions(observe=seen.append))

    assert len(runs) == 3
    assert [state.frame for state in seen] == [*range(16)]
    assert {path.stat().st_size for path in targets} == {sizes[-1]}
    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert (report.frames, Gif.count(targets[0]), report.paths) == (8, 8, tuple(targets))
    assert report.notices[0] == "output.max_bytes: 150 x 150 pixels and 12.5 frames a second fit"


def test_a_fit_that_cannot_be_stored_leaves_what_was_there(tmp_path, monkeypatch):
    """With a full disk in the last moment the file is the old one, and alone."""
    path = tmp_path / "flock.gif"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(StorageError, match=r"flock\.gif: No space"):
        pipeline.render(small_gif(10**6), path)
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]
    with pytest.raises(OutputExistsError):
        pipeline.render(small_gif(10**6), path, options=RunOptions(no_clobber=True))
