"""What all tests share: numpy reports every floating-point trouble as an error."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _strict_numbers():
    """Division by zero, overflow and invalid operations raise, wherever the code does not expect them."""
    with np.errstate(all="raise", under="ignore"):
        yield
