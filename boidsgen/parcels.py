"""Parcels: rules and measures of a program as they travel to other processes, and fingerprints that tell two apart.

cloudpickle packs any function, with all that it refers to; where it is not installed, pickle packs what can be imported
by name. A run unpacks its own copy, so no run changes the rules of another one.

A fingerprint depends on what runs: code, values of closures, defaults, fields of a rule, and everything of the
program that they refer to. File names, line numbers and comments do not count.
"""

import io
import pickle
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.measuring import Own
from boidsgen.pipeline import RunOptions
from boidsgen.scenario.scenario import Scenario
from boidsgen.tables import Table

_PARTS: Mapping[type, tuple[str, ...]] = {
    MethodType: ("__func__", "__self__"),
    partial: ("func", "args", "keywords"),
    property: ("fget", "fset"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    BuiltinFunctionType: ("__qualname__",),
    np.ufunc: ("__name__",),
}
"""Attributes that make up an object."""


class Parcel(NamedTuple):
    """Rules and measures, packed."""

    content: bytes
    sources: Mapping[str, str]  # of the rules by their names, which a worker may not be able to read

    def own(self) -> Own:
        """A copy of them.

        Raises:
            UsageError: a module that they need is not installed here.
        """
        try:
            found: Own = pickle.loads(self.content)  # noqa: S301  from our own caller
        except (ImportError, AttributeError) as error:
            hint = "install it where the runs are done"
            raise UsageError(f"rules and measures: cannot be loaded in a worker: {error}; {hint}") from None
        return found

    def name_sources(self, steered: Scenario) -> None:
        """Tell a scenario under these rules their sources."""
        for name, source in self.sources.items():
            for flock in steered.flock:
                type(getattr(flock, name)).python = source


def carried(own: Own, scenario: Scenario, options: RunOptions) -> Own | Parcel:
    """Rules and measures as jobs have them: themselves only where one run after the other is done here, or for none.

    Raises:
        UsageError: one is known to this process only, or is no rule.
    """
    if not any(own) or (options.jobs == 1 and not options.dask):
        return own
    sources = own.sources(scenario)
    mine = _Fingerprint(own).modules
    try:
        cloudpickle: Any = import_module("cloudpickle")  # Dask brings it
    except ImportError:
        return Parcel(_by_name(own), sources)
    with ExitStack() as stack:
        for module in mine:  # whose files a worker may lack, or have loaded before they were changed
            if module.__name__ not in cloudpickle.list_registry_pickle_by_value():
                cloudpickle.register_pickle_by_value(module)
                stack.callback(cloudpickle.unregister_pickle_by_value, module)
        try:
            return Parcel(cloudpickle.dumps(own), sources)
        except Exception as error:  # noqa: BLE001  whatever the state of an object of the program raises
            raise _stays(own, f"cannot be sent to another process ({error})", "give jobs=1") from None


def _by_name(own: Own) -> bytes:
    content = io.BytesIO()
    try:
        _Importable(content).dump(own)
    except Exception:  # noqa: BLE001  likewise
        advice = "pip install cloudpickle, or put it into a module, or give jobs=1"
        raise _stays(own, "is known to this process only", advice) from None
    return content.getvalue()


class _Importable(pickle.Pickler):
    """Packs by name what another process can import."""

    @override
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type | FunctionType) and obj.__module__ == "__main__":
            raise pickle.PicklingError
        return NotImplemented


def _stays(own: Own, why: str, advice: str) -> UsageError:
    names = [name or getattr(rule, "__name__", type(rule).__name__) for name, rule in own.rules]
    kind = "rules" if names else "measures"
    return UsageError(f"{kind}: {', '.join(names or own.measures)}: {' '.join(why.split())}; {advice}")


def fingerprint(own: Own) -> str:
    """Equal for rules and measures that do the same; empty for none."""
    return _Fingerprint(own).digest if any(own) else ""


