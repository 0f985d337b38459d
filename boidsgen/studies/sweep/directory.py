"""Directory: where a sweep puts everything, and which no other sweep can use meanwhile.

claimed(directory)  the directory for the time of a block: made, writable, and locked
replacing(path)     a file that appears complete or not at all
fingerprint(path)   size and hash of an output
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from boidsgen import system
from boidsgen.errors import StorageError
from boidsgen.output.places import place_for, storing


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


@contextmanager
def claimed(directory: Path) -> Iterator[None]:
    """The directory, made if need be and writable, with no other sweep in it.

    The claim is a kernel lock on the directory itself: it leaves no file behind and ends with this process, however
    that ends.

    Raises:
        StorageError: when it cannot be made or written to, or is claimed already.
    """
    try:
        directory.mkdir(exist_ok=True)
        claim = system.claim(directory.resolve())
    except FileNotFoundError:
        absent = f"there is no directory {directory.parent}; create it first"
        raise StorageError(f"{directory}: {system.name_refusal(str(directory)) or absent}") from None
    except FileExistsError:
        raise StorageError(f"{directory}: is not a directory; the outputs of a sweep go into one") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise StorageError(f"{directory}: {getattr(error, 'strerror', None) or error}") from None
    if claim is None:
        raise StorageError(f"{directory}: another sweep is running in this directory; wait for it")
    try:
        _try_writing(directory)
        yield
    finally:
        claim.release()


def _try_writing(directory: Path) -> None:
    try:
        with TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise StorageError(f"{directory}: cannot write there: {error.strerror}") from None
