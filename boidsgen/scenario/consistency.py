"""Validation: pydantic's errors in boidsgen's words, requirements between the parts of a scenario, and warnings.

`problems_of(error, document, table)` turns each error into a `Problem`: the keys as the user wrote them, the error and
its fix. It goes by pydantic's *type* of error, because the messages differ between versions of pydantic.

The context of a validation (`context_of`) lets single keys depend on the dimension of the world and on the names of
flocks, so that their errors are reported with all others. `conflicts` and `event_problems` check a scenario whose keys
are all valid; `warnings_of` finds what is valid but probably unintended. A rendering prints warnings and goes on;
`--strict` treats them as errors.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from itertools import chain, groupby
from math import dist, inf
from typing import Any, NamedTuple, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from boidsgen.drawing.camera import Camera
from boidsgen.drawing.canvas import stage_size
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.overlays import OVERLAYS
from boidsgen.drawing.overlays.focus import FocusLayer
from boidsgen.drawing.overlays.marks import has_route
from boidsgen.drawing.renderer import natural_size
from boidsgen.drawing.text import FONT_ENDINGS, find_font
from boidsgen.drawing.themes import THEMES
from boidsgen.errors import join_words
from boidsgen.scenario.documents import Keys, Problem, as_written, present, value_in
from boidsgen.scenario.layers import UnresolvedKeyError, resolve_key, set_key, split_key
from boidsgen.scenario.lessons import (
    FRAME,
    misfits_of_step,
    misfits_of_words,
    number_at,
    parse_condition,
    possible,
    unfit,
)
from boidsgen.scenario.lessons import variables as variables_of
from boidsgen.scenario.scenario import KEYBOARD_KEYS, KEYS_DO, Scenario
from boidsgen.scenario.sources import misfit_of_film
from boidsgen.scenario.wording import (
    MAX_CANDIDATES,
    MAX_INTEGER,
    abbreviated,
    bound_text,
    described,
    everywhere,
    right_value,
    similar_word,
    suggestion,
    to_toml,
    unknown_key,
)
from boidsgen.simulation.measures import MEASURES
from boidsgen.simulation.obstacles import free_lattice
from boidsgen.simulation.rules.rule import SteeredGroup
from boidsgen.simulation.setup import Flock
from boidsgen.tables import UNKNOWN, Annotation, Table, attributes, keys_of, own_tag, replaced

MAX_FOUND = 1_000  # Errors that are put into words

_EXPECTED = {
    "float_type": "be a number",
    "int_type": "be a whole number",
    "bool_type": "be true or false",
    "string_type": "be {kind}",
    "tuple_type": "be {kind}",
    "model_type": "be {kind}",
    "model_attributes_type": "be {kind}",
    "mapping_type": "be a table",
    "dict_type": "be a table",
    "string_pattern_mismatch": "be {kind}",
    "literal_error": "be {kind}",
    "finite_number": "be a finite number",
    "greater_than": "be above {gt}",
    "greater_than_equal": "be at least {ge}",
    "less_than": "be below {lt}",
    "less_than_equal": "be at most {le}",
    "multiple_of": "be a multiple of {multiple_of}",
    "too_short": "have at least {min_length} entries",
    "too_long": "have at most {max_length} entries",
    "string_too_short": "have at least {min_length} characters",
    "string_too_long": "have at most {max_length} characters",
}
"""Words between "must" and "not", by pydantic's type of error, with the values of its context."""
_WRONG_TYPES = {"tuple_type", "model_type", "model_attributes_type", "int_type", "float_type"}


class _Found(NamedTuple):
    """One of pydantic's errors."""

    keys: Keys  # where, as the user wrote it
    fork: Keys  # where the alternatives begin of which this is one; as deep as `keys` where there are none
    annotation: Annotation  # of the value there
    around: Annotation  # of the table around it
    details: ErrorDetails  # pydantic's own description

    @property
    def expected(self) -> str:
        """Requirement on the value; empty for errors that do not concern a single value."""
        context = {name: bound_text(bound) for name, bound in self.details.get("ctx", {}).items()}
        kind = described(self.annotation)
        if self.details["type"] == "string_type" and '"' not in kind and "quotes" not in kind:
            kind += ", in quotes"
        said = _EXPECTED.get(self.details["type"], "").format(kind=kind, **context)
        return re.sub(r"(?<= 1 )(entr|character)\w+", lambda one: {"entr": "entry"}.get(one[1], one[1]), said)


