"""Timeline: the setup in force at each frame."""

from functools import lru_cache

from boidsgen.simulation.setup import Setup


class Timeline:
    """Answers with the setup at a frame; the same object as long as nothing changes.

    Events take effect with the frame they name, and obstacles and attractors are those that are there.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._events = sorted(setup.events, key=lambda event: event.at)
        self._changed = lru_cache(maxsize=2)(self._with_events)
        self._present = lru_cache(maxsize=2)(self._with_what_is_there)

    def at(self, frame: int) -> Setup:
        """The setup in force at this frame."""
        progress = tuple(event.progress(frame) for event in self._events if event.at <= frame)
        changed = self._changed(progress)
        return self._present(progress, changed.there(frame))

    def _with_events(self, progress: tuple[float, ...]) -> Setup:
        setup = self._setup
        for event, part in zip(self._events, progress, strict=False):
            setup = event.applied(setup, part)
        return setup

    def _with_what_is_there(
        self, progress: tuple[float, ...], there: tuple[tuple[bool, ...], tuple[bool, ...]]
    ) -> Setup:
        return self._changed(progress).only(*there)
