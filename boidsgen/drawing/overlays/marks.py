"""Marks in the world: its edges, obstacles, attractors, the center of mass, the paths of predators, and roads.

Bodies are drawn by their silhouettes, whatever their kind. What is at rest lies below the animals and is drawn anew
only when it changes; the rest lies above them. `Axes` shows the world as a wireframe, with ticks, numbers and names.
"""

from functools import lru_cache
from itertools import chain
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.camera import FINE_SHADES, LIGHT, RIM, SHADES, SHADOW, ball, hides, outline, shades, views
from boidsgen.drawing.canvas import Backdrop, Foreground, Rectangle, Room, Scene, Surface, strength_at
from boidsgen.drawing.frame import PaletteIndex
from boidsgen.drawing.text import height, width
from boidsgen.simulation.geometry import SHORTEST, Array, circle, dot, edges, length, magnitude, unit
from boidsgen.simulation.motion import Group
from boidsgen.simulation.obstacles import Obstacle, Silhouette, no_ribs
from boidsgen.simulation.profiles import only
from boidsgen.simulation.rules.places import FollowPath
from boidsgen.simulation.rules.pursuit import Attractor, Curve
from boidsgen.simulation.rules.rule import SteeredGroup
from boidsgen.simulation.setup import Predators, Setup, State
from boidsgen.simulation.world import World
from boidsgen.tables import Positive

DOT = 0.25  # Radius of a dot, in lengths of a boid
MARK = 2.0  # Diameter of the largest mark, in lengths of a boid
ARROWS_BEGIN, ARROWS_END = 0.5, 1.25
"""Distances at which the arrowheads round an attractor begin and end, in heights of a letter."""


class Obstacles(Backdrop):
    """Obstacles, softly filled and clearly outlined."""

    roles: ClassVar[tuple[str, ...]] = ("obstacle",)

    obstacles: bool = True
    """Show the obstacles."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.obstacles and bool(setup.obstacles)

    @override
    def shows(self, state: State) -> object:
        return state.setup.obstacles

    @override
    def draw(self, surface: Surface, scene: Scene) -> None:
        dimension = scene.setup.world.dimension
        shapes = [(body, body.silhouette()) for body in scene.setup.obstacles]
        for body, shape in sorted(shapes, key=lambda each: _nearness(each[1], scene)):
            seen, rim = scene.projection(shape.points), outline(shape, scene.projection)
            if not seen.shown.all():
                continue
            if dimension == 3:
                depth = (seen.depth.min(keepdims=True) + seen.depth.max()) / 2
                _draw_solid(surface, scene, body, shape, rim, float(strength_at(depth)[0]))
                continue
            extent = float(np.ptp(rim, axis=0).max())
            felt = body.weight or body.solid or extent > MARK * scene.body
            for copy in scene.projection.copies(rim):
                # What is small, and nobody feels, only marks a place: a target, a ring round a dot.
                middle = copy.mean(axis=0)
                inner = copy if felt else middle + 0.4 * (copy - middle)
                surface.fill(inner, scene.tone("obstacle", 0.22 if felt else 0.9))
                surface.stroke(copy, np.roll(copy, -1, axis=0), scene.tone("obstacle", 0.9), 1.4 * scene.pen)
            start, end = (scene.projection(side).xy for side in shape.ribs)
            surface.stroke(start, end, scene.tone("obstacle", 0.6), 1.4 * scene.pen)


def _nearness(shape: Silhouette, scene: Scene) -> float:
    """Distance of the middle of a body toward the viewer, in world units."""
    along = dot(shape.points, scene.projection.axes[2])
    return float(along.min() + along.max()) / 2


def _draw_solid(surface: Surface, scene: Scene, body: Obstacle, shape: Silhouette, rim: Array, strength: float) -> None:
    """A shaded body that hides what is behind it, with those of its ribs that face the viewer."""
    projection, world = scene.projection, scene.setup.world
    surface.hide(rim, body)
    steps = FINE_SHADES if scene.inks.cleared else SHADES
    for polygon, light in [(rim, 0.0), *shades(shape, projection, steps, dark=scene.inks.dark)]:
        surface.shade(polygon, scene.inks.ink("obstacle"), (SHADOW + LIGHT * light) * strength)
    middle = (shape.ribs[0] + shape.ribs[1]) / 2
    ahead = middle + 1e-3 * magnitude(world.extent) * unit(views(middle, projection))
    front = ~hides(body, ahead, projection, world)
    start, end = (projection(side[front]).xy for side in shape.ribs)
    edge, next_edge = np.concatenate((rim, start)), np.concatenate((np.roll(rim, -1, axis=0), end))
    surface.stroke(edge, next_edge, scene.tone("obstacle", RIM * strength), 1.2 * scene.pen)


class Attractors(Backdrop):
    """A dot with four arrowheads, toward it if it attracts boids, away from it if it repels them."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)

    attractors: bool = True
    """Mark the attractors at rest: arrowheads point toward those that attract and away from those that repel."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.attractors and not all(attractor.path for attractor in setup.attractors)

    @override
    def shows(self, state: State) -> object:
        return [attractor for attractor in state.setup.attractors if attractor.path is None]

    @override
    def draw(self, surface: Surface, scene: Scene) -> None:
        for attractor in scene.setup.attractors:
            if attractor.weight and attractor.path is None:
                _attractor_mark(surface, scene, attractor, attractor.place(0.0, scene.setup.world), "muted")


class MovingAttractors(Foreground):
    """The mark of an attractor where its path has brought it, above the animals that gather round it."""

    roles: ClassVar[tuple[str, ...]] = ("accent", "muted")

    moving_attractors: bool = True
    """Mark the attractors that have a path, as those at rest are marked."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.moving_attractors and any(attractor.path for attractor in setup.attractors)

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        for attractor in state.setup.attractors:
            if attractor.weight and attractor.path is not None:
                place = attractor.place(state.time, state.setup.world)
                _attractor_mark(surface, scene, attractor, place, "accent")


