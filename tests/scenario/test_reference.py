"""Reference, schema and template: generated from the tables."""

import json
import re

import pytest

from boidsgen.scenario.annotations import keys_of, places
from boidsgen.scenario.reference import meaning, reference, rules_table, sections, summary
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.schema import json_schema
from boidsgen.scenario.template import template
from boidsgen.simulation.rules.registry import RULES
from tests.scenario.loaded import loaded

SECTIONS = list(sections())


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: f"{section.name} {section.kind}")
def test_every_key_has_a_meaning(section):
    """Every table and every key says what it is, in a sentence."""
    assert summary(section.table).endswith((".", ":"))
    for key in keys_of(section.table):
        assert meaning(section.table, key).endswith(".")


def test_reference_has_every_key():
    """The reference names every table and every key."""
    text = reference()

    assert all(f"`[{section.name}]`" in text for section in SECTIONS if section.name)
    assert all(f"\n| `{key}` |" in text for section in SECTIONS for key in keys_of(section.table))


@pytest.mark.parametrize("name", RULES)
def test_every_rule_has_its_formula_and_source(name):
    """Each rule's class says both, and they stand in its section of the reference and in the table of formulas."""
    rule = RULES[name]

    assert rule.formula
    assert rule.source
    assert f"Raw vector: `{rule.formula}`" in reference()
    usual = rule.usual_steering or "the group's"
    row = next(line for line in rules_table().splitlines() if line.startswith(f"| `{name}` |"))
    assert row.replace("\\|", "|") == f"| `{name}` | {rule.formula} | {usual} | {rule.source} |"


def test_schema_is_plain_json():
    """The schema has no infinity, no null and no oneOf, which editors misread."""
    text = json.dumps(json_schema(), allow_nan=False)

    assert '"oneOf"' not in text
    assert '"null"' not in text
    assert ": null" not in text


def test_schema_allows_short_forms():
    """A name for its table, and one table where several may stand."""
    properties = json_schema()["properties"]
    world = json_schema()["$defs"]["World"]["properties"]

    assert {"$ref": "#/$defs/Flock"} in properties["flock"]["anyOf"]
    assert "torus" in world["boundary"]["anyOf"][0]["enum"]
    assert world["boundary"]["description"] == "What happens at the edges."


def test_schema_demands_the_kind():
    """A table of a family needs the key that tells which member it is."""
    definitions = json_schema()["$defs"]

    assert definitions["Soft"]["required"] == ["kind"]
    assert definitions["Polygon"]["required"] == ["kind", "points"]


def test_template_is_the_default_scenario():
    """The template loads, and changes nothing."""
    assert loaded(template()).model_dump() == Scenario().model_dump()


def test_template_sets_nothing_infinite():
    """JSON Schema has no infinity: an editor would underline it in a file that nobody has touched yet."""
    assert not re.findall(r"^[^#\n].*= inf$", template(), re.MULTILINE)
    assert "#max_acceleration = inf" in template()


def _commented_out():
    """The lines of each commented-out table, and each commented-out key of a table that is there."""
    blocks, hidden = [], False
    for number, line in enumerate(template().splitlines()):
        header = re.match(r"#?\[", line)
        if header:
            hidden = line.startswith("#")
        if line.startswith("#") and not line.startswith("# "):
            if hidden and not header:
                blocks[-1].append(number)
            else:
                blocks.append([number])
    return blocks


@pytest.mark.parametrize("block", _commented_out(), ids=lambda block: template().splitlines()[block[0]])
def test_template_loads_with_anything_uncommented(block):
    """Whatever is taken from behind its # is valid."""
    lines = template().splitlines()
    changed = [line[1:] if number in block else line for number, line in enumerate(lines)]

    assert loaded("\n".join(changed)).model_dump() != {}


def test_places_are_what_the_tables_know():
    """Every known value comes with its keys; what is below an unknown key does not."""
    found = {keys for keys, _, _ in places({"flock": {"count": 3, "nonsense": {"count": 3}}}, Scenario)}

    assert found == {(), ("flock",), ("flock", "count")}
