"""What the scenarios in `drawn.json` have, and more of them for what none has.

`lacking` names each feature of `required`, which goes by the tables themselves, that no scenario has: a new rule, key,
boundary or obstacle is missing. `write` draws scenarios that have it; the rest stays as it is.
"""

import json
import re
from functools import cache

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from boidsgen import load_scenario
from boidsgen.errors import BoidsgenError
from boidsgen.scenario.wording import everywhere
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup
from boidsgen.tables import keys_of, walk
from tests.generating import CHANGES, LEFT_OUT, SIMULATED, simulated
from tests.states.digests import DRAWN, drawn

EXAMPLES = 12  # That Hypothesis gives for one seed
SEEDS = 2000  # That are tried, at most
TABLES = ("world", *SIMULATED)  # Those by which engines go


def place(keys, table):
    """A kind of table where it stands."""
    return f"{'.'.join(key for key in keys if isinstance(key, str))} {table.__name__}"


def found_by(document):
    """The tables that a scenario has and where, their keys, and words among their values; and what changes."""
    setup = load_scenario(document)
    eased = {False: "at once", True: "eased"}
    there = {f"event {eased[event.over > 0]} {about(key)}" for event in setup.events for key in event.set}
    for keys, table in walk(setup):
        if keys[:1] and keys[0] in TABLES:
            here = place(keys, type(table))
            there |= {here, f"{here} in {setup.world.dimension}D"}
            if keys[0] == "flock" and setup.flock[keys[1]].update != "synchronous":
                there.add(f"{here} in turns")
            there |= {f"{here}: {key}" for key in table.model_fields_set}
            there |= {f"{here}: {key}={getattr(table, key)}" for key in type(table).model_fields}
    return there


def about(key):
    """The part of a scenario that a key of an event is about."""
    table, *_, last = key.split(".")
    return f"{table} {last if last in CHANGES else 'number'}"


@cache
def required():
    """Everything that must occur, as `found_by` calls it."""
    needed = {f"event {how} {of} number" for how in ("eased", "at once") for of in SIMULATED[:3]}
    needed |= {f"event {how} {of} count" for how in ("eased", "at once") for of in SIMULATED[:2]}
    for section in everywhere(Setup):
        here = place((section.name,), section.table)
        first, *rest = section.name.split(".")
        if first not in TABLES or {*rest} & {"start", "layout", "path"}:  # Engines see positions
            continue
        needed |= {f"{here} in {axes}D" for axes in section.table.dimensions}
        needed |= {f"{here} in turns"} if first == "flock" else set()
        for key in keys_of(section.table).values():
            if not key.is_tag and not key.tables and key.attribute not in LEFT_OUT:
                words = [word for one in key.options for word in ((True, False) if one.plain is bool else one.choices)]
                needed |= {f"{here}: {key.attribute}={word}" for word in words} or {f"{here}: {key.attribute}"}
    return needed


def runs(document):
    """True if a scenario can be run, and nothing in it leaves the numbers."""
    try:
        setup = load_scenario(document)
        with np.errstate(all="raise", under="ignore"):
            return all(len(state.flocks) == len(setup.flock) for state in simulate(setup, "numpy"))
    except (BoidsgenError, FloatingPointError):
        return False


def examples(strategy, number):
    """Some examples of a strategy by a seed."""
    found = []

    @seed(number)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=[*HealthCheck],
    )
    @given(strategy)
    def collect(example):
        found.append(example)

    collect()
    return found


def lacking(documents):
    """The features that no scenario has."""
    return required().difference(*map(found_by, documents))


def filled(documents):
    """The scenarios by name, with others in which there is what they lack."""
    missing, documents = lacking(documents.values()), dict(documents)
    for turn in range(SEEDS):
        if not missing:
            return documents
        words = re.findall(r"\w+", sorted(missing)[turn % len(missing)])
        tried = examples(simulated({"update" if word == "turns" else word for word in words}), turn)
        best = max(tried, key=lambda one: len(found_by(one) & missing))
        if found_by(best) & missing and runs(best):
            documents[f"drawn-{len(documents):03}"] = best
            missing -= found_by(best)
    raise RuntimeError(f"chance does not give {missing}")


def write():
    """Draw scenarios for what is lacking, and store them."""
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(one)}" for name, one in filled(drawn()).items())
    DRAWN.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8", newline="\n")
