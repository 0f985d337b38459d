"""Warnings: what is valid and probably not intended.

A rendering prints them and goes on; `--strict` treats them as errors. Each function checks one part of a scenario;
they are listed at the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import dist, inf

from boidsgen.drawing.camera import Camera
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.validation import Problem, as_written, present
from boidsgen.simulation.obstacles import silhouette_of

NARROW = 10
"""Degrees below which a field of view is probably given in radians."""
FULL_TURN = 0.01
"""Tolerance of a full turn of the camera, in degrees."""
LETTER = 80
"""Pixels of a letter of the smallest text, with the space around it."""
SAME_SHAPE = 0.02
"""Tolerance of a picture's aspect ratio, relative to that of its world."""


def warnings_of(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    """Every warning about a valid scenario."""
    for check in _CHECKS:
        for one in check(scenario, document):
            yield Problem(as_written(one.keys, document), one.wording)


def _of_events(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    for number, event in enumerate(scenario.events):
        if event.at >= scenario.time.frames:
            yield Problem(("events", number, "at"), f"never happens: the last frame is {scenario.time.frames - 1}")
        if not event.set and event.caption is None:
            yield Problem(("events", number), "changes nothing: it has neither set nor caption")


def _of_places(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    world = scenario.world
    outside = f"is outside the world, which is {_size(world.size)}"
    for number, obstacle in enumerate(scenario.obstacles):
        shape = silhouette_of(obstacle, world.dimension)
        room = shape.radius or 0.0
        lowest, highest = shape.points.min(axis=0) - room, shape.points.max(axis=0) + room
        if not ((highest >= 0).all() and (lowest <= world.extent).all()):
            yield Problem(("obstacles", number), outside)
    for number, attractor in enumerate(scenario.attractors):
        inside = all(0 <= place <= side for place, side in zip(attractor.point or (), world.size, strict=False))
        if not inside and not world.boundary.leads_round:
            yield Problem(("attractors", number, "point"), outside)


def _of_flocks(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    across = dist([0.0] * scenario.world.dimension, scenario.world.size)
    reach = across / 2 if scenario.world.boundary.leads_round else across
    for number, flock in enumerate(scenario.flock):
        angle, seen, rule = flock.perception.field_of_view, flock.perception.radius, flock.separation
        keys = as_written(("flock", number, "perception", "radius"), document)
        if angle < NARROW:
            narrow = f"{angle:g} degrees see next to nothing; is that in radians? All round is 360"
            yield Problem(("flock", number, "perception", "field_of_view"), narrow)
        if reach <= seen < inf and present(keys, document):
            wrong = f"{seen:g} sees everyone in a world of {_size(scenario.world.size)}; inf says so"
            yield Problem(keys, wrong)
        flocks = flock.alignment.weight or flock.cohesion.weight
        if flocks and rule.weight and rule.radius is not None and seen < rule.radius < inf:
            wrong = f"is larger than perception.radius, {seen:g}: boids avoid some that they do not follow"
            yield Problem(("flock", number, "separation", "radius"), wrong)
    slowest = min((flock.speeds[0] for flock in scenario.flock if flock.count), default=0.0)
    for number, hunters in enumerate(scenario.predators):
        if "hunt" in hunters.rules and not hunters.path and hunters.max_speed < slowest:
            wrong = f"{hunters.max_speed:g} reaches nobody: the slowest boid flies at {slowest:g}"
            yield Problem(("predators", number, "max_speed"), wrong)


def _of_the_camera(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    orbit, seam, left = abs(scenario.camera.orbit), scenario.output.loop_seam, scenario.clip_frames
    if scenario.world.dimension == 2:
        for key in ("azimuth", "elevation", "orbit"):
            usual = Camera.model_fields[key].default  # which a template writes, too
            if present(("camera", key), document) and getattr(scenario.camera, key) != usual:
                yield Problem(("camera", key), "does nothing in a flat world; world.size has 2 entries")
    elif seam and orbit:
        rounds = max(round(left * orbit / 360), 1)
        if abs(left * orbit - rounds * 360) >= FULL_TURN:
            turned = f"in the {left} frames that are left the camera turns by {left * orbit:g} degrees"
            wrong = f"{turned}; with camera.orbit = {rounds * 360 / left:.12g} it comes round"
            yield Problem(("output", "loop_seam"), wrong)


def _of_the_picture(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    size, overlay = scenario.output.size, scenario.overlay
    captions = overlay.chart or overlay.caption or any(event.caption for event in scenario.events)
    has_room_beside = captions or overlay.forces in {"panel", "chart"}  # the picture is larger than the world for these
    if size and scenario.world.dimension == 2 and not scenario.camera.follows and not has_room_beside:
        across, down = scenario.world.size
        if abs(size[0] / size[1] / (across / down) - 1) > SAME_SHAPE:
            fitting = f"{size[0]}x{round(size[0] * down / across)} leaves none"
            world = f"{across:g}x{down:g}"
            wrong = f"has another aspect ratio than the world ({world}), which leaves bars; {fitting}"
            yield Problem(("output", "size"), wrong)
    width, height = scenario.picture_size
    room = width * height // LETTER
    for keys, text in scenario.sentences.items():
        if len(text) > room:
            wrong = f"has {len(text):,} characters; a picture of {width}x{height} shows {room:,} at most"
            yield Problem(keys, wrong)


def _size(size: Sequence[float]) -> str:
    return "×".join(f"{side:g}" for side in size)


_CHECKS = (_of_events, _of_places, _of_flocks, _of_the_camera, _of_the_picture)