def problems_of(error: ValidationError, document: Mapping[str, object], table: type[Table]) -> Iterator[Problem]:
    """The errors that pydantic found in a document, in words; the first `MAX_FOUND` of them."""
    errors = error.errors(include_url=False)[:MAX_FOUND]
    outer = {details["loc"][:depth] for details in errors for depth in range(len(details["loc"]))}
    # A list is too short for pydantic when entries in it are wrong, which are reported themselves.
    own = (details for details in errors if details["type"] != "too_short" or details["loc"] not in outer)
    found = [_found(details, document, Annotation(table)) for details in own]
    for _, group in groupby(found, key=lambda one: one.fork):
        alternatives = list(group)
        depth = max(len(one.details["loc"]) for one in alternatives)
        furthest = [one for one in alternatives if len(one.details["loc"]) == depth]  # the one that was meant
        for keys, same in groupby(furthest, key=lambda one: one.keys):
            yield _problem(keys, list(same), document, table)


def _found(details: ErrorDetails, document: Mapping[str, object], annotation: Annotation) -> _Found:
    keys: Keys = ()
    fork: Keys | None = None
    around = UNKNOWN
    for part in details["loc"]:
        step, inner = annotation.descend(part)
        if step:
            around = annotation
        elif not annotation.family and fork is None:
            fork = keys
        keys, annotation = (*keys, *step), inner
    return _Found(as_written(keys, document), keys if fork is None else fork, annotation, around, details)


def _problem(keys: Keys, alternatives: Sequence[_Found], document: Mapping[str, object], root: type[Table]) -> Problem:
    found = alternatives[0]
    value, known, tag = found.details["input"], found.annotation.family, found.annotation.tag
    said = ""
    match found.details["type"]:
        case "extra_forbidden":
            said = _unknown(keys, value, found.around, root)
        case "missing":
            said = f"must be given: {described(found.annotation)}"
        case "union_tag_not_found":
            said = f"must be given a {tag}: {join_words(map(to_toml, known))}"
            for key in [key for key, one in value.items() if _is_other_tag(key, one, known, root)][:1]:
                kinds = [kind for kind in known if kind == value[key]] or known
                keys, said = (*keys, key), f"unknown key; write {tag} = {join_words(map(to_toml, kinds))}"
        case "union_tag_invalid":
            value = value.get(tag) if isinstance(value, Mapping) else value
            keys = (*keys, tag) if isinstance(reduce(value_in, keys, cast("object", document)), Mapping) else keys
            said = f"must be {join_words(map(to_toml, known))}, not {abbreviated(value)}{similar_word(value, known)}"
        case "unknown_flock":
            known_flocks = [str(name) for name in found.details["ctx"]["known"]]
            hint = suggestion(str(value), known_flocks) or f" (there is {', '.join(known_flocks[:MAX_CANDIDATES])})"
            said = f"{found.details['msg']}{hint}"
        case "value_error" | "assertion_error":
            said = str(found.details["ctx"]["error"])
        case kind if kind in _EXPECTED:
            first, *others = [expected for one in alternatives if (expected := one.expected)]
            if others and first.startswith("be "):  # one "be" is enough for all of them
                first = first.replace("true or false", "true, false")
                others = [one.removeprefix("be ") for one in others]
            actual = found.details.get("ctx", {}).get("actual_length", abbreviated(value))
            actual = f"{len(value):,}" if kind.startswith("string_too_") else actual
            said = f"must {join_words(dict.fromkeys([first, *others]))}, not {actual}{_hint(keys, alternatives)}"
    return Problem(keys, said or found.details["msg"].replace("Input should", "must", 1))


def _unknown(keys: Keys, value: object, around: Annotation, root: type[Table]) -> str:
    """The error about a key that its table does not have."""
    place = [part for part in keys if isinstance(part, str)]
    if not around.is_table:
        return unknown_key(place, [], root)
    tag = own_tag(around.plain)
    if tag and _is_other_tag(place[-1], value, [keys_of(around.plain)[tag].default], root):
        return f"unknown key; write {tag}"
    return unknown_key(place, list(attributes(around.plain)), root)


def _is_other_tag(key: str, value: object, kinds: Collection[str], root: type[Table]) -> bool:
    """True if a key that a table does not have was meant to tell what kind of table it is."""
    return key in {one.tag for one in everywhere(root) if one.kind} or (isinstance(value, str) and value in kinds)


