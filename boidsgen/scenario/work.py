"""Work: what a run consists of, counted from its keys and its actual start before anything is done.

`work(scenario)` has an amount for each kind of work, `SECONDS` what one of it takes. They were measured on one core of
an ordinary machine, with the engine that needs no compiler, over runs of every kind: `tests/benchmarks/estimates.py`
compares, and says what the factors should be.
"""

from boidsgen.drawing.overlays.marks import Obstacles
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.visits import animals, groups_of, visits

SECONDS = {
    "starts": 1.4e-2,
    "frames": 8.3e-4,
    "pixels": 2.8e-9,
    "changed_pixels": 3.2e-9,
    "steps": 9.5e-4,
    "flock_pairs": 2.6e-4,
    "boid_steps": 3.4e-6,
    "visits": 5.8e-8,
    "turns": 3e-4,
    "looks": 5e-8,
    "obstacle_steps": 8.9e-5,
    "obstacle_visits": 4e-8,
    "outlines": 1.4e-3,
    "changes": 7.2e-4,
    "event_frames": 1.1e-7,
    "letters": 2e-5,
    "measured_boids": 2e-6,
    "trail_pieces": 2.2e-7,
}
"""What one of each kind of work takes."""


def work(scenario: Scenario) -> dict[str, float]:
    """The amount of each kind of work."""
    width, height = scenario.picture_size
    steps, frames, boids = scenario.steps, scenario.time.frames, animals(scenario)
    groups, obstacles, events = len(groups_of(scenario)), len(scenario.obstacles), len(scenario.events)
    measures = {name for layer in scenario.layers for name in layer.measures()}
    drawn = any(isinstance(layer, Obstacles) for layer in scenario.layers)
    return {
        "starts": 1,
        "frames": frames,
        "pixels": frames * width * height,
        "changed_pixels": frames * width * height * _spread(boids) ** 2,
        "steps": steps * groups,
        "flock_pairs": steps * groups * (groups - 1),
        "boid_steps": boids * (steps + frames),
        "visits": visits(scenario),
        "turns": steps * sum(scenario.most_turns),
        "looks": looks(scenario),
        "obstacle_steps": steps * obstacles * groups,
        "obstacle_visits": steps * obstacles * boids,
        "outlines": obstacles * drawn * (frames if _moves(scenario) else 1),
        "changes": sum(len(event.set) * (event.over + 1) for event in scenario.events if event.at < frames),
        "event_frames": events * frames,
        "letters": sum(map(len, (*scenario.sentences.values(), *(flock.name for flock in scenario.flock)))),
        "measured_boids": frames * boids * len(measures),
        "trail_pieces": frames * boids * scenario.style.trails,
    }


def looks(scenario: Scenario) -> int:
    """Boids looked at in the whole run by those that take turns, which look at everyone of their kind."""
    return scenario.steps * sum(turns * turns for turns in scenario.most_turns)


def _spread(number: int) -> float:
    """The part of a side of the picture that lies between the first and the last of so many animals, on average."""
    return max(number - 1, 0) / (number + 1)


def _moves(scenario: Scenario) -> bool:
    """Whether the camera moves, so that what stands still is drawn anew in each frame."""
    return bool(scenario.camera.follows or scenario.camera.orbit)
