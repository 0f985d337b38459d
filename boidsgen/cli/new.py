"""`boidsgen new`: a scenario to start from."""

# ruff: noqa: PLC0415  what a command needs is imported when it runs, so that --help is quick

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.streams import result
from boidsgen.errors import OutputExistsError, StorageError


def new(
    output: Annotated[str, typer.Argument(metavar="OUT.toml", help="The file to make; it must not exist yet.")],
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="SCENARIO", help="Start from a preset, or from what a gif, mp4 or png carries."),
    ] = None,
) -> None:
    """Write a commented scenario to start from."""
    _write(output, _text(origin))
    result(output)


def _text(origin: str | None) -> str:
    if origin is None:
        from boidsgen.scenario.starter import starter

        return starter()
    from boidsgen.scenario.sources import find

    return find(origin).text


def _write(path: str, text: str) -> None:
    try:
        with Path(path).open("x", encoding="utf-8") as file, _removed_on_failure(Path(path)):
            file.write(text)
            file.flush()
    except FileExistsError:
        raise OutputExistsError(f"{path}: is there already; choose another name") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise StorageError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def _removed_on_failure(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        path.unlink()
        raise
