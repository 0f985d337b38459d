"""Plugins: rules, measures, obstacles, shapes and themes of other installed packages.

A package names a member of a family under an entry point in its pyproject.toml, such as `wind = "windy:Wind"` in the
group `boidsgen.rules`. Only installed packages are asked: a scenario names no code, and the current directory is not
searched, even where Python imports from it. An error in a package is one line that names it.
"""

import os
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from importlib.util import find_spec
from inspect import isabstract
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import TypeIs, override

from boidsgen.errors import BoidsgenError, Interrupted, PackageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_Member = TypeVar("_Member")
_Kind = TypeVar("_Kind")

GROUP_PREFIX = "boidsgen."  # First part of the names of our groups of entry points
FAMILIES = ("measures", "obstacles", "rules", "shapes", "themes")
"""Families that packages may add to; the group of each is its name after the prefix."""


class Family(Mapping[str, _Member]):
    """The members of a family by the names that scenarios use: our own, then those of packages, loaded on first use.

    Args:
        family: one of `FAMILIES`.
        own: our own members.
        fault: the reason why something is no member, given its name; empty if it is one.

    Raises:
        PackageError: when a package uses a name that is taken, or that is none; later, when it brings no member.
    """

    def __init__(self, family: str, own: Mapping[str, _Member], fault: Callable[[str, Any], str]) -> None:
        self._members = dict(own)
        self._fault = fault
        self._brought: dict[str, tuple[str, EntryPoint]] = {}
        for package, point in sorted(_points(), key=lambda one: one[1].name):
            if point.group == GROUP_PREFIX + family:
                if not point.name.isidentifier() or point.name != point.name.lower():
                    raise _refused(package, point, "must be a name in lowercase letters, such as wind")
                if point.name in {*own, *self._brought}:
                    raise _refused(package, point, "already exists; the package must give it another name")
                self._brought[point.name] = package, point

    @override
    def __getitem__(self, name: str) -> _Member:
        if name not in self._members and name in self._brought:
            package, point = self._brought[name]
            try:
                with redirect_stdout(sys.stderr):  # standard output is for the paths of results
                    member = point.load()
                    wrong = self._fault(name, member)
            except (PackageError, Interrupted):  # of another package, which this one has led to
                raise
            except BaseException as error:
                reason = " ".join(str(error).split()) or type(error).__name__
                raise _refused(package, point, f"{point.value} cannot be loaded: {reason}") from error
            if wrong:
                raise _refused(package, point, f"{point.value} {wrong}")
            self._members[name] = member
        return self._members[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._members, *sorted(self._brought))))

    @override
    def __len__(self) -> int:
        return len({*self._members, *self._brought})

    def refuse(self, taken: Collection[str], why: str) -> None:
        """Refuse packages that use one of these names, which have another meaning.

        Raises:
            PackageError: naming the package, and why.
        """
        for name in sorted({*taken} & {*self._brought}):
            raise _refused(*self._brought[name], f"{why}; the package must rename it")


def _refused(package: str, point: "EntryPoint", wrong: str) -> PackageError:
    return PackageError(f"package {package}: {point.group}: {point.name}: {wrong}")


def made_of(thing: object, base: type[_Kind]) -> TypeIs[type[_Kind]]:
    """True if something is a class derived from a base, with every method it must have."""
    return isinstance(thing, type) and issubclass(thing, base) and not isabstract(thing)


@contextmanager
def boundary() -> Iterator[None]:
    """Whatever an error in a package's code is, it leaves this block as a PackageError that names the package."""
    try:
        yield
    except (BoidsgenError, Interrupted, MemoryError):
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            raise
        if found := complaint(error):
            raise found from error
        raise


def complaint(error: BaseException) -> PackageError | None:
    """The error in words for the user, if it was raised in the code of a package, or passed through it; else None."""
    modules, trace, package = _modules(), error.__traceback__, ""
    while trace:
        package = modules.get(trace.tb_frame.f_globals.get("__name__", "").partition(".")[0], package)
        trace = trace.tb_next
    if not package:
        return complaint(error.__cause__) if error.__cause__ else None
    reason = type(error).__name__
    with suppress(BaseException):  # even its words are the package's code
        reason = " ".join(f"{reason}: {error}".split()).removesuffix(":")
    return PackageError(f"package {package}: {reason}; its author can fix this, and without it everything else works")


def maker(kind: type) -> str:
    """The name of a class in messages, with the package that it came with if it came with one."""
    package = _modules().get(kind.__module__.partition(".")[0])
    return f"{f'package {package}: ' if package else ''}{kind.__module__}: {kind.__qualname__}"


def packages() -> tuple[str, ...]:
    """The packages that bring something, with their versions."""
    return tuple(sorted({package for package, _ in _points()}))


def codes() -> tuple[str, ...]:
    """The packages with a checksum of their code, which may change while the version does not."""
    import hashlib  # noqa: PLC0415  slow, and rarely needed

    found = {package: hashlib.sha256() for package in packages()}
    for module, package in sorted(_modules().items()):
        with suppress(ImportError, ValueError, OSError):  # a module that cannot be found cannot be used either
            path = Path(((spec := find_spec(module)) and spec.origin) or "")
            for file in sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]:
                found[package].update(file.read_bytes())
    return tuple(f"{package} ({checksum.hexdigest()[:12]})" for package, checksum in found.items())


def _modules() -> Mapping[str, str]:
    """The package of each top-level module that an entry point names."""
    return {re.split("[.:]", point.value.strip())[0].strip(): package for package, point in _points()}


@cache
def _points() -> tuple[tuple[str, "EntryPoint"], ...]:
    """The entry points in our groups, each with its package.

    Reading the metadata of all packages takes 60 ms in a large environment, so that is done only where a file of entry
    points names one of our groups. A current directory that is on Python's path by chance is not searched.
    """
    here = {""}
    with suppress(OSError):  # the current directory may be gone
        here.add(os.getcwd())  # noqa: PTH109  as it is written in the path
    chosen = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    on_path = dict.fromkeys(one for one in sys.path if one not in here or (one and one in chosen))
    places = [place for place in on_path if _names_a_group(place)]
    if not places:
        return ()

    from importlib.metadata import distributions  # noqa: PLC0415  slow, and rarely needed

    installed = {str(one.metadata["Name"]): one for one in reversed([*distributions(path=places)])}
    points: list[tuple[str, EntryPoint]] = []
    for name, found in installed.items():  # the first one on the path hides later ones
        try:
            ours = [point for point in found.entry_points if point.group.startswith(GROUP_PREFIX)]
        except Exception as error:  # whatever the standard library raises for a damaged file
            raise PackageError(f"package {name}: its entry points cannot be read: {type(error).__name__}") from error
        points += [(f"{name} {found.version}", point) for point in ours]
    for package, point in points:
        if point.group.removeprefix(GROUP_PREFIX) not in FAMILIES:
            groups = ", ".join(GROUP_PREFIX + family for family in FAMILIES)
            raise _refused(package, point, f"there is no such group; use one of {groups}")
    return tuple(points)


def _names_a_group(place: str) -> bool:
    """True if a package in a folder of Python's path may bring something; an archive has to be asked."""
    files = Path(place).glob("*-info/entry_points.txt")
    with suppress(OSError):  # an unreadable package cannot be used either
        return Path(place).is_file() or any(b"[" + GROUP_PREFIX.encode() in file.read_bytes() for file in files)
    return False
