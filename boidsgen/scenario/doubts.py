"""Doubts: what is valid, and surely not meant.

`doubts_of(scenario, document)` yields them as `Mistake`s, which name the keys as the user wrote them. A rendering tells
them and goes on; `--strict` takes them for mistakes. Each doubt is one function that looks at a whole scenario; those
that there are stand at the end.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import dist, inf

from boidsgen.drawing.camera import Camera
from boidsgen.scenario.mistakes import Mistake, as_written, present
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.obstacles import Obstacle, silhouette_of

NARROW = 10
"""Degrees below which a field of view is taken for radians."""
AS_BEFORE = 0.01
"""Degrees by which a camera may miss where it began."""
LETTER = 80
"""Pixels that a letter of the smallest text takes, lines and words apart; those of titles and captions take more."""
SAME_SHAPE = 0.02
"""By how much the shape of a picture may differ from that of its world, as a part of it."""


def doubts_of(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Mistake]:
    """Everything in a valid scenario that was surely not meant."""
    for doubt in DOUBTS:
        for one in doubt(scenario, document):
            yield Mistake(as_written(one.keys, document), one.wording)


def _late_events(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    frames = scenario.time.frames
    for number, event in enumerate(scenario.events):
        if event.at >= frames:
            yield Mistake(("events", number, "at"), f"never happens: the last frame is {frames - 1}")


def _idle_events(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    for number, event in enumerate(scenario.events):
        if not event.set and event.caption is None:
            yield Mistake(("events", number), "changes nothing: it has neither set nor caption")


def _outside(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    for number, obstacle in enumerate(scenario.obstacles):
        if not _touches(scenario, obstacle):
            yield Mistake(("obstacles", number), f"lies outside the world, which is {_size(scenario.world.size)}")
    for number, attractor in enumerate(scenario.attractors):
        point = attractor.point
        if point and not scenario.world.boundary.leads_round and not _inside(point, scenario.world.size):
            wrong = f"lies outside the world, which is {_size(scenario.world.size)}"
            yield Mistake(("attractors", number, "point"), wrong)


def _narrow_view(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    for number, flock in enumerate(scenario.flock):
        angle = flock.perception.field_of_view
        if angle < NARROW:
            keys = ("flock", number, "perception", "field_of_view")
            yield Mistake(keys, f"{angle:g} degrees see next to nothing; is that in radians? All round is 360")


def _camera_in_the_plane(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Mistake]:
    if scenario.world.dimension == 2:
        for key in ("azimuth", "elevation", "orbit"):
            usual = Camera.model_fields[key].default  # which a template writes, too
            if present(("camera", key), document) and getattr(scenario.camera, key) != usual:
                yield Mistake(("camera", key), "does nothing in a flat world; world.size has 2 entries")


def _seam_of_orbit(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    orbit, seam, left = abs(scenario.camera.orbit), scenario.output.loop_seam, scenario.clip_frames
    rounds = max(round(left * orbit / 360), 1)
    if not seam or not orbit or scenario.world.dimension == 2 or abs(left * orbit - rounds * 360) < AS_BEFORE:
        return
    turned = f"in the {left} frames that are left the camera turns by {left * orbit:g} degrees"
    wrong = f"{turned}; with camera.orbit = {rounds * 360 / left:.12g} it comes round"
    yield Mistake(("output", "loop_seam"), wrong)


def _bars(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    size = scenario.output.size
    if size is None or scenario.world.dimension == 3 or scenario.camera.follows or _has_room_beside(scenario):
        return
    across, down = scenario.world.size
    shape = across / down
    if abs(size[0] / size[1] / shape - 1) > SAME_SHAPE:
        fitting = f"{size[0]}x{round(size[0] / shape)}"
        wrong = f"has another shape than the world ({across:g}x{down:g}), which leaves bars; {fitting} leaves none"
        yield Mistake(("output", "size"), wrong)


def _far_separation(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    for number, flock in enumerate(scenario.flock):
        rule, seen = flock.separation, flock.perception.radius
        flocks = flock.alignment.weight or flock.cohesion.weight
        if flocks and rule.weight and rule.radius is not None and seen < rule.radius < inf:
            wrong = f"is larger than perception.radius, {seen:g}: boids keep clear of some whom they do not follow"
            yield Mistake(("flock", number, "separation", "radius"), wrong)


def _sees_everyone(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Mistake]:
    across = dist([0.0] * scenario.world.dimension, scenario.world.size)
    reach = across / 2 if scenario.world.boundary.leads_round else across
    for number, flock in enumerate(scenario.flock):
        keys = as_written(("flock", number, "perception", "radius"), document)
        if reach <= flock.perception.radius < inf and present(keys, document):
            wrong = f"{flock.perception.radius:g} sees everyone in a world of {_size(scenario.world.size)}; inf says so"
            yield Mistake(keys, wrong)


def _slow_hunters(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    slowest = min((flock.speeds[0] for flock in scenario.flock if flock.count), default=0.0)
    for number, hunters in enumerate(scenario.predators):
        if "hunt" in hunters.rules and not hunters.path and hunters.max_speed < slowest:
            wrong = f"{hunters.max_speed:g} reaches nobody: the slowest boid flies at {slowest:g}"
            yield Mistake(("predators", number, "max_speed"), wrong)


def _endless_texts(scenario: Scenario, _: Mapping[str, object]) -> Iterator[Mistake]:
    width, height = scenario.picture_size
    room = width * height // LETTER
    for keys, text in scenario.sentences.items():
        if len(text) > room:
            wrong = f"has {len(text):,} letters; a picture of {width}x{height} shows {room:,} at most"
            yield Mistake(keys, wrong)


def _has_room_beside(scenario: Scenario) -> bool:
    """Whether the picture is larger than the world on purpose, for what stands below it or at its side."""
    captions = scenario.overlay.chart or scenario.overlay.caption or any(event.caption for event in scenario.events)
    return bool(captions or scenario.overlay.forces in {"panel", "chart"})


def _touches(scenario: Scenario, obstacle: Obstacle) -> bool:
    """Whether the box round an obstacle reaches into the world."""
    shape = silhouette_of(obstacle, scenario.world.dimension)
    room = shape.radius or 0.0
    lowest, highest = shape.points.min(axis=0) - room, shape.points.max(axis=0) + room
    return bool((highest >= 0).all() and (lowest <= scenario.world.extent).all())


def _inside(point: Sequence[float], size: Sequence[float]) -> bool:
    return all(0 <= place <= side for place, side in zip(point, size, strict=True))


def _size(size: Sequence[float]) -> str:
    return "×".join(f"{side:g}" for side in size)


Doubt = Callable[[Scenario, Mapping[str, object]], Iterator[Mistake]]

DOUBTS: tuple[Doubt, ...] = (
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
"""Every doubt that there is."""
