"""The parts of the documents that are made from the program itself."""

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence

from boidsgen.cli.main import exit_codes
from boidsgen.output.formats import WRITERS
from boidsgen.scenario.annotations import Section, form_of, keys_of
from boidsgen.scenario.reference import default_of, meaning, sections, summary
from boidsgen.scenario.wording import described
from boidsgen.simulation.measures import MEASURES
from boidsgen.simulation.measuring import RUN_MEASURES
from boidsgen.simulation.motion import FORMULAS
from boidsgen.simulation.profiles import PROFILES
from boidsgen.simulation.rules.rule import Rule, listed
from boidsgen.simulation.setup import RULES


def commands() -> str:
    """The help of the program and of each of its commands, as Markdown."""
    overview = _help()
    names = [line.split()[0] for line in overview.partition("Commands:")[2].splitlines() if line.strip()]
    return "\n".join([_block(overview), *(f"## {name}\n\n{_block(_help(name))}" for name in names)])


def examples_of(command: Callable[..., None]) -> list[str]:
    """The command lines that the docstring of a command gives to try."""
    return [line.strip() for line in inspect.cleandoc(command.__doc__ or "").partition("Examples:\n")[2].splitlines()]


def measures() -> str:
    """Every measure with its unit, its definition and its source, as Markdown."""
    return "\n".join(_measure(name, measure) for name, measure in sorted({**MEASURES, **RUN_MEASURES}.items()))


def profiles() -> str:
    """The same of every profile."""
    return "\n".join(_measure(name, profile) for name, profile in PROFILES.items())


def exit_code_table() -> str:
    """Every exit code with its meaning, as Markdown."""
    return _table(("exit code", "meaning"), ((str(code), meaning) for code, meaning in exit_codes().items()))


def format_table() -> str:
    """Every format with its use, as Markdown."""
    rows = ((f"`{writer.name}`", f"`{writer.usage}`", writer.suits) for writer in WRITERS.values())
    return _table(("format", "written as", "good for"), rows)


def reference() -> str:
    """Markdown: every table of the scenario with its keys, their defaults and their meaning."""
    return "\n".join(_section(section) for section in sections())


def rules_table() -> str:
    """Markdown: the formula of every rule, its usual form and its source."""
    rows = (
        (f"`{name}`", rule.formula, rule.usual_steering or "the group's", rule.source)
        for name, rule in listed(RULES).items()
    )
    return _table(("rule", "raw vector x", "usual form", "source"), rows)


def forms_table() -> str:
    """Markdown: the formula of each steering form."""
    rows = ((f"`{form}`", formula) for form, formula in FORMULAS.items())
    return _table(("form", "change of velocity by raw vector x, before the weight"), rows)


def _section(section: Section) -> str:
    heading = f"`[{section.name}]`" if section.name else "Top of the file"
    kind = f", kind `{section.kind}`" if section.kind else ""
    table, told = section.table, [summary(section.table), ""]
    if issubclass(table, Rule):
        form = f"the {table.usual_steering} form" if table.usual_steering else "the form of its group"
        told += [f"Raw vector: `{table.formula}`, in {form} ({table.source}).", ""]
    rows = [
        (f"`{key}`", described(form_of(field)), default_of(field), meaning(table, key))
        for key, field in keys_of(table).items()
    ]
    return "\n".join([f"### {heading}{kind}", "", *told, _table(("key", "value", "default", "meaning"), rows)])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    cells = ([cell.replace("|", "\\|") for cell in row] for row in (head, ["---"] * len(head), *rows))
    return "\n".join([*(f"| {' | '.join(row)} |" for row in cells), ""])


def _measure(name: str, measure: object) -> str:
    unit = f"*In {measure.unit}.* " if measure.unit else ""
    return f"## `{name}`\n\n{unit}{inspect.cleandoc(measure.__doc__)}\n"


def _help(*command: str) -> str:
    call = [sys.executable, "-m", "boidsgen", *command, "--help"]
    return subprocess.run(call, check=True, capture_output=True, text=True, env={"COLUMNS": "80"}).stdout.strip()


def _block(text: str) -> str:
    return f"```text\n{text}\n```\n"
