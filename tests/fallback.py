"""The kernel in tests."""

from unittest import mock

from boidsgen.kernel import library
from boidsgen.simulation import native, native_measures  # noqa: F401  simulations keep the kernel, and so have it now


def numpy_alone():
    """Leave out the kernel within this block: numpy draws."""
    return mock.patch.object(library, "entry", return_value=None)
