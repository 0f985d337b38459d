"""The build of the kernel: a hook of hatchling, and `python -m boidsgen.kernel.build` for developers.

The C compiler of the machine builds the library, or `zig cc`, which is a package. Where neither works, boidsgen is
installed without the kernel and computes with numpy. The library contains the kernel for the largest number of lanes
that this processor runs; in wheels for a named system, and by `BOIDSGEN_KERNEL=all`, for each number. A file beside it
contains the checksums of it and of its sources, in the format of `sha256sum`. `--wasm` makes that of pages.
"""

import os
import platform
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from gzip import decompress
from hashlib import sha256
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

HERE = Path(__file__).parent
ZIG = "ziglang==0.17.1"
SWITCH, CROSS = "BOIDSGEN_KERNEL", "BOIDSGEN_TARGET"
"""Environment variables: 0 leaves the kernel out, all builds it for each number of lanes; a target builds a wheel for
another system, as in linux-arm64."""

LIBRARY_NAMES = {"linux": "kernel.so", "darwin": "kernel.dylib", "win32": "kernel.dll"}
CHECKSUMS = "kernel.sha256"
PROBE = "typedef double pair __attribute__((vector_size(16))); pair twice(pair x) { return x + x; }"

# Whatever CFLAGS says: results must not depend on it. Distributions switch the stack protector on, which needs libc.
FLAGS = [
    *("-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-ffreestanding", "-fno-stack-protector"),
    "-fno-strict-aliasing",  # the memory of a program is records and numbers at once
    *("-fvisibility=hidden", "-fPIC", "-g0"),  # g0: Zig would record folders, as no other compiler does
    # Vectors are written out where they pay; those that compilers make of loops double the library and gain nothing.
    # Clang needs those of straight code to be as fast as gcc; by -fno-unroll-loops it would loop over three components.
    "-fno-tree-vectorize",
]
WARNINGS = ["-Wall", "-Wextra", "-Wno-unknown-warning-option", "-Wno-psabi", "-Wno-maybe-uninitialized"]
"""psabi: vectors as arguments, which no entry point has. Uninitialized: the first component in flat worlds."""