def _hint(keys: Keys, alternatives: Sequence[_Found]) -> str:
    value = alternatives[0].details["input"]
    known = [word for one in alternatives for word in one.annotation.choices]
    truth = [True] if any(one.details["type"] == "bool_type" for one in alternatives) else []
    if hint := similar_word(value, [*known, *truth]):
        return hint
    wrong = next((one.annotation for one in alternatives if one.details["type"] in _WRONG_TYPES), UNKNOWN)
    return right_value([key for key in keys if isinstance(key, str)], value, wrong)


NARROW = 10  # Degrees below which a field of view is probably given in radians
FULL_TURN = 0.01  # Tolerance of a full turn of the camera, in degrees
HALF_TURN = 180.0  # A camera that drifts no further fades as the flock does
LETTER_ROOM = 80  # Pixels of a letter of the smallest text, with the space around it
SAME_SHAPE = 0.02  # Tolerance of a picture's aspect ratio, relative to that of its world


def context_of(document: Mapping[str, object]) -> Mapping[str, Any]:
    """The context of a document's validation: the world's dimension, unless it is an error itself, and flock names."""
    flocks = document.get("flock", {})
    tables = flocks if isinstance(flocks, tuple) else (flocks,)
    names = [table.get("name", Flock.default().name) for table in tables if isinstance(table, Mapping)]
    world = document.get("world", {})
    size = (
        Scenario.default().world.size if isinstance(world, Mapping) and "size" not in world else value_in(world, "size")
    )
    dimension = len(size) if isinstance(size, tuple) and len(size) in Table.dimensions else None
    return {"dimension": dimension, "flocks": names}


def too_large(value: object, keys: Keys = ()) -> Iterator[Problem]:
    """Numbers of a document that are too long for TOML."""
    if isinstance(value, int) and not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
        yield Problem(keys, f"must fit into 64 bits, not {abbreviated(value)}")
    elif isinstance(value, Mapping | tuple):
        for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from too_large(inner, (*keys, key))


def validated(document: Mapping[str, object], context: Mapping[str, object]) -> Scenario | list[Problem]:
    """The scenario of a document, or its errors."""
    try:
        scenario = Scenario.model_validate(document, context=context)
        for key, value in scenario.theme_defaults.items():  # for all keys that it does not set itself
            table, _, name = key.partition(".")
            if name not in getattr(scenario, table).model_fields_set:
                scenario = replaced(scenario, (table, name), value, context)
    except ValidationError as error:
        return list(problems_of(error, document, Scenario))
    return scenario


def _misfits_of_page(scenario: Scenario) -> Iterator[Problem]:
    for number, one in enumerate(scenario.page.controls or ()):
        key = one if isinstance(one, str) else one.key
        here, value = ("page", "controls", number), number_at(scenario, key)
        if value is None:
            yield Problem(here, f"{key} is not a numeric key of a flock or of predators in this scenario")
        elif not isinstance(one, str) and one.max <= one.min:
            yield Problem((*here, "max"), f"must be above min, {one.min:g}, not {one.max:g}")
        elif not isinstance(one, str):
            ends = ((end, unfit(scenario, key, getattr(one, end))) for end in ("min", "max"))
            yield from (Problem((*here, end), wrong) for end, wrong in ends if wrong)
    for key, does in scenario.page.keys.items():
        if len(key) != 1 or key not in KEYBOARD_KEYS:
            yield Problem(("page", "keys", key), "must be a lowercase letter other than f, l and t, or a digit")
        elif does not in KEYS_DO and not (does.endswith(".weight") and number_at(scenario, does) is not None):
            known = join_words(["the weight of a rule of this scenario", *map(to_toml, KEYS_DO)])
            yield Problem(("page", "keys", key), f"must be {known}, not {abbreviated(does)}")
    of_steps = (misfits_of_step(scenario, *step) for step in enumerate(scenario.page.try_))
    yield from chain(misfits_of_words(scenario, scenario.page.words or ""), *of_steps)


