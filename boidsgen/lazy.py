"""Lazy imports: the names of a package, each imported from its module on first use.

A package lists in its `__init__` where its names are defined:

    __getattr__ = of_package(__name__, {"State": "boidsgen.simulation.setup"})

so that using one of its names, or only another of its modules, does not import all of them.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def of_package(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Module `__getattr__` for lazy imports.

    Args:
        package: its name.
        homes: the module of each name.
    """

    def found(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return found
