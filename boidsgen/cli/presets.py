"""`boidsgen presets`, `show`, `explain`, `new` and `schema`: what there is, and what a scenario starts from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.completion import keys
from boidsgen.cli.options import OneScenario
from boidsgen.cli.terminal import json_text, result
from boidsgen.errors import OutputExistsError, StorageError, UsageError

_SCHEMA = "#:schema"
"""What editors look for in the first line."""


def presets(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD]...", help="Only those whose name or description has all these words."),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """List the scenarios that come with boidsgen.

    Examples:
        boidsgen presets
        boidsgen presets predator
    """
    from boidsgen.scenario.sources import presets as shipped

    found = [preset for preset in shipped() if _has(f"{preset.name} {preset.title}", words or ())]
    if not found:
        raise UsageError(f"{' '.join(words or ())}: no preset has all these words; `boidsgen presets` lists them all")
    widest = max(len(preset.name) for preset in found)
    for preset in found:
        named = json_text({"name": preset.name, "title": preset.title})
        result(named if as_json else f"{preset.name:{widest}}  {preset.title}".rstrip())


def show(scenario: OneScenario) -> None:
    """Print a scenario: a preset, a file, or what a clip carries.

    Examples:
        boidsgen show quickstart
        boidsgen show flock.gif
    """
    from boidsgen.scenario.sources import find

    result(find(scenario).text.replace("\r\n", "\n").rstrip("\n"))  # the console has ends of lines of its own


def explain(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY",
            help="A key, a table or a measure, as in flock.separation or polarization.",
            autocompletion=keys,
        ),
    ],
) -> None:
    """Say what a key or a measure means.

    Of a key it also says what may stand there, its default, and which presets set it.

    Examples:
        boidsgen explain flock.separation
        boidsgen explain style.theme
        boidsgen explain polarization
    """
    from boidsgen.scenario.explanation import explained_key

    for line in explained_key(key):
        result(line)


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word.lower() in text.lower() for word in words)


def schema() -> None:
    """Print the JSON Schema of a scenario, for editors.

    Examples:
        boidsgen schema
    """
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
    """Write a commented scenario to start from.

    Without --from it lists every table with its keys and their defaults; of
    tables of several kinds it names all and shows one. The first line leads
    editors to the schema that is installed here.

    Examples:
        boidsgen new mine.toml
        boidsgen new hawks.toml --from hunt
    """
    _refuse_misleading(output)
    _write(output, _with_schema(_text(origin, Path(output).parent)))
    if output != "-":
        result(output)


def _refuse_misleading(path: str) -> None:
    """Stop before a scenario goes by the name of a folder, a clip or a preset.

    Raises:
        UsageError: when it would.
    """
    from boidsgen.output.formats import WRITERS
    from boidsgen.output.targets import names_folder
    from boidsgen.scenario.sources import presets as shipped

    if names_folder(path):
        raise UsageError(f"{path}: is the name of a folder; name the scenario, as in {path}mine.toml")
    if any(Path(path).suffix.lower() in writer.extensions for writer in WRITERS.values()):
        raise UsageError(f"{path}: is the name of what a scenario is rendered to; end it with .toml")
    if path in {preset.name for preset in shipped()}:
        raise UsageError(f"{path}: is the name of a preset, which the file would hide; end it with .toml")


def _text(origin: str | None, folder: Path) -> str:
    if origin is None:
        from boidsgen.scenario.template import template

        return template()
    from boidsgen.scenario.inheritance import movable
    from boidsgen.scenario.sources import find

    return movable(find(origin), folder).text


def _with_schema(text: str) -> str:
    """A text whose first line tells editors which schema it goes by."""
    from boidsgen.scenario.sources import schema_address

    address = schema_address()
    return text if address is None or text.startswith(_SCHEMA) else f"{_SCHEMA} {address}\n{text}"


def _write(path: str, text: str) -> None:
    """A new file with this text, complete or not at all."""
    from boidsgen.output.places import place_for, storing

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
