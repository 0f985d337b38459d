"""A scenario from a text, as most tests want one."""

from boidsgen.scenario.layers import from_text
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import Source


def loaded(text, *settings):
    """The scenario of a text with overrides."""
    return draft(Source("test.toml", "test", text), [from_text(setting) for setting in settings]).scenario()
