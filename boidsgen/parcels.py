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
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.measuring import Own
from boidsgen.pipeline import RunOptions
from boidsgen.scenario.scenario import Scenario
from boidsgen.tables import Table

_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...), slice, range)
"""Kinds of values that their text tells."""
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
    mine = _Fingerprint.of(own).modules
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
    return _Fingerprint.of(own).digest if any(own) else ""


@dataclass
class _Fingerprint:
    """A hash that grows by everything that rules and measures refer to."""

    hash: Any = field(default_factory=sha256)
    seen: dict[int, tuple[int, object]] = field(default_factory=dict)  # numbers of objects, which stay alive
    modules: set[ModuleType] = field(default_factory=set)  # of the program
    tops: AbstractSet[str] = frozenset()  # top-level modules whose code counts, wherever they are installed

    @classmethod
    def of(cls, own: Own) -> "_Fingerprint":
        """The fingerprint of rules and measures."""
        given = [*(rule for _, rule in own.rules), *own.measures.values()]
        kinds = [one.func if isinstance(one, partial) else one for one in given]
        named = [one if hasattr(one, "__qualname__") else type(one) for one in kinds]
        tops = {(getattr(one, "__module__", "") or "").partition(".")[0] for one in named} - {"boidsgen"}
        made = cls(tops=tops)
        made.add([[name, rule] for name, rule in own.rules])
        made.add(own.measures)
        return made

    @property
    def digest(self) -> str:
        """The hash as text."""
        text: str = self.hash.hexdigest()
        return text

    def add(self, thing: object) -> None:
        """Hash one object, and all that it refers to."""
        if isinstance(thing, _PLAIN):
            self._note(type(thing).__name__, repr(thing))
        elif isinstance(thing, tuple | frozenset | CodeType):  # constants, of which equal ones may be one
            self._add_constant(thing)
        elif id(thing) in self.seen:
            self._note("seen", str(self.seen[id(thing)][0]))
        else:
            self.seen[id(thing)] = len(self.seen), thing
            self._add_new(thing)

    def _add_constant(self, thing: tuple[object, ...] | frozenset[object] | CodeType) -> None:
        if isinstance(thing, CodeType):
            self._note("code", thing.co_code, " ".join(thing.co_names), " ".join(thing.co_varnames + thing.co_freevars))
            self._add_all("constants", thing.co_consts)
        elif isinstance(thing, tuple):
            self._add_all("tuple", thing)
        else:
            self._note("set", *sorted(map(repr, thing)))

    def _add_new(self, thing: object) -> None:
        match thing:
            case ModuleType():
                self._add_module(thing)
            case FunctionType():
                self._add_function(thing)
            case type():
                self._add_class(thing)
            case dict() | MappingProxyType():
                self._add_all("mapping", [each for pair in thing.items() for each in pair])
            case list():
                self._add_all("list", thing)
            case _ if type(thing) in _PARTS:
                self._add_all(type(thing).__name__, [getattr(thing, name) for name in _PARTS[type(thing)]])
            case _:
                self._add_object(thing)

    def _note(self, *parts: str | bytes) -> None:
        for part in parts:
            content = part if isinstance(part, bytes) else part.encode(errors="surrogatepass")
            self.hash.update(f"{len(content)}:".encode() + content)

    def _add_all(self, kind: str, things: Sequence[object]) -> None:
        self._note(kind, str(len(things)))
        for thing in things:
            self.add(thing)

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
        return top in self.tops or not packaged

    def _add_module(self, module: ModuleType) -> None:
        top = sys.modules.get(module.__name__.partition(".")[0])
        self._note("module", module.__name__, str(getattr(top, "__version__", "")))
        if self._is_ours(module.__name__) and (path := getattr(module, "__file__", None)):
            with suppress(OSError):
                self._note(Path(path).read_bytes())

    def _named(self, thing: Any) -> bool:  # noqa: ANN401  a function or a class
        """Note the name of a function or class; true if that of another package tells all."""
        module = thing.__module__ or ""
        if ours := self._is_ours(module):
            self._note("own", thing.__qualname__)
        else:
            version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
            self._note("named", module, thing.__qualname__, str(version))
        return not ours

    def _add_function(self, function: FunctionType) -> None:
        if self._named(function) and "<locals>" not in function.__qualname__:
            return
        self.add(function.__code__)
        cells = []
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # it is empty
                cells.append(cell.cell_contents)
        self._add_all("function", [function.__defaults__, function.__kwdefaults__, cells])
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                self._note("global", name)
                self.add(function.__globals__[name])

    def _add_class(self, kind: type) -> None:
        if self._named(kind) and "<locals>" not in kind.__qualname__:
            return
        self._add_all("bases", kind.__bases__)
        for name, value in sorted(vars(kind).items()):
            if not name.startswith(("__", "_abc")) or isinstance(value, FunctionType):
                self._note("attribute", name)
                self.add(value)

    def _add_object(self, thing: Any) -> None:  # noqa: ANN401  of any kind
        self.add(type(thing))
        if isinstance(thing, Table):  # whether a field was given does not count
            self.add(vars(thing))
            return
        try:
            made = thing.__reduce_ex__(2)  # later ones share memory
        except Exception:  # noqa: BLE001  such as an open file: nobody can tell whether another one is the same
            made = str(uuid4())
        parts = made if isinstance(made, tuple) else (made,)
        self._add_all("object", [[*part] if isinstance(part, Iterator) else part for part in parts])


def _names(code: CodeType) -> set[str]:
    """The names that a code, and those within it, looks up."""
    within = (_names(one) for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names}.union(*within)
