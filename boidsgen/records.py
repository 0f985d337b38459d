"""Records: result tables in Python, with records by index and columns by name.

`optional_package(name, what)` imports an optional package, or names the extra that brings it.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.errors import UsageError


class Records(Sequence[Mapping[str, Any]]):
    """A table: records by index, and columns by name.

    Examples:
        >>> table = Records([{"frame": 0, "order": 0.5}, {"frame": 1, "order": None}])
        >>> table[0]["order"], table["frame"], len(table)
        (0.5, array([0, 1]), 2)

    Attributes:
        columns: their names.
        dimensions: the columns that identify a record; none if only its index does.

    Args:
        records: a mapping each, from column names to values; None or absent where there is no value.
        names: columns that come first, even if no record has them.
        dimensions: the columns that identify a record.
    """

    def __init__(
        self, records: Iterable[Mapping[str, Any]], names: Sequence[str] = (), dimensions: Sequence[str] = ()
    ) -> None:
        self._records = tuple(records)
        self.dimensions = tuple(dimensions)
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
        """A record by its number, some of them by a slice, or a column by its name, of shape (records,).

        A missing number is nan. A column that is neither numbers nor text holds its values as they are, as objects.
        """
        if isinstance(at, slice):
            return Records(self._records[at], self.columns, self.dimensions)
        if isinstance(at, int):
            return self._records[at]
        if at not in self.columns:
            raise KeyError(f"there is no {at!r}; columns: {', '.join(self.columns)}")
        values = [one.get(at) for one in self._records]
        if all(value is None or isinstance(value, int | float) for value in values):
            return np.array([np.nan if value is None else value for value in values])
        if all(isinstance(value, str) for value in values):
            return np.array(values)
        column = np.empty(len(values), dtype=object)
        column[:] = values
        return column

    def to_pandas(self) -> Any:  # noqa: ANN401  a DataFrame, of a library that need not be there
        """The table as a `pandas.DataFrame`; UsageError if pandas is not installed."""
        return optional_package("pandas", "to_pandas()").DataFrame(list(self._records), columns=list(self.columns))

    def to_xarray(self) -> Any:  # noqa: ANN401  likewise
        """The table as an `xarray.Dataset`, with its dimensions, and a variable for each other column.

        Without dimensions, the only one is `record`. Lists, such as world sizes, become text.

        Raises:
            UsageError: xarray is not installed.
        """
        optional_package("xarray", "to_xarray()")
        frame = self.to_pandas()
        if not self.dimensions:
            return frame.rename_axis("record").to_xarray()
        for name in self.dimensions:
            frame[name] = [str(value) if isinstance(value, list | tuple) else value for value in frame[name]]
        return frame.set_index(list(self.dimensions)).to_xarray()

    @override
    def __repr__(self) -> str:
        return f"Records({len(self)} records of {', '.join(self.columns)})"


def optional_package(name: str, what: str) -> Any:  # noqa: ANN401  a module
    """Import an optional library; UsageError if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        extras = {"matplotlib": "plot", "scipy": "study", "mcp": "mcp", "anywidget": "notebook", "rocrate": "crate"}
        extra = extras.get(name.partition(".")[0], "table")
        raise UsageError(f"{what} needs {name}, which is not installed: pip install 'boidsgen[{extra}]'") from None
