"""The stored statistics of the presets: statistics.json, made by `python -m tests.sources.ours --store`."""

import json
import warnings
from pathlib import Path

import numpy as np

from tests.sources.ours.running import Pair, digest, measured, preset_documents
from tests.sources.reference import SEEDS
from tests.sources.summary import spread
from tests.sources.table import MEASURED

FILE = Path(__file__).with_name("statistics.json")


def pairs():
    """Every preset that exists with every case that a claim measures it as, in the order of the claims."""
    asked = (Pair(claim.preset, claim.case) for claim in MEASURED if claim.preset in preset_documents())
    return list(dict.fromkeys(asked))


def stored():
    """Everything in the file: for each pair its digest, and median and quartiles of its measures."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def stale(pair):
    """Whether a pair has no statistics, or those of another state of its preset."""
    return stored().get(str(pair), {}).get("digest") != digest(pair)


def summarized(pair, seeds=SEEDS):
    """Median and quartiles of each measure of a pair."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a run without a group has no shape of groups
        values = measured(pair, seeds)
        return {name: spread(per_run) for name, per_run in values.items() if not np.isnan(per_run).all()}


def store(pair):
    """Measure a pair over all seeds and put it into the file; whatever no claim asks for any more goes."""
    table = stored() | {str(pair): {"digest": digest(pair), "measures": summarized(pair)}}
    kept = {str(known): table[str(known)] for known in pairs() if str(known) in table}
    part = FILE.with_suffix(".part")
    part.write_text(laid_out(kept), "utf-8")
    part.replace(FILE)


def laid_out(table):
    """JSON with one line for each measure."""
    blocks = []
    for name, row in table.items():
        lines = [f"   {json.dumps(measure)}: {json.dumps(values)}" for measure, values in row["measures"].items()]
        head = f' {json.dumps(name)}: {{\n  "digest": {json.dumps(row["digest"])},\n  "measures": {{\n'
        blocks.append(head + ",\n".join(lines) + "\n  }\n }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"
