import pytest

import boidsgen


def test_import_is_cheap_and_names_are_there():
    """Every name that the package exports can be had, and no other."""
    assert all(getattr(boidsgen, name) for name in boidsgen.__all__)
    assert set(boidsgen.__all__) <= set(dir(boidsgen))
    with pytest.raises(AttributeError, match="no attribute 'swarm'"):
        boidsgen.swarm  # noqa: B018
