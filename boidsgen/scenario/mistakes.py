"""Mistakes: what is wrong with a scenario, in words that say what would be right.

`mistakes_of(error, document, form)` turns what pydantic found into `Mistake`s: the keys as the user wrote them, and
the wording. Most wordings say what is expected and end with what was found: `must be at least 0, not -3`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from boidsgen.caps import MAX_VALUES
from boidsgen.scenario.grammar import Form, bare, descend, entry, fields, is_table, members, tag_of, told, words
from boidsgen.scenario.lines import Keys
from boidsgen.scenario.meant import number_meant, numbers_meant, table_meant, unknown_key, word_meant
from boidsgen.scenario.wording import described, dotted, length, number, one_of, shown, written
from boidsgen.tables import Table

MAX_FOUND = 1_000
"""Mistakes that are put into words; nobody reads on, and each takes a hundred times its place in the file."""
MASSES = 10 * MAX_FOUND
"""Mistakes beyond which not even pydantic's descriptions of them, half a kilobyte each, are made."""
MAX_KEY_LENGTH = 200
"""Characters of a key in a message; longer ones are cut."""


class Mistake(NamedTuple):
    """One thing that is wrong.

    Attributes:
        keys: where, as the user wrote it.
        wording: what is wrong and what would be right.
    """

    keys: Keys
    wording: str


class _Found(NamedTuple):
    """What pydantic found at one place.

    Attributes:
        keys: where, as the user wrote it.
        fork: where the alternatives begin, of which this is one; equal to `keys` where there are none.
        form: what the grammar says stands there.
        around: what the grammar says stands around it.
        root: the grammar of the whole document.
        details: pydantic's own description.
    """

    keys: Keys
    fork: Keys
    form: Form
    around: Form
    root: Form
    details: ErrorDetails

    @property
    def kind(self) -> str:
        return self.details["type"]

    @property
    def value(self) -> object:
        return self.details["input"]

    @property
    def context(self) -> Mapping[str, object]:
        return self.details.get("ctx", {})


def mistakes_of(error: ValidationError, document: Mapping[str, object], form: type[Table]) -> Iterator[Mistake]:
    """The mistakes that pydantic found, in words; the first `MAX_FOUND` of them."""
    first = _without_masses(error, document, form).errors(include_url=False)[:MAX_FOUND]
    found = [_found(details, document, form) for details in _without_consequences(first)]
    for _, alternatives in groupby(found, key=lambda one: one.fork):
        yield from _of_one_place(list(alternatives), document)


def _without_masses(error: ValidationError, document: object, form: type[Table]) -> ValidationError:
    """The error, or that of a document with shorter lists, where it tells of more mistakes than anybody is told."""
    length, fewer = MAX_FOUND, None
    while error.error_count() > MASSES and length < MAX_VALUES and not _tells_enough(fewer):
        fewer = _error_of(_cut(document, length), form)
        length *= 2
    return fewer if fewer and _tells_enough(fewer) else error


def _tells_enough(error: ValidationError | None) -> bool:
    return error is not None and error.error_count() >= MAX_FOUND


def _error_of(document: object, form: type[Table]) -> ValidationError | None:
    try:
        form.model_validate(document)
    except ValidationError as error:
        return error
    return None


def _cut(value: object, length: int) -> object:
    """A value whose lists have no more than so many entries."""
    if isinstance(value, tuple):
        return tuple(_cut(entry, length) for entry in value[:length])
    return {name: _cut(inner, length) for name, inner in value.items()} if isinstance(value, Mapping) else value


def _without_consequences(errors: Sequence[ErrorDetails]) -> Iterator[ErrorDetails]:
    """The errors, but for lists that are too short only because entries in them are wrong."""
    inner = {details["loc"][:depth] for details in errors for depth in range(len(details["loc"]))}
    return (details for details in errors if details["type"] != "too_short" or details["loc"] not in inner)


