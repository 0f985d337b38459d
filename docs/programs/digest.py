"""The digest of a preset by which programs know whether what they stored is still of it."""

import hashlib
import json

from boidsgen.scenario.layers import layers_of, merged
from boidsgen.scenario.sources import find
from boidsgen.simulation.setup import Setup


def digest_of(preset: str, *settings: object) -> str:
    """A digest of the tables of a preset that decide what happens, and of settings, if there are any."""
    document = merged(layers_of(find(preset)))
    tables = {key: table for key, table in document.items() if key in Setup.model_fields and key != "seed"}
    decisive = [tables, *settings] if settings else tables
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]
