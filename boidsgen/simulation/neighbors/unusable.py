"""Unusable: what happens when the compiled engine cannot be had although it is installed.

Its code is kept on the disk between runs, and a cache may be damaged, unreadable or full, or compiling switched off.
Since all engines give the same bits, whoever meets that goes on with numpy, and the user is told once.
"""


class UnusableEngineError(Exception):
    """An engine cannot be loaded; the message says why."""


_reasons: dict[str, None] = {}


def give_up(error: UnusableEngineError) -> None:
    """Remember why an engine is not used for the rest of this process."""
    _reasons.setdefault(str(error))


def given_up() -> bool:
    """Whether the compiled engine has been found unusable."""
    return bool(_reasons)


def notices() -> list[str]:
    """A line for each reason, for the user."""
    return [f"numba cannot be used ({reason}); numpy does the same, more slowly" for reason in _reasons]