def as_written(keys: Keys, document: object) -> Keys:
    """The keys without those that pydantic puts where the user wrote less.

    These are the number of a table where there is a single one, and the key of a list that stands for its table.
    """
    kept: list[str | int] = []
    for key in keys:
        if not isinstance(document, Mapping if isinstance(key, int) else list | tuple):
            kept.append(key)
            document = inside(document, key)
    return tuple(kept)


def named(keys: Keys, document: object) -> str:
    """The keys in a message: dotted, without the number of a table that is the only one."""
    kept: list[str | int] = []
    for key in keys:
        if not (isinstance(key, int) and _is_lone_table(document)):
            kept.append(key)
        document = inside(document, key)
    name = dotted(tuple(kept))
    return name if len(name) <= MAX_KEY_LENGTH else f"{name[:MAX_KEY_LENGTH]}…"


def inside(node: object, key: str | int) -> object:
    """What stands under a key of the document; None where nothing does."""
    if isinstance(node, Mapping):
        return node.get(key)
    if isinstance(node, list | tuple) and isinstance(key, int) and key < len(node):
        return node[key]
    return None


def present(keys: Keys, document: object) -> bool:
    """Whether the document has these keys."""
    return all((document := inside(document, key)) is not None for key in keys)


def _is_lone_table(node: object) -> bool:
    return isinstance(node, list | tuple) and len(node) == 1 and isinstance(node[0], Mapping)


def _found(details: ErrorDetails, document: Mapping[str, object], form: Form) -> _Found:
    keys: Keys = ()
    fork: Keys | None = None
    around: Form = None
    root = form
    for part in details["loc"]:
        step, inner = descend(form, part)
        if step:
            around = form
        elif not members(form):
            fork = keys if fork is None else fork
        keys, form = (*keys, *step), inner
    return _Found(as_written(keys, document), keys if fork is None else fork, form, around, root, details)


def _of_one_place(alternatives: Sequence[_Found], document: Mapping[str, object]) -> Iterator[Mistake]:
    """The mistakes at one fork: of several alternatives, the one was meant in which pydantic got furthest."""
    depth = max(len(one.details["loc"]) for one in alternatives)
    furthest = [one for one in alternatives if len(one.details["loc"]) == depth]
    for keys, same in groupby(furthest, key=lambda one: one.keys):
        yield _mistake(keys, list(same), document)


def _mistake(keys: Keys, alternatives: Sequence[_Found], document: Mapping[str, object]) -> Mistake:
    found = alternatives[0]
    if found.kind == "union_tag_invalid":
        return _unknown_member(found, document)
    if found.kind in _WORDINGS:
        return Mistake(keys, _WORDINGS[found.kind](found))
    if found.kind in _EXPECTATIONS:
        return Mistake(keys, f"must {_expected(alternatives)}, not {_actual(found)}{_meant(keys, alternatives)}")
    return Mistake(keys, found.details["msg"].replace("Input should", "must", 1))


def _expected(alternatives: Sequence[_Found]) -> str:
    """What stands between "must" and "not": a sentence of alternatives, in which one "be" is enough."""
    first, *others = (_EXPECTATIONS[one.kind](one) for one in alternatives if one.kind in _EXPECTATIONS)
    if not others or not first.startswith("be "):
        return one_of([first, *others])
    begun = first.replace("true or false", "true, false")
    return one_of([begun, *(other.removeprefix("be ") for other in others)])


def _unknown_member(found: _Found, document: Mapping[str, object]) -> Mistake:
    tag = tag_of(found.form) or ""
    place: object = document
    for key in found.keys:
        place = inside(place, key)
    keys = (*found.keys, tag) if isinstance(place, Mapping) else found.keys
    value = found.value.get(tag) if isinstance(found.value, Mapping) else found.value
    known = members(found.form)
    return Mistake(keys, f"must be {one_of(map(written, known))}, not {shown(value)}{word_meant(value, known)}")


def _unknown_key(found: _Found) -> str:
    table = bare(found.around)
    place = [part for part in found.keys if isinstance(part, str)]
    return unknown_key(place, list(fields(table)) if is_table(table) else [], found.root)