SANITIZERS = [
    *("-O0", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "-fno-sanitize=null,object-size,pointer-overflow",  # doubles the time to compile, and the first finds most of these
]
LINKING = {
    "linux": ["-shared", "-nostdlib", "-s", "-Wl,-z,defs"],
    "darwin": ["-shared", "-nostdlib", "-lSystem", "-Wl,-install_name,@rpath/kernel.dylib"],  # macOS demands its libc
    "win32": ["-shared", "-nostdlib", "-s"],
}
WASM = [
    "-target",
    "wasm32-freestanding",
    "-Wl,--no-entry,--export-dynamic,--export=__heap_base,--strip-all,-z,stack-size=262144",
]
PAGE_KERNEL = HERE.parent / "webpage/kernel.wasm.gz"
"""The WebAssembly of pages, which is part of the sources: rendering a page needs no compiler."""
LANES: dict[str, dict[int, str]] = {
    "x86_64": {
        8: "-mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512",  # gcc prefers 256 bits
        4: "-mavx2",
        2: "",
        1: "-O1",  # for tests alone
    }
}
OTHER_LANES = {2: "", 1: "-O1"}
"""Flags for each number of lanes, by processor; the largest comes first, which alone is built unless all are wanted."""


class BuildError(Exception):
    """The kernel cannot be compiled; the message says why."""


class BuildTarget(NamedTuple):
    """A system that the kernel is built for."""

    system: str  # as sys.platform
    machine: str
    zig: str  # Zig's name of it
    tag: str  # of wheels


# Nothing but the processor is used, so one wheel runs with any libc.
TARGETS = {
    "linux-x86_64": BuildTarget(
        "linux", "x86_64", "x86_64-linux-musl", "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64"
    ),
    "linux-arm64": BuildTarget(
        "linux", "arm64", "aarch64-linux-musl", "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64"
    ),
    "macos-x86_64": BuildTarget("darwin", "x86_64", "x86_64-macos.10.13", "macosx_10_13_x86_64"),
    "macos-arm64": BuildTarget("darwin", "arm64", "aarch64-macos.11.0", "macosx_11_0_arm64"),
    "windows-x86_64": BuildTarget("win32", "x86_64", "x86_64-windows-gnu", "win_amd64"),
}


def native() -> BuildTarget:
    """This system; BuildError if the kernel does not run on it."""
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    if sys.platform not in LIBRARY_NAMES or sys.maxsize < 2**32 or (sys.platform == "win32" and machine != "x86_64"):
        raise BuildError(f"there is no kernel for {sysconfig.get_platform()}")
    zig = {(target.system, target.machine): target.zig for target in TARGETS.values()}.get((sys.platform, machine), "")
    tag = re.sub(r"\W", "_", sysconfig.get_platform())
    if sys.platform == "darwin":  # Python may be for two processors; the kernel is not
        tag = next(platform_tags())
    return BuildTarget(sys.platform, machine, zig, tag)


def wanted() -> BuildTarget:
    """The system that the environment names, else this one; BuildError if no kernel is wanted, or there is none."""
    if os.environ.get(SWITCH) == "0":
        raise BuildError(f"{SWITCH} is 0")
    return TARGETS[os.environ[CROSS]] if CROSS in os.environ else native()


def compilers(target: BuildTarget) -> Iterable[list[str]]:
    """Commands of C compilers that work here and build for the target, the preferred one first."""
    own = os.environ.get("CC")
    if CROSS not in os.environ:
        if own:
            candidates = [shlex.split(own, posix=os.name == "posix")]
        else:  # gcc for Windows misaligns wide vectors on the stack, and Microsoft's compiler has none
            candidates = [[name] for name in ("cc", "gcc", "clang") if target.system != "win32"]
        yield from (command for command in candidates if accepts(command))
    if target.zig and find_spec("ziglang"):
        yield [sys.executable, "-m", "ziglang", "cc", "-target", target.zig]


def accepts(command: Sequence[str], flags: Sequence[str] = ()) -> bool:
    """True if a compiler is there, and knows vectors and these flags."""
    with TemporaryDirectory() as folder:
        try:
            output_of([*command, *flags, "-x", "c", "-c", "-", "-o", "probe.o"], folder, PROBE)
        except BuildError:
            return False
    return True


def output_of(command: Sequence[str], folder: str | Path, text: str | None = None) -> str:
    """Run a compiler in a temporary folder and return its warnings; BuildError with its messages if it fails."""
    # Zig would keep a cache in the user's home, and the linker for Windows writes the time into a library.
    environment = {"ZIG_GLOBAL_CACHE_DIR": str(folder), "ZIG_LOCAL_CACHE_DIR": str(folder), "SOURCE_DATE_EPOCH": "0"}
    try:
        done = subprocess.run(  # noqa: S603  a compiler, of the user's choice
            command, cwd=folder, input=text, capture_output=True, text=True, check=False, env=os.environ | environment
        )
    except OSError as error:
        raise BuildError(str(error)) from None
    if done.returncode:
        raise BuildError(done.stderr.strip() or f"{command[0]} fails with status {done.returncode}")
    return done.stderr


def build(into: Path, *, sanitize: bool = False) -> tuple[BuildTarget, list[Path]]:
    """Build the library into a folder, unless it is there and current; returns its target, it and its checksums.

    Raises:
        BuildError: when there is no kernel for the target, or no compiler works.
    """
    target = wanted()
    library, stamp = into / LIBRARY_NAMES[target.system], into / CHECKSUMS
    current = library.exists() and stamp.exists() and stamp.read_text("utf-8") == checksums(library)
    if not current or os.environ.get(SWITCH) == "all":  # the one that is there may have fewer lanes
        command = next(iter(compilers(target)), None)
        if command is None:
            raise BuildError("no C compiler works here; install gcc or clang, or name one in the variable CC")
        with TemporaryDirectory(dir=into) as folder:
            made = Path(folder) / library.name
            sys.stderr.write(link(target, command, made, sanitize=sanitize))
            made.replace(library)  # whoever has loaded the old one keeps it
        stamp.write_text(checksums(library), "utf-8")
    return target, [library, stamp]


def link(target: BuildTarget, command: Sequence[str], library: Path, *, sanitize: bool) -> str:
    """Compile all parts in parallel and link them; returns the compiler's warnings."""
    lanes = {number: flags.split() for number, flags in LANES.get(target.machine, OTHER_LANES).items()}
    if CROSS not in os.environ:
        here = runnable(command, target, library.parent)
        fitting = (one for one in lanes.items() if one[0] & here and accepts(command, one[1]))
        lanes = dict(fitting if os.environ.get(SWITCH) == "all" else islice(fitting, 1))
        for number in [*lanes][1:]:  # only for tests, so compiled in a third of the time
            lanes[number].append("-O1")
    flags, linking = [*FLAGS, *WARNINGS], LINKING[target.system]
    if sanitize:
        flags, linking, lanes = [*flags, *SANITIZERS], ["-shared", *SANITIZERS], {2: []}
    parts = [("kernel.c", f"-DLANES={number}", *flags) for number, flags in lanes.items()]
    parts.append(("processor.c", f"-DBUILT={sum(lanes)}"))
    if target.system != "darwin" and not sanitize:
        parts.append(("runtime.c",))
    objects = [f"{number}.o" for number in range(len(parts))]

    def compile_part(part: Sequence[str], name: str) -> str:
        return output_of([*command, *flags, *part[1:], "-c", str(HERE / part[0]), "-o", name], library.parent)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        warnings = [*pool.map(compile_part, parts, objects)]
    return "".join([*warnings, output_of([*command, *linking, *objects, "-o", library.name], library.parent)])


def build_wasm(packed: Path) -> None:
    """Build the kernel of pages, compressed.

    It has two lanes, by SIMD128, which browsers have had since 2023: in V8 sums over neighbors take half as long as by
    one. A browser without SIMD128 does not compile it, and shows the poster of the page. zopfli, which developers have
    beside Zig, takes a hundred times as long as zlib for 4% less.
    """
    from zopfli.gzip import compress  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415  as told above

    with TemporaryDirectory() as folder:
        sources = [str(HERE / name) for name in ("kernel.c", "runtime.c")]
        own = [*WASM, *FLAGS, "-msimd128", "-nostdlib", "-DLANES=2", *sources, "-o", "kernel.wasm"]
        sys.stderr.write(output_of([sys.executable, "-m", "ziglang", "cc", *own], folder))
        made = (Path(folder) / "kernel.wasm").read_bytes()
    if not packed.exists() or decompress(packed.read_bytes()) != made:  # versions of zopfli may pack differently
        packed.write_bytes(compress(made))


def runnable(command: Sequence[str], target: BuildTarget, folder: Path) -> int:
    """The sum of the numbers of lanes that this processor runs, as `processor.c` finds it."""
    probe = folder / f"probe-{LIBRARY_NAMES[target.system]}"
    parts = [str(HERE / "processor.c"), *([str(HERE / "runtime.c")] if target.system == "win32" else [])]
    output_of([*command, *FLAGS, "-DBUILT=15", *parts, *LINKING[target.system], "-o", probe.name], folder)
    asking = "import ctypes, sys; sys.stderr.write(str(ctypes.CDLL(sys.argv[1]).boidsgen_lanes()))"
    return int(output_of([sys.executable, "-c", asking, str(probe)], folder))


def checksums(library: Path) -> str:
    """SHA-256 of all sources, of the version and of a library, as `sha256sum --check` reads them."""
    files = [*sorted(HERE.glob("*.[ch]")), Path(__file__), library]
    named = {path.name: path for path in files} | {"../version.py": HERE.parent / "version.py"}
    return "".join(f"{sha256(path.read_bytes()).hexdigest()}  {name}\n" for name, path in named.items())


class Hook(BuildHookInterface[Any]):  # type: ignore[misc,unused-ignore]  # its types may be skipped
    """Builds the kernel into a wheel, or in place for an editable installation."""

    def dependencies(self) -> list[str]:
        """Zig, where no other compiler works."""
        try:
            target = wanted()
        except BuildError:
            return []
        return [] if any(compilers(target)) or not target.zig else [ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the library to the wheel and name its platform; without a library, warn and leave the wheel pure."""
        self._folder = TemporaryDirectory()
        editable = version == "editable"
        try:
            target, files = build(HERE if editable else Path(self._folder.name))
        except BuildError as error:
            if editable:  # what an earlier installation built
                for name in (*LIBRARY_NAMES.values(), CHECKSUMS):
                    (HERE / name).unlink(missing_ok=True)
            self.app.display_warning(f"boidsgen is built without its kernel, and will compute with numpy: {error}")
            return
        build_data |= {"pure_python": False, "tag": f"py3-none-{target.tag}"}
        if not editable:
            build_data["force_include"] |= {str(path): f"boidsgen/kernel/{path.name}" for path in files}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built for the wheel."""
        del version, build_data, artifact_path
        self._folder.cleanup()


if __name__ == "__main__":
    try:
        if "--wasm" in sys.argv:
            build_wasm(PAGE_KERNEL)
        else:
            build(HERE, sanitize="--sanitize" in sys.argv)
    except BuildError as error:
        sys.exit(f"the kernel is not built: {error}")
