"""The languages of pages."""

import pytest

from tests.page.browsers import node

TABLES = [{"de": {"Step {number}": "Schritt {number}", "near": "nah"}, "es": {}}, {"de": {"near": "nahe"}}]
SENTENCES = [
    ["Step {number}", {"number": "1.5"}],
    ["near", {}],
    ["constructor", {}],
    ["{name:.2f} {name}", {}],
    ["0.25"],
]


@pytest.mark.parametrize(
    ("wanted", "language", "texts"),
    [
        (["en-GB", "de"], "en", ["Step 1.5", "near", "constructor", "{name:.2f} {name}", "0.25"]),
        (["it", "de-AT"], "de", ["Schritt 1,5", "nahe", "constructor", "{name:.2f} {name}", "0,25"]),
        (["es-MX"], "es", ["Step 1.5", "near", "constructor", "{name:.2f} {name}", "0.25"]),
        ([], "en", ["Step 1.5", "near", "constructor", "{name:.2f} {name}", "0.25"]),
    ],
)
def test_a_sentence_is_that_of_the_last_table_or_english(wanted, language, texts):
    """The first language that is known counts, and its decimal sign; names without a value stay as they are."""
    with node("words") as said:
        assert said(wanted=wanted, tables=TABLES, sentences=SENTENCES) == [language, *texts]
