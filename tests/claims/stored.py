"""The stored statistics of our presets: ours.json, by form, case and preset."""

import json
from pathlib import Path

import numpy as np

from tests.claims.ours import ours
from tests.sources.cases import CASES
from tests.sources.claims import Bound, Same
from tests.sources.reference import SEEDS, SHORT_SEEDS
from tests.sources.summary import spread
from tests.sources.table import CLAIMS

CONFIGS = Path(__file__).parents[2] / "configs"
FILE = Path(__file__).with_name("ours.json")
BY_NAME = {case.name: case for case in CASES}


def stored():
    """Everything in the file; nothing before it was first written."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def wanted(known):
    """The case and the preset of every measured claim whose preset is among the known ones, each pair once."""
    measured = [claim for claim in CLAIMS if isinstance(claim, Same | Bound) and claim.preset in known]
    return list(dict.fromkeys((claim.case, claim.preset) for claim in measured))


def measured(case, preset, form):
    """Median and quartiles of every measure of a case in our preset."""
    short = form == "short"
    seeds, frames = (SHORT_SEEDS, BY_NAME[case].short) if short else (SEEDS, BY_NAME[case].frames)
    values = ours(case, preset, seeds, frames)
    return {name: spread(per_run) for name, per_run in values.items() if not np.isnan(per_run).all()}


def known_presets():
    """The names of all presets."""
    return {path.stem for path in CONFIGS.glob("*.toml")}
