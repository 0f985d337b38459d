import pytest


@pytest.fixture(
    params=[
        pytest.param(range(1, 4), id="short"),
        pytest.param(range(1, 21), id="full", marks=pytest.mark.slow),
    ]
)
def seeds(request):
    """The seeds over which a claim is measured; the slow form has those of the numbers on the course page."""
    return request.param
