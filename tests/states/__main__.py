"""Proof that an engine gives the states that the numpy engine gave, to the last bit, after every single step.

`python -m tests.states` runs every preset and every drawn scenario and compares digests; names, or `drawn` or
`presets`, limit it to some, and `--frames 10` to the first frames. `--engine E` runs another engine than numpy.
Where a scenario differs, both engines are run side by side to name the first step, the group and the animal.
`--store` stores digests anew, which is a decision; `--draw` adds scenarios for what occurs in none.
"""

import argparse
import json
import sys
import time

from tests.states.digests import STORED, difference, digests, last_step, located, names

FAILED, DIFFERS = "FAILED", "DIFFERS"


def main():
    """Compare, store or draw."""
    parser = argparse.ArgumentParser(prog="python -m tests.states", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["drawn", "presets"], help="of scenarios, or drawn or presets")
    parser.add_argument("--engine", default="numpy")
    parser.add_argument("--frames", type=int, help="compare the first frames only")
    parser.add_argument("--store", action="store_true", help="store the digests of whole runs")
    parser.add_argument("--draw", action="store_true", help="add scenarios for what occurs in none, without digests")
    chosen = parser.parse_args()
    if chosen.draw:
        from tests.states.drawing import write

        write()
        return 0
    known, failed = names(), 0
    for name in (one for given in chosen.names for one in known.get(given, [given])):
        began = time.monotonic()
        kind = "drawn" if name in known["drawn"] else "presets"
        try:
            said = store(kind, name, chosen.engine) if chosen.store else compare(kind, name, chosen)
        except Exception as error:  # noqa: BLE001  whatever an engine that is being written may do
            said = f"{FAILED}: {type(error).__name__}: {error}"
        failed += said.startswith((FAILED, DIFFERS))
        sys.stdout.write(f"{name:28} {chosen.engine:6} {time.monotonic() - began:7.2f} s  {said}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{failed} failed\n" if failed else "none failed\n")
    return int(failed > 0)


def read():
    """Everything that is stored."""
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {"drawn": {}, "presets": {}}


def store(kind, name, engine):
    """Store the digests of one scenario."""
    found, stored = digests(name, engine), read()
    stored[kind][name] = found
    save(stored)
    return f"stored, {found['steps']} steps"


def save(stored):
    """Write everything that is stored, without what there is no longer, one scenario a line."""
    parts = []
    for kind, there in names().items():
        lines = (
            f"  {json.dumps(one)}: {json.dumps(stored[kind][one])}" for one in sorted(there) if one in stored[kind]
        )
        parts.append(f" {json.dumps(kind)}: {{\n" + ",\n".join(lines) + "\n }")
    STORED.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8", newline="\n")


def compare(kind, name, chosen):
    """Compare one scenario, and say in words what differs."""
    stored, last = read()[kind][name], last_step(name, chosen.frames)
    wrong = difference(name, chosen.engine, stored, last)
    if wrong is None:
        return f"the same, {last} steps"
    where = "" if chosen.engine == "numpy" else located(name, chosen.engine, wrong.by)
    between = f"after step {wrong.after}, at step {wrong.by} at the latest"
    return f"{DIFFERS} {where or f'from what is stored {between}'}"


if __name__ == "__main__":
    sys.exit(main())
