"""The stored statistics of the documents' own loops: reference.json, and how it is read."""

import json
from pathlib import Path

FILE = Path(__file__).with_name("reference.json")
SEEDS = range(20)
SHORT_SEEDS = range(4)


def stored():
    """Everything in the file; nothing before it was first written."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def reference(case, measure, form="full"):
    """Median and quartiles of one measure of one case: a dict with `median`, `low` and `high`."""
    return stored()[form][case]["measures"][measure]
