"""Documentation: the meaning of every key, and the reference of the scenario generated from it.

The meaning of a key is the docstring below its field. Python does not keep such docstrings at run time, so they are
read from the source of the module when needed. A key without one that holds a table has the docstring of the table's
class.

  reference()          Markdown with every table, its keys, defaults and meanings
  rules_table()        Markdown with the formula of every rule, forms_table() with that of both steering forms
  sections()           every table that may stand in a scenario, at its place
  meaning, summary     of a key, of a table
  keys_of, tables_in   the keys of a table; the tables that may stand under a key
"""

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from pydantic.fields import FieldInfo

from boidsgen.scenario.grammar import Form, attributes, bare, entry, form_of, is_table, members, words
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import described, written
from boidsgen.simulation.dynamics import FORMULAS
from boidsgen.simulation.rules.registry import RULES
from boidsgen.simulation.rules.rule import Rule, listed
from boidsgen.tables import Table


class Section(NamedTuple):
    """A table of the scenario at its place.

    Attributes:
        name: dotted key of the table, empty for the top of the file.
        kind: which member of its family it is, empty where there is no choice.
        table: the class.
    """

    name: str
    kind: str
    table: type[Table]


def reference() -> str:
    """Markdown: every table of the scenario with its keys, their defaults and their meaning."""
    return "\n".join(_section(section) for section in sections())


def rules_table() -> str:
    """Markdown: the formula of every rule, its usual form and its source."""
    rows = (
        (f"`{name}`", rule.formula, rule.usual_steering or "the group's", rule.source)
        for name, rule in listed(RULES).items()
    )
    head = ["| rule | raw vector x | usual form | source |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *map(_cells, rows), ""])


def forms_table() -> str:
    """Markdown: what each steering form makes of a raw vector."""
    head = ["| form | change of velocity by raw vector x, before the weight |", "| --- | --- |"]
    return "\n".join([*head, *(_cells((f"`{form}`", formula)) for form, formula in FORMULAS.items()), ""])


def sections() -> Iterator[Section]:
    """Every table that may stand in a scenario, each class at the first place it may stand, outer ones first."""
    seen: set[type[Table]] = set()
    for section in sections_below(Section("", "", Scenario)):
        if section.table not in seen:
            seen.add(section.table)
            yield section


@cache
def keys_of(table: type[Table]) -> Mapping[str, FieldInfo]:
    """The keys of a table in the order in which one writes them: its kind, plain values, tables."""
    found = {key: table.model_fields[name] for key, name in attributes(table).items()}
    order = {key: (bool(tables_in(form_of(field))), not is_tag(field)) for key, field in found.items()}
    return {key: found[key] for key in sorted(order, key=order.__getitem__)}


def is_tag(field: FieldInfo) -> bool:
    """Whether a key only tells which member of a family its table is."""
    return words(field.annotation) == (field.default,) and isinstance(field.default, str)


def meaning(table: type[Table], key: str) -> str:
    """What a key means."""
    name = attributes(table)[key]
    field = table.model_fields[name]
    if is_tag(field):
        return "Makes it this kind of table."
    described_by_tables = (summary(inner) for inner in tables_in(form_of(field)).values())
    return _docstrings(table).get(name) or field.description or next(described_by_tables, "")


def summary(table: type[Table]) -> str:
    """What a table is."""
    return inspect.cleandoc(table.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def default_of(field: FieldInfo) -> str:
    """The default of a key as TOML in code quotes; empty where there is none to be written."""
    if field.is_required():
        return "must be given"
    default = field.get_default()
    if default is None:
        return ""
    tables = tables_in(form_of(field))
    kind = next((kind for kind, table in tables.items() if table is type(default)), "")
    value = "" if tables and not kind else written(kind or default)
    return f"`{value}`" if value else ""


def tables_in(form: Form) -> Mapping[str, type[Table]]:
    """The tables that may stand under a key, by kind; the kind is empty where there is no choice."""
    if (inner := entry(form, 0)) is not None:
        return tables_in(inner)
    plain = bare(form)
    return members(form) or ({"": plain} if is_table(plain) else {})


def sections_below(section: Section) -> Iterator[Section]:
    """A section and all below it, also where their classes have stood before; one in a table of its own kind is not."""
    yield section
    for key, field in keys_of(section.table).items():
        for kind, table in tables_in(form_of(field)).items():
            if table is not section.table:
                yield from sections_below(Section(f"{section.name}.{key}".lstrip("."), kind, table))


def _section(section: Section) -> str:
    heading = f"`[{section.name}]`" if section.name else "Top of the file"
    kind = f", kind `{section.kind}`" if section.kind else ""
    head = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    rows = [_row(section.table, key, field) for key, field in keys_of(section.table).items()]
    told = [summary(section.table), "", *_formula(section.table)]
    return "\n".join([f"### {heading}{kind}", "", *told, *head, *rows, ""])


def _formula(table: type[Table]) -> list[str]:
    """The formula of a rule with its form and source; nothing for other tables."""
    if not issubclass(table, Rule):
        return []
    form = f"the {table.usual_steering} form" if table.usual_steering else "the form of its group"
    return [f"Raw vector: `{table.formula}`, in {form} ({table.source}).", ""]


def _row(table: type[Table], key: str, field: FieldInfo) -> str:
    return _cells((f"`{key}`", described(form_of(field)), default_of(field), meaning(table, key)))


def _cells(row: Iterable[str]) -> str:
    """A row of a table."""
    escaped = (cell.replace("|", "\\|") for cell in row)
    return f"| {' | '.join(escaped)} |"


@cache
def _docstrings(table: type[Table]) -> Mapping[str, str]:
    """The docstrings below the fields of a class and of those it inherits from."""
    found: dict[str, str] = {}
    for base in reversed(table.__mro__):
        if issubclass(base, Table):
            found |= _below_fields(base.__module__).get(base.__name__, {})
    return found


@cache
def _below_fields(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings below the fields of every class in a module."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name: dict(_pairs(node.body)) for node in classes}


def _pairs(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                yield name, inspect.cleandoc(docstring).replace("\n", " ")
