"""`boidsgen presets`, `show`, `explain`, `new` and `schema`: scenarios to start from, and the meaning of keys."""

from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.options import OneScenario, Text, complete_key, option
from boidsgen.cli.terminal import DASH, json_text, result
from boidsgen.errors import OutputExistsError, StorageError, UsageError

_SCHEMA = "#:schema"
"""Beginning of a first line that names the schema to editors."""


def presets(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD]...", help="Only those whose name or description has all these words."),
    ] = None,
    *,
    as_json: Annotated[bool, option("--json", "One JSON object per line.")] = False,
) -> None:
    """List the presets.

    Examples:
        boidsgen presets
        boidsgen presets predator
    """
    from boidsgen.scenario.sources import presets as shipped

    wanted = [word.lower() for word in words or ()]
    found = [one for one in shipped() if all(word in f"{one.name} {one.title}".lower() for word in wanted)]
    if not found:
        raise UsageError(f"{' '.join(words or ())}: no preset has all these words; `boidsgen presets` lists them all")
    widest = max(len(preset.name) for preset in found)
    for preset in found:
        named = json_text({"name": preset.name, "title": preset.title})
        result(named if as_json else f"{preset.name:{widest}}  {preset.title}".rstrip())


def show(scenario: OneScenario) -> None:
    """Print a scenario: a preset, a file, or what a clip embeds.

    Examples:
        boidsgen show quickstart
        boidsgen show flock.gif
    """
    from boidsgen.scenario.sources import find

    result(find(scenario).text.replace("\r\n", "\n").rstrip("\n"))  # the console has line ends of its own


def explain(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY",
            help="A key, a table or a measure, as in flock.separation or polarization.",
            autocompletion=complete_key,
        ),
    ],
) -> None:
    """Explain a key or a measure.

    A key is explained with its values, its default, and the presets that set it.

    Examples:
        boidsgen explain flock.separation
        boidsgen explain style.theme
        boidsgen explain polarization
    """
    from boidsgen.scenario.reference import explained_key

    for line in explained_key(key):
        result(line)


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
    origin: Annotated[Text, option("--from SCENARIO", "Start from a preset, a file or a clip.")] = None,
) -> None:
    """Write a commented scenario to start from.

    Without --from it lists every table with its keys and their defaults; of
    tables of several kinds it names all and shows one. The first line leads
    editors to the schema that is installed here.

    Examples:
        boidsgen new mine.toml
        boidsgen new hawks.toml --from hunt
    """
    from boidsgen.scenario.inheritance import movable
    from boidsgen.scenario.sources import find, schema_address
    from boidsgen.scenario.template import template

    _refuse_misleading(output)
    text = template() if origin is None else movable(find(origin), Path(output).parent).text
    address = schema_address()
    if address is not None and not text.startswith(_SCHEMA):
        text = f"{_SCHEMA} {address}\n{text}"
    _write_new(output, text)
    if output != DASH:
        result(output)


def _refuse_misleading(path: str) -> None:
    """Stop before a scenario gets the name of a folder, a clip or a preset."""
    from boidsgen.output.formats import WRITERS
    from boidsgen.output.targets import names_folder
    from boidsgen.scenario.sources import presets as shipped

    if names_folder(path):
        raise UsageError(f"{path}: is the name of a folder; name the scenario, as in {path}mine.toml")
    if any(Path(path).suffix.lower() in writer.extensions for writer in WRITERS.values()):
        raise UsageError(f"{path}: is the name of what a scenario is rendered to; end it with .toml")
    if path in {preset.name for preset in shipped()}:
        raise UsageError(f"{path}: is the name of a preset, which the file would hide; end it with .toml")


def _write_new(path: str, text: str) -> None:
    """Write a new file, complete or not at all."""
    from boidsgen.output.publish import open_file

    try:
        with open_file(path, "stream", no_clobber=True) as file:
            file.write(text.encode())
    except OutputExistsError:
        raise OutputExistsError(f"{path}: is there already; choose another name") from None
    except ValueError as error:  # a NUL in the name
        raise StorageError(f"{path}: {error}") from None
