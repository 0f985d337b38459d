"""The browser that tests of pages share."""

import pytest

from tests.page.browsers import launched


@pytest.fixture(scope="module")
def browser(request):
    """A browser without a window, Chromium unless a test names another, or one with options."""
    with launched(*getattr(request, "param", "chromium").split()) as opened:
        yield opened
