"""Watching: `render --watch`, which does its work again whenever a file has changed.

Files are looked at from time to time, which works on every system and every file system.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

INTERVAL = 0.3
"""Seconds between two looks."""
GONE = 10
"""Looks after which a file that is not there is no longer being replaced: it has gone, and that is a change."""


def changes(files: Callable[[], Iterable[Path]], pause: Callable[[], None] | None = None) -> Iterator[None]:
    """Goes on at once, and then each time one of the files is another; without end.

    A file that is not there is being replaced: that alone is no change, unless it stays away. One that was not there to
    begin with is a change when it comes.

    Args:
        files: what to look at; asked again after every change, since a scenario may name others by then.
        pause: waits until the next look.
    """
    pause = pause or (lambda: time.sleep(INTERVAL))
    while True:
        before = _seen(files())
        yield
        missed = dict.fromkeys(before, 0)
        while _same(before, _seen(before), missed):
            pause()


def _seen(files: Iterable[Path]) -> dict[Path, tuple[int, int] | None]:
    """When each file was changed and how long it is; None for one that is not there."""
    return {file: _look(file) for file in files}


def _look(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _same(
    before: dict[Path, tuple[int, int] | None], now: dict[Path, tuple[int, int] | None], missed: dict[Path, int]
) -> bool:
    """Whether nothing has changed; `missed` counts for each file the looks at which it has been away."""
    for file, found in now.items():
        missed[file] = missed[file] + 1 if found is None and before[file] is not None else 0
    stayed = all(found in {None, before[file]} for file, found in now.items())
    return stayed and max(missed.values(), default=0) < GONE
