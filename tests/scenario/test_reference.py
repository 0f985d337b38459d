"""Reference, schema and template: generated from the tables."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from boidsgen.scenario.reference import json_schema, sections, template
from boidsgen.scenario.sources import presets
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
    """Neither anyOf, oneOf nor infinity; null, which stands for inf, beside numbers alone; short forms need no kind."""
    text, definitions = json.dumps(SCHEMA, allow_nan=False), SCHEMA["$defs"]
    boundary = definitions["World"]["properties"]["boundary"]

    assert not [word for word in ('"anyOf"', '"oneOf"', ": null", '"type": "null"') if word in text]
    assert SCHEMA["properties"]["flock"]["else"] == {"$ref": "#/$defs/Flock"}
    assert "torus" in boundary["then"]["enum"]
    assert boundary["description"]
    assert definitions["Soft"]["required"] == ["kind"]
    assert definitions["Polygon"]["required"] == ["kind", "points"]


VALIDATOR = Draft202012Validator(SCHEMA)
WRONG = {
    "[flock]\ncount = -1": ("flock.count", "less than the minimum of 0"),
    "[[flock]]\ncount = -1": ("flock.0.count", "less than the minimum of 0"),
    '[[flock]]\nname = "a"\n[[flock]]\nname = "b"\ncuont = 3': ("flock.1", "'cuont' was unexpected"),
    "[flock]\ncuont = 3": ("flock", "'cuont' was unexpected"),
    '[flock.separation]\nweight = "x"': ("flock.separation.weight", "not of type 'number'"),
    "[flock.separation]\nwieght = 1": ("flock.separation", "'wieght' was unexpected"),
    "[[flock]]\n[flock.alignment]\nradius = -3": ("flock.0.alignment.radius", "minimum of 0"),
    '[flock]\nlimit_speed = "sterred"': ("flock.limit_speed", "not one of [False, True, 'steered']"),
    '[flock]\nstart = "rign"': ("flock.start", "'ring'"),
    '[flock.start]\nlayout = "ring"\nradius = -4': ("flock.start.radius", "minimum of 0"),
    "[flock.start]\npoints = [[1, 2]]\nlayuot = 3": ("flock.start", "'layuot' was unexpected"),
    '[flock.start]\nlayout = "rign"': ("flock.start.layout", "'ring'"),
    '[flock]\nstart = [{ layout = "disc", radius = "big" }]': ("flock.start.0.radius", "not of type 'number'"),
    "[flock]\nindividual = { share = 0.5 }": ("flock.individual", "'key' is a required property"),
    '[[obstacles]]\nkind = "circle"\ncenter = [1, 2]\nradius = -1': ("obstacles.0.radius", "minimum of 0"),
    '[[obstacles]]\nkind = "circle"\ncenter = [1, 2]\nradius = 1\nradios = 1': (
        "obstacles.0",
        "'radios' was unexpected",
    ),
    '[[obstacles]]\nkind = "circel"\ncenter = [1, 2]': ("obstacles.0.kind", "not one of ['box', 'circle'"),
    "[[obstacles]]\ncenter = [1, 2]": ("obstacles.0", "'kind' is a required property"),
    '[obstacles]\nkind = "box"\ncenter = [1, 2]\nsize = [0, 3]': ("obstacles.size.0", "minimum of 0"),
    '[[fields]]\nkind = "wind"\nvector = 3': ("fields.0.vector", "not of type 'array'"),
    '[[attractors]]\npoint = "middle"': ("attractors.0.point", "not of type 'array'"),
    '[predators]\npath = "trefoli"': ("predators.path", "not one of ['circle', 'trefoil']"),
    '[predators.path]\nkind = "circle"\nperiod = -3': ("predators.path.period", "minimum of 0"),
    '[world]\nboundary = "torsu"': ("world.boundary", "'torus'"),
    '[world]\nboundary = { kind = "soft", margin = -1 }': ("world.boundary.margin", "minimum of 0"),
    '[world]\nsize = "big"': ("world.size", "not of type 'array'"),
    '[style]\ntheme = "nihgt"': ("style.theme", "'night'"),
    '[style]\nsize = "big"': ("style.size", "does not match"),
    "[style]\nsize = 1000": ("style.size", "maximum of 200"),
    "[output]\nsize = [10]": ("output.size", "too short"),
    '[output]\nsize = "sqare"': ("output.size", "not one of ['square', 'vertical']"),
    '[overlay]\nhud = ["polarisation"]': ("overlay.hud.0", "'polarization'"),
    '[overlay]\nlegend = "yes"': ("overlay.legend", "not one of [False, True, 'scale']"),
    "[[events]]\nat = -1\nset = {}": ("events.0.at", "minimum of 0"),
    "[time]\nframes = 1.5": ("time.frames", "not of type 'integer'"),
}


@pytest.mark.parametrize("document", WRONG)
def test_schema_tells_one_error_at_its_place(document):
    """By the schema an editor underlines the wrong value or its table, once, with words about it."""
    place, words = WRONG[document]
    (error,) = VALIDATOR.iter_errors(tomllib.loads(document))

    assert ".".join(map(str, error.absolute_path)) == place
    assert words in error.message


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_schema_accepts_what_loads(preset):
    """Every preset is valid by the schema, the short forms that it is written in included."""
    assert [*VALIDATOR.iter_errors(tomllib.loads(preset.text))] == []


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
