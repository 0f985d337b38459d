"""Naming: what the output of a run is called.

A name is made of the keys that change and the seed, as in `count=50_separation.weight=0.5_seed=17`, so that it is the
same whenever the run is part of a sweep over these keys, in whatever order they and their values are given. It is one
plain file name on any file system: letters that are not safe become `-`, and then, or when it would be too long, a hash
keeps it unique.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from boidsgen.scenario.values import written

LONGEST = 120
"""Letters of a name, ending not counted."""

_UNSAFE = re.compile(r"[^a-z0-9.=_+-]")  # capitals too: some file systems take them for small letters
_HASH_LETTERS = 10


def short_keys(keys: Sequence[str]) -> dict[str, str]:
    """For each dotted key what it is called in short: without its first name, unless another key ends like that."""
    short = {key: key.partition(".")[2] or key for key in keys}
    shared = Counter(short.values())
    return {key: name if shared[name] == 1 else key for key, name in short.items()}


def run_name(values: Mapping[str, object], seed: int | None) -> str:
    """The name of a run by the values of the keys that change, and its seed where that changes."""
    short = short_keys(sorted(values))
    parts = [f"{short[key]}={_text(values[key])}" for key in sorted(values)]
    plain = "_".join([*parts, *([] if seed is None else [f"seed={seed}"])])
    safe = _UNSAFE.sub("-", plain)
    return safe if safe == plain and len(safe) <= LONGEST else f"{safe[:LONGEST].rstrip('.')}-{_hash(values, seed)}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else written(value)


def _hash(values: Mapping[str, object], seed: int | None) -> str:
    exact = json.dumps([sorted(values.items()), seed], default=str)
    return hashlib.sha256(exact.encode()).hexdigest()[:_HASH_LETTERS]