def _attractor_mark(surface: Surface, scene: Scene, attractor: Attractor, place: Array, role: str) -> None:
    seen = scene.projection(place[None, :])
    if not seen.shown[0]:
        return
    tone = scene.tone(role, float(strength_at(seen.depth)[0]))
    surface.fill(seen.xy[0] + 0.2 * scene.text * circle(24), tone)
    tip, tail = (ARROWS_BEGIN, ARROWS_END) if attractor.weight > 0 else (ARROWS_END, ARROWS_BEGIN)
    head = np.array([(tip, 0.0), (tail, 0.32), (tail, -0.32)])
    for ahead in circle(4):
        surface.fill(seen.xy[0] + scene.text * (head @ np.array([ahead, (-ahead[1], ahead[0])])), tone)
    if np.isfinite(attractor.radius):
        for copy in scene.projection.copies(ball(place, attractor.radius, scene.projection)):
            surface.stroke(copy[::2], copy[1::2], scene.tone("muted", 0.6), 1.0 * scene.pen)


class CenterOfMass(Foreground):
    """A ring with a cross, or a dot, on the middle of each flock."""

    roles: ClassVar[tuple[str, ...]] = ("accent",)

    center_of_mass: bool | Literal["dot"] = False
    """Mark the mean position of each flock: true by a ring with a cross, "dot" by a disc as large as a boid of shape
    dot."""

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        middles = [only(state, number).center for number, flock in enumerate(state.flocks) if len(flock.position)]
        if not middles:
            return
        seen = scene.projection(np.array(middles))
        if self.center_of_mass == "dot":
            radius = DOT * scene.body * seen.scale / scene.projection.scale
            for xy, wide in zip(seen.xy[seen.shown], radius[seen.shown].tolist(), strict=True):
                surface.fill(xy + wide * circle(32), scene.tone("accent"))
            return
        for xy in seen.xy[seen.shown]:
            size = 0.55 * scene.text
            ring = xy + size * circle(32)
            arm = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
            surface.stroke(ring, np.roll(ring, -1, axis=0), scene.tone("accent"), 1.6 * scene.pen)
            surface.stroke(xy + 0.5 * size * arm, xy + 1.6 * size * arm, scene.tone("accent"), 1.6 * scene.pen)


ARROWS = {2: 16, 3: 6}  # Number of arrows along the longest side of what is seen of the world, by dimension
LONGEST_ARROW, BARB = 0.8, 0.35  # Lengths: of the longest arrow in distances between arrows, and of a barb in arrows
FLOWING = 0.5  # Strength of the nearest arrow


