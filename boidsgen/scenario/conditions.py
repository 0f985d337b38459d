"""Conditions: comparisons of measures, dotted keys and numbers, as in `flock.cohesion.weight == 0 and groups > 4`.

A condition is parsed once, to a tree of lists that is ready for JSON: ["and", …], ["or", …], ["not", …] or [sign, left,
right], where a side is a number or a name. A comparison with a value that is not defined does not hold.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from operator import eq, ge, gt, le, lt, ne
from typing import Any, TypeAlias

from boidsgen.scenario.wording import suggestion
from boidsgen.simulation.measures import MEASURES
from boidsgen.tables import Table, value_at

Tree: TypeAlias = list[Any]

_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_COMPARE = dict(zip(_SIGNS.values(), (lt, le, gt, ge, eq, ne), strict=True))
_NUMBER = re.compile(r"(?<=[a-z])\.(\d+)(?=\.)")  # of a table within a key, where Python wants a name


def parse_condition(text: str, scenario: Table) -> Tree:
    """The tree of a condition; ValueError with the reason if it is none, or has a name without a number."""
    try:
        with warnings.catch_warnings(action="error"):  # of Python, about what is no condition
            tree = _tree(ast.parse(_NUMBER.sub(r"._\1", text.strip()), mode="eval").body)
    except (SyntaxError, ValueError, Warning, RecursionError, MemoryError):
        raise ValueError(
            "must be comparisons joined by and, or and not, as in groups == 1 and rotation > 0.5"
        ) from None
    for name in names_of(tree):
        try:
            value = 0 if name in MEASURES else value_at(scenario, name.split("."))
        except KeyError as error:
            raise ValueError(f"{name}: {error.args[0]}, and no measure{suggestion(name, MEASURES)}") from None
        if value is not None and type(value) not in {int, float}:
            raise ValueError(f"{name}: is not a number")
    return tree


def names_of(tree: Tree) -> Iterator[str]:
    """The measures and keys in a tree."""
    for part in tree[1:]:
        yield from names_of(part) if isinstance(part, list) else [part] if isinstance(part, str) else []


def holds(tree: Tree, value: Callable[[str], float | None]) -> bool:
    """True if a condition holds where names have these values."""
    sign, *parts = tree
    if sign in _COMPARE:
        left, right = (value(part) if isinstance(part, str) else part for part in parts)
        return left is not None and right is not None and _COMPARE[sign](left, right)
    found = (holds(part, value) for part in parts)
    return not next(found) if sign == "not" else all(found) if sign == "and" else any(found)


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
