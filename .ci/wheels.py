"""Build the source archive and a wheel for each system into build/wheels, and check the kernel in each wheel.

`just prove wheels` calls this in an environment with hatchling, Zig and LIEF, which reads the libraries of all systems.
The wheel that runs here is held against one by gcc, by frames that the project's own python times.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import lief

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from boidsgen.kernel import library  # noqa: E402  of this clone
from boidsgen.kernel.build import (  # noqa: E402  likewise
    CHECKSUMS,
    CROSS,
    LANES,
    LIBRARY_NAMES,
    OTHER_LANES,
    TARGETS,
    BuildTarget,
    native,
)

OUTPUT = ROOT / "build" / "wheels"
LIBRARIES = {"/usr/lib/libSystem.B.dylib"}  # on macOS, which loads no library without its libc
ADDED = {"__dso_handle", "_mh_dylib_header"}
SLOWEST = 1.15  # Most processor time of frames by a wheel, over that by gcc's build of the same sources
ROUNDS = range(6, 31)  # Numbers of times that both are timed, in turn; the best counts, and who is slow has more
lief.logging.disable()  # it wonders at every library of macOS


def build(kind: str, into: Path = OUTPUT, **named: str) -> Path:
    """Build one package, with these variables in its environment; returns its path."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(into)]
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | named, stdout=subprocess.DEVNULL)
    return max(into.iterdir(), key=lambda path: path.stat().st_mtime_ns)


def entries(wheel: Path, target: BuildTarget) -> set[str]:
    """Entry points of the kernel in a wheel, without their lanes; exits where it exports or imports anything else."""
    with ZipFile(wheel) as archive, TemporaryDirectory() as folder:
        for name in (LIBRARY_NAMES[target.system], CHECKSUMS):
            Path(folder, name).write_bytes(archive.read(f"boidsgen/kernel/{name}"))
        if target[:2] == native()[:2]:
            library.load(Path(folder))
        binary = lief.parse(Path(folder, LIBRARY_NAMES[target.system]))
    exported = {function.name for function in binary.exported_functions}
    if target.system == "darwin":  # where C's names begin with an underscore, and the linker adds some
        exported = {name.removeprefix("_") for name in exported} - ADDED
    lanes = LANES.get(target.machine, OTHER_LANES)
    names = {name.rpartition("_")[0] for name in exported - {"boidsgen_lanes"}}
    if not names or exported != {"boidsgen_lanes", *(f"{name}_{number}" for name in names for number in lanes)}:
        sys.exit(f"{wheel.name}: not each entry point for each of {[*lanes]} lanes, but {sorted(exported)}")
    needed = {str(getattr(one, "name", one)) for one in binary.libraries} - {f"@rpath/{LIBRARY_NAMES[target.system]}"}
    if not needed <= LIBRARIES:
        sys.exit(f"{wheel.name}: needs {sorted(needed)}")
    return names


class Timer:
    """A process that times runs by the kernel of one wheel.

    Attributes:
        cases: their names.
    """

    def __init__(self, python: str, wheel: Path, folder: Path) -> None:
        """Begin, with the wheel in a folder."""
        ZipFile(wheel).extractall(folder)
        own = os.environ | {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", "BOIDSGEN_THREADS": "1"}
        command, pipe = [python, str(ROOT / ".ci" / "speed.py")], subprocess.PIPE
        self._process = subprocess.Popen(command, env=own, cwd=folder, stdin=pipe, stdout=pipe, text=True)
        self._best = dict[str, list[float]]()
        self.cases: list[str] = json.loads(self._line())

    def _line(self) -> str:
        if not (line := self._process.stdout.readline()):
            sys.exit(f"the speed cannot be measured: {shlex.join(self._process.args)} ended")
        return line

    def seconds(self, case: str) -> float:
        """Run a case once more; the mean of what its frames took, of each frame the least time in all runs.

        What else runs here interrupts some of the runs of a frame, but rarely all, where it slows each whole run.
        """
        print(case, file=self._process.stdin, flush=True)
        taken: list[float] = json.loads(self._line())
        self._best[case] = [*map(min, taken, self._best.get(case, taken))]
        return fmean(self._best[case])

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


def compare_speed(wheel: Path) -> None:
    """Print the times of frames by a wheel and by gcc's build; exits where the wheel is slower than it may be."""
    python = shutil.which("python")
    if not python or not shutil.which("gcc"):
        sys.exit("the speed of wheels cannot be compared: there is no gcc, or no python of the project")
    with TemporaryDirectory() as name:
        folder = Path(name)
        theirs = Timer(python, build("wheel", folder, CC="gcc"), folder / "gcc")
        ours = Timer(python, wheel, folder / "wheel")
        slow, times = ours.cases, dict[str, tuple[float, float]]()
        for number in range(1, ROUNDS.stop):
            times |= {case: (ours.seconds(case), theirs.seconds(case)) for case in slow}
            if number >= ROUNDS.start:
                slow = [case for case, (own, gcc) in times.items() if own > SLOWEST * gcc]
        ours.end()
        theirs.end()
    for case, (own, gcc) in times.items():
        print(f"{case}: {own * 1e3:.2f} ms a frame, by gcc {gcc * 1e3:.2f} ms, {own / gcc:.2f} times as long")
    if slow:
        sys.exit(f"{wheel.name}: more than {SLOWEST} times as slow as by gcc: {', '.join(slow)}")


def main() -> None:
    """Build everything; exits if a wheel lacks an entry point that another one has, or is slow."""
    print(build("sdist", **{CROSS: ""}).name)
    found, here = {}, OUTPUT
    for name, target in TARGETS.items():
        wheel = build("wheel", **{CROSS: name})
        if target.tag not in wheel.name:
            sys.exit(f"{wheel.name} has no kernel for {name}")
        found[name] = entries(wheel, target)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, {len(found[name])} entry points")
        if target[:2] == native()[:2]:
            here = wheel
    if len({frozenset(names) for names in found.values()}) > 1:
        sys.exit(f"entry points differ: {found}")
    print("compared with gcc's build, of all wheels the one that runs here: the others are not timed")
    compare_speed(here)


if __name__ == "__main__":
    main()
