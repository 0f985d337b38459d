"""`boidsgen presets`, `new` and `schema`: what a scenario starts from."""

from typing import Annotated

import typer

from boidsgen.cli.terminal import json_text, result
from boidsgen.errors import OutputExistsError, StorageError


def presets() -> None:
    """List the scenarios that come with boidsgen."""
    from boidsgen.scenario.sources import presets as shipped

    every = shipped()
    widest = max((len(preset.name) for preset in every), default=0)
    for preset in every:
        result(f"{preset.name:{widest}}  {preset.title}".rstrip())


def schema() -> None:
    """Print the JSON Schema of a scenario, for editors."""
    from boidsgen.scenario.schema import json_schema

    result(json_text(json_schema(), indent=2, allow_nan=False))


def new(
    output: Annotated[
        str,
        typer.Argument(metavar="OUT.toml", help="The file to make, or - for standard output; it must not exist yet."),
    ],
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="SCENARIO", help="Start from a preset, or from what a clip or picture carries."),
    ] = None,
) -> None:
    """Write a commented scenario to start from."""
    _write(output, _text(origin))
    if output != "-":
        result(output)


def _text(origin: str | None) -> str:
    if origin is None:
        from boidsgen.scenario.template import template

        return template()
    from boidsgen.scenario.sources import find

    return find(origin).text


def _write(path: str, text: str) -> None:
    """A new file with this text, complete or not at all."""
    from boidsgen.writers.places import place_for, storing

    try:
        place = place_for(path, "stream", no_clobber=True)
    except OutputExistsError:
        raise OutputExistsError(f"{path}: is there already; choose another name") from None
    except ValueError as error:  # a NUL in the name
        raise StorageError(f"{path}: {error}") from None
    try:
        with storing(place.name):
            with place.open() as file:
                file.write(text.encode())
            place.publish()
    finally:
        place.discard()
