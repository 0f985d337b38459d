"""Warnings: what is valid and probably not intended.

A rendering prints them and goes on; `--strict` treats them as errors. Each check is one function of the scenario and
the document; they are listed at the end.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import dist, inf

from boidsgen.drawing.camera import Camera
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.validation import Problem, as_written, present
from boidsgen.simulation.obstacles import Obstacle, silhouette_of

NARROW = 10
"""Degrees below which a field of view is probably given in radians."""
AS_BEFORE = 0.01
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


def _late_events(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    frames = scenario.time.frames
    for number, event in enumerate(scenario.events):
        if event.at >= frames:
            yield Problem(("events", number, "at"), f"never happens: the last frame is {frames - 1}")


def _idle_events(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    for number, event in enumerate(scenario.events):
        if not event.set and event.caption is None:
            yield Problem(("events", number), "changes nothing: it has neither set nor caption")


def _outside(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    for number, obstacle in enumerate(scenario.obstacles):
        if not _touches(scenario, obstacle):
            yield Problem(("obstacles", number), f"is outside the world, which is {_size(scenario.world.size)}")
    for number, attractor in enumerate(scenario.attractors):
        point = attractor.point
        inside = all(0 <= place <= side for place, side in zip(point or (), scenario.world.size, strict=False))
        if not inside and not scenario.world.boundary.leads_round:
            wrong = f"is outside the world, which is {_size(scenario.world.size)}"
            yield Problem(("attractors", number, "point"), wrong)


def _narrow_view(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    for number, flock in enumerate(scenario.flock):
        angle = flock.perception.field_of_view
        if angle < NARROW:
            keys = ("flock", number, "perception", "field_of_view")
            yield Problem(keys, f"{angle:g} degrees see next to nothing; is that in radians? All round is 360")


def _camera_in_the_plane(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    if scenario.world.dimension == 2:
        for key in ("azimuth", "elevation", "orbit"):
            usual = Camera.model_fields[key].default  # which a template writes, too
            if present(("camera", key), document) and getattr(scenario.camera, key) != usual:
                yield Problem(("camera", key), "does nothing in a flat world; world.size has 2 entries")


def _seam_of_orbit(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    orbit, seam, left = abs(scenario.camera.orbit), scenario.output.loop_seam, scenario.clip_frames
    rounds = max(round(left * orbit / 360), 1)
    if not seam or not orbit or scenario.world.dimension == 2 or abs(left * orbit - rounds * 360) < AS_BEFORE:
        return
    turned = f"in the {left} frames that are left the camera turns by {left * orbit:g} degrees"
    wrong = f"{turned}; with camera.orbit = {rounds * 360 / left:.12g} it comes round"
    yield Problem(("output", "loop_seam"), wrong)


def _bars(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    size = scenario.output.size
    if size is None or scenario.world.dimension == 3 or scenario.camera.follows or _has_room_beside(scenario):
        return
    across, down = scenario.world.size
    shape = across / down
    if abs(size[0] / size[1] / shape - 1) > SAME_SHAPE:
        fitting = f"{size[0]}x{round(size[0] / shape)}"
        wrong = (
            f"has another aspect ratio than the world ({across:g}x{down:g}), which leaves bars; {fitting} leaves none"
        )
        yield Problem(("output", "size"), wrong)


def _far_separation(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    for number, flock in enumerate(scenario.flock):
        rule, seen = flock.separation, flock.perception.radius
        flocks = flock.alignment.weight or flock.cohesion.weight
        if flocks and rule.weight and rule.radius is not None and seen < rule.radius < inf:
            wrong = f"is larger than perception.radius, {seen:g}: boids keep clear of some whom they do not follow"
            yield Problem(("flock", number, "separation", "radius"), wrong)


def _sees_everyone(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    across = dist([0.0] * scenario.world.dimension, scenario.world.size)
    reach = across / 2 if scenario.world.boundary.leads_round else across
    for number, flock in enumerate(scenario.flock):
        keys = as_written(("flock", number, "perception", "radius"), document)
        if reach <= flock.perception.radius < inf and present(keys, document):
            wrong = f"{flock.perception.radius:g} sees everyone in a world of {_size(scenario.world.size)}; inf says so"
            yield Problem(keys, wrong)


def _slow_hunters(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    slowest = min((flock.speeds[0] for flock in scenario.flock if flock.count), default=0.0)
    for number, hunters in enumerate(scenario.predators):
        if "hunt" in hunters.rules and not hunters.path and hunters.max_speed < slowest:
            wrong = f"{hunters.max_speed:g} reaches nobody: the slowest boid flies at {slowest:g}"
            yield Problem(("predators", number, "max_speed"), wrong)


def _endless_texts(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Problem]:
    width, height = scenario.picture_size
    room = width * height // LETTER
    for keys, text in scenario.sentences.items():
        if len(text) > room:
            wrong = f"has {len(text):,} letters; a picture of {width}x{height} shows {room:,} at most"
            yield Problem(keys, wrong)


def _has_room_beside(scenario: Scenario) -> bool:
    """True if the picture is larger than the world on purpose, for what is below it or at its side."""
    captions = scenario.overlay.chart or scenario.overlay.caption or any(event.caption for event in scenario.events)
    return bool(captions or scenario.overlay.forces in {"panel", "chart"})


def _touches(scenario: Scenario, obstacle: Obstacle) -> bool:
    """True if the bounding box of an obstacle reaches into the world."""
    shape = silhouette_of(obstacle, scenario.world.dimension)
    room = shape.radius or 0.0
    lowest, highest = shape.points.min(axis=0) - room, shape.points.max(axis=0) + room
    return bool((highest >= 0).all() and (lowest <= scenario.world.extent).all())


def _size(size: Sequence[float]) -> str:
    return "×".join(f"{side:g}" for side in size)


_CHECKS: tuple[Callable[[Scenario, Mapping[str, object]], Iterator[Problem]], ...] = (
    _late_events,
    _idle_events,
    _outside,
    _narrow_view,
    _camera_in_the_plane,
    _seam_of_orbit,
    _bars,
    _far_separation,
    _sees_everyone,
    _slow_hunters,
    _endless_texts,
)