class _Fingerprint(pickle.Pickler):
    """Hashes rules and measures as it packs them, with all that they refer to, in a form that nobody unpacks.

    Attributes:
        modules: of the program.
    """

    def __init__(self, own: Own) -> None:
        self._hash, self.modules = sha256(), set[ModuleType]()
        self._seen: dict[int, tuple[int, object]] = {}  # numbers of objects, which stay alive
        super().__init__(SimpleNamespace(write=self._hash.update))
        self.fast = True  # of equal constants, which may be one, each is packed
        given = [*(rule for _, rule in own.rules), *own.measures.values()]
        kinds = [one.func if isinstance(one, partial) else one for one in given]
        named = [one if hasattr(one, "__qualname__") else type(one) for one in kinds]
        # Top-level modules whose code counts, wherever they are installed
        self._tops = {(getattr(one, "__module__", "") or "").partition(".")[0] for one in named} - {"boidsgen"}
        try:
            self.dump((own.rules, dict(own.measures)))
        except ValueError:  # a list that contains itself
            self._hash.update(uuid4().bytes)

    @property
    def digest(self) -> str:
        """The hash as text."""
        return self._hash.hexdigest()

    @override
    def reducer_override(self, obj: Any) -> Any:
        """The parts of an object that is neither number nor text nor a container, as if it were to call `len`."""
        if obj is len:
            return NotImplemented
        if not isinstance(obj, CodeType):  # a constant
            if id(obj) in self._seen:
                return len, ("seen", self._seen[id(obj)][0])
            self._seen[id(obj)] = len(self._seen), obj
        parts: tuple[object, ...]
        match obj:
            case CodeType():
                constants = [sorted(map(repr, one)) if isinstance(one, frozenset) else one for one in obj.co_consts]
                parts = obj.co_code, obj.co_names, obj.co_varnames + obj.co_freevars, constants
            case ModuleType():
                parts = self._of_module(obj)
            case FunctionType() | type():
                parts = self._of_named(obj)
            case _ if type(obj) in _PARTS:
                parts = type(obj).__name__, *(getattr(obj, name) for name in _PARTS[type(obj)])
            case Table():  # whether a field was given does not count
                parts = type(obj), vars(obj)
            case _:
                try:
                    made = obj.__reduce_ex__(2)  # later ones share memory
                except Exception:  # noqa: BLE001  an open file, say: nobody can tell whether another one is the same
                    made = str(uuid4())
                made = made if isinstance(made, tuple) else (made,)
                parts = type(obj), *([*part] if isinstance(part, Iterator) else part for part in made)
        return len, parts

    def _is_ours(self, name: str) -> bool:
        """True for a module whose code counts; that of others counts by their versions."""
        module, top = sys.modules.get(name), name.partition(".")[0]
        if name == "__main__":
            return True
        if top == "boidsgen" or top in sys.stdlib_module_names:
            return False
        path = getattr(module, "__file__", None)
        installed = [sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
        packaged = path is None or any(Path(path).is_relative_to(place) for place in installed)
        if module and not packaged:
            self.modules.add(module)
        return top in self._tops or not packaged

    def _of_module(self, module: ModuleType) -> tuple[object, ...]:
        content, path = b"", getattr(module, "__file__", None)
        if self._is_ours(module.__name__) and path:
            with suppress(OSError):
                content = Path(path).read_bytes()
        top = sys.modules.get(module.__name__.partition(".")[0])
        return module.__name__, str(getattr(top, "__version__", "")), content

    def _of_named(self, obj: Any) -> tuple[object, ...]:  # noqa: ANN401  a function or a class
        """The parts of a function or class; of one of another package its name and the version."""
        module, name = obj.__module__ or "", obj.__qualname__
        known: tuple[object, ...] = ("own", name)
        if not self._is_ours(module):
            version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
            known = module, name, str(version)
            if "<locals>" not in name:
                return known
        if isinstance(obj, type):
            attributes = sorted(vars(obj).items())
            counting = {
                name: value
                for name, value in attributes
                if not name.startswith(("__", "_abc")) or isinstance(value, FunctionType)
            }
            return *known, obj.__bases__, counting
        cells = []
        for cell in obj.__closure__ or ():
            with suppress(ValueError):  # it is empty
                cells.append(cell.cell_contents)
        used = {name: obj.__globals__[name] for name in sorted(_names(obj.__code__)) if name in obj.__globals__}
        return *known, obj.__code__, obj.__defaults__, obj.__kwdefaults__, cells, used


def _names(code: CodeType) -> set[str]:
    """The names that a code, and those within it, looks up."""
    within = (_names(one) for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names}.union(*within)
