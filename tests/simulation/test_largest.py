"""The largest number that each key of a simulation allows, drawn from the tables themselves."""

import pytest

from boidsgen import load_scenario, simulate
from boidsgen.errors import LimitError, NotFiniteError, ScenarioError
from boidsgen.scenario.reference import _example, sections
from boidsgen.scenario.wording import constraints, entry_annotation, form_of, keys_of, tables_in, unwrapped
from boidsgen.simulation.run import ENGINES
from boidsgen.tables import MAX_NUMBER, is_tag

SIMULATED = ("world", "time", "flock", "predators", "obstacles", "attractors")


def largest(form):
    """The largest number of a form, or a list of them; None where it has none."""
    if (one := entry_annotation(form, 0)) is not None:
        return None if largest(one) is None else [largest(entry_annotation(form, at)) for at in range(2)]
    usual = {float: MAX_NUMBER, int: 2**63 - 1}.get(unwrapped(form))
    bounds = [one.le for one in constraints(form) if getattr(one, "le", None) is not None]
    return usual and min(bounds, default=usual)


def document(section, keys):
    """A document with these keys in one table, and whatever this and the tables around it must have."""

    def written(one):
        fields = {key: field for key, field in keys_of(one.table).items() if not tables_in(form_of(field))}
        tag = {key: one.kind for key, field in fields.items() if is_tag(field) and one.kind}
        return tag | {key: _example(form_of(field)) for key, field in fields.items() if field.is_required()}

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
            numbers = {key: largest(form_of(field)) for key, field in keys_of(section.table).items()}
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
