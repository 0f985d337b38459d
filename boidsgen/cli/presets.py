"""`boidsgen presets`: the scenarios that come with boidsgen."""

# ruff: noqa: PLC0415  what a command needs is imported when it runs, so that --help is quick

from boidsgen.cli.streams import result


def presets() -> None:
    """List the scenarios that come with boidsgen."""
    from boidsgen.scenario.sources import presets as shipped

    every = shipped()
    widest = max((len(preset.name) for preset in every), default=0)
    for preset in every:
        result(f"{preset.name:{widest}}  {preset.title}".rstrip())