def _own_words(found: _Found) -> str:
    return str(found.context["error"])


def _actual(found: _Found) -> str:
    if found.kind in {"string_too_long", "string_too_short"}:
        return f"{len(str(found.value)):,}"
    return str(found.context.get("actual_length", shown(found.value)))


def _meant(keys: Keys, alternatives: Sequence[_Found]) -> str:
    value, names = alternatives[0].value, [key for key in keys if isinstance(key, str)]
    kinds = {one.kind for one in alternatives}
    known = [word for one in alternatives for word in words(one.form)]
    if hint := word_meant(value, [*known, True] if "bool_type" in kinds else known):
        return hint
    if "tuple_type" in kinds:
        return _list_meant(names, value, next(one.form for one in alternatives if one.kind == "tuple_type"))
    if kinds & {"model_type", "model_attributes_type"}:
        return table_meant(names, value, alternatives[0].form)
    return number_meant(value) if kinds & {"int_type", "float_type"} else ""


def _list_meant(names: Sequence[str], value: object, form: Form) -> str:
    """A hint at the list that a value stands for: of tables, of numbers, or of the one word that it is."""
    if is_table(bare(entry(form, 0))) or members(entry(form, 0)):
        return f" (write [[{'.'.join(names)}]], and its keys below)"
    if value in words(entry(form, 0)):
        return f" (write [{written(value)}])"
    return numbers_meant(value, length(form))


def _entries(found: _Found, bound: str) -> str:
    amount = found.context[bound]
    return f"{amount} {'entry' if amount == 1 else 'entries'}"


def _letters(amount: object) -> str:
    return f"{amount} {'letter' if amount == 1 else 'letters'}"


def _text(form: Form) -> str:
    own = told(form)
    return f"{own.one}, in quotes" if own and '"' not in own.one else own.one if own else "text in quotes"


_Wording = Callable[[_Found], str]

_WORDINGS: dict[str, _Wording] = {
    "extra_forbidden": _unknown_key,
    "missing": lambda found: f"must be given: {described(found.form)}",
    "union_tag_not_found": lambda found: (
        f"must be given a {tag_of(found.form)}: {one_of(map(written, members(found.form)))}"
    ),
    "value_error": _own_words,
    "assertion_error": _own_words,
}
"""Complete wordings, by pydantic's type of error."""

_EXPECTATIONS: dict[str, _Wording] = {
    "float_type": lambda _: "be a number",
    "int_type": lambda _: "be a whole number",
    "bool_type": lambda _: "be true or false",
    "string_type": lambda found: f"be {_text(found.form)}",
    "tuple_type": lambda found: f"be {described(found.form)}",
    "model_type": lambda found: f"be {described(found.form)}",
    "model_attributes_type": lambda found: f"be {described(found.form)}",
    "mapping_type": lambda _: "be a table",
    "dict_type": lambda _: "be a table",
    "string_pattern_mismatch": lambda found: f"be {described(found.form)}",
    "literal_error": lambda found: f"be {described(found.form)}",
    "finite_number": lambda _: "be a finite number",
    "greater_than": lambda found: f"be above {number(found.context['gt'])}",
    "greater_than_equal": lambda found: f"be at least {number(found.context['ge'])}",
    "less_than": lambda found: f"be below {number(found.context['lt'])}",
    "less_than_equal": lambda found: f"be at most {number(found.context['le'])}",
    "multiple_of": lambda found: f"be a multiple of {number(found.context['multiple_of'])}",
    "too_short": lambda found: f"have at least {_entries(found, 'min_length')}",
    "string_too_long": lambda found: f"have at most {found.context['max_length']:,} letters",
    "string_too_short": lambda found: f"have at least {_letters(found.context['min_length'])}",
    "too_long": lambda found: f"have at most {_entries(found, 'max_length')}",
}
"""What stands between "must" and "not", by pydantic's type of error."""
