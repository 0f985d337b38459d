"""Build the source archive and a wheel for each system into build/wheels, and check the kernel in each wheel.

`just prove wheels` calls this in an environment with hatchling, Zig and LIEF, which reads the libraries of all systems.
The wheel that runs here is held against one by gcc, by steps that the project's own python times.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
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
SLOWEST = 1.15  # Most processor time of a step by a wheel, over that by gcc's build of the same sources
ROUNDS = range(2, 9)  # Numbers of times that both are timed, in turn; the best counts, and who is slow has more
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


def compare_speed(wheel: Path) -> None:
    """Print the times of steps by a wheel and by gcc's build; exits where the wheel is slower than it may be."""
    python = shutil.which("python")
    if not python or not shutil.which("gcc"):
        sys.exit("the speed of wheels cannot be compared: there is no gcc, or no python of the project")
    with TemporaryDirectory() as folder:
        wheels = {"gcc": build("wheel", Path(folder), CC="gcc"), "wheel": wheel}
        best = dict[str, dict[str, float]]()
        for name, package in wheels.items():
            ZipFile(package).extractall(Path(folder, name))
        for number in range(1, ROUNDS.stop):
            for name in wheels:
                own = os.environ | {"PYTHONPATH": str(Path(folder, name)), "PYTHONSAFEPATH": "1"}
                command = [python, str(ROOT / ".ci" / "speed.py")]
                told = subprocess.run(command, check=True, env=own, stdout=subprocess.PIPE, cwd=folder).stdout
                times: dict[str, float] = json.loads(told)
                best[name] = {case: min(time, best.get(name, times)[case]) for case, time in times.items()}
            slow = [case for case, time in best["wheel"].items() if time > SLOWEST * best["gcc"][case]]
            if number >= ROUNDS.start and not slow:
                break
    for case, time in best["wheel"].items():
        gcc = best["gcc"][case]
        print(f"{case}: {time * 1e3:.2f} ms a step, by gcc {gcc * 1e3:.2f} ms, {time / gcc:.2f} times as long")
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
