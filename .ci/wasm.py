"""Exit with an error where the kernel of pages was not made of these sources; with --store, record that it was.

`just prove wasm` makes the kernel and calls this with --store. CI compares digests, where building anew would take Zig.
"""

import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
STORED = Path(__file__).with_name("wasm.sha256")
KERNEL = ROOT / "boidsgen" / "kernel"


def digests() -> str:
    """SHA-256 of the sources, of what makes the kernel of them, and of the kernel, as `sha256sum` writes them."""
    files = [*sorted(KERNEL.glob("*.[ch]")), KERNEL / "build.py", ROOT / "boidsgen" / "webpage" / "kernel.wasm.gz"]
    named = ((sha256(path.read_bytes()).hexdigest(), path.relative_to(ROOT).as_posix()) for path in files)
    return "".join(f"{digest}  {name}\n" for digest, name in named)


if __name__ == "__main__":
    if "--store" in sys.argv:
        STORED.write_text(digests(), "utf-8")
    elif not STORED.exists() or STORED.read_text("utf-8") != digests():
        sys.exit("the kernel of pages was not made of these sources")
