"""The formats: every `Writer` class in a module of this folder, by the name users know it by."""

import importlib
import pkgutil

from boidsgen.writers.contract import Writer


def _writers() -> dict[str, type[Writer]]:
    modules = [importlib.import_module(f"{__name__}.{entry.name}") for entry in pkgutil.iter_modules(__path__)]
    found = (thing for module in modules for thing in vars(module).values() if isinstance(thing, type))
    return {thing.name: thing for thing in found if issubclass(thing, Writer) and thing is not Writer}


WRITERS = _writers()
