"""Reference of the scenario format: descriptions and ranges of keys, `boidsgen explain`, JSON Schema, and templates.

The JSON Schema is for editors that complete and check TOML; the catalog of presets lists for whom each is and its
contents.

Templates are scenarios as text: a short one to start from, one with every key, and documents with a header for each
table.
"""

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from typing_extensions import override

from boidsgen import system
from boidsgen.drawing.themes import THEMES
from boidsgen.errors import UsageError
from boidsgen.scenario.layers import UnresolvedKeyError, layers_of, merged, split_key
from boidsgen.scenario.lessons import A_CHOICE
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Preset, find, presets
from boidsgen.scenario.wording import (
    Section,
    abbreviated,
    described,
    dotted,
    everywhere,
    keys_by_name,
    pairs,
    suggestion,
    to_toml,
    unknown_key,
)
from boidsgen.simulation.measures import KNOWN, measure_class
from boidsgen.simulation.profiles import Profile
from boidsgen.simulation.rules.rule import KnownFlock
from boidsgen.simulation.world import A_DURATION
from boidsgen.tables import (
    Annotation,
    InWords,
    InWorld,
    Key,
    NamesFile,
    Table,
    Tagged,
    has_tables,
    keys_of,
    one_or_several,
    own_tag,
    table_meaning,
)

MAX_USERS = 6  # Presets that are named


def sections() -> Iterator[Section]:
    """Every table that may stand in a scenario, each class at the first place it may stand, outer ones first."""
    seen: set[type[Table]] = set()
    for section in everywhere(Scenario):
        if section.table not in seen:
            seen.add(section.table)
            yield section


@cache
def ranges() -> Mapping[str, Mapping[str, Any]]:
    """The keys that matter most: a value, the range that makes sense, and the effect of it, as measured."""
    return tomllib.loads(files("boidsgen.scenario").joinpath("ranges.toml").read_text("utf-8"))


def default_of(key: Key) -> str:
    """The default of a key as TOML in code quotes; empty where there is none to be written."""
    if key.required:
        return "must be given"
    kind = next((kind for kind, table in key.tables.items() if table is type(key.default)), "")
    return "" if key.default is None or (key.tables and not kind) else f"`{to_toml(kind or key.default)}`"


def explained_key(name: str) -> list[str]:
    """The meaning of a key or a table, its values, its default and the presets that set it; or that of a measure.

    Args:
        name: a dotted key such as `flock.separation`, without or with numbers of tables, or the name of a measure.

    Raises:
        UsageError: when there is no such key; with a suggestion.
    """
    names = tuple(part for part in name.strip("[]").split(".") if not part.isdecimal())
    dotted = ".".join(names)
    measure = dotted.removeprefix("measure.").removeprefix("names.")
    told = _as_measure(measure) if measure in KNOWN else []
    if lines := list(_as_table(dotted)) or list(_as_key(dotted)):
        users = [preset for preset, document in _documents() if _sets(document, names)]
        more = f" and {len(users) - MAX_USERS} more" if len(users) > MAX_USERS else ""
        return [*told, *lines, *([f"  set by   {', '.join(users[:MAX_USERS])}{more}"] if users else [])]
    others = [full for full in keys_by_name(Scenario) if full.endswith(f".{dotted}")]
    if told:
        return [*told, *([f"  also     the keys {', '.join(others[:MAX_USERS])}"] if others else [])]
    if others:  # which are named by their last part
        also = [f"  also     {', '.join(others[1:MAX_USERS])}"] if others[1:] else []
        return [*(list(_as_table(others[0])) or list(_as_key(others[0]))), *also]
    known = [key for section in sections() if section.name == ".".join(names[:-1]) for key in keys_of(section.table)]
    label = name if name.strip() and name.isprintable() else abbreviated(name)
    hint = suggestion(name, KNOWN) if len(names) == 1 else ""
    raise UsageError(f"{label}: {f'unknown key{hint}' if hint else unknown_key(names, known, Scenario)}")


