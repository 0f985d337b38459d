"""Lessons: a page that asks a question, and steps in which readers predict, act and explain.

Texts are data. They have the marks *emphasis*, **strong** and `code`, and `words` have names in braces; pages make
nodes of them, never markup. Conditions are those of `conditions.py`.
"""

import re
from collections.abc import Iterator
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError

from boidsgen.scenario.conditions import names_of, parse_condition
from boidsgen.simulation.native_measures import NAMES
from boidsgen.tables import Finite, InWords, Table, Text, one_or_several, replaced, value_at

A_KEY = InWords(
    'a key as in "flock.cohesion.weight"', 'keys as in "flock.cohesion.weight"', example="flock.cohesion.weight"
)
A_CONDITION = InWords(
    'comparisons as in "flock.cohesion.weight == 0 and groups > 4"', "comparisons", example="groups > 4"
)
A_SENTENCE = InWords("a sentence", "sentences", example="Switch cohesion off.")
A_WORDING = InWords(
    "text with names in braces, as in {groups}", "texts with names in braces", example="There are {groups} groups."
)
Sentence = Annotated[Text, A_SENTENCE, Field(min_length=1)]

COUNTED = "neighbors"  # Mean number of boids within the perception radius, which only words have
MAX_STEPS, MAX_CHOICES, MAX_ACTS = 50, 8, 100
BRACES = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"([^:]*)(:\.\df)?")


class Act(Table):
    """A change that a page makes when it shows how a step is done."""

    at: Annotated[int, Field(ge=1)]
    """Frame at which it happens, counted from the start."""
    key: Annotated[Text, A_KEY]
    """Key of a flock or of predators."""
    value: Finite
    """Its new value."""


class Try(Table):
    """A step of a lesson: the reader predicts, does something, and sees what it explains."""

    do: Sentence
    """Task of the reader, in a sentence or two."""
    keys: tuple[Annotated[Text, A_KEY], ...] = ()
    """Keys whose switches and sliders stand below the task; all others are folded away."""
    predict: Annotated[tuple[Sentence, ...], Field(max_length=MAX_CHOICES)] = ()
    """Predictions to choose from. A link of the page contains the one that was chosen."""
    until: Annotated[Text, A_CONDITION]
    """Condition by which the page notices that the step is done: comparisons of measures, keys and numbers, with and,
    or and not."""
    then: Sentence | None = None
    """Explanation, once it is done."""
    hint: Sentence | None = None
    """Hint, after 30 seconds of playing without success."""
    show: Annotated[tuple[Act, ...], BeforeValidator(one_or_several), Field(max_length=MAX_ACTS)] = ()
    """Changes from the start on that do the step, for a button "Show me"."""


Misfit: TypeAlias = tuple[tuple[str | int, ...], str]  # Keys below `[page]`, and the error


def misfits_of_words(scenario: Table, words: str) -> Iterator[Misfit]:
    """Braces that a page could not fill."""
    for found in BRACES.finditer(words):
        match = _NAME.fullmatch(found[1])
        if not match:
            yield ("words",), f"{found[0]} must be a name, and decimals if any, as in {{dispersion:.1f}}"
        elif match[1] not in {*NAMES, COUNTED} and number_at(scenario, match[1]) is None:
            yield (
                ("words",),
                f"{found[0]} must be a measure of pages, {COUNTED} or a number of a flock or of predators",
            )
    if {*BRACES.sub("", words)} & {*"{}"}:
        yield ("words",), "has a brace without its other one; names stand in braces, as in {groups}"


def misfits_of_step(scenario: Table, number: int, step: Try) -> Iterator[Misfit]:
    """Keys and conditions of a step that a page could not use."""
    acts = [(("show", place, "key"), act.key) for place, act in enumerate(step.show)]
    for keys, key in (*((("keys", place), key) for place, key in enumerate(step.keys)), *acts):
        if number_at(scenario, key) is None:
            yield ("try", number, *keys), f"{key} is not a number of a flock or of predators in this scenario"
    for place, act in enumerate(step.show):
        if wrong := unfit(scenario, act.key, act.value):
            yield ("try", number, "show", place, "value"), wrong
    try:
        names = {*names_of(parse_condition(step.until, scenario))}
    except ValueError as error:
        yield ("try", number, "until"), str(error)
        return
    for name in sorted(names.difference(NAMES)):
        if number_at(scenario, name) is None:
            yield (
                ("try", number, "until"),
                f"{name} is no measure of pages, and not a number of a flock or of predators",
            )


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
