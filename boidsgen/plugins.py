"""Packages: what other installed packages bring along, such as a rule, a measure, a shape, a theme or an obstacle.

A package names a member of a family under an entry point in its pyproject.toml:

    [project.entry-points."boidsgen.rules"]
    wind = "windy:Wind"

  Family(family, own, fault)     our own members and those that packages bring, which are loaded when they are used
  made_of(thing, base)           whether something is a class that lacks nothing of what members are made of
  blamed(error)                  the package in whose code an error was raised
  complaint(error)               that in words for the user
  owner(family, name)            the package that brought a member
  maker(kind)                    a class, and the package in which it is
  slow()                         a line about every package that took long to load
  versions()                     the packages that bring something, with their versions
  codes()                        the same with a checksum of their code, which may change while the version does not

Nothing but installed packages is asked: a scenario names no code, and the current directory is no place of packages,
even where Python imports from it. What is wrong with a package is told in a line that names it.
"""

import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from functools import cache
from importlib.util import find_spec
from inspect import isabstract
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from typing_extensions import TypeIs, override

from boidsgen.errors import PackageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
else:
    EntryPoint: TypeAlias = Any

Member = TypeVar("Member")
Kind = TypeVar("Kind")

PREFIX = "boidsgen."
"""How the names of our groups of entry points begin."""
_GROUP = f"[{PREFIX}".encode()
FAMILIES = ("measures", "obstacles", "rules", "shapes", "themes")
"""Families that packages may add to; the group of each is its name after the prefix."""
PATIENCE = 1.0
"""Seconds after which the user is told which package makes everybody wait."""

_PLACE = r"[\w.]+\s*:\s*[\w.]+\s*(\[.*\])?"
"""Where a member is, as an entry point says it: a module, and a name in it."""

_CODE = (".py", ".so", ".pyd")
"""How files with code end."""
_CHECKSUM_LETTERS = 12

Fault = Callable[[str, Any], str]
"""Says what is wrong with something of this name as a member of a family; empty if nothing is."""


class _Loaded(NamedTuple):
    """A member that a package has brought.

    Attributes:
        package: name and version of the package.
        module: at the top of those that the package consists of.
        what: family and name of the member.
        seconds: how long it took to load.
    """

    package: str
    module: str
    what: str
    seconds: float


_loaded: list[_Loaded] = []


class Family(Mapping[str, Member]):
    """The members of a family by the names that scenarios use: our own, then those of packages.

    What a package brings is loaded when it is asked for; then a PackageError is raised if it is no member.

    Args:
        family: one of `FAMILIES`.
        own: those that are here anyway.
        fault: what is wrong with something as a member.

    Raises:
        PackageError: when a package uses a name that is taken, or that is none.
    """

    def __init__(self, family: str, own: Mapping[str, Member], fault: Fault) -> None:
        self._members = dict(own)
        self._fault = fault
        self._waiting = dict[str, tuple[str, EntryPoint]]()
        for package, point in sorted(_points().get(PREFIX + family, ()), key=lambda one: one[1].name):
            _refuse_name(package, point, {*own, *self._waiting})
            self._waiting[point.name] = (package, point)
        self._brought = dict(self._waiting)

    @override
    def __getitem__(self, name: str) -> Member:
        if name in self._waiting:
            self._members[name] = _member(*self._waiting[name], self._fault)
            del self._waiting[name]
        return self._members[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._members, *sorted(self._waiting))))

    @override
    def __len__(self) -> int:
        return len(self._members) + len(self._waiting)

    def refuse(self, taken: Collection[str], why: str) -> None:
        """Stop when a package uses one of these names, which have another meaning.

        Raises:
            PackageError: naming it, and why.
        """
        for name in sorted({*taken} & {*self._brought}):
            raise _refused(*self._brought[name], f"{why}; the package must rename it")


def made_of(thing: object, base: type[Kind]) -> TypeIs[type[Kind]]:
    """Whether something is a class made of a base that has every method it must have."""
    return isinstance(thing, type) and issubclass(thing, base) and not isabstract(thing)


def blamed(error: BaseException) -> str:
    """The package in whose code an error was raised, or was on the way; empty where none was."""
    packages = {one.module: one.package for one in _loaded}
    trace, name = error.__traceback__, ""
    while trace:
        name = packages.get(_top(trace.tb_frame.f_globals.get("__name__", "")), name)
        trace = trace.tb_next
    return name


def complaint(error: BaseException) -> PackageError | None:
    """What a package that brought something has done wrong, and where; None where it has no part in it."""
    if not (package := blamed(error)):
        return None
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return PackageError(
        f"package {package}: {_one_line(reason)}; whoever made it can mend that, and without it all else works"
    )


def owner(family: str, name: str) -> str:
    """The package that brought a member, with its version; empty for one of our own."""
    return next((one.package for one in _loaded if one.what == f"{family}: {name}"), "")


def maker(kind: type) -> str:
    """A class as messages name it, with the package that it came with if it came with one."""
    whose = next((f"package {one.package}: " for one in _loaded if one.module == _top(kind.__module__)), "")
    return f"{whose}{kind.__module__}: {kind.__qualname__}"


