"""Suggestions: the word that was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint at the known word most like this one, to be put behind a message; empty when none is like it."""
    by_lower_case = {candidate.lower(): candidate for candidate in known}
    near = get_close_matches(word.lower(), by_lower_case, n=1)
    return f" (did you mean '{by_lower_case[near[0]]}'?)" if near else ""
