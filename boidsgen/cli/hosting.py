"""Hosting: while a command works, code of other packages runs in the same process, such as a rule.

It may print, which must not get among results on standard output; and it may ask the interpreter to end, as scripts do,
which must not pass for success.
"""

from collections.abc import Callable
from functools import wraps

from boidsgen import plugins
from boidsgen.cli.terminal import kept_for_results


def hosting(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with standard output for results alone, ended by nobody but itself and the user."""

    @wraps(command)
    def hosted(*arguments: object, **options: object) -> None:
        try:
            with kept_for_results():
                command(*arguments, **options)
        except (SystemExit, KeyboardInterrupt) as stop:  # Ctrl-C is no KeyboardInterrupt here, see `signals`
            if told := plugins.complaint(stop):
                raise told from stop
            raise

    return hosted
