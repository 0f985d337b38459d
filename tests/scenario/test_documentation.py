import pytest

from boidsgen.scenario.documentation import keys_of, meaning, reference, sections, summary

SECTIONS = list(sections())


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
