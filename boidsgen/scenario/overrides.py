"""Overrides: keys set from outside the file, by the command line or by a Python caller.

An override goes into the document before that is checked, so that it meets the same rules as the file. Its key may
leave out the number of a table that stands alone (`flock.count`), and must give it where there are several
(`flock.1.count`, counted from 0) or the name of one (`flock.swallows.count`). A table given as a value replaces the
whole table.

  from_text(text)                         the override of `--set KEY=VALUE`
  resolve_key(document, names, form)      the keys, numbers included, that a dotted key stands for
  set_key(document, keys, value, form)    a copy of the document with the value at these keys
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boidsgen.caps import MAX_ARGUMENT, MAX_DEPTH
from boidsgen.errors import UsageError
from boidsgen.scenario.documents import ExcessError, parsed
from boidsgen.scenario.grammar import Form, bare, below, entry, fields, is_table, tag_of
from boidsgen.scenario.lines import Keys
from boidsgen.scenario.wording import readable, shown, suggestion
from boidsgen.tables import MAX_DIGITS


@dataclass(frozen=True)
class Override:
    """One key set from outside.

    Attributes:
        key: dotted, as in `flock.separation.weight`.
        value: what it becomes.
        origin: how mistakes name the override, as in `--set flock.count=-1`.
    """

    key: str
    value: object
    origin: str


class UnresolvedKeyError(Exception):
    """The key of an override does not fit the document; the message says why."""


def from_text(text: str) -> Override:
    """The override that `--set KEY=VALUE` asks for; a value that is not TOML is taken as a string."""
    refuse_undecodable(text, "--set")
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {text}: must look like KEY=VALUE, as in --set flock.count=80")
    return Override(key.strip(), value_from(value), f"--set {text}")


def refuse_undecodable(text: str, option: str) -> None:
    """Stop when an argument is no text, or more of it than anybody would write.

    Raises:
        UsageError: naming the option.
    """
    if len(text) > MAX_ARGUMENT:
        raise UsageError(f"{option}: {len(text):,} letters, and there may be {MAX_ARGUMENT:,}")
    if readable(text) != text:
        raise UsageError(f"{option} {readable(text)}: is not UTF-8")


def value_from(text: str) -> object:
    """A TOML value, or the text itself when it is not one."""
    try:
        document = parsed(f"value = {text}")
    except ValueError:
        return text
    return document["value"] if len(document) == 1 else text


def listed(value: object, form: Form) -> object:
    """What `300,200` stands for where a list must stand, each entry as a value of its own; any other value itself."""
    inner = bare(entry(form, 0))
    if not isinstance(value, str) or inner is None or is_table(inner) or "," not in value:
        return value
    return [value_from(part.strip()) for part in value.split(",")]


def names_of(key: str) -> tuple[str, ...]:
    """The names in a dotted key, quoted as TOML allows."""
    try:
        inner: object = parsed(f"{key} = 0") if "\n" not in key else None
    except ExcessError:
        raise UnresolvedKeyError(f"a key has {MAX_DEPTH} names at most") from None
    except ValueError:
        raise UnresolvedKeyError("not a dotted key such as flock.count") from None
    names: list[str] = []
    while isinstance(inner, dict) and len(inner) == 1:
        [(name, inner)] = inner.items()
        names.append(name)
    if inner != 0:
        raise UnresolvedKeyError("not a dotted key such as flock.count")
    return tuple(names)


def resolve_key(node: object, names: Sequence[str], form: Form) -> Keys:
    """The keys, numbers included, that the names in a dotted key stand for in this document."""
    if not names:
        return ()
    node = _as_table(node, form)
    if isinstance(node, Mapping):
        return _in_table(node, names, form)
    if isinstance(node, list | tuple):
        return _in_list(node, names, form)
    raise UnresolvedKeyError(f"{names[0]} cannot be set inside {shown(node)}, which is not a table")


def set_key(node: object, keys: Keys, value: object, form: Form) -> object:
    """A copy of the document with the value at these keys; tables on the way are made where they are missing."""
    if not keys:
        return value
    head, rest = keys[0], keys[1:]
    if isinstance(node, list | tuple) and isinstance(head, int):
        inner_form = entry(form, head)
        entries = (set_key(inner, rest, value, inner_form) if at == head else inner for at, inner in enumerate(node))
        return tuple(entries) if isinstance(node, tuple) else list(entries)
    table = _as_table(node, form)
    table = table if isinstance(table, Mapping) else {}
    return {**table, head: set_key(table.get(head, {}), rest, value, below(table, form, str(head)))}


def form_of_key(node: object, keys: Keys, form: Form) -> Form:
    """What the grammar says stands at these keys of the document."""
    for key in keys:
        node = _as_table(node, form)
        if isinstance(node, Mapping):
            form, node = below(node, form, str(key)), node.get(key, {})
        elif isinstance(node, list | tuple) and isinstance(key, int):
            form, node = entry(form, key), node[key]
        else:
            return None
    return form


def _as_table(node: object, form: Form) -> object:
    """A plain string as the table for which it is short: `"soft"` is `{ kind = "soft" }`."""
    tag = tag_of(form)
    return {tag: node} if tag and isinstance(node, str) else node


def _in_table(node: Mapping[str, object], names: Sequence[str], form: Form) -> Keys:
    head, rest = names[0], names[1:]
    if rest and _is_called(node, head, form):
        return resolve_key(node, rest, form)
    if not head.isdecimal() or head in node or entry(form, 0) is None:
        return (head, *resolve_key(node.get(head, {}), rest, below(node, form, head)))
    if head.strip("0"):
        raise UnresolvedKeyError(f"there is no number {head} here, only number 0")
    return resolve_key(node, rest, form)


def _in_list(node: Sequence[object], names: Sequence[str], form: Form) -> Keys:
    if not node:
        raise UnresolvedKeyError(f"{names[0]} cannot be set inside an empty list")
    if names[0].isdecimal():
        number = int(names[0][-MAX_DIGITS:])
        if number >= len(node) or len(names[0]) > MAX_DIGITS:
            raise UnresolvedKeyError(f"there is no number {names[0]} here, the last one is number {len(node) - 1}")
        return (number, *resolve_key(node[number], names[1:], entry(form, number)))
    if len(node) == 1:
        return (0, *resolve_key(node[0], names, entry(form, 0)))
    return _by_name(node, names, form)


def _by_name(node: Sequence[object], names: Sequence[str], form: Form) -> Keys:
    """The keys below the only one of several tables that has the name in front."""
    numbers = f"a number from 0 to {len(node) - 1}"
    inner = entry(form, 0)
    called = [number for number, table in enumerate(node) if _is_called(table, names[0], inner)]
    if len(called) == 1 and names[1:]:
        return (called[0], *resolve_key(node[called[0]], names[1:], inner))
    if len(called) > 1:
        raise UnresolvedKeyError(f"{len(called)} are called {names[0]}: put {numbers} in its place")
    known = [str(table["name"]) for table in node if isinstance(table, Mapping) and "name" in table]
    meant = suggestion(names[0], known)
    if meant:
        raise UnresolvedKeyError(f"none of the {len(node)} is called {names[0]}{meant}")
    named = " or a name" if known else ""
    raise UnresolvedKeyError(f"there are {len(node)} here: put {numbers}{named} before {names[0]}")


def _is_called(table: object, name: str, form: Form) -> bool:
    """Whether a table has this name, and the name is no key of it: that would be meant."""
    plain = bare(form) if entry(form, 0) is None else bare(entry(form, 0))
    known = fields(plain) if is_table(plain) else {}
    return "name" in known and name not in known and isinstance(table, Mapping) and table.get("name") == name