class Fields(Backdrop):
    """Arrows along the fields, faint, on a coarse lattice."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)

    fields: bool = True
    """Show the sum of all fields by faint arrows, each as long in proportion as the field is strong there."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.fields and bool(setup.fields)

    @override
    def shows(self, state: State) -> object:
        fields = state.setup.fields
        return fields, state.time if any(field.moments for field in fields) else 0.0

    @override
    def draw(self, surface: Surface, scene: Scene) -> None:
        world, fields, (low, high) = scene.setup.world, scene.setup.fields, scene.part
        apart = (high - low).max() / ARROWS[world.dimension]
        many = np.maximum(np.rint((high - low) / apart), 1).astype(int)
        place = low + (np.indices(many).reshape(len(many), -1).T + 0.5) * (high - low) / many
        # The longest arrow is that of the strongest moment, so that gusts can be seen.
        flows = [
            sum((field.weight * field.value(place, time, world) for field in fields), np.zeros_like(place))
            for time in (scene.time, *chain.from_iterable(field.moments for field in fields))
        ]
        arrow = flows[0] * (LONGEST_ARROW * apart / max(np.max([*map(length, flows)]), SHORTEST))
        tail, tip = scene.projection(place - arrow / 2), scene.projection(place + arrow / 2)
        along = tip.xy - tail.xy
        drawn = tail.shown & tip.shown & (length(along) > 2 * scene.pen)
        along, tip_xy = along[drawn], tip.xy[drawn]
        across = along[:, ::-1] * (-0.5, 0.5)
        barbs = [tip_xy - BARB * (along + side * across) for side in (-1, 1)]
        tone = scene.tone("muted", np.tile(FLOWING * strength_at(tip.depth[drawn]), 3))
        surface.stroke(np.vstack((tail.xy[drawn], *barbs)), np.vstack([tip_xy] * 3), tone, 1.2 * scene.pen)


CURVE_PIECES = 480  # Number of straight lines of a curve by position
MAX_ROUTE_STEPS = 4000  # Maximum number of steps of a route; a longer one stays open
STRENGTH = 0.5  # Strength of what is nearest


class Paths(Foreground):
    """The paths of predators, faint."""

    roles: ClassVar[tuple[str, ...]] = ("predator",)
    glows: ClassVar[bool] = True

    paths: bool = False
    """Show the paths of predators: those by position, and those by velocity where nothing else moves the predators and
    they have no inertia."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.paths and any(map(has_route, setup.predators))

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        for table, group in zip(state.setup.predators, state.predators, strict=True):
            if len(group.position) and has_route(table):
                for route in _routes(table, group, state):
                    seen = scene.projection(route)
                    shown = seen.shown[:-1] & seen.shown[1:]
                    strength = STRENGTH * strength_at((seen.depth[:-1] + seen.depth[1:]) / 2)
                    tone = scene.tone("predator", strength[shown])
                    for copy in scene.projection.copies(seen.xy):
                        surface.stroke(copy[:-1][shown], copy[1:][shown], tone, 1.2 * scene.pen)


def has_route(table: Predators) -> bool:
    """True if the route of these predators is known."""
    if table.path is None:
        return False
    alone = list(table.rules) == ["path"] and table.steering_of(table.path) == "direct"
    return table.carried or (alone and table.inertia == 0 and table.path.max_force is None)


def _routes(table: Predators, group: Group, state: State) -> list[Array]:
    """The curve that carries all predators of a table, or the route of each that is driven, shape (k, d) each."""
    path = table.path
    if path is None:
        return []
    if table.carried:
        return [_curve(path, state.setup.world.size)]
    dt = state.setup.time.dt
    time = state.time + dt * np.arange(min(round(path.period / dt), MAX_ROUTE_STEPS))
    turn = 2 * np.pi * time / path.period
    routes = []
    for number, place in enumerate(group.position):
        drive = path.weight * path.points(turn + number * np.radians(path.phase))[:, : len(place)]
        still = np.zeros_like(drive)
        _, velocity = table.move(still, still, drive, dt)
        routes.append(np.vstack((place, place + dt * np.cumsum(velocity, axis=0))))
    return routes


@lru_cache(maxsize=16)
def _curve(path: Curve, size: tuple[float, ...]) -> Array:
    """The whole path in a world of this size, shape (k, d)."""
    # Predators spread evenly over it.
    return path.model_copy(update={"phase": 360.0 / CURVE_PIECES}).position(0.0, CURVE_PIECES + 1, World(size=size))


class Roads(Backdrop):
    """The corridors of the rule follow_path, softly filled."""

    roles: ClassVar[tuple[str, ...]] = ("obstacle",)

    roads: bool | Positive = False
    """Show the corridors on which follow_path keeps boids: true with the radius of the rule, a number with that radius,
    in world units."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.roads is not False and bool(_followed(setup))

    @override
    def shows(self, state: State) -> object:
        return _followed(state.setup)

    @override
    def draw(self, surface: Surface, scene: Scene) -> None:
        for path in _followed(scene.setup):
            radius = path.radius if self.roads is True else float(self.roads)
            corner = np.array((*path.points, path.points[0]) if path.closed else path.points)
            for leg in np.stack((corner[:-1], corner[1:]), axis=1):
                if scene.projection(leg).shown.all():
                    rim = outline(Silhouette(leg, no_ribs(leg.shape[1]), radius), scene.projection)
                    for copy in scene.projection.copies(rim):
                        surface.fill(copy, scene.tone("obstacle", 0.3))


