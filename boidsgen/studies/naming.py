"""Naming: what the output of a run is called.

A name is made of the keys that change and the seed, `radius=50_weight=0.5_seed=17`, so that it is the same whenever the
run is part of a sweep over these keys, in whatever order they and their values are given. It is one plain file name on
any file system: letters that are not safe become `-`, and then, or when it would be too long, a hash keeps it unique.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence

from boidsgen.scenario.values import written

LONGEST = 120
"""Letters of a name, ending not counted."""

_UNSAFE = re.compile(r"[^a-z0-9.=_+-]")  # capitals too: some file systems take them for small letters
_HASH_LETTERS = 10


def short_keys(keys: Sequence[str]) -> dict[str, str]:
    """For each dotted key its shortest ending that no other of the keys has."""
    return {key: next((ending for ending in _endings(key) if _fits_only(ending, key, keys)), key) for key in keys}


def run_name(values: Mapping[str, object], seed: int | None) -> str:
    """The name of a run by the values of the keys that change, and its seed where that changes."""
    short = short_keys(sorted(values))
    parts = [f"{short[key]}={_text(values[key])}" for key in sorted(values)]
    plain = "_".join([*parts, *([] if seed is None else [f"seed={seed}"])])
    safe = _UNSAFE.sub("-", plain)
    return safe if safe == plain and len(safe) <= LONGEST else f"{safe[:LONGEST].rstrip('.')}-{_hash(values, seed)}"


def _endings(key: str) -> list[str]:
    names = key.split(".")
    return [".".join(names[at:]) for at in reversed(range(len(names)))]


def _fits_only(ending: str, key: str, keys: Sequence[str]) -> bool:
    return not any(other != key and f".{other}".endswith(f".{ending}") for other in keys)


def _text(value: object) -> str:
    return value if isinstance(value, str) else written(value)


def _hash(values: Mapping[str, object], seed: int | None) -> str:
    exact = json.dumps([sorted(values.items()), seed], default=str)
    return hashlib.sha256(exact.encode()).hexdigest()[:_HASH_LETTERS]
