"""Lessons: a page that asks a question, and steps in which readers predict, act and explain.

Texts are data. They have the marks *emphasis*, **strong** and `code`, and `words` have names in braces; pages make
nodes of them, never markup.

Conditions are comparisons of measures, keys, `frame` and numbers, as in `flock.cohesion.weight == 0 and groups > 4`. A
condition is parsed once, to a tree of lists that is ready for JSON: ["and", …], ["or", …], ["not", …] or [sign, left,
right], where a side is a number or a name. A comparison with a value that is not defined does not hold.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import inf
from operator import eq, ge, gt, le, lt, ne
from typing import Annotated, Any, TypeAlias

from pydantic import Field, ValidationError

from boidsgen.errors import join_words
from boidsgen.scenario.documents import Problem
from boidsgen.scenario.wording import suggestion, to_toml
from boidsgen.simulation.measures import MEASURES, is_fraction
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.tables import (
    BoundedText,
    Finite,
    InWords,
    OneOrSeveral,
    Table,
    replaced,
    value_at,
)

A_KEY = InWords(
    'a key as in "flock.cohesion.weight"', 'keys as in "flock.cohesion.weight"', example="flock.cohesion.weight"
)
A_CHOICE = InWords("one of the texts of predict", "texts of predict", example="They scatter")
A_CONDITION = InWords(
    'comparisons as in "flock.cohesion.weight == 0 and groups > 4"', "comparisons", example="groups > 4"
)
A_SENTENCE = InWords("a sentence", "sentences", example="Switch cohesion off.")
A_WORDING = InWords(
    "text with names in braces, as in {groups}",
    "texts with names in braces",
    example="Groups: {groups}.",
)
Sentence = Annotated[BoundedText, A_SENTENCE, Field(min_length=1)]

FRAME = "frame"  # Number of the frame, a name in conditions like that of a measure
COUNTED = "neighbors"  # Mean number of boids within the perception radius, which only words have
MAX_LESSON_STEPS, MAX_CHOICES, MAX_ACTS = 50, 8, 100
MAX_CONDITION = 1000  # Of a condition, whose tree is walked by functions that call themselves
BRACES = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"([^:]*)(:\.\df)?")


class Act(Table):
    """A change that a page makes when it shows how a step is done."""

    at: Annotated[int, Field(ge=1)]
    """Frame at which it happens, counted from the start."""
    key: Annotated[BoundedText, A_KEY]
    """Key of a flock or of predators."""
    value: Finite
    """Its new value."""


class Action(Table):
    """A change that a reader made on a page."""

    at: Annotated[int, Field(ge=1)]
    """Frame at which it was made."""
    key: Annotated[BoundedText, A_KEY]
    """Key of a flock, predators, obstacles or attractors."""
    value: Any
    """Its new value."""


class Attempt(Table):
    """A step on the page of a lesson: what was guessed, and the run in which the step was reached."""

    first: Annotated[int, Field(ge=0)] = 0
    """First guess, the number of a prediction from 1; 0 = none."""
    last: Annotated[int, Field(ge=0)] = 0
    """Last guess before the step was done."""
    shown: bool = False
    """True if "Show me" was pressed before the step was done."""
    reached: Annotated[int, Field(ge=0)] | None = None
    """Frame in which the page checked the step off."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Number of the seed of the page in this run, from 0."""
    actions: Annotated[tuple[Action, ...], OneOrSeveral] = ()
    """Changes of this run up to that frame."""