def conflicts(scenario: Scenario) -> Iterator[Problem]:
    """Requirements of a look that the world and the flocks do not meet, and colors that nobody would see."""
    style, camera, overlay = scenario.style, scenario.camera, scenario.overlay
    yield from _misfits_of_page(scenario)
    axes, boundary = scenario.world.dimension, scenario.world.boundary
    if axes not in COLORINGS[style.color_by].dimensions:
        wrong = f"{style.color_by} needs three dimensions, and world.size has {axes} entries"
        yield Problem(("style", "color_by"), wrong)
    if camera.follows and boundary.leads_round:
        wrong = f"needs a boundary that is not periodic, and world.boundary is {boundary.kind}"
        yield Problem(("camera", "follow"), wrong)
    if camera.follows and (camera.center or any("camera.center" in event.set for event in scenario.events)):
        yield Problem(("camera", "center"), f"is where the {camera.follow} is; leave out camera.follow, or this")
    boids = _always_there(scenario)
    if overlay.focus >= boids and shows_focus(scenario):
        counted = f"must be below {boids}, the number of boids that are always present, counted from 0"
        yield Problem(("overlay", "focus"), counted)
    if overlay.links and max(map(max, overlay.links)) >= sum(scenario.most_boids):
        yield Problem(("overlay", "links"), f"must be pairs of numbers below {sum(scenario.most_boids)}, that of boids")
    paths = [table for table in scenario.predators if table.path]
    if overlay.paths and paths and not any(map(has_route, paths)):
        wrong = "there is none to show; needs a path by position, or predators that it alone moves, without inertia"
        yield Problem(("overlay", "paths"), wrong)
    if style.transparent and style.colors.light:
        flat = ", ".join(name for name, theme in THEMES.items() if not theme.light)
        yield Problem(("style", "transparent"), f"theme {style.theme} is light on a background; take one of {flat}")
    if style.font and find_font(style.font) is None:
        wrong = f"is neither a font file ({', '.join(sorted(FONT_ENDINGS))}) nor a family that is installed here"
        yield Problem(("style", "font"), wrong)
    yield from (Problem(keys, wording) for keys, wording in scenario.faint)
    yield from _misfits_of_exposure(scenario)
    yield from _misfits_of_film(scenario)
    yield from _names_of_itself(scenario)


def _misfits_of_exposure(scenario: Scenario) -> Iterator[Problem]:
    exposed, frames = scenario.exposed_frames, scenario.time.frames
    if exposed > frames:
        yield Problem(("style", "exposure"), f"must be at most {frames} frames, the length of the run, not {exposed}")
    if exposed and scenario.style.transparent:
        yield Problem(("style", "exposure"), "needs a background; leave out style.transparent")


def _misfits_of_film(scenario: Scenario) -> Iterator[Problem]:
    style, video = scenario.style, scenario.background.video
    if video is None:
        return
    moves, unread = any("camera." in key for event in scenario.events for key in event.set), misfit_of_film(video)
    for there, wrong in (
        (style.colors.light, f"theme {style.theme} paints a background of its own; take night or paper"),
        (style.transparent, "is a background; leave out style.transparent"),
        (scenario.camera.follows or moves, "needs a camera at rest; leave out camera.follow, and events that move it"),
        (style.exposure, "has no paths above it; leave out style.exposure"),
        (scenario.output.loop_seam, "cannot fade into its beginning; leave out output.loop_seam"),
        (any(side % 2 for side in scenario.picture_size), "needs an even width and height; see output.size"),
        (unread, unread),
    ):
        if there:
            yield Problem(("background", "video"), wrong)


def _names_of_itself(scenario: Scenario) -> Iterator[Problem]:
    for number, flock in enumerate(scenario.flock):
        for table, key in (("follow_leader", "flock"), ("species", "hunt"), ("species", "flee"), ("species", "ignore")):
            names = getattr(getattr(flock, table), key, ())
            if flock.name in (names if isinstance(names, tuple) else (names,)):
                yield Problem(("flock", number, table, key), "is the flock itself; name another one")


def event_problems(
    scenario: Scenario, document: Mapping[str, object], context: Mapping[str, object]
) -> Iterator[Problem]:
    """Every change of a valid scenario's events that cannot be made, or does not fit the rest of the scenario."""
    for keys, wrong in scenario.event_errors(context):
        said = str(wrong.args[0]) if isinstance(wrong, KeyError) else str(wrong)
        if isinstance(wrong, ValidationError):
            said = _wording_of_change(keys, scenario, document, context)
        elif isinstance(wrong, KeyError) and wrong.args[1:]:
            _, name, table = wrong.args
            with suppress(UnresolvedKeyError, ValueError):  # it is no dotted key at all
                names = split_key(str(keys[-1]))
                said = unknown_key(names[: names.index(name) + 1], list(attributes(table)), Scenario)
        yield Problem(keys, said)