def _followed(setup: Setup) -> list[FollowPath]:
    """The paths that animals follow."""
    tables: tuple[SteeredGroup, ...] = (*setup.flock, *setup.predators)
    return [rule for table in tables for rule in table.rules.values() if isinstance(rule, FollowPath)]


TICKS = 5  # About how many ticks the longest side gets
MIN_TICKED_SIDE = 3.5  # Sides that look shorter than this many heights of a letter get no ticks

EDGE_PIECES = 32  # Into how many pieces an edge of the world is cut


class Axes(Backdrop):
    """The edges of what is seen of the world, nearer ones brighter, with ticks and the names x, y, z."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)
    around: ClassVar[bool] = True
    border: ClassVar[Room] = Room(left=4.4, top=1.2, right=4.4, bottom=3.6)

    axes: bool | None = None
    """Show the edges of the world with ticks and names of the axes. Default: in 3D."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return setup.world.dimension == 3 if self.axes is None else self.axes

    @override
    def draw(self, surface: Surface, scene: Scene) -> None:
        low, high = scene.part
        start, end = edges(low, high - low)
        near, far = scene.projection(start), scene.projection(end)
        strength = 0.8 * strength_at((near.depth + far.depth) / 2)
        groups = np.split(np.arange(len(start)), len(low))
        scales = [_scale(scene, axis, start[group], end[group]) for axis, group in enumerate(groups)]
        shown = [scale for scale in scales if scale]
        plain = scene.tone("muted")
        tips = [scale.place + 0.35 * scene.text * scale.outward for scale in shown]
        begin, stop = [near.xy, *(scale.place for scale in shown)], [far.xy, *tips]
        tone = np.full(sum(map(len, begin)), plain)
        tone[: len(start)] = scene.tone("muted", strength)
        # Edges that are seen through the world lie behind all that is in it.
        middle = (start + end) / 2
        ahead = middle + 1e-6 * views(middle, scene.projection)
        hidden = np.zeros((len(tone), len(surface.bodies) + 1), np.bool_)
        hidden[: len(start), 1:] = ((ahead > low) & (ahead < high)).all(axis=1)[:, None]
        surface.draw(surface.trace(np.concatenate(begin), np.concatenate(stop), 1.2 * scene.pen), tone, hidden)
        boxes: list[Rectangle] = []
        for scale in shown:
            scale.write(surface, scene, plain, boxes)


