"""`boidsgen mcp`: check, render, still, measure and explain as tools of the Model Context Protocol.

A program that calls tools may follow the words of a stranger. So all files are within one folder, no file is replaced,
a scenario may do no more than one from inside a clip unless `--trust` is given, and a long one is refused.
"""

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boidsgen.cli.main import standard_output
from boidsgen.cli.options import Options, sharing
from boidsgen.errors import BoidsgenError, LimitError, StorageError, UsageError
from boidsgen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import MCPServer

    from boidsgen.scenario.scenario import Scenario

LONGEST_TOOL = 600.0  # Of a tool's estimated time
NAME = "the name of a preset, a file in the folder, or TOML text, in which `extends` may name a preset"


@sharing("trust")
def mcp_command(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder of all files.")] = ".",
    *,
    options: Options,
) -> None:
    """Serve tools for language models over standard input and output.

    The Model Context Protocol, with tools to check, render and measure within one folder.

    Examples:
        boidsgen mcp clips
    """
    from contextlib import redirect_stdout

    del options  # whose --trust has been heeded
    if not Path(folder).is_dir():
        raise StorageError(f"{folder}: is no folder; create it first")
    server = mcp_server(Path(folder))
    with redirect_stdout(standard_output()):  # which is the protocol's; it keeps prints out itself
        server.run()


def mcp_server(folder: Path) -> "MCPServer":
    """The server for a folder; UsageError if the library of the protocol is not installed."""
    from boidsgen.records import optional_package

    optional_package("mcp.server.mcpserver", "boidsgen mcp")
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Image

    from boidsgen import api
    from boidsgen.scenario.loading import seconds
    from boidsgen.scenario.reference import explained_key
    from boidsgen.simulation.run import animals

    server = MCPServer("boidsgen", version=__version__, instructions=f"Flocking simulations. A scenario is {NAME}.")

    def tool(function: "Callable[..., Any]") -> "Callable[..., Any]":
        return server.tool()(_answering(function))

    def affordable(scenario: str, frames: int | None, seed: int | None) -> "Scenario":
        found = scenario_of(scenario, folder, {"time.frames": frames, "seed": seed})
        if (estimate := seconds(found)) > LONGEST_TOOL:
            raise LimitError(f"takes about {estimate:.0f} s; at most {LONGEST_TOOL:.0f} are allowed: use fewer frames")
        return found

    @tool
    def check(scenario: str) -> dict[str, Any]:
        """Validate a scenario; returns its size, length, and the estimated seconds to render it."""
        found = scenario_of(scenario, folder, {})
        shown = {"size": found.picture_size, "frames": found.clip_frames, "duration": found.duration}
        return shown | {"seed": found.seed, "animals": animals(found), "seconds": round(seconds(found), 1)}

    @tool
    def render(scenario: str, output: str, frames: int | None = None, seed: int | None = None) -> dict[str, Any]:
        """Render a clip or page into the folder, such as .gif, .mp4, .avif or .html, under a name that is free."""
        made = api.render(affordable(scenario, frames, seed), within(folder, output), no_clobber=True)
        return {"output": output, "frames": made.frames, "digest": made.digest, "notices": [*made.notices]}

    @tool
    def still(scenario: str, output: str, frame: int | None = None, seed: int | None = None) -> Image:
        """Draw one frame, by default the poster or the last, as a .png in the folder, under a name that is free."""
        if not output.lower().endswith(".png"):
            raise UsageError(f"{output}: end it with .png")
        made = api.still(affordable(scenario, None, seed), within(folder, output), at=frame, no_clobber=True)
        return Image(path=made.path)

    @tool
    def measure(scenario: str, frames: int | None = None, seed: int | None = None) -> dict[str, list[float | None]]:
        """Measure every frame of a run: polarization, distances, groups and more, as columns; null is undefined."""
        found = api.measure(affordable(scenario, frames, seed))
        return {name: [None if one != one else one for one in found[name].tolist()] for name in found.columns}  # noqa: PLR0124  NaN

    @tool
    def explain(key: str) -> str:
        """Explain a key of scenarios, such as flock.separation.weight, a table, or a measure."""
        return "\n".join(explained_key(key))

    return server


def _answering(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """The function, with the caller's errors as those of the protocol."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(function)
    def answer(*given: Any, **named: Any) -> Any:  # noqa: ANN401  whatever the tool takes and returns
        try:
            return function(*given, **named)
        except BoidsgenError as error:
            raise ToolError(str(error)) from None

    return answer


def within(folder: Path, name: str) -> Path:
    """The path of a file in the folder, links followed; UsageError if it is elsewhere."""
    try:
        path = (folder / name).resolve()
        inside = path.is_relative_to(folder.resolve())
    except (OSError, ValueError):  # no file can have this name
        inside = False
    if not inside:
        raise UsageError(f"{name}: is not in the folder")
    return path


def scenario_of(given: str, folder: Path, settings: dict[str, object]) -> "Scenario":
    """A checked scenario of a tool's argument, with these keys where they are given."""
    from boidsgen.scenario.layers import Override
    from boidsgen.scenario.loading import draft, supplied
    from boidsgen.scenario.sources import Source, find, preset, presets, trusting

    if given in {one.name for one in presets()}:
        source = Source(f"{given}.toml", given, preset(given).text)
    elif "\n" in given or "=" in given:
        source = Source("scenario", "boids", given, carried=not trusting.get())
    else:
        source = supplied(find(within(folder, given), foreign=True))
    overrides = [Override(key, value, key) for key, value in settings.items() if value is not None]
    return draft(source, overrides).scenario()