class Try(Table):
    """A step of a lesson: the reader predicts, acts, and reads the explanation."""

    do: Sentence
    """Task of the reader, in a sentence or two."""
    keys: tuple[Annotated[BoundedText, A_KEY], ...] = ()
    """Keys whose switches and sliders appear below the task; all others are collapsed."""
    predict: Annotated[tuple[Sentence, ...], Field(max_length=MAX_CHOICES)] = ()
    """Predictions to choose from. A link of the page contains the first and the last one that was chosen."""
    answer: Annotated[BoundedText, A_CHOICE, Field(min_length=1)] | None = None
    """Prediction that comes true, one of `predict`, with which the page compares the first guess once the step is
    done."""
    until: Annotated[BoundedText, A_CONDITION]
    """Condition by which the page notices that the step is done: comparisons of measures, keys, frame and numbers, with
    and, or and not."""
    then: Sentence | None = None
    """Explanation, once it is done."""
    hint: Sentence | None = None
    """Hint, after 30 seconds of playing without success."""
    show: Annotated[tuple[Act, ...], OneOrSeveral, Field(max_length=MAX_ACTS)] = ()
    """Changes, counted from the start, with which the button "Show me" does the step."""

    def guessed(self, text: object) -> Attempt:
        """An attempt with the guess of this text alone; one that is not offered has the number after the last."""
        guess = 1 + (self.predict.index(text) if text in self.predict else len(self.predict)) if text else 0
        return Attempt(first=guess, last=guess)


class Session(Table):
    """Session on the page of a lesson, besides its events."""

    frame: Annotated[int, Field(ge=0)]
    """Last frame of the session: the one that was shown, or that of the last change."""
    attempts: Annotated[tuple[Attempt, ...], OneOrSeveral, Field(max_length=MAX_LESSON_STEPS)] = ()
    """The record of each step: guesses, and the frame, seed and `actions` of the run that reached it."""
    predictions: Mapping[str, Sentence] = {}
    """Last guesses by the number of the step, as pages of version 0.3.0 wrote them."""


def misfits_of_words(scenario: Table, words: str) -> Iterator[Problem]:
    """Braces that a page could not fill."""
    keys = ("page", "words")
    for found in BRACES.finditer(words):
        match = _NAME.fullmatch(found[1])
        if not match:
            yield Problem(keys, f"{found[0]} must be a name, with optional decimals, as in {{dispersion:.1f}}")
        elif match[1] not in {*KERNEL_MEASURES, COUNTED} and number_at(scenario, match[1]) is None:
            known = f"a measure of pages, {COUNTED}, or a numeric key of a flock or of predators"
            yield Problem(keys, f"{found[0]} must be {known}")
    if {*BRACES.sub("", words)} & {*"{}"}:
        yield Problem(keys, "has an unmatched brace; write names in braces, as in {groups}")


def misfits_of_step(scenario: Table, number: int, step: Try) -> Iterator[Problem]:
    """Keys and conditions of a step that a page could not use."""
    here = ("page", "try", number)
    if step.answer is not None and step.answer not in step.predict:
        known = (
            f"{join_words(map(to_toml, step.predict))}, as in predict"
            if step.predict
            else "a text of predict, which is empty"
        )
        yield Problem((*here, "answer"), f"must be {known}")
    acts = [(("show", place, "key"), act.key) for place, act in enumerate(step.show)]
    for keys, key in (*((("keys", place), key) for place, key in enumerate(step.keys)), *acts):
        if number_at(scenario, key) is None:
            yield Problem((*here, *keys), f"{key} is not a numeric key of a flock or of predators in this scenario")
    for place, act in enumerate(step.show):
        if wrong := unfit(scenario, act.key, act.value):
            yield Problem((*here, "show", place, "value"), wrong)
    try:
        names = {*variables(parse_condition(step.until, scenario))}
    except ValueError as error:
        yield Problem((*here, "until"), str(error))
        return
    for name in sorted(names.difference(KERNEL_MEASURES, {FRAME})):
        if number_at(scenario, name) is None:
            wrong = f"{name} is neither a measure of pages nor a numeric key of a flock or of predators"
            yield Problem((*here, "until"), wrong)


def unfit(scenario: Table, key: str, value: float) -> str:
    """The reason why a number cannot become the value of a key; empty where it can, and where there is no such key."""
    if (old := number_at(scenario, key)) is None:
        return ""
    try:
        replaced(scenario, key.split("."), type(old)(value))
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"].replace("Input should", "must", 1)
        return f"{key} {reason.removeprefix('Value error, ')}"
    return ""


