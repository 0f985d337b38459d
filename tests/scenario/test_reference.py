"""Reference, schema and template: generated from the tables."""

import json
import re
from pathlib import Path

import pytest

from boidsgen.scenario.reference import json_schema, sections, template
from boidsgen.simulation.setup import RULES
from boidsgen.tables import keys_of, table_meaning
from docs.programs.reference import PAGES, keys, rule_keys, rules_table, usual_source
from tests.scenario.loaded import loaded

REFERENCE, TEMPLATE, SCHEMA = "\n".join([*map(keys, PAGES), rule_keys()]), template(), json_schema()


def test_one_module_looks_at_fields():
    """All others take a key as `tables.keys_of` has read it from pydantic's field and its annotation."""
    inner = {"model_fields", "__pydantic_fields__", "FieldInfo", "get_origin"}
    modules = (Path(__file__).parents[2] / "boidsgen").rglob("*.py")

    assert [one.name for one in modules if inner & {*re.findall(r"\w+", one.read_text("utf-8"))}] == ["tables.py"]


def test_every_key_has_a_meaning():
    """Every table and every key is in the reference, and says what it is in a sentence."""
    for section in sections():
        assert table_meaning(section.table).endswith((".", ":")), section
        assert f"{{ #{section.name or 'top'} }}" in REFERENCE
        assert f"`[{section.name}]`, {section.tag} `{section.kind}`" in REFERENCE or not section.kind
        for name, key in keys_of(section.table).items():
            assert key.text.endswith("."), (section, name)
            assert re.search(rf"(?m)^(#### |- \[|As in .*)`{name}`", REFERENCE) or key.is_tag


@pytest.mark.parametrize("name", RULES)
def test_every_rule_has_its_formula_and_source(name):
    """Each rule's class says both, and they stand in its section of the reference and in the table of formulas."""
    rule = RULES[name]
    row = next(line for line in rules_table().splitlines() if line.startswith(f"| `{name}` |"))

    assert rule.formula
    assert rule.source
    assert f"Raw vector: `{rule.formula}`" in REFERENCE
    usual = rule.usual_steering or "the group's"
    assert row.replace("\\|", "|") == f"| `{name}` | {rule.formula} | {usual} | {usual_source(rule)} |"


def test_schema_suits_editors():
    """Neither oneOf nor infinity; null, which stands for inf, beside numbers alone; short forms need no kind."""
    text, definitions = json.dumps(SCHEMA, allow_nan=False), SCHEMA["$defs"]
    boundary = definitions["World"]["properties"]["boundary"]

    assert not [word for word in ('"oneOf"', ": null", '"type": "null"') if word in text]
    assert text.count('"null"') == text.count('"type": ["number", "null"]')
    assert {"$ref": "#/$defs/Flock"} in SCHEMA["properties"]["flock"]["anyOf"]
    assert "torus" in boundary["anyOf"][0]["enum"]
    assert boundary["description"]
    assert definitions["Soft"]["required"] == ["kind"]
    assert definitions["Polygon"]["required"] == ["kind", "points"]


def test_template_is_the_default_scenario():
    """It lists every key and kind, changes nothing, and sets nothing infinite, which JSON Schema does not have."""
    assert loaded(TEMPLATE).model_dump() == loaded("").model_dump()
    assert [key for one in sections() if not one.kind for key in keys_of(one.table) if key not in TEMPLATE] == []
    assert [one.kind for one in sections() if one.kind not in TEMPLATE] == []
    assert not re.findall(r"^[^#\n].*= inf$", TEMPLATE, re.MULTILINE)
    assert "#max_acceleration = inf" in TEMPLATE


def _commented_out():
    """The lines of each commented-out table, and each commented-out key of a table that is there."""
    blocks, hidden = [], False
    for number, line in enumerate(TEMPLATE.splitlines()):
        header = re.match(r"#?\[", line)
        if header:
            hidden = line.startswith("#")
        if line.startswith("#") and not line.startswith("# "):
            if hidden and not header:
                blocks[-1].append(number)
            else:
                blocks.append([number])
    return blocks


@pytest.mark.parametrize("block", _commented_out(), ids=lambda block: TEMPLATE.splitlines()[block[0]])
def test_template_loads_with_anything_uncommented(block, tmp_path, monkeypatch):
    """Whatever is taken from behind its # is valid, where the film that it names is there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "0001.png").touch()
    loaded("\n".join(line[1:] if number in block else line for number, line in enumerate(TEMPLATE.splitlines())))
