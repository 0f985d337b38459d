import re

import pytest

from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.template import template
from tests.scenario.loaded import loaded


def test_starter_is_the_default_scenario():
    """The starter loads, and changes nothing."""
    assert loaded(template()).model_dump() == Scenario().model_dump()


def test_starter_sets_nothing_infinite():
    """JSON Schema has no infinity: an editor would underline it in a file that nobody has touched yet."""
    assert not re.findall(r"^[^#\n].*= inf$", template(), re.MULTILINE)
    assert "#max_acceleration = inf" in template()


def _commented_out():
    """The lines of each commented-out table, and each commented-out key of a table that is there."""
    blocks, hidden = [], False
    for number, line in enumerate(template().splitlines()):
        header = re.match(r"#?\[", line)
        if header:
            hidden = line.startswith("#")
        if line.startswith("#") and not line.startswith("# "):
            if hidden and not header:
                blocks[-1].append(number)
            else:
                blocks.append([number])
    return blocks


@pytest.mark.parametrize("block", _commented_out(), ids=lambda block: template().splitlines()[block[0]])
def test_starter_loads_with_anything_uncommented(block):
    """Whatever is taken from behind its # is valid."""
    lines = template().splitlines()
    changed = [line[1:] if number in block else line for number, line in enumerate(lines)]

    assert loaded("\n".join(changed)).model_dump() != {}
