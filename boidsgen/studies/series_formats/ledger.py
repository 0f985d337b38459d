"""What a format of series has to be: a sink of rows; see `boidsgen.writers.sink`."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from boidsgen.writers.contract import Part
from boidsgen.writers.sink import Sink

Row: TypeAlias = Mapping[str, float | None]
"""One instant of one run: numbers by their names, None where one is not defined."""


class Ledger(Sink[Row]):
    """One format: writes the rows of one series into one part."""

    @abstractmethod
    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        """Begin, with the names that every row has."""