def _as_measure(name: str) -> list[str]:
    """The definition of a measure or a profile, its unit, and how to compute it."""
    measure = measure_class(name)
    kind, key = ("profile", "profiles") if issubclass(measure, Profile) else ("measure", "names")
    text = [f"  {line}".rstrip() for line in system.docstring(measure).splitlines()]
    unit = [f"  in       {measure.unit}"] if measure.unit else []
    return [f"{name}, a {kind}", *text, *unit, f"  ask for  measure.{key} = [{to_toml(name)}]"]


def _as_key(dotted: str) -> Iterator[str]:
    table, _, key = dotted.rpartition(".")
    found = keys_by_name(Scenario).get(f"{table}.{key}".removeprefix("."), ())
    if kinds := {section.kind: table_meaning(section.table) for section, _ in found if section.tag == key}:
        yield dotted
        yield f"  Selects the {key} of [{table}], which has the other keys."
        yield from (f"  {to_toml(kind):<16} {text}" for kind, text in kinds.items())
        return
    seen: set[str] = set()
    for section, one in found:
        kind = f" ({section.tag} {section.kind})" if section.kind else ""
        head = f"{section.name}.{key}{kind}".lstrip(".")
        lines = [head, f"  {one.text}", f"  value    {described(one)}"]
        if default := default_of(one):
            lines.append(f"  default  {default.strip('`')}")
        if known := ranges().get(f"{table}.{key}".lstrip(".")):
            lines.append(f"  range    {known['range']}; {known['effect']}")
        themes = [f"{to_toml(value)} in {where}" for where, value in by_themes(f"{table}.{key}")]
        lines += [f"  default  {', '.join(themes)}"] if themes else []
        if "\n".join(lines) not in seen:
            seen.add("\n".join(lines))
            yield from lines


def by_themes(dotted: str) -> Iterator[tuple[str, object]]:
    """The defaults that themes have for a key, each with where it holds."""
    for name, theme in THEMES.items():
        given = ((name, theme.defaults), (f"{name} in 3D", theme.defaults_3d))
        yield from ((f"theme {where}", defaults[dotted]) for where, defaults in given if dotted in defaults)


def _as_table(dotted: str) -> Iterator[str]:
    for section in everywhere(Scenario):
        if section.name == dotted and section.name:
            kind = f', {section.tag} "{section.kind}"' if section.kind else ""
            yield f"[{section.name}]{kind}"
            yield f"  {table_meaning(section.table)}"
            keys = [key for key in keys_of(section.table).values() if not key.is_tag]
            yield from (f"  {key.name:<16} {key.text}" for key in keys)


@cache
def _documents() -> tuple[tuple[str, Mapping[str, object]], ...]:
    return tuple((preset.name, tomllib.loads(preset.text)) for preset in presets())


def _sets(document: object, names: tuple[str, ...]) -> bool:
    """True if a document has a key, in any of its tables."""
    if not names:
        return True
    if isinstance(document, list):
        return any(_sets(entry, names) for entry in document)
    return isinstance(document, Mapping) and names[0] in document and _sets(document[names[0]], names[1:])


@cache
def key_unit(key: str) -> str:
    """The unit of a dotted key, as its docstring has it; empty where it has none."""
    try:
        names = [name for name in split_key(key) if not name.isdecimal()]
    except UnresolvedKeyError:  # of a study that somebody has altered
        return ""
    found = keys_by_name(Scenario).get(".".join(names), ())
    return next((key.unit for _, key in found if key.unit), "")


# The catalog of presets


class Presets(NamedTuple):
    """Presets that belong together."""

    heading: str
    level: str  # introductory, intermediate or advanced
    names: tuple[str, ...]  # of presets, or of families: all whose names begin with "concept-"
    document: str = ""  # number of the document that they reproduce