def number_at(scenario: Table, key: str) -> float | None:
    """The value of a key of a flock or of predators, if it is a number."""
    names = key.split(".")
    try:
        value = value_at(scenario, names)
    except KeyError:
        return None
    numeric = names[0] in {"flock", "predators"} and isinstance(value, int | float) and not isinstance(value, bool)
    return value if numeric else None


Tree: TypeAlias = list[Any]

_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_COMPARE = dict(zip(_SIGNS.values(), (lt, le, gt, ge, eq, ne), strict=True))
_NUMBER = re.compile(r"(?<=[a-z])\.(\d+)(?=\.)")  # of a table within a key, where Python wants a name


def parse_condition(text: str, scenario: Table) -> Tree:
    """The tree of a condition; ValueError with the reason if it is none, or has a name without a number."""
    if len(text) > MAX_CONDITION:
        raise ValueError(f"must have at most {MAX_CONDITION:,} letters")
    try:
        with warnings.catch_warnings(action="error"):  # of Python, about what is no condition
            tree = _tree(ast.parse(_NUMBER.sub(r"._\1", text.strip()), mode="eval").body)
    except (SyntaxError, ValueError, Warning, RecursionError, MemoryError):
        raise ValueError(
            "must be comparisons joined by and, or and not, as in groups == 1 and rotation > 0.5"
        ) from None
    for name in variables(tree):
        try:
            value = 0 if name in {*MEASURES, FRAME} else value_at(scenario, name.split("."))
        except KeyError as error:
            raise ValueError(f"{name}: {error.args[0]}, and no measure{suggestion(name, MEASURES)}") from None
        if value is not None and type(value) not in {int, float}:
            raise ValueError(f"{name}: is not a number")
    return tree


def variables(tree: Tree) -> Iterator[str]:
    """The measures and keys in a tree."""
    for part in tree[1:]:
        yield from variables(part) if isinstance(part, list) else [part] if isinstance(part, str) else []


def holds(tree: Tree, value: Callable[[str], float | None]) -> bool:
    """True if a condition holds where names have these values."""
    sign, *parts = tree
    if sign in _COMPARE:
        left, right = (value(part) if isinstance(part, str) else part for part in parts)
        return left is not None and right is not None and _COMPARE[sign](left, right)
    found = (holds(part, value) for part in parts)
    return not next(found) if sign == "not" else all(found) if sign == "and" else any(found)


def possible(tree: Tree) -> bool:
    """False if a condition cannot hold, since no measure is negative and fractions are at most 1."""
    sign, *parts = tree
    if sign not in _COMPARE:
        return sign == "not" or (all if sign == "and" else any)(map(possible, parts))
    (low, high), (least, most) = map(_range, parts)
    if sign in {"==", "!="}:
        return sign == "!=" or (low <= most and least <= high)
    found: bool = _COMPARE[sign](low, most) if sign in {"<", "<="} else _COMPARE[sign](high, least)
    return found


def _range(side: float | str) -> tuple[float, float]:
    """The lowest and highest value of one side of a comparison."""
    if not isinstance(side, str):
        return side, side
    return (0.0, 1.0 if is_fraction(side) else inf) if side in {*MEASURES, FRAME} else (-inf, inf)


def _tree(node: ast.expr) -> Tree:
    match node:
        case ast.BoolOp(op, values):
            return ["and" if isinstance(op, ast.And) else "or", *map(_tree, values)]
        case ast.UnaryOp(ast.Not(), operand):
            return ["not", _tree(operand)]
        case ast.Compare(left, signs, rest) if all(type(sign) in _SIGNS for sign in signs):
            sides = pairwise(map(_side, (left, *rest)))
            made = [[_SIGNS[type(sign)], *pair] for sign, pair in zip(signs, sides, strict=True)]
            return made[0] if len(made) == 1 else ["and", *made]
    raise SyntaxError


def _side(node: ast.expr) -> float | str:
    match node:
        case ast.Constant(int() | float() as value) if not isinstance(value, bool) and abs(value) < 1e300:
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant() as operand):
            return -float(_side(operand))
        case ast.Name(name):
            return name
        case ast.Attribute(inner, name):
            return f"{_side(inner)}.{name.removeprefix('_')}"
    raise SyntaxError
