"""`describe --bibtex`: what to cite, as a reader of BibTeX sees it."""

import re
from importlib.resources import files
from itertools import chain
from pathlib import Path

import pytest
from pybtex.database import parse_string

from boidsgen import __version__
from boidsgen.scenario.loading import draft
from boidsgen.scenario.model_table import bibtex, cited_in, model
from boidsgen.scenario.sources import Source, find, presets
from boidsgen.simulation.rules.rule import Rule

CITATION = (Path(__file__).parents[2] / "CITATION.cff").read_text("utf-8")
STORED = (files("boidsgen.scenario") / "sources.bib").read_text("utf-8")
KNOWN = parse_string(STORED, "bibtex").entries
NAMED = {key: names.split() for names, key in re.findall(r"^presets: (.+)\n@\w+\{(\w+),", STORED, re.MULTILINE)}


def entries(source):
    """The entries for a source by their keys, as another reader of BibTeX finds them."""
    return parse_string(bibtex(source, draft(source).scenario()), "bibtex").entries


@pytest.mark.turns(2)
@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_of_each_preset(name):
    """Each preset has boidsgen, what its table of the model names, and its own sources, unchanged and once each."""
    scenario = draft(find(name)).scenario()
    cited = {key for row in model(scenario, "") for key in cited_in(row.remark)}
    found = entries(find(name))

    assert {*found} == {"boidsgen"} | cited | {key for key, names in NAMED.items() if name in names}
    assert [found[key].fields for key in found if key != "boidsgen"] == [
        KNOWN[key].fields for key in found if key != "boidsgen"
    ]


def test_every_source_is_known():
    """Sources that rules name by author and year have an entry, and presets of entries exist."""
    rules = [Rule]
    for rule in rules:
        rules += rule.__subclasses__()
    named = {key for rule in rules if rule.__module__.startswith("boidsgen.") for key in cited_in(rule.source)}

    assert named >= {"reynolds1987", "gregoire2004", "dorsogna2006", "hart1996"}
    assert named <= {*KNOWN}
    assert {*chain(*NAMED.values())} <= {preset.name for preset in presets()}


def test_boidsgen_itself():
    """The entry of boidsgen has what CITATION.cff says."""
    software = entries(Source("empty", "empty", ""))["boidsgen"]

    assert software.type == "software"
    assert {**software.fields} == {
        name: re.findall(rf"^{name}: (.+)$", CITATION, re.MULTILINE)[0] for name in ("title", "version", "license")
    }
    assert software.fields["version"] == __version__
    assert [str(person) for person in software.persons["author"]] == ["{boidsgen developers}"]


def test_of_a_scenario_that_extends(here, boidsgen):
    """What a scenario extends is cited; the directory of a sweep may be named, too; LaTeX is refused."""
    own = here / "own.toml"
    own.write_text('extends = "opensteer"\nflock.cohesion.weight = 0\n')
    refused = boidsgen("describe", "own.toml", "--bibtex", "--latex")

    assert {*entries(find(own))} == {"boidsgen", "opensteer", "reynolds1987"}
    assert (refused.code, refused.err) == (2, "boidsgen: --bibtex: prints nothing else; leave out --latex\n")
    assert boidsgen("sweep", "own.toml", "-o", "runs", "--frames", "1", "--seeds", "1", "--measures-only").code == 0
    found = parse_string(boidsgen("describe", "runs", "--bibtex").out, "bibtex").entries
    assert {*found} == {"boidsgen", "reynolds1987"}
