"""Build the source archive and a wheel for each system into build/wheels, and check the kernel in each wheel.

`just wheels` calls this in an environment with hatchling, Zig and LIEF, which reads the libraries of all systems.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import lief

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from boidsgen.kernel import library  # noqa: E402  of this clone
from boidsgen.kernel.build import CHECKSUMS, CROSS, LANES, NAMES, OTHER_LANES, TARGETS, Target, native  # noqa: E402

OUTPUT = ROOT / "build" / "wheels"
LIBRARIES = {"/usr/lib/libSystem.B.dylib"}  # on macOS, which loads no library without its libc
ADDED = {"__dso_handle", "_mh_dylib_header"}
lief.logging.disable()  # it wonders at every library of macOS


def build(kind: str, target: str) -> Path:
    """Build one package; returns its path."""
    environment = os.environ | {CROSS: target}
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(OUTPUT)]
    subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    return max(OUTPUT.iterdir(), key=lambda path: path.stat().st_mtime_ns)


def entries(wheel: Path, target: Target) -> set[str]:
    """Entry points of the kernel in a wheel, without their lanes; exits where it exports or imports anything else."""
    with ZipFile(wheel) as archive, TemporaryDirectory() as folder:
        for name in (NAMES[target.system], CHECKSUMS):
            Path(folder, name).write_bytes(archive.read(f"boidsgen/kernel/{name}"))
        if target[:2] == native()[:2]:
            library.load(Path(folder))
        binary = lief.parse(Path(folder, NAMES[target.system]))
    exported = {function.name for function in binary.exported_functions}
    if target.system == "darwin":  # where C's names begin with an underscore, and the linker adds some
        exported = {name.removeprefix("_") for name in exported} - ADDED
    lanes = LANES.get(target.machine, OTHER_LANES)
    names = {name.rpartition("_")[0] for name in exported - {"boidsgen_lanes"}}
    if not names or exported != {"boidsgen_lanes", *(f"{name}_{number}" for name in names for number in lanes)}:
        sys.exit(f"{wheel.name}: not each entry point for each of {[*lanes]} lanes, but {sorted(exported)}")
    needed = {str(getattr(one, "name", one)) for one in binary.libraries} - {f"@rpath/{NAMES[target.system]}"}
    if not needed <= LIBRARIES:
        sys.exit(f"{wheel.name}: needs {sorted(needed)}")
    return names


def main() -> None:
    """Build everything; exits if a wheel lacks an entry point that another one has."""
    print(build("sdist", "").name)
    found = {}
    for name, target in TARGETS.items():
        wheel = build("wheel", name)
        if target.tag not in wheel.name:
            sys.exit(f"{wheel.name} has no kernel for {name}")
        found[name] = entries(wheel, target)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, {len(found[name])} entry points")
    if len({frozenset(names) for names in found.values()}) > 1:
        sys.exit(f"entry points differ: {found}")


if __name__ == "__main__":
    main()
