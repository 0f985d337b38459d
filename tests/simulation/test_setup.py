"""The setup cannot be changed."""

import pytest

from boidsgen.simulation import Setup


@pytest.mark.parametrize("name", ["size", "count"])
def test_setup_is_frozen(name):
    """A scenario's tables cannot be changed in place."""
    setup = Setup()

    with pytest.raises(ValueError, match="frozen"):
        setattr(setup.world if name == "size" else setup.flock[0], name, 3)
