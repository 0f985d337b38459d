"""Provenance: what every output tells of its origin: the scenario written back as TOML.

The text loads to the same scenario; outputs carry it, so that a picture tells how it was made.

It is a scenario itself: comments that name the versions, then the resolved scenario with its seed. Nothing in it tells
where, when or by whom the output was made.
"""

from boidsgen import __version__
from boidsgen.scenario.documentation import is_tag, keys_of
from boidsgen.scenario.grammar import attributes
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import written
from boidsgen.tables import Table


def resolved(scenario: Scenario) -> str:
    """One line of TOML for each key at the top that is not at its default."""
    return "".join(f"{name} = {written(value)}\n" for name, value in _chosen(scenario).items())


def _chosen(table: Table) -> dict[str, object]:
    """The keys of a table that differ from their defaults, and the one that tells which table it is."""
    found: dict[str, object] = {}
    for key, field in keys_of(type(table)).items():
        value = _plain(getattr(table, attributes(type(table))[key]))
        if is_tag(field) or (value is not None and (field.is_required() or value != _plain(field.get_default()))):
            found[key] = value
    return found


def _plain(value: object) -> object:
    """A value without classes; two tables are alike when they are alike as written."""
    if isinstance(value, Table):
        return _chosen(value)
    if isinstance(value, tuple):
        return tuple(_plain(entry) for entry in value)
    return value


def provenance(scenario: Scenario) -> str:
    """The text that outputs of this scenario carry; it loads to the same scenario."""
    text = resolved(scenario)
    return f"{versions()}{text}" if scenario.seed else f"{versions()}seed = 0\n{text}"


def versions() -> str:
    """A comment with everything that decides about the frames of a scenario."""
    import numpy as np  # noqa: PLC0415  after them everything else
    import PIL  # noqa: PLC0415

    return f"# boidsgen {__version__}, numpy {np.__version__}, pillow {PIL.__version__}\n"
