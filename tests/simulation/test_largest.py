"""The largest number that each key of a simulation allows, drawn from the tables themselves."""

import pytest

from boidsgen import load_scenario, simulate
from boidsgen.errors import LimitError, NotFiniteError, ScenarioError
from boidsgen.scenario.reference import _example, sections
from boidsgen.simulation.run import ENGINES
from boidsgen.tables import MAX_NUMBER, keys_of

SIMULATED = ("world", "time", "flock", "predators", "obstacles", "attractors")


def largest(key):
    """The largest number of a key, or a list of them; None where it has none."""
    if key.entries:
        return None if largest(key.entries[0]) is None else [largest(key.entry(at)) for at in range(2)]
    usual = {float: MAX_NUMBER, int: 2**63 - 1}.get(key.plain)
    return usual and key.bounds.get("le", usual)


def document(section, keys):
    """A document with these keys in one table, and whatever this and the tables around it must have."""

    def written(one):
        plain = [key for key in keys_of(one.table).values() if not key.tables]
        tag = {key.name: one.kind for key in plain if key.is_tag and one.kind}
        return tag | {key.name: _example(key) for key in plain if key.required}

    whole, name = written(section) | keys, section.name
    while name:
        name, _, key = name.rpartition(".")
        around = next(one for one in sections() if one.name == name and key in keys_of(one.table))
        whole = written(around) | {key: whole}
    return {**whole, "time": {"frames": 3, **whole.get("time", {})}, "flock": {"count": 5, **whole.get("flock", {})}}


@pytest.mark.parametrize("table", SIMULATED)
def test_any_run_with_the_largest_number_of_a_key_ends(table):
    """Every key at its largest number is refused, or its run ends: with states, or as a step that left the numbers."""
    ended = asked = 0
    for section in sections():
        if section.name.partition(".")[0] == table:
            numbers = {name: largest(key) for name, key in keys_of(section.table).items()}
            for key, number in numbers.items():
                asked += number is not None
                ended += number is not None and ends(document(section, {key: number}))

    assert ended >= 0.4 * asked


def ends(keys):
    """True if a scenario is not refused, and its run ends."""
    try:
        scenario = load_scenario(keys)
        scenario.refuse_excess(drawn=False)
        return bool(list(simulate(scenario)))
    except (ScenarioError, LimitError):
        return False
    except NotFiniteError:
        return True


@pytest.mark.parametrize("engine", ENGINES)
def test_reflections_beyond_counting_end(engine):
    """A step across the world more often than integers count comes to rest inside, its velocity lost to the walls."""
    world = {"boundary": {"kind": "reflect", "restitution": 0.5}}
    far = {"world": world, "flock": {"count": 5, "max_speed": 1e50}, "time": {"dt": 1e30, "frames": 3}}
    group = list(simulate(load_scenario(far), engine))[-1].flocks[0]

    assert ((group.position >= 0) & (group.position <= 400)).all()
    assert not group.velocity.any()