def slow() -> Iterator[str]:
    """A line about each package that made the user wait."""
    for one in _loaded:
        if one.seconds > PATIENCE:
            yield f"{one.package} took {one.seconds:.1f} s to load {one.what}, and does so for every command"


def versions() -> tuple[str, ...]:
    """The packages that bring something, with their versions."""
    return tuple(sorted({package for points in _points().values() for package, _ in points}))


def codes() -> tuple[str, ...]:
    """The packages that bring something, each with its version and the beginning of a checksum of its code."""
    modules: dict[str, set[str]] = {}
    for points in _points().values():
        for package, point in points:
            modules.setdefault(package, set()).add(_top(point.value.partition(":")[0].strip()))
    return tuple(f"{package} ({_checksum(sorted(modules[package]))})" for package in sorted(modules))


def _checksum(modules: Iterable[str]) -> str:
    """The beginning of a checksum of the files of some modules, and of those within them."""
    found = hashlib.sha256()
    for file in (file for module in modules for file in _files(module)):
        found.update(file.name.encode(errors="replace"))
        with suppress(OSError):  # who may not read it cannot use it either
            found.update(file.read_bytes())
    return found.hexdigest()[:_CHECKSUM_LETTERS]


def _files(module: str) -> Iterator[Path]:
    """The files with the code of a module at the top; none where there is no such module."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return
    for folder in (spec and spec.submodule_search_locations) or ():
        yield from sorted(file for file in Path(folder).rglob("*") if file.suffix in _CODE)
    if spec and spec.origin and not spec.submodule_search_locations:
        yield Path(spec.origin)


def _member(package: str, point: "EntryPoint", fault: Fault) -> Any:  # noqa: ANN401  of any family
    if not re.fullmatch(_PLACE, point.value):
        raise _refused(package, point, f"{point.value!r} is no place such as windy:Wind")
    what = f"{point.group.removeprefix(PREFIX)}: {point.name}"
    loading = _Loaded(package, _top(point.module), what, 0.0)
    _loaded.append(loading)  # before it is: so it can be blamed for whatever happens meanwhile
    began = time.monotonic()
    try:
        with redirect_stdout(sys.stderr):  # where the paths of results go, nobody else writes
            member = point.load()
            wrong = fault(point.name, member)
    except PackageError:  # of another one, which this one has led to
        raise
    except (Exception, SystemExit) as error:
        raise _refused(package, point, f"{point.value} cannot be loaded: {_in_a_line(error)}") from error
    if wrong:
        raise _refused(package, point, f"{point.value} {wrong}")
    _loaded[_loaded.index(loading)] = loading._replace(seconds=time.monotonic() - began)
    return member


def _refuse_name(package: str, point: "EntryPoint", taken: Collection[str]) -> None:
    if not point.name.isidentifier() or point.name != point.name.lower():
        raise _refused(package, point, "must be a name in small letters, such as wind")
    if point.name in taken:
        raise _refused(package, point, "is there already; the package must give it another name")


def _refuse_stranger(package: str, point: "EntryPoint") -> None:
    if point.group.removeprefix(PREFIX) not in FAMILIES:
        groups = ", ".join(PREFIX + family for family in FAMILIES)
        raise _refused(package, point, f"there is no such group; use one of {groups}")


def _refused(package: str, point: "EntryPoint", wrong: str) -> PackageError:
    return PackageError(f"package {package}: {point.group}: {point.name}: {wrong}")


def _in_a_line(error: BaseException) -> str:
    return _one_line(str(error)) or type(error).__name__


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _top(module: str) -> str:
    return module.partition(".")[0]


@cache
def _points() -> Mapping[str, list[tuple[str, "EntryPoint"]]]:
    """What packages name in our groups, each with the package; they are asked only where one has such a group."""
    places = [place for place in _places() if _names_a_group(Path(place))]
    if not places:
        return {}

    from importlib.metadata import distributions  # noqa: PLC0415  takes longer than all else here, mostly for nothing

    found: dict[str, list[tuple[str, EntryPoint]]] = {}
    seen = set[str]()
    for package in distributions(path=places):
        name = str(package.metadata["Name"])
        if name not in seen:  # what comes first on the path hides what comes later
            seen.add(name)
            for point in package.entry_points:
                if point.group.startswith(PREFIX):
                    _refuse_stranger(f"{name} {package.version}", point)
                    found.setdefault(point.group, []).append((f"{name} {package.version}", point))
    return found


def _places() -> Iterator[str]:
    """Where packages are: all that Python imports from, but for a current directory that is there by chance."""
    here = {""}
    with suppress(OSError):  # the current directory may be gone
        here.add(os.getcwd())  # noqa: PTH109  as it stands in the path
    chosen = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return (place for place in dict.fromkeys(sys.path) if place not in here or (place and place in chosen))


def _names_a_group(place: Path) -> bool:
    """Whether a package there may bring something along; an archive has to be asked."""
    try:
        if place.is_file():
            return True
        with os.scandir(place) as entries:
            return any(_GROUP in _entry_points(Path(one.path)) for one in entries if one.name.endswith("-info"))
    except OSError:  # who may not read a package cannot use it either
        return False


def _entry_points(package: Path) -> bytes:
    """What a package brings along, as its folder says it; nothing where that says nothing."""
    try:
        return (package / "entry_points.txt").read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
