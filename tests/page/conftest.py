"""The browsers that tests of pages share."""

import pytest

from tests.page.browsers import launching


@pytest.fixture(scope="module")
def launch():
    """A function that gives a browser by its name and options, the same one to all tests of a module."""
    with launching() as launched:
        yield launched


@pytest.fixture(scope="module")
def browser(request, launch):
    """A browser without a window, Chromium unless a test names another, or one with options."""
    return launch(*getattr(request, "param", "chromium").split())


@pytest.fixture(scope="module")
def context_of(browser, tmp_path_factory):
    """A function that gives a context with some options, the same one to all tests of a module.

    Its first page stays, so that the process does in which the others are opened.
    """
    (blank := tmp_path_factory.mktemp("blank") / "blank.html").write_text("<!doctype html>", "utf-8")
    contexts = {}

    def opened(**options):
        if (key := repr(options)) not in contexts:
            contexts[key] = browser.new_context(**options)
            contexts[key].new_page().goto(blank.as_uri())
        return contexts[key]

    yield opened
    for context in contexts.values():
        context.close()