GROUPS = (
    Presets("Start here", "introductory", ("quickstart", "hunt", "obstacles", "species", "formation", "food-chain")),
    Presets("Concepts, one behavior each", "introductory", ("concept-",)),
    Presets("Showpieces", "introductory", ("murmuration", "murmuration-30000", "trefoil", "word", "vicsek")),
    Presets(
        "Published models, held to their sources",
        "advanced",
        (
            *("agents-jl", "ben-eater", "couzin-", "cucker-smale", "dorsogna", "lague", "mason", "mesa"),
            *("nature-of-code", "netlogo", "opensteer", "parker", "parker-", "rougier", "rougier-", "vicsek-"),
        ),
    ),
    Presets("Common errors", "intermediate", ("trap-",)),
    Presets("The pygame lesson: Flocking/Swarm Behavior", "introductory", ("pygame-",), "000"),
    Presets("The trefoil in 3D: Animation using matplotlib and ffmpeg", "intermediate", ("trefoil-",), "001"),
    Presets("Three rules in numpy: Boids: Flocking from Three Rules", "intermediate", ("numpy-",), "002"),
    Presets(
        "The derivation: a python pygame implementation of the boids algorithm",
        "advanced",
        ("derivation", "derivation-"),
        "003",
    ),
    Presets("Rules in text, and the p5.js flock: Boids Flocking Behavior", "intermediate", ("p5-",), "004"),
)
"""In the order in which they are listed; a preset stands in the first one that names it, or its family."""

CONTENTS = {**{f"{tag}s": tag for tag in ("predator", "obstacle", "attractor", "field")}, "events": "events"}
"""Tags for tables of which there is at least one entry."""


class KeyDescription(NamedTuple):
    """A preset in the catalog."""

    preset: Preset
    group: Presets
    tags: tuple[str, ...]  # 2D or 3D, what is in it, and the number of its document

    @property
    def text(self) -> str:
        """Everything that a search looks at, in lower case."""
        words = (self.preset.name, self.preset.title, self.group.heading, self.group.level, *self.tags)
        return " ".join(words).lower()


def catalog() -> Iterator[KeyDescription]:
    """Every preset, group by group."""
    for group in GROUPS:
        yield from (KeyDescription(one, group, _tags(one, group)) for one in presets() if _group(one.name) is group)


def _group(name: str) -> Presets:
    known = [group for group in GROUPS if name in group.names]
    families = (group for group in GROUPS for start in group.names if start[-1] == "-" and name.startswith(start))
    return known[0] if known else next(families)


def _tags(one: Preset, group: Presets) -> tuple[str, ...]:
    document = merged(layers_of(find(one.name)))
    world, flocks = document.get("world"), document.get("flock")
    size = world.get("size", ()) if isinstance(world, Mapping) else ()
    several = ("several flocks",) if isinstance(flocks, tuple | list) and len(flocks) > 1 else ()
    contents = (tag for table, tag in CONTENTS.items() if document.get(table))
    dimension = "3D" if isinstance(size, tuple | list) and len(size) > 2 else "2D"
    return (dimension, *several, *contents, *([group.document] if group.document else []))


