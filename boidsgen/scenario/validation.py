"""Validation: pydantic's errors in our words.

`problems_of(error, document, form)` turns each error into a `Problem`: the keys as the user wrote them, and what is
wrong and would be right, by pydantic's *type* of error: its messages differ between its versions.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby
from typing import NamedTuple, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from boidsgen.errors import join_words
from boidsgen.scenario.annotations import (
    Annotation,
    choices,
    descend,
    everywhere,
    fields,
    is_table,
    members,
    own_tag,
    tag_of,
    unwrapped,
)
from boidsgen.scenario.documents import Keys, Problem, as_written, inside
from boidsgen.scenario.wording import (
    MAX_CANDIDATES,
    abbreviated,
    bound_text,
    described,
    right_value,
    similar_word,
    suggestion,
    to_toml,
    unknown_key,
)
from boidsgen.tables import Table

MAX_FOUND = 1_000  # Errors that are put into words

_EXPECTED = {
    "float_type": "be a number",
    "int_type": "be a whole number",
    "bool_type": "be true or false",
    "string_type": "be {kind}",
    "tuple_type": "be {kind}",
    "model_type": "be {kind}",
    "model_attributes_type": "be {kind}",
    "mapping_type": "be a table",
    "dict_type": "be a table",
    "string_pattern_mismatch": "be {kind}",
    "literal_error": "be {kind}",
    "finite_number": "be a finite number",
    "greater_than": "be above {gt}",
    "greater_than_equal": "be at least {ge}",
    "less_than": "be below {lt}",
    "less_than_equal": "be at most {le}",
    "multiple_of": "be a multiple of {multiple_of}",
    "too_short": "have at least {min_length} entries",
    "too_long": "have at most {max_length} entries",
    "string_too_short": "have at least {min_length} characters",
    "string_too_long": "have at most {max_length} characters",
}
"""Words between "must" and "not", by pydantic's type of error, with the values of its context."""
_WRONG_TYPES = {"tuple_type", "model_type", "model_attributes_type", "int_type", "float_type"}


class _Found(NamedTuple):
    """One of pydantic's errors."""

    keys: Keys  # where, as the user wrote it
    fork: Keys  # where the alternatives begin of which this is one; as deep as `keys` where there are none
    form: Annotation  # of the value there
    around: Annotation  # form of the table around it
    details: ErrorDetails  # pydantic's own description

    @property
    def expected(self) -> str:
        """Requirement on the value; empty for errors that do not concern a single value."""
        context = {name: bound_text(bound) for name, bound in self.details.get("ctx", {}).items()}
        kind = described(self.form)
        if self.details["type"] == "string_type" and '"' not in kind and "quotes" not in kind:
            kind += ", in quotes"
        said = _EXPECTED.get(self.details["type"], "").format(kind=kind, **context)
        return re.sub(r"(?<= 1 )(entr|character)\w+", lambda one: {"entr": "entry"}.get(one[1], one[1]), said)


def problems_of(error: ValidationError, document: Mapping[str, object], form: type[Table]) -> Iterator[Problem]:
    """The errors that pydantic found in a document, in words; the first `MAX_FOUND` of them."""
    errors = error.errors(include_url=False)[:MAX_FOUND]
    outer = {details["loc"][:depth] for details in errors for depth in range(len(details["loc"]))}
    # A list is too short for pydantic when entries in it are wrong, which are reported themselves.
    own = (details for details in errors if details["type"] != "too_short" or details["loc"] not in outer)
    found = [_found(details, document, form) for details in own]
    for _, group in groupby(found, key=lambda one: one.fork):
        alternatives = list(group)
        depth = max(len(one.details["loc"]) for one in alternatives)
        furthest = [one for one in alternatives if len(one.details["loc"]) == depth]  # the one that was meant
        for keys, same in groupby(furthest, key=lambda one: one.keys):
            yield _problem(keys, list(same), document, form)


