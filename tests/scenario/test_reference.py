from pathlib import Path
from typing import get_args

import pytest

from boidsgen.scenario.reference import forms_table, keys_of, meaning, reference, rules_table, sections, summary
from boidsgen.simulation.dynamics import FORMULAS, Steering
from boidsgen.simulation.rules.registry import RULES
from boidsgen.simulation.rules.rule import Rule

SECTIONS = list(sections())
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: f"{section.name} {section.kind}")
def test_every_key_has_a_meaning(section):
    """Every table and every key says what it is, in a sentence."""
    assert summary(section.table).endswith((".", ":"))
    for key in keys_of(section.table):
        assert meaning(section.table, key).endswith(".")


def test_reference_has_every_key():
    """The reference names every table and every key."""
    text = reference()

    assert all(f"`[{section.name}]`" in text for section in SECTIONS if section.name)
    assert all(f"\n| `{key}` |" in text for section in SECTIONS for key in keys_of(section.table))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: f"{section.name} {section.kind}")
def test_every_section_about_a_rule_has_a_formula(section):
    """Whatever steers says by which formula, paths that drive predators too."""
    assert not issubclass(section.table, Rule) or (section.table.formula and section.table.source)


@pytest.mark.parametrize("name", RULES)
def test_every_rule_has_its_formula_and_source(name):
    """Each rule's class says both, and they stand in its section of the reference and in the table of formulas."""
    rule = RULES[name]

    assert rule.formula
    assert rule.source
    assert f"Raw vector: `{rule.formula}`" in reference()
    row = next(line for line in rules_table().splitlines() if line.startswith(f"| `{name}` |"))
    assert row.replace("\\|", "|") == f"| `{name}` | {rule.formula} | {rule.usual_steering or USUAL} | {rule.source} |"


USUAL = "the group's"


def test_every_form_has_its_formula():
    """Both steering forms are in their table."""
    forms = get_args(Steering)

    assert set(FORMULAS) == set(forms)
    assert all(f"| `{form}` | {FORMULAS[form]} |" in forms_table() for form in forms)


@pytest.mark.parametrize("page", ["docs/reference/scenario.md", "docs/reference/formulas.md"])
def test_generated_parts_are_what_the_program_says(page):
    """The tables of formulas on the pages are those that the classes give."""
    text = (ROOT / page).read_text("utf-8")

    assert forms_table() in text
    assert rules_table() in text or page == "docs/reference/scenario.md"
