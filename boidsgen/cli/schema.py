"""`boidsgen schema`: what a scenario may hold, for editors."""

# ruff: noqa: PLC0415  what a command needs is imported when it runs, so that --help is quick

import json

from boidsgen.cli.streams import result


def schema() -> None:
    """Print the JSON Schema of a scenario, for editors."""
    from boidsgen.scenario.schema import json_schema

    result(json.dumps(json_schema(), indent=2, ensure_ascii=False, allow_nan=False))
