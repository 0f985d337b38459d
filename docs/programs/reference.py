"""The parts of the documents that are made from the program itself."""

import inspect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby

from boidsgen.cli.main import exit_codes
from boidsgen.output.formats import WRITERS
from boidsgen.scenario.reference import default_of, sections
from boidsgen.scenario.wording import Section, described
from boidsgen.simulation.individuals import ANIMAL_MEASURES
from boidsgen.simulation.measures import MEASURES, RUN_MEASURES
from boidsgen.simulation.motion import FORMULAS
from boidsgen.simulation.profiles import PROFILES
from boidsgen.simulation.rules.rule import Rule, listed
from boidsgen.simulation.setup import RULES
from boidsgen.simulation.spans import SPAN_KINDS
from boidsgen.tables import Key, keys_of, table_meaning

PAGES = {
    "scenario": ("", "events", "world", "time"),
    "flock": ("flock",),
    "surroundings": ("predators", "obstacles", "attractors", "fields"),
    "picture": ("camera", "style", "overlay", "background"),
    "output": ("output", "limits", "measure", "page", "sweep", "tracks"),
}
"""Outermost tables of a scenario, by the page of the reference that has them; rules have a page of their own."""


def commands() -> str:
    """The help of the program and of each of its commands, as Markdown."""
    overview = _help()
    names = re.findall(r"^  (\w+)", overview.partition("Commands:")[2], re.MULTILINE)  # longer texts are wrapped
    return "\n".join([_block(overview), *(f"## {name}\n\n{_block(_help(name))}" for name in names)])


def examples_of(command: Callable[..., None]) -> list[str]:
    """The command lines that the docstring of a command gives to try."""
    return [line.strip() for line in inspect.cleandoc(command.__doc__ or "").partition("Examples:\n")[2].splitlines()]


def measures() -> str:
    """Every measure with its unit, its definition and its source, as Markdown."""
    return "\n".join(_measure(name, measure) for name, measure in sorted({**MEASURES, **RUN_MEASURES}.items()))


def animal_measures() -> str:
    """The same of every measure of an animal."""
    return "\n".join(_measure(name, measure) for name, measure in ANIMAL_MEASURES.items())


def events() -> str:
    """The same of every kind of events."""
    return "\n".join(_measure(name, kind) for name, kind in SPAN_KINDS.items())


def profiles() -> str:
    """The same of every profile."""
    return "\n".join(_measure(name, profile) for name, profile in PROFILES.items())


def exit_code_table() -> str:
    """Every exit code with its meaning, as Markdown."""
    return table(("exit code", "meaning"), ((str(code), meaning) for code, meaning in exit_codes().items()))


def format_table() -> str:
    """Every format with its use, as Markdown."""
    rows = ((f"`{writer.name}`", f"`{writer.usage}`", writer.suits) for writer in WRITERS.values())
    return table(("format", "written as", "good for"), rows)


def rules_table() -> str:
    """The formula of every rule, its usual form and its source, as Markdown."""
    rows = (
        (f"`{name}`", rule.formula, rule.usual_steering or "the group's", usual_source(rule))
        for name, rule in listed(RULES).items()
    )
    return table(("rule", "raw vector x", "usual form", "source"), rows)


def usual_source(rule: type[Rule]) -> str:
    """The source of a rule whose keys are at their defaults."""
    return rule.default().cited(rule.usual_steering or "reynolds")


def forms_table() -> str:
    """The formula of each steering form, as Markdown."""
    rows = ((f"`{form}`", formula) for form, formula in FORMULAS.items())
    return table(("form", "change of velocity by raw vector x, before the weight"), rows)


def keys(page: str) -> str:
    """The tables of one page with their keys, as Markdown; the keys that predators share with flocks are only named."""
    flock = [entry for one in sections() if one.name == "flock" for entry in _entries(one)]
    return _families(page, flock if page == "surroundings" else [])


def rule_keys() -> str:
    """The tables of all rules with their keys, as Markdown; the keys that most rules have stand once, above them."""
    found = [one for one in sections() if _page(one) == "rules"]
    counts = Counter(entry for one in found for entry in _entries(one))
    common = [entry for entry, count in counts.items() if count > len(found) / 2]
    first = (_key(entry, "rule", "every rule") for entry in common)
    return "\n".join(["## Keys of every rule { #rule }\n", *first, _families("rules", common)])


def _families(page: str, known: Sequence[tuple[str, str]]) -> str:
    found = (one for one in sections() if _page(one) == page)
    families = (_family(list(kinds), known) for _, kinds in groupby(found, lambda one: one.name))
    return "\n".join(chain.from_iterable(families))


def _page(section: Section) -> str:
    outermost = section.name.partition(".")[0]
    rule = issubclass(section.table, Rule)
    return "rules" if rule else next(page for page, tables in PAGES.items() if outermost in tables)


def _family(kinds: Sequence[Section], known: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A table; of several kinds of one, first the keys that all of them have, and then the other keys of each."""
    place, several = kinds[0].name, len(kinds) > 1
    if several:
        shared = [entry for entry in _entries(kinds[0]) if all(entry in _entries(one) for one in kinds)]
        yield f"## `[{place}]` {{ #{place} }}\n"
        yield from (_key(entry, place, f"`[{place}]`") for entry in shared if entry not in known)
        known = [*known, *shared]
    for section in kinds:
        kind = f", {section.tag} `{section.kind}`" if section.kind else ""
        anchor = f"{place}.{section.kind}" if several else place or "top"
        heading = f"`[{place}]`{kind}" if place else "Top of the file"
        yield f"{'###' if several else '##'} {heading} {{ #{anchor} }}\n\n{table_meaning(section.table)}\n"
        if issubclass(section.table, Rule):
            form = f"the {section.table.usual_steering} form" if section.table.usual_steering else "the group's form"
            yield f"Raw vector: `{section.table.formula}`, in {form}.\n"
        own = [entry for entry in _entries(section) if entry not in known]
        inner = dict(_inner(section))
        yield from (_key(entry, anchor, f"`[{place}]`" if place else "") for entry in own)
        if place == "predators":
            alike = {*dict(known), *(key for key, text in inner.items() if "#flock." in text)} - dict(own).keys()
            names = ", ".join(f"`{key}`" for key in keys_of(section.table) if key in alike)
            inner = {key: text for key, text in inner.items() if key not in alike}
            yield f"As in [`[flock]`](flock.md#flock): {names}.\n"
        yield "\n".join([*inner.values(), ""])


def _key(entry: tuple[str, str], anchor: str, place: str) -> str:
    key, text = entry
    return f"#### `{key}`{f' <small>in {place}</small>' if place else ''} {{ #{anchor}.{key} }}\n\n{text}\n"


def _entries(section: Section) -> list[tuple[str, str]]:
    """The plain keys of a table, each with its values, its default and its meaning."""
    return [
        (name, f"{key.text} *{described(key)}{_default(key)}*")
        for name, key in keys_of(section.table).items()
        if not key.is_tag and not key.tables
    ]


def _default(key: Key) -> str:
    default = default_of(key)
    return "; required" if key.required else f"; default {default}" if default else ""


def _inner(section: Section) -> Iterator[tuple[str, str]]:
    """The tables within a table, each with a link to its keys."""
    first = {one.table: one for one in reversed([*sections()])}
    for name, key in keys_of(section.table).items():
        if key.tables:
            place = first[next(iter(key.tables.values()))]
            link = f"[`{name}`]({_page(place)}.md#{place.name})"
            yield name, f"- {link}{_default(key)}: {key.text}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
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