# The scenario as JSON Schema, without `anyOf` and `oneOf`: of these, editors tell what each branch lacks


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
            entry["description"] = keys_of(table)[key].text
            if "$ref" in entry:  # the table there has a title of its own
                entry.pop("title", None)
        # Where one of the telling keys may take the place of the tag, that may be missing.
        wanted = [name for name, key in keys_of(table).items() if key.required or (key.is_tag and not table.telling)]
        return {**result, "description": table_meaning(table), **({"required": wanted} if wanted else {})}

    @override
    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        table = getattr(schema["function"]["function"], "table", None) if schema["type"] == "function-plain" else None
        if table:  # inside another one; its name makes it a definition of its own
            table.model_rebuild()
            schema = {**table.__pydantic_core_schema__, "ref": f"{table.__module__}.{table.__qualname__}:{id(table)}"}
        return super().generate_inner(schema)

    @override
    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])  # TOML has no null: the key is left out

    @override
    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        result = super().float_schema(schema)
        # JSON has no inf; taplo, which checks TOML by this schema, takes it for null.
        return result if schema.get("allow_inf_nan") is False else {**result, "type": ["number", "null"]}

    @override
    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        return _by_tag(str(schema["discriminator"]), self._members(schema))

    def _members(self, family: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        """The schema of each table of a family, by its name."""
        return dict(zip(map(str, family["choices"]), super().tagged_union_schema(family)["oneOf"], strict=True))

    @override
    def union_schema(self, schema: core_schema.UnionSchema) -> JsonSchemaValue:
        result = super().union_schema(schema)
        return _by_type(result["anyOf"]) if "anyOf" in result else result

    @override
    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        result = super().function_before_schema(schema)
        function = schema["function"]["function"]
        if function is one_or_several:
            return _by_type([result, result["items"]])
        if isinstance(function, Tagged):
            family: Any = schema["schema"]
            members = self._members(family)
            table = _by_tag(function.tag, members, function.telling)
            lists = [{"items": table, "minItems": 1, "type": "array"}] if function.several else []
            return _by_type([{"enum": [*members], "type": "string"}, *lists, table])
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


def _by_type(forms: Sequence[JsonSchemaValue]) -> JsonSchemaValue:
    """The one of several forms of a value that has its type; the last one where none of the others has.

    Forms that are told by their keywords alone are one: most keywords mean nothing to values of another type.
    """
    if {"type": "boolean"} in forms and all(form == {"type": "boolean"} or "const" in form for form in forms):
        return {"enum": [False, True, *(form["const"] for form in forms if "const" in form)]}
    if all("type" in form and not {"const", "enum"} & {*form} for form in forms):
        types = (form["type"] if isinstance(form["type"], list) else [form["type"]] for form in forms)
        return {key: value for form in forms for key, value in form.items()} | {"type": [*chain(*types)]}
    *others, chosen = forms
    for form in reversed(others):
        chosen = {"if": {"type": form["type"]}, "then": form, "else": chosen}
    return chosen


def _by_tag(tag: str, members: JsonSchemaValue, telling: Sequence[tuple[str, str]] = ()) -> JsonSchemaValue:
    """The one of several tables that its tag names, or without the tag the first of the telling keys."""
    chosen: JsonSchemaValue = {"type": "object", "properties": {tag: {"enum": [*members]}}, "required": [tag]}
    for key, kind in reversed(telling):
        chosen = {"if": {"required": [key], "not": {"required": [tag]}}, "then": members[kind], "else": chosen}
    for kind, member in reversed(members.items()):
        named = {"properties": {tag: {"const": kind}}, "required": [tag]}
        chosen = {"if": named, "then": member, "else": chosen}
    return chosen


def _is_plain(value: object) -> bool:
    """True if the schema states a default: not null or infinite (TOML, JSON), nor a table, which states its own."""
    if isinstance(value, list):
        return all(_is_plain(entry) for entry in value)
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


LESSON = "lesson"  # Name under which `boidsgen new --from` knows it
_START = """\
# A flock to start from. Change a number, then run: boidsgen render THIS_FILE
# `boidsgen explain KEY` says more about a key, `boidsgen new --full OUT.toml` lists all of them.
"""


def starter() -> str:
    """A short scenario: the keys that matter most, each with its range and its effect."""
    lines, header = [_START.rstrip()], ""
    for key, known in ranges().items():
        table, _, name = key.rpartition(".")
        if table != header:
            lines += ["", f"[{table}]"]
            header = table
        lines.append(f"{name} = {to_toml(known['value'])}  # {known['range']}; {known['effect']}")
    return "\n".join(lines) + "\n"


def lesson_template() -> str:
    """A short scenario whose page asks a question, with comments for teachers."""
    return (files("boidsgen.scenario") / "lesson.toml").read_text("utf-8")


def with_headers(document: Mapping[str, Any]) -> str:
    """A document as TOML: its own keys, then each table under its header."""
    keys = {key: value for key, value in document.items() if not is_tables(value)}
    tables = {key: value for key, value in document.items() if key not in keys}
    return "\n".join([*pairs(keys), "", *as_tables((), tables)])


def is_tables(value: object) -> bool:
    """True for a table, or several."""
    several = isinstance(value, list | tuple) and bool(value) and all(isinstance(one, Mapping) for one in value)
    return several or isinstance(value, Mapping)


def as_tables(above: tuple[str, ...], tables: Mapping[str, Any]) -> Iterator[str]:
    """Tables as TOML, each under its header, and those below it."""
    for name, whole in tables.items():
        keys = (*above, name)
        single = isinstance(whole, Mapping) or (keys == ("flock",) and len(whole) == 1)
        for table in (whole if isinstance(whole, Mapping) else whole[0],) if single else whole:
            plain = {key: value for key, value in table.items() if not is_tables(value) or keys[0] == "events"}
            if plain or not table or not single:
                yield f"[{dotted(keys)}]" if single else f"[[{dotted(keys)}]]"
                yield from pairs(plain)
                yield ""
            yield from as_tables(keys, {key: value for key, value in table.items() if key not in plain})


_HEAD = """\
# A scenario for boidsgen: every table, its keys at their defaults.
# Lines that begin with # and a key are disabled; delete the # to enable them.
"""


@dataclass(frozen=True)
class _Place:
    """The place where a table is written."""

    name: str = ""  # its dotted key, empty for the top of the file
    brackets: int = 1  # 1 for `[name]`, 2 for `[[name]]`, one of several
    hash: str = ""  # "#" where the table is not there by default, else empty
    default: Table | None = None  # the table with the values to write, where there is one


def template() -> str:
    """A commented document that loads to the default scenario."""
    return "\n".join([_HEAD, *_keys(Scenario, _Place(default=Scenario()))]) + "\n"


def _keys(table: type[Table], place: _Place) -> Iterator[str]:
    for key in keys_of(table).values():
        # Tables within one that cannot be empty are written as values, so that all of it can be uncommented at once.
        if key.tables and not (key.entries and _empty(table) is None):
            yield from ("", f"# {key.text}")
            yield from _tables(key, place)
        elif place.brackets > 1 and key.remark(NamesFile) is not None:
            # A file that need not be there: the key with its content is shown instead.
            yield f"# {key.name}: {key.text}"
        elif not key.is_tag:
            yield f"# {key.text}"
            yield _pair(key, place)


def _tables(key: Key, around: _Place) -> Iterator[str]:
    """The tables to show under a key: the default one, or the first kind; every kind where several tables may stand."""
    tables, several = key.tables, bool(key.entries)
    default = getattr(around.default, key.attribute) if around.default else None
    hidden = around.hash or ("" if default else "#")
    default = default[0] if several and default else default or None
    place = _Place(f"{around.name}.{key.name}".lstrip("."), 2 if several and not default else 1, hidden, default)
    shown = [kind for kind, table in tables.items() if default is None or type(default) is table]
    if len(tables) > 1:
        yield f"# There are: {', '.join(tables)}."
    for kind in shown if place.brackets > 1 else shown[:1]:
        table = tables[kind]
        if kind:
            yield f"# {kind}: {table_meaning(table)}"
        yield f"{place.hash}{'[' * place.brackets}{place.name}{']' * place.brackets}"
        if tag := own_tag(table):
            yield f"{place.hash}{tag} = {to_toml(kind)}"
        yield from _keys(table, replace(place, default=default or _empty(table)))


def _empty(table: type[Table]) -> Table | None:
    """A table of which nothing is written; None where something must be."""
    try:
        return table()
    except ValidationError:
        return None


def _pair(key: Key, place: _Place) -> str:
    if not key.required and key.default is not None:
        shown = getattr(place.default, key.attribute) if place.default else key.default
        # Editors that check TOML by a JSON Schema, which has no infinity, would underline it; themes know better.
        idle = shown == math.inf or any(by_themes(f"{place.name}.{key.name}"))
        return f"{place.hash or '#' * idle}{key.name} = {to_toml(shown)}"
    if KnownFlock in key.remarks:
        return f"# {key.name} = the name of another flock"  # no example is right in a scenario of one flock
    if key.remark(InWords) is A_DURATION:
        return f'# {key.name} = "8s", instead of frames'  # both together are an error
    if key.remark(InWords) is A_CHOICE:
        return f"# {key.name} = one of the texts of predict"  # which is empty
    return f"{place.hash if key.required else '#'}{key.name} = {to_toml(_example(key))}"


def _example(annotation: Annotation, number: int = 0) -> object:
    """A value that may stand here; the entries of a list differ, so that its points do not coincide."""
    own, bounds = annotation.remark(InWords), annotation.bounds
    if annotation.choices:
        return annotation.choices[0]
    if own or InWorld in annotation.remarks:
        return own.example if own else [100.0 + 20.0 * number, 100.0 + 20.0 * number**2]
    if annotation.entries:
        return [_example(annotation.entry(at), at) for at in range(max(1, annotation.length[0]))]
    if len(annotation.options) > 1:
        return _example(annotation.options[-1])
    least = max(1, bounds.get("ge", bounds.get("gt", 0)))
    return {bool: True, str: "text"}.get(annotation.plain) or annotation.plain(least)
