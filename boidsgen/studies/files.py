"""Files: how the files of a sweep are made and recognized."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from boidsgen.writers.publication import place_for, storing


def fingerprint(path: Path) -> dict[str, object]:
    """Size and SHA-256 of a file, or of all files in a folder together; raises OSError when it is not there."""
    if not path.is_dir():
        return {"bytes": path.stat().st_size, "sha256": _sha256(path)}
    files = sorted(path.iterdir())
    together = "".join(f"{_sha256(file)}  {file.name}\n" for file in files)
    return {
        "bytes": sum(file.stat().st_size for file in files),
        "sha256": hashlib.sha256(together.encode()).hexdigest(),
    }


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name when the block ends, complete, and not at all if it raises.

    Raises:
        StorageError: when it cannot be written.
    """
    place = place_for(str(path), "file", no_clobber=False)
    try:
        with storing(str(path)):
            with place.open() as file:
                yield file
            place.publish()
    finally:
        place.discard()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
