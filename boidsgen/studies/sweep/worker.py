"""Worker: the other end of `local`, a process that does one task after another.

It reads a line of JSON for each task and answers with one: what the task gave, or what it raised. It ends on SIGTERM,
and when its standard input ends because its parent is gone, however that died. Either way the current task cleans up
first and leaves no unfinished output.
"""

import json
import os
import signal
import threading
from queue import SimpleQueue
from types import FrameType
from typing import Any

from boidsgen import system
from boidsgen.errors import Interrupted
from boidsgen.output.parts import remove_begun
from boidsgen.studies.sweep.jobs import task_of

PATIENCE = 2.0
"""Seconds that cleaning up may take when the parent is gone."""


def main() -> None:
    """Work until asked to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which decides
    for number in {*system.STOPPING, signal.SIGTERM} - {signal.SIGINT}:
        signal.signal(number, _stop)
    orders, answers = system.to_bytes(os.dup(0)), system.to_bytes(os.dup(1))
    _become_silent()
    lines: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders, lines), daemon=True).start()
    try:
        while True:
            _write(answers, _answer(_next(lines)))
    except (Interrupted, BrokenPipeError):
        remove_begun()
        os._exit(0)  # at once: a normal exit would wait for the thread that listens


def _become_silent() -> None:
    """Let nothing but ourselves read orders and write answers, whatever a library prints or looks at."""
    os.dup2(2, 1)
    # On Windows a library that is loaded asks what its standard input is, and would wait for the thread that reads it.
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)


def _next(lines: "SimpleQueue[bytes]") -> bytes:
    """The next order; an empty line means that there will be none, where a signal does not end the waiting."""
    line = lines.get()
    if not line:
        raise Interrupted(signal.SIGTERM)
    return line


def _listen(orders: int, lines: "SimpleQueue[bytes]") -> None:
    with open(orders, "rb") as pipe:
        for line in pipe:
            lines.put(line)
    system.interrupt(signal.SIGTERM)
    lines.put(b"")
    threading.Event().wait(PATIENCE)
    os._exit(1)


def _stop(number: int, _: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: a second one would interrupt the cleaning up
    raise Interrupted(number)


def _answer(line: bytes) -> dict[str, Any]:
    order = json.loads(line)
    try:
        return {"outcome": task_of(order["task"])(order["job"])}
    except Exception as error:  # noqa: BLE001  it is the parent's to judge
        return {"raised": f"{type(error).__name__}: {error}"}


def _write(descriptor: int, answer: dict[str, Any]) -> None:
    with system.writer(os.dup(descriptor)) as pipe:
        pipe.write(json.dumps(answer).encode() + b"\n")
