"""Values: how a value that a user wrote is shown back in a message or written into a file: as TOML."""

import json
import re
from collections.abc import Mapping
from datetime import date, time

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 60


def shown(value: object) -> str:
    """A value in a message: short enough for one line."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, date | time):
        return f"the date or time {value}"
    text = written(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def written(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(written(entry) for entry in value)}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{dotted((name,))} = {written(inner)}" for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return str(value)


def dotted(keys: tuple[str | int, ...]) -> str:
    """Keys as TOML writes them, joined with dots; names that need quotes have them."""
    return ".".join(str(key) if _BARE.fullmatch(str(key)) else written(str(key)) for key in keys)
