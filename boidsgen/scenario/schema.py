"""Schema: the scenario as JSON Schema, for editors that complete and check TOML.

Families are written as `anyOf`: editors take the wrong branch of a `oneOf` whose members are told apart by a constant.
"""

import math
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from typing_extensions import override

from boidsgen.scenario.annotations import keys_of
from boidsgen.scenario.reference import meaning, summary
from boidsgen.scenario.scenario import Scenario
from boidsgen.tables import ShortForm, Table, has_tables, is_tag, one_or_several


def json_schema() -> dict[str, Any]:
    """The schema of a scenario, JSON Schema 2020-12."""
    return Scenario.model_json_schema(schema_generator=_Generator)


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with meanings from docstrings and with the short forms that users may write."""

    @override
    def generate(self, schema: core_schema.CoreSchema, mode: str = "validation") -> JsonSchemaValue:
        return {"$schema": self.schema_dialect, **super().generate(schema, "validation")}

    @override
    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        table: type[Table] = schema["cls"]
        result = super().model_schema(schema)
        for key, entry in result.get("properties", {}).items():
            entry["description"] = meaning(table, key)
        required = [key for key, field in keys_of(table).items() if field.is_required() or is_tag(field)]
        return {**result, "description": summary(table), **_wanted(table, required)}

    @override
    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])  # TOML has no null: the key is left out

    @override
    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        result = super().tagged_union_schema(schema)
        return {"anyOf": result["oneOf"]}

    @override
    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        result = super().function_before_schema(schema)
        function = schema["function"]["function"]
        if function is one_or_several:
            return {"anyOf": [result["items"], result]}
        if isinstance(function, ShortForm):
            kinds = [str(kind) for kind in schema["schema"]["choices"]]
            several = {"items": {"anyOf": result["anyOf"]}, "minItems": 1, "type": "array"}
            lists = [several] if function.several else []
            return {"anyOf": [{"enum": kinds}, *result["anyOf"], *lists]}
        return result

    @override
    def encode_default(self, dft: Any) -> Any:
        # A table states its own defaults; before pydantic 2.14 one that was never checked cannot even be written here.
        return None if has_tables(dft) else super().encode_default(dft)

    @override
    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        result = super().default_schema(schema)
        if "default" in result and not _is_plain(result["default"]):
            del result["default"]
        return result


def _wanted(table: type[Table], required: list[str]) -> JsonSchemaValue:
    """The keys that must be there; one that tells which table it is may take the place of the tag."""
    if not required or not table.telling:
        return {"required": required} if required else {}
    tag = next(key for key, field in keys_of(table).items() if is_tag(field))
    others = [key for key in required if key != tag]
    told = {"anyOf": [{"required": [key]} for key in (tag, *table.telling)]}
    return {**told, **({"required": others} if others else {})}


def _is_plain(value: object) -> bool:
    """True if the schema states a default: not null or infinite (TOML, JSON), nor a table, which states its own."""
    if isinstance(value, list):
        return all(_is_plain(entry) for entry in value)
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
