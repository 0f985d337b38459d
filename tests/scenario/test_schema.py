import json

from boidsgen.scenario.schema import json_schema


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
