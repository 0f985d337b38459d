"""The catalog of presets: in which group each one stands, for whom it is, and what is in it."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from boidsgen.scenario.layers import layers_of, merged
from boidsgen.scenario.sources import Preset, find, presets


class Group(NamedTuple):
    """Presets that belong together."""

    heading: str
    level: str  # introductory, intermediate or advanced
    names: tuple[str, ...]  # of presets, or of families: all whose names begin with "concept-"
    document: str = ""  # number of the document that they reproduce


GROUPS = (
    Group("Start here", "introductory", ("quickstart", "hunt", "obstacles", "species", "formation", "food-chain")),
    Group("Concepts, one behavior each", "introductory", ("concept-",)),
    Group("Showpieces", "introductory", ("murmuration", "murmuration-30000", "trefoil", "word", "vicsek")),
    Group(
        "Systems from the literature",
        "advanced",
        ("ben-eater", "couzin-", "nature-of-code", "netlogo", "rougier", "vicsek-"),
    ),
    Group("Common errors", "intermediate", ("trap-",)),
    Group("The pygame lesson: Flocking/Swarm Behavior", "introductory", ("pygame-",), "000"),
    Group("The trefoil in 3D: Animation using matplotlib and ffmpeg", "intermediate", ("trefoil-",), "001"),
    Group("Three rules in numpy: Boids: Flocking from Three Rules", "intermediate", ("numpy-",), "002"),
    Group(
        "The derivation: a python pygame implementation of the boids algorithm",
        "advanced",
        ("derivation", "derivation-"),
        "003",
    ),
    Group("Rules in text, and the p5.js flock: Boids Flocking Behavior", "intermediate", ("p5-",), "004"),
)
"""In the order in which they are listed; a preset stands in the first one that names it, or its family."""

CONTENTS = {"predators": "predator", "obstacles": "obstacle", "attractors": "attractor", "events": "events"}
"""Tags for tables of which there is at least one entry."""


class Entry(NamedTuple):
    """A preset in the catalog."""

    preset: Preset
    group: Group
    tags: tuple[str, ...]  # 2D or 3D, what is in it, and the number of its document

    @property
    def text(self) -> str:
        """Everything that a search looks at, in lower case."""
        words = (self.preset.name, self.preset.title, self.group.heading, self.group.level, *self.tags)
        return " ".join(words).lower()


def catalog() -> Iterator[Entry]:
    """Every preset, group by group."""
    for group in GROUPS:
        yield from (Entry(one, group, _tags(one, group)) for one in presets() if _group(one.name) is group)


def _group(name: str) -> Group:
    known = [group for group in GROUPS if name in group.names]
    families = (group for group in GROUPS for start in group.names if start[-1] == "-" and name.startswith(start))
    return known[0] if known else next(families)


def _tags(one: Preset, group: Group) -> tuple[str, ...]:
    document = merged(layers_of(find(one.name)))
    world, flocks = document.get("world"), document.get("flock")
    size = world.get("size", ()) if isinstance(world, Mapping) else ()
    several = ("several flocks",) if isinstance(flocks, tuple | list) and len(flocks) > 1 else ()
    contents = (tag for table, tag in CONTENTS.items() if document.get(table))
    dimension = "3D" if isinstance(size, tuple | list) and len(size) > 2 else "2D"
    return (dimension, *several, *contents, *([group.document] if group.document else []))
