"""Records: tables as Python callers get them, each record by its number and each column by its name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.errors import UsageError


class Records(Sequence[Mapping[str, Any]]):
    """A table: records by their number, and columns by their name.

    Examples:
        >>> table = Records([{"frame": 0, "order": 0.5}, {"frame": 1, "order": None}])
        >>> table[0]["order"], table["frame"], len(table)
        (0.5, array([0, 1]), 2)
    """

    def __init__(self, records: Iterable[Mapping[str, Any]], names: Sequence[str] = ()) -> None:
        self._records = tuple(records)
        self.columns = tuple(dict.fromkeys([*names, *(name for one in self._records for name in one)]))

    @override
    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, at: slice) -> "Records": ...

    @overload
    def __getitem__(self, at: str) -> NDArray[Any]: ...

    @override
    def __getitem__(self, at: int | slice | str) -> Any:
        """A record by its number, some of them by a slice, or a column by its name; nan where a number is missing."""
        if isinstance(at, str):
            return self._column(at)
        return Records(self._records[at], self.columns) if isinstance(at, slice) else self._records[at]

    def _column(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise KeyError(f"there is no {name!r}; columns: {', '.join(self.columns)}")
        values = [one.get(name) for one in self._records]
        numbers = all(value is None or isinstance(value, int | float) for value in values)
        return np.array([np.nan if value is None else value for value in values] if numbers else values)

    def to_pandas(self) -> Any:  # noqa: ANN401  a DataFrame, of a library that need not be there
        """The table as a `pandas.DataFrame`.

        Raises:
            UsageError: when pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped]  # noqa: ICN001, PLC0415  only who asks for it needs it
        except ImportError:
            raise UsageError("to_pandas() needs pandas, which is not installed; the records are a list") from None
        return pandas.DataFrame(list(self._records), columns=list(self.columns))

    @override
    def __repr__(self) -> str:
        return f"Records({len(self)} records of {', '.join(self.columns)})"
