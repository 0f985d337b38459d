"""Encounters: who is too near whom, and who is about to be."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, dot
from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population
from boidsgen.simulation.neighbors.encounters import Encounters, encounters


class CloseEncounters(Measure):
    """Number of pairs of boids nearer to each other than half the separation radius, the larger of the two counting.

    The radius counts whether separation is switched on or not. Not defined where a separation radius is infinite.
    """

    unit: ClassVar[str] = "pairs"

    @override
    def value(self, population: Population) -> float | None:
        if not _bounded(population):
            return None
        return float(sum((met.distance < room / 2).sum() for met, room in _crowded(population)))


class CollisionsAvoided(Measure):
    """Number of pairs of boids on a collision course within reach of separation: the collisions it is there to avoid.

    A pair counts when it is nearer than the separation radius but not a close encounter yet, and would become one if
    both flew straight on. Published demonstrations show such a counter without defining it; this definition needs one
    instant only. The larger radius of the two counts, whether separation is switched on or not. Not defined where a
    separation radius is infinite.
    """

    unit: ClassVar[str] = "pairs"

    @override
    def value(self, population: Population) -> float | None:
        if not _bounded(population):
            return None
        return float(sum(_colliding(met, room, population.velocity) for met, room in _crowded(population)))


def _bounded(population: Population) -> bool:
    return bool(np.isfinite(population.elbow_room).all())


def _crowded(population: Population) -> Iterator[tuple[Encounters, Array]]:
    """All pairs nearer than the separation radius, in blocks, each with the radius of its pairs."""
    rooms = population.elbow_room
    for met in encounters(population.position, float(rooms.max(initial=0.0)), population.world):
        room = np.maximum(rooms[met.first], rooms[met.second])
        near = met.distance < room
        yield met.only(near), room[near]


def _colliding(met: Encounters, room: Array, velocity: Array) -> int:
    """How many of these pairs are still apart, and would come nearer than half of `room`, flying straight on."""
    drift = velocity[met.second] - velocity[met.first]
    closing, squared = -dot(met.offset, drift), dot(drift, drift)
    nearing = (met.distance >= room / 2) & (closing > 0)
    # The way left at the closest approach is what remains of the offset across the drift.
    gained = np.divide(closing**2, squared, out=np.zeros_like(closing), where=nearing)
    return int((nearing & (dot(met.offset, met.offset) - gained < room**2 / 4)).sum())
