"""Observation models: a run is seen with the gaps, noise and smoothing of a film, as a plain loop has them."""

import numpy as np
import pytest

from boidsgen import load_scenario, record, simulate, tracks
from boidsgen.scenario.loading import load_run
from boidsgen.simulation.observing import ObservationModel, noise_of, observation_of, smoothed
from boidsgen.simulation.run import simulate as states_of

KEYS = {"flock.count": 9, "time.frames": 24, "time.dt": 0.5, "time.steps_per_frame": 2}
FPS = 1.0
MANNER = "frame=frame,id=number,x=x,y=y"
WORLD = {"world.boundary": "torus", "world.size": [400.0, 400.0], "output.fps": 25}


def _gaps(share, shape=(24, 9), seed=5):
    return np.random.default_rng(seed).random(shape) >= share


def _plain(states, seen, window):
    """Position and velocity by frame and animal: the parabola through the window, or differences to who is seen next.

    None for whoever is not seen, or has too few neighbors in time.
    """
    size = states[0].setup.world.extent
    frames, animals = seen.shape

    def near(offset):
        return (offset + size / 2) % size - size / 2

    found = {}
    for animal in range(animals):
        place = {frame: states[frame].flocks[0].position[animal] for frame in range(frames) if seen[frame, animal]}
        for frame, here in place.items():
            reach = window // 2 if window else 1
            others = {t: near(place[t] - here) for t in range(frame - reach, frame + reach + 1) if t in place}
            if window and len(others) >= 3:
                fit = np.polyfit(np.array([*others]) - frame, np.array([*others.values()]), 2)
                found[frame, animal] = (here + fit[2]) % size, FPS * fit[1]
            elif not window and len(others) > 1:
                span = max(others) - min(others)
                found[frame, animal] = here, FPS * (others[max(others)] - others[min(others)]) / span
    return found


@pytest.mark.parametrize("share", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("window", [0, 5])
def test_a_run_is_seen_as_a_plain_loop_has_it(share, window):
    """Whoever is there, and each position and velocity, in a world that repeats."""
    scenario = load_scenario("quickstart", KEYS)
    states, seen = [*states_of(scenario)], _gaps(share)

    shown = [*ObservationModel(seen, 0.0, window).tracks(states, 1)]

    wanted = _plain(states, seen, window)
    found = {
        (state.frame, int(number)): (position, velocity)
        for state in shown
        for number, position, velocity in zip(
            state.flocks[0].numbers, state.flocks[0].position, state.flocks[0].velocity, strict=True
        )
    }
    assert found.keys() == wanted.keys()
    for place, vectors in wanted.items():
        assert np.allclose(found[place], vectors, atol=1e-9)


def test_noise_is_of_the_seed_and_as_large_as_it_says():
    """The same seed gives the same tracks, another one others; positions scatter by the noise."""
    states = [*states_of(load_scenario("quickstart", KEYS | {"time.frames": 200}))]
    model = ObservationModel(np.ones((200, 9), bool), 0.3, 0, given=True)

    one, same, other = ([state.flocks[0] for state in model.tracks(states, seed)] for seed in (1, 1, 2))

    exact = np.stack([state.flocks[0].position for state in states])
    off = states[0].setup.world.shortest(np.stack([group.position for group in one]) - exact)
    assert off.std() == pytest.approx(0.3, rel=0.05)
    assert all(np.array_equal(a.position, b.position) for a, b in zip(one, same, strict=True))
    assert not any(np.array_equal(a.position, b.position) for a, b in zip(one, other, strict=True))
    assert all(
        np.array_equal(group.velocity, state.flocks[0].velocity) for group, state in zip(one, states, strict=True)
    )


MODELS = {
    "quickstart": {"flock.count": 30},
    "couzin-torus": {"flock.count": 40, "time.warmup": 100},
    "vicsek-1995": {"flock.count": 60, "world.size": [5, 5]},
    "dorsogna": {"flock.count": 40},
}


@pytest.mark.parametrize("window", [0, 5])
@pytest.mark.parametrize("name", MODELS)
def test_the_noise_of_tracks_is_found(name, window):
    """From a tenth of a step on within 15 %, whatever the motion; smaller noise is not taken for a larger one."""
    states = [*states_of(load_scenario(name, MODELS[name] | {"time.frames": 150}))]
    world = states[0].setup.world
    exact = np.stack([state.flocks[0].position for state in states])
    step = np.linalg.norm(world.displacement(np.diff(exact, axis=0)), axis=-1).mean()
    random = np.random.default_rng(4)
    for part in (0.0, 0.1, 0.3):
        seen = world.wrapped(exact + random.normal(0, part * step, exact.shape) if part else exact)
        seen = np.where(_gaps(0.1, exact.shape[:2])[..., None], seen, np.nan)
        if window:
            seen = smoothed(seen, window, 1.0, world)[0]

        found = noise_of(seen, window, world) / step

        assert found == pytest.approx(part, rel=0.2) if part else found < 0.02


@pytest.mark.parametrize("smooth", [0, 5])
def test_a_recording_tells_how_it_was_made(smooth, tmp_path, monkeypatch):
    """Its gaps, the window of its smoothing, and its noise, which may be given; one of a simulation tells nothing."""
    monkeypatch.chdir(tmp_path)
    frame, random = simulate("quickstart", overrides=KEYS | {"time.frames": 150}).to_pandas(), np.random.default_rng(6)
    frame["x"] += random.normal(0, 0.5, len(frame))
    frame["y"] += random.normal(0, 0.5, len(frame))
    frame[random.random(len(frame)) > 0.1].to_csv("film.csv", index=False)
    tracks("film.csv", "film.npz", columns=MANNER, fps=FPS, smooth=smooth, origin=(0, 0), overrides=WORLD)
    record("quickstart", "run.npz", overrides=KEYS)
    film = load_scenario("film.npz")

    model = observation_of(load_run("film.npz").states, film)

    there = [number in state.flocks[0].numbers for state in load_run("film.npz").states for number in range(9)]
    assert model.seen.ravel().tolist() == there
    assert (model.smooth, model.given) == (smooth, False)
    assert model.noise == pytest.approx(0.5, rel=0.15)
    assert observation_of(load_run("film.npz").states, film, 0.25).noise == 0.25
    assert observation_of(load_run("run.npz").states, load_scenario("run.npz")) is None


def test_velocities_of_the_table_are_those_of_the_run(tmp_path, monkeypatch):
    """A table that has velocities is not compared with runs whose velocities come from positions."""
    monkeypatch.chdir(tmp_path)
    simulate("quickstart", overrides=KEYS).to_pandas().to_csv("film.csv", index=False)
    tracks("film.csv", "film.npz", columns=f"{MANNER},vx=vx,vy=vy", fps=FPS, origin=(0, 0), overrides=WORLD)

    model = observation_of(load_run("film.npz").states, load_scenario("film.npz"), 0.0)

    assert model.given
    states = [*states_of(load_scenario("quickstart", KEYS))]
    shown = [*model.tracks(states, 1)]
    assert all(
        np.array_equal(one.flocks[0].velocity, state.flocks[0].velocity)
        for one, state in zip(shown, states, strict=True)
    )
