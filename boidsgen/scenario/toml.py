"""TOML: the text of a source as a document, or what is wrong with the text and where.

document_of(source)  the document, by `tomllib`
"""

import re
from collections.abc import Mapping

from boidsgen.errors import ScenarioError
from boidsgen.scenario.documents import ExcessError, parsed
from boidsgen.scenario.sources import Source

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def document_of(source: Source) -> Mapping[str, object]:
    """What a source says.

    Raises:
        ScenarioError: when it is not TOML, or more than would be read.
    """
    try:
        return parsed(source.text)
    except ExcessError as error:
        raise ScenarioError([f"{source.label}: {error}"]) from None
    except ValueError as error:  # tomllib's own, or Python's about a number of thousands of digits
        raise ScenarioError([_not_toml(source, str(error))]) from None


def _not_toml(source: Source, reason: str) -> str:
    from boidsgen.scenario.syntax import at_fault, explained, pointed  # noqa: PLC0415  most scenarios are TOML

    position = _POSITION.search(reason)
    if position is None:
        return f"{source.label}: not TOML: {explained('', 1, 1, reason)}"
    line, column = _at(position, source.text)
    said = explained(source.text, line, column, reason[: position.start()])
    line, column = at_fault(source.text, line, column)
    place = f"{source.label}:{line}:{column}: not TOML: {said}"
    return "\n".join([place, *pointed(source.text, line, column)])


def _at(position: re.Match[str], text: str) -> tuple[int, int]:
    """Line and column, which tomllib does not count at the end of a document."""
    line, column = position.groups()
    return (int(line), int(column)) if line else (text.count("\n") + 1, len(text.rpartition("\n")[2]) + 1)