class WorldEdges(Backdrop):
    """The edges of the world, faint, for a camera that may show more of it or less."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)

    @override
    def wanted(self, setup: Setup) -> bool:
        return True

    @override
    def draw(self, surface: Surface, scene: Scene) -> None:
        world = scene.setup.world
        start, end = edges(np.zeros(world.dimension), world.extent)
        # In pieces, of which those behind the camera are left out.
        part = np.linspace(0.0, 1.0, EDGE_PIECES + 1)[:, None, None]
        point = (start + part * (end - start)).reshape(-1, world.dimension)
        seen = scene.projection(point)
        ahead = np.flatnonzero(seen.shown[: -len(start)] & seen.shown[len(start) :])
        here, there = seen.of(ahead), seen.of(ahead + len(start))
        strength = 0.5 * strength_at((here.depth + there.depth) / 2)
        surface.stroke(here.xy, there.xy, scene.tone("muted", strength), 1.0 * scene.pen)


class Border(Backdrop):
    """A faint line round what is seen of a flat world, where the picture goes on beyond it."""

    around: ClassVar[bool] = True

    @override
    def wanted(self, setup: Setup) -> bool:
        return setup.world.dimension == 2

    @override
    def draw(self, surface: Surface, scene: Scene) -> None:
        # Decoration, of which nobody asks a contrast: it has no ink of its own.
        (left, top), (right, bottom) = np.rint(scene.window) + 0.5 * scene.pen * np.array([[-1], [1]])
        corner = np.array([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
        tone = scene.tone("text" if scene.inks.has("text") else "boid 0", 0.35)
        surface.stroke(corner[:-1], corner[1:], tone, scene.pen)


class EdgeTicks(NamedTuple):
    """Ticks and texts along one edge."""

    name: str  # of the axis
    middle: Array  # (2,) of the edge, pixels
    outward: Array  # (2,) direction across the edge, away from the world
    value: Array  # (k,) what the ticks stand for
    place: Array  # (k, 2) where they begin, pixels

    def write(self, surface: Surface, scene: Scene, tone: PaletteIndex, written: list[Rectangle]) -> None:
        """Write numbers and name, but no number that would run into one that is written already."""
        size = scene.text
        right, down = self.outward.tolist()
        anchor = 0.5 - 0.5 * right, 0.5 - 0.5 * down  # a text touches its place with the side that faces the edge
        labels = [f"{number:g}" for number in self.value]
        for label, xy in zip(labels, (self.place + 0.7 * size * self.outward).tolist(), strict=True):
            wide, high = width(label, size) + 0.4 * size, 0.9 * height(size)
            left, top = xy[0] - anchor[0] * wide, xy[1] - anchor[1] * high
            box = Rectangle(left, top, left + wide, top + high)
            if not any(box.overlaps(other) for other in written):
                written.append(box)
                surface.write(label, xy, tone, size, anchor)
        beyond = size + abs(right) * max(width(label, size) for label in labels) + abs(down) * height(size)
        surface.write(self.name, (self.middle + beyond * self.outward).tolist(), tone, size, anchor)


def _scale(scene: Scene, axis: int, start: Array, end: Array) -> EdgeTicks | None:
    """The scale along the outermost of the parallel edges of an axis; none where it looks too short."""
    near, far = scene.projection(start).xy, scene.projection(end).xy
    # The lowest of edges that run across the picture, the leftmost of edges that run up.
    extent = np.abs(far - near).sum(axis=0)
    order = np.array([0.0, 1.0] if extent[0] >= extent[1] else [-1.0, 0.2])
    chosen = int(np.argmax(dot((near + far) / 2, order)))
    way = far[chosen] - near[chosen]
    if magnitude(way) < MIN_TICKED_SIDE * scene.text:
        return None
    low, high = scene.part
    value = ticks(low[axis], high[axis], (high - low).max())
    along = np.repeat(start[chosen][None], len(value) + 1, axis=0)
    along[:-1, axis] += value - low[axis]
    along[-1] = (start[chosen] + end[chosen]) / 2
    place = scene.projection(along).xy
    outward = np.array([way[1], -way[0]]) / magnitude(way)
    if dot(outward, (near + far)[chosen] / 2 - (near + far).mean(axis=0) / 2) < 0:
        outward = -outward
    return EdgeTicks("xyz"[axis], place[-1], outward, value, place[:-1])


def ticks(low: float, high: float, longest: float) -> Array:
    """Round numbers from `low` to `high`, as far apart as suits the longest side, shape (k,)."""
    rough = longest / TICKS
    power = exact.tens(rough)
    step = power * min((1.0, 2.0, 5.0, 10.0), key=lambda number: max(rough / (number * power), number * power / rough))
    number = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    # Adding zero makes a zero of the negative zero that rounding up may leave.
    return step * number + 0.0