def _wording_of_change(
    keys: Keys, scenario: Scenario, document: Mapping[str, object], context: Mapping[str, object]
) -> str:
    """The error there would be if the value stood at its key from the beginning."""
    _, number, _, key = keys
    value = scenario.events[int(number)].set[str(key)]
    resolved = resolve_key(document, split_key(str(key)))
    changed = validated(cast("Mapping[str, object]", set_key(document, resolved, value)), context)
    if isinstance(changed, list):
        return changed[0].wording
    return f"cannot become {abbreviated(value)} after the events before it"


def _always_there(scenario: Scenario) -> int:
    """Number of boids, through the flocks, that have the same number in every frame."""
    total = 0
    for number, flock in enumerate(scenario.flock):
        if flock.from_ or (flock.until is not None and flock.until < scenario.time.frames):
            break
        keys = (f"flock.{number}.count", *(("flock.count",) if number == 0 else ()))
        changed = [event.set[key] for event in scenario.events for key in keys if isinstance(event.set.get(key), int)]
        total += min([flock.count, *changed])
        if changed:
            break
    return total


def shows_focus(scenario: Scenario) -> bool:
    """True if an overlay about the boid in focus is on: one that has its keys beside its own."""
    about = [kind for kind in OVERLAYS.values() if "focus" in attributes(kind)]
    own = (key for kind in about for key in attributes(kind) if key not in attributes(FocusLayer))
    return any(getattr(scenario.overlay, key) for key in own)