def _found(details: ErrorDetails, document: Mapping[str, object], form: Annotation) -> _Found:
    keys: Keys = ()
    fork: Keys | None = None
    around: Annotation = None
    for part in details["loc"]:
        step, inner = descend(form, part)
        if step:
            around = form
        elif not members(form) and fork is None:
            fork = keys
        keys, form = (*keys, *step), inner
    return _Found(as_written(keys, document), keys if fork is None else fork, form, around, details)


def _problem(keys: Keys, alternatives: Sequence[_Found], document: Mapping[str, object], root: Annotation) -> Problem:
    found = alternatives[0]
    value, form = found.details["input"], found.form
    said = ""
    match found.details["type"]:
        case "extra_forbidden":
            said = _unknown(keys, value, unwrapped(found.around), root)
        case "missing":
            said = f"must be given: {described(form)}"
        case "union_tag_not_found":
            known, tag = members(form), str(tag_of(form))
            said = f"must be given a {tag}: {join_words(map(to_toml, known))}"
            for key in [key for key, one in value.items() if _is_other_tag(key, one, known, root)][:1]:
                kinds = [kind for kind in known if kind == value[key]] or known
                keys, said = (*keys, key), f"unknown key; write {tag} = {join_words(map(to_toml, kinds))}"
        case "union_tag_invalid":
            known, tag = members(form), str(tag_of(form))
            value = value.get(tag) if isinstance(value, Mapping) else value
            keys = (*keys, tag) if isinstance(reduce(inside, keys, cast("object", document)), Mapping) else keys
            said = f"must be {join_words(map(to_toml, known))}, not {abbreviated(value)}{similar_word(value, known)}"
        case "unknown_flock":
            known_flocks = [str(name) for name in found.details["ctx"]["known"]]
            hint = suggestion(str(value), known_flocks) or f" (there is {', '.join(known_flocks[:MAX_CANDIDATES])})"
            said = f"{found.details['msg']}{hint}"
        case "value_error" | "assertion_error":
            said = str(found.details["ctx"]["error"])
        case kind if kind in _EXPECTED:
            first, *others = [expected for one in alternatives if (expected := one.expected)]
            if others and first.startswith("be "):  # one "be" is enough for all of them
                first = first.replace("true or false", "true, false")
                others = [one.removeprefix("be ") for one in others]
            actual = found.details.get("ctx", {}).get("actual_length", abbreviated(value))
            actual = f"{len(value):,}" if kind.startswith("string_too_") else actual
            said = f"must {join_words(dict.fromkeys([first, *others]))}, not {actual}{_hint(keys, alternatives)}"
    return Problem(keys, said or found.details["msg"].replace("Input should", "must", 1))


def _unknown(keys: Keys, value: object, table: Annotation, root: type[Table]) -> str:
    """The error about a key that its table does not have."""
    place = [part for part in keys if isinstance(part, str)]
    if not is_table(table):
        return unknown_key(place, [], root)
    tag = own_tag(table)
    if tag and _is_other_tag(place[-1], value, [str(table.model_fields[tag].default)], root):
        return f"unknown key; write {tag}"
    return unknown_key(place, list(fields(table)), root)


def _is_other_tag(key: str, value: object, kinds: Collection[str], root: type[Table]) -> bool:
    """True if a key that a table does not have was meant to tell what kind of table it is."""
    return key in {one.tag for one in everywhere(root) if one.kind} or (isinstance(value, str) and value in kinds)


def _hint(keys: Keys, alternatives: Sequence[_Found]) -> str:
    value = alternatives[0].details["input"]
    known = [word for one in alternatives for word in choices(one.form)]
    truth = [True] if any(one.details["type"] == "bool_type" for one in alternatives) else []
    if hint := similar_word(value, [*known, *truth]):
        return hint
    form = next((one.form for one in alternatives if one.details["type"] in _WRONG_TYPES), None)
    return right_value([key for key in keys if isinstance(key, str)], value, form) if form is not None else ""
