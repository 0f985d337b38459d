"""Watching the files of scenarios while somebody edits them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from boidsgen.errors import BoidsgenError, ScenarioError, UsageError
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find, paths_to

LOOK_INTERVAL = 0.3  # Seconds between two looks
GONE_AFTER = 10
"""Looks after which a file that is not there is no longer being replaced: it has gone, and that is a change."""


def files_of(scenarios: Sequence[str], overrides: Sequence[Override] = ()) -> Iterator[Path]:
    """The scenarios, and the files that they name as far as they can be read."""
    for name in scenarios:
        yield from paths_to(name)
        with suppress(BoidsgenError):
            yield from draft(find(name), overrides).files


def refuse_presets(scenarios: Sequence[str], command: str) -> None:
    """Raise UsageError for a scenario that is no file."""
    for name in scenarios:
        with suppress(ScenarioError):  # a file with an error, which waits for a change like any other
            if find(name).path is None:
                made = f"`boidsgen new {name}.toml --from {name}`"
                raise UsageError(f"{command}: {name} is not a file; {made} makes one")


def changes(files: Callable[[], Iterable[Path]], interval: float = LOOK_INTERVAL) -> Iterator[None]:
    """Yield at once, and then whenever one of the files has changed; without end.

    A file that is missing is being replaced: that is a change only if it stays away. A file that was not there and
    appears is a change. Looking from time to time works on every file system.

    Args:
        files: to look at; called again after every change, since a scenario may name others by then.
        interval: seconds between two looks.
    """
    while True:
        before = {file: _seen(file) for file in files()}
        yield
        missed = dict.fromkeys(before, 0)
        changed = False
        while not changed:
            time.sleep(interval)
            for file, found in before.items():
                now = _seen(file)
                missed[file] = missed[file] + 1 if now is None and found is not None else 0
                changed |= now not in {None, found} or missed[file] == GONE_AFTER


def _seen(file: Path) -> tuple[int, int] | None:
    """When a file was changed and its size; None if it is not there."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
