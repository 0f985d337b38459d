"""Compiling: a first run does not wait for it. It begins with numpy, and changes over when another process is done.

  begin(work)       the engine of a run that numba is worth; where its code is not yet there, one that will change over
  compile_beside(…) another process that compiles something else, such as what draws
  compile_behind()  compile everything that steps need, to be found by the next process; what the other process does,
                    after everybody else who wants the processor
  compile_soon()    the same beside them: where so much is to be saved that its own time does not count
  where_kept()      in words, for `doctor`: where compiled code is kept, or what is done where it cannot be
  notices()         what a user should know about the runs since it was last asked, one line each
  starts_with_numpy(work)
                    whether a run that numba is worth would have to wait for its code
The other process outlives a run that is over sooner: whoever only makes short runs would else compile for ever and
never be done. It goes behind everything else unless much is to be saved, and ends after `MAX_LIFE` at the latest. No
process begins that twice.

Both engines give the same bits, so that nobody sees in the result when the change took place. Of several processes that
begin at the same time, such as the workers of a sweep, one has it compiled and the others wait for that, with numpy.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast

from boidsgen import system
from boidsgen.simulation.advance import Advanced
from boidsgen.simulation.neighbors import unusable
from boidsgen.simulation.neighbors.engines import ENGINES, Advance, Engine, NeighborSums, Work, best_engine
from boidsgen.simulation.neighbors.request import Sum

LOADING = 1.0
"""Seconds that it takes to import numba and to load compiled code."""

COMPILING = 30.0
"""Seconds that it takes to compile everything, at most, on an ordinary machine."""

MAX_WORK, MAX_LIFE = 150.0, 3600.0
"""Seconds of processor time after which the other process gives up, five times what it needs, and seconds altogether:
behind everything else on a busy machine it may take long to get those few."""

SHARE_SAVED = 0.5
"""Part of the time of numpy that the compiled engine saves, at least."""

PATIENCE = 0.25
"""Seconds between two looks at whether compiling is done."""

PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from boidsgen.simulation import compiling; compiling.{}()"
"""What the other process does."""

MUCH = 2 * COMPILING
"""Seconds to be saved for which compiling need not wait until nobody else wants the processor."""


class Compiler(Protocol):
    """Compiles beside."""

    def done(self) -> bool:
        """Whether it has come to an end, well or not."""


class Change:
    """A run that begins with numpy and changes over to compiled code as soon as that is there and worth loading."""

    def __init__(self, work: Work, compiler: Compiler, load: Callable[[], bool]) -> None:
        """A change that waits for `compiler`; `load` says whether the compiled code could be loaded."""
        self.notices: list[str] = []
        self.engine = Engine(cast("NeighborSums", self._neighbor_sums), advance=cast("Advance", self._advance))
        self._now = ENGINES["numpy"]
        self._work, self._compiler, self._load = work, compiler, load
        self._steps, self._seconds, self._looked = 0, 0.0, time.monotonic()
        self._over = self._loaded = False

    def _tell(self, line: str) -> None:
        self.notices.append(line)
        _told[line] = None

    def stepped(self, seconds: float) -> None:
        """One more step is done, and took so long; the change takes place here."""
        self._steps += 1
        self._seconds += seconds
        if self._over or time.monotonic() - self._looked < PATIENCE:
            return
        self._looked = time.monotonic()
        if self._compiler.done():
            self._over = True
            self._change()

    def ready(self) -> bool:
        """Whether compiled code is there, for those who begin now; nobody is told."""
        if not self._over and self._compiler.done():
            self._over = True
            self._loaded = self._load()
        return self._loaded

    def finish(self) -> None:
        """The run is at its end: say so if nothing has changed by then."""
        if not self._over:
            self._over = True
            self._tell("numba: still being compiled when this run was done with numpy; kept for the next one")

    def _neighbor_sums(self, *asked: Any) -> list[Sum]:  # noqa: ANN401  as `NeighborSums`
        return self._now.neighbor_sums(*asked)

    def _advance(self, *step: Any) -> Advanced:  # noqa: ANN401  as `Advance`
        return self._now.advance(*step)

    def _change(self) -> None:
        left = (self._work.steps - self._steps) * self._seconds / self._steps
        if left * SHARE_SAVED < LOADING:
            self._tell("numba: compiled too late for this run, which numpy did; kept for the next one")
        elif self._load():
            self._now = ENGINES["numba"]
            self._tell(f"numba: compiled beside, used from step {self._steps} on; kept for the next run")
        else:
            self._tell("numba: could not be compiled; numpy did this run, with the same result")


_told: dict[str, None] = {}
"""Lines that nobody has been told yet; of equal ones, as of the runs of a comparison, one."""


def notices() -> list[str]:
    """What a user should know about the runs since this was last asked, one line each."""
    lines = [*_told]
    _told.clear()
    return lines


STEPS = ""
"""What the compiled steps are called among all that is compiled."""

_tried: set[str] = set()
"""What this process has had compiled, or has waited for: a second time would not help either."""

_started: list["subprocess.Popen[bytes]"] = []
"""Processes that nobody ends: forgetting one that still runs would cause a warning."""


class _OwnProcess:
    """A process that compiles, and goes on when we end: what it leaves is for the next run."""

    def __init__(self, claim: system.Claim, program: str) -> None:
        """Start it; it holds the claim until it ends."""
        self._process = subprocess.Popen(  # noqa: S603  our own interpreter and our own code
            [sys.executable, "-c", program, *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **system.child_options(claim),
        )
        claim.release()
        _started.append(self._process)

    def done(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None


class _OthersProcess:
    """What another run has started: it holds a claim for as long as it compiles."""

    def done(self) -> bool:
        """Whether nobody holds the claim any longer."""
        claim = _claim()
        if claim is None:
            return False
        claim.release()
        return True


def begin(work: Work) -> Change | Engine:
    """The engine for a run that numba is worth: numba itself if its code is there, or else a change to it."""
    if unusable.given_up() or work.turns:  # these are compiled apart
        return ENGINES["numpy" if unusable.given_up() else "numba"]
    if _may_be_kept():
        from boidsgen.simulation import compiled_step  # noqa: PLC0415  numba takes long to import

        if compiled_step.load_kept() or (not compiled_step.can_keep() and work.saved > MUCH):
            return ENGINES["numba"]
        if unusable.given_up() or not compiled_step.can_keep():
            return ENGINES["numpy"]
    claim = _claim()
    if claim and STEPS in _tried:  # that did not help
        claim.release()
        return ENGINES["numpy"]
    try:
        does = compile_soon if work.saved > MUCH else compile_behind
        compiler = _OwnProcess(claim, PROGRAM.format(does.__name__)) if claim else _OthersProcess()
        _tried.add(STEPS)
    except OSError:  # no process can be started
        if claim:
            claim.release()
        return ENGINES["numpy"]
    return Change(work, compiler, _load)


def compile_beside(program: str, what: str) -> None:
    """Let another process compile something by a program of its own, unless one is at it."""
    if what in _tried:
        return
    if claim := _claim(what):
        _tried.add(what)
        try:
            _OwnProcess(claim, program)
        except OSError:  # no process can be started
            claim.release()


def give_way() -> None:
    """Let others go first, and come to an end."""
    _bound()
    system.give_way()


def _bound() -> None:
    """Come to an end, whatever happens."""
    threading.Thread(target=_end_in_time, daemon=True).start()


def _end_in_time() -> None:
    """End this process when it has worked, or lived, too long."""
    began = time.monotonic()
    while time.process_time() < MAX_WORK and time.monotonic() - began < MAX_LIFE:
        time.sleep(PATIENCE)
    os._exit(1)


def compile_behind() -> None:
    """Compile everything that a step needs, and keep it for the next process; others go first."""
    give_way()
    _compile()


def compile_soon() -> None:
    """The same, but for others going first."""
    _bound()
    _compile()


def _compile() -> None:
    from boidsgen.simulation import compiled_step  # noqa: PLC0415

    compiled_step.compile_all()


def where_kept() -> str:
    """Where compiled code is kept, in words."""
    if unusable.given_up():
        return "; ".join(unusable.notices())
    from boidsgen.simulation import compiled_step  # noqa: PLC0415

    if place := compiled_step.kept_in():
        state = "all there" if compiled_step.load_kept() else "to come with the first long run, which numpy begins"
        return f"{place}, {state}, writable"
    return "cannot be kept anywhere, so only runs of minutes are compiled; set NUMBA_CACHE_DIR to a folder"


def starts_with_numpy(work: Work) -> bool:
    """Whether a run that numba is worth would have to wait for its code."""
    wanted = best_engine(work) == "numba" and not work.turns and not unusable.given_up()
    return wanted and not (_may_be_kept() and _load())


def _load() -> bool:
    from boidsgen.simulation import compiled_step  # noqa: PLC0415

    return compiled_step.load_kept()


def may_be_kept(beside: str, function: str) -> bool:
    """Whether there may be compiled code of a function: where it would be kept one sees that without numba.

    Args:
        beside: a module of ours in the folder of the one with the function.
        function: its module and its name, as in "kernel.traced".
    """
    place = Path(beside).parent / "__pycache__"
    if "NUMBA_CACHE_DIR" in os.environ or not os.access(place, os.W_OK):
        return True
    return any(place.glob(f"{function}-*.nbi"))


def _may_be_kept() -> bool:
    return may_be_kept(__file__, "step_kernel.advance")


def _claim(what: str = "") -> system.Claim | None:
    """The mark of the process that compiles something, a step if nothing is named; None while there is one."""
    user = Path(os.path.expanduser("~")).name  # noqa: PTH111  `Path.home` fails for whoever has none
    path = Path(tempfile.gettempdir()) / "-".join(filter(None, ("boidsgen-compiling", what, user)))
    try:
        path.touch()
        return system.claim(path)
    except OSError:  # another user's
        return None
