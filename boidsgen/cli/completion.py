"""Completion: what a shell offers behind a half-written argument.

Typer asks these functions; each gets what has been written so far and gives what it may become.
"""

from collections.abc import Iterator


def scenario_names(incomplete: str) -> list[str]:
    """The presets that begin like this; files are offered by the shell itself."""
    from boidsgen.scenario.sources import presets

    return [preset.name for preset in presets() if preset.name.startswith(incomplete)]


def settings(incomplete: str) -> list[str]:
    """The keys that begin like this, with `=`; behind the `=`, the values where they are a choice of words."""
    key, equals, value = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name, _ in _keys() if name.startswith(key)]
    return [f"{key}={word}" for name, words in _keys() if name == key for word in words if word.startswith(value)]


def keys(incomplete: str) -> list[str]:
    """The keys and tables, and the measures, that begin like this."""
    from boidsgen.simulation.measures import MEASURES

    return [name for name in (*(key for key, _ in _keys()), *MEASURES) if name.startswith(incomplete)]


def _keys() -> Iterator[tuple[str, list[str]]]:
    """Every key with the words that may stand there; none where it is not a choice."""
    from boidsgen.scenario.documentation import keys_of
    from boidsgen.scenario.explanation import every_section
    from boidsgen.scenario.grammar import form_of, members, words

    seen: set[str] = set()
    for section in every_section():
        for key, field in keys_of(section.table).items():
            name = f"{section.name}.{key}".lstrip(".")
            if name not in seen:
                seen.add(name)
                form = form_of(field)
                yield name, [str(word) for word in (*words(form), *members(form))]