def warnings_of(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    """Every warning about a valid scenario."""
    simple = chain(_of_events(scenario), _of_places(scenario), _of_steps(scenario), _of_the_picture(scenario))
    return chain(simple, _of_flocks(scenario, document), _of_rules(scenario), _of_the_camera(scenario, document))


def _of_events(scenario: Scenario) -> Iterator[Problem]:
    for number, event in enumerate(scenario.events):
        if event.at >= scenario.time.frames:
            yield Problem(("events", number, "at"), f"never happens: the last frame is {scenario.time.frames - 1}")
        if not event.set and event.caption is None:
            yield Problem(("events", number), "changes nothing: it has neither set nor caption")


def _of_places(scenario: Scenario) -> Iterator[Problem]:
    world = scenario.world
    outside = f"is outside the world, which is {_size(world.size)}"
    for number, obstacle in enumerate(scenario.obstacles):
        shape = obstacle.silhouette()
        room = shape.radius or 0.0
        lowest, highest = shape.points.min(axis=0) - room, shape.points.max(axis=0) + room
        if not ((highest >= 0).all() and (lowest <= world.extent).all()):
            yield Problem(("obstacles", number), outside)
    if scenario.obstacles and not len(free_lattice(scenario.obstacles, world)):
        wrong = f"leave no room for boids: solid ones cover the whole world of {_size(world.size)}"
        yield Problem(("obstacles",), wrong)
    for number, attractor in enumerate(scenario.attractors):
        inside = all(0 <= place <= side for place, side in zip(attractor.point or (), world.size, strict=False))
        if not inside and not world.boundary.leads_round:
            yield Problem(("attractors", number, "point"), outside)
    yield from (Problem(keys, reason) for keys, reason in scenario.doubtful_fields)


def _of_steps(scenario: Scenario) -> Iterator[Problem]:
    for number, step in enumerate(scenario.page.try_):
        condition = parse_condition(step.until, scenario)
        lacking = [key for key in variables_of(condition) if key not in {*MEASURES, FRAME, *step.keys}]
        if step.keys and lacking:
            wrong = f"lacks {lacking[0]}, which its condition needs: readers would have to search for the slider"
            yield Problem(("page", "try", number, "keys"), wrong)
        if not possible(condition):
            wrong = "never holds: no measure is negative, and one that is a fraction is at most 1"
            yield Problem(("page", "try", number, "until"), wrong)


def _of_flocks(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    across = dist([0.0] * scenario.world.dimension, scenario.world.size)
    reach = across / 2 if scenario.world.boundary.leads_round else across
    for number, flock in enumerate(scenario.flock):
        angle, seen, rule = flock.perception.field_of_view, flock.perception.radius, flock.separation
        keys = as_written(("flock", number, "perception", "radius"), document)
        if angle < NARROW:
            narrow = f"{angle:g} degrees see almost nothing; is that in radians? Full vision is 360"
            yield Problem(("flock", number, "perception", "field_of_view"), narrow)
        if reach <= seen < inf and present(keys, document):
            wrong = f"{seen:g} covers the whole world of {_size(scenario.world.size)}; use inf"
            yield Problem(keys, wrong)
        flocks = flock.alignment.weight or flock.cohesion.weight
        if flocks and rule.weight and rule.radius is not None and seen < rule.radius < inf:
            wrong = f"is larger than perception.radius, {seen:g}: boids avoid neighbors that they do not follow"
            yield Problem(("flock", number, "separation", "radius"), wrong)
        if not flock.count and not any(".count" in key for event in scenario.events for key in event.set):
            yield Problem(("flock", number, "count"), "is 0: the flock has no boids, and no event adds any")
        if flock.name != Flock.default().name and flock.name in {one.name for one in scenario.flock[:number]}:
            yield Problem(("flock", number, "name"), f"{abbreviated(flock.name)} is the name of another flock, too")
    slowest = min((flock.speeds[0] for flock in scenario.flock if flock.count), default=0.0)
    for number, hunters in enumerate(scenario.predators):
        if "hunt" in hunters.rules and not hunters.path and hunters.max_speed < slowest:
            wrong = f"{hunters.max_speed:g} is too slow to catch any boid: the slowest flies at {slowest:g}"
            yield Problem(("predators", number, "max_speed"), wrong)


def _of_rules(scenario: Scenario) -> Iterator[Problem]:
    changed = {key.rpartition(".")[2] for event in scenario.events for key in event.set}
    groups: dict[str, Sequence[SteeredGroup]] = {"flock": scenario.flock, "predators": scenario.predators}
    for kind, tables in groups.items():
        for number, group in enumerate(tables):
            for name, rule in group.rules.items():
                for key, why in rule.without_effect(group.steering_of(rule)).items():
                    written = getattr(rule, key) != keys_of(type(rule))[key].default  # a template writes defaults, too
                    if written and why.partition(" ")[0] not in changed:
                        yield Problem((kind, number, name, key), f"has no effect with {why}")


def _of_the_camera(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    orbit, seam, left = abs(scenario.camera.orbit), scenario.seam, scenario.clip_frames
    if scenario.world.dimension == 2:
        for key in ("azimuth", "elevation", "orbit", "distance"):
            # A template writes defaults, too.
            changed = getattr(scenario.camera, key) != getattr(Camera.default(), key)
            if changed and present(("camera", key), document):
                yield Problem(("camera", key), "has no effect in a flat world; world.size has 2 entries")
    elif seam and left * orbit > HALF_TURN:
        rounds = max(round(left * orbit / 360), 1)
        if abs(left * orbit - rounds * 360) >= FULL_TURN:
            turned = f"in the {left} frames that are left the camera turns by {left * orbit:g} degrees"
            wrong = f"{turned}; with camera.orbit = {rounds * 360 / left:.12g} it comes round"
            yield Problem(("output", "loop_seam"), wrong)


def _of_the_picture(scenario: Scenario) -> Iterator[Problem]:
    size = scenario.output.size
    if size and scenario.world.dimension == 2 and not scenario.camera.follows:
        across, down = scenario.world.size
        layers = scenario.layers
        stage = stage_size(size) if any(layer.panel for layer in layers) else size
        fitting = natural_size((stage[0], max(round(stage[0] * down / across), 1)), layers, scenario)
        shapes = (size, fitting), (stage, (across, down))
        if all(abs(wide / high / (right / up) - 1) > SAME_SHAPE for (wide, high), (right, up) in shapes):
            world = f"{across:g}x{down:g}"
            none = f"{fitting[0]}x{fitting[1]} leaves none"
            yield Problem(
                ("output", "size"), f"has a different aspect ratio from the world ({world}), which leaves bars; {none}"
            )
    width, height = scenario.picture_size
    yield from (Problem(keys, reason) for keys, reason in chain(scenario.unwritable, scenario.misplaced))
    room = width * height // LETTER_ROOM
    for keys, text in scenario.sentences.items():
        if len(text) > room:
            wrong = f"has {len(text):,} characters; a picture of {width}x{height} shows {room:,} at most"
            yield Problem(keys, wrong)


def _size(size: Sequence[float]) -> str:
    return "×".join(f"{side:g}" for side in size)
