"""Help: what `--help` and `boidsgen help` print, made from the function of each command.

The first line of a command's docstring is what the list of commands shows; up to `Examples:` follows what else there is
to say, and below it commands to try, a line each.

  add(program, function)   make a function a command of the program
  titled(function)         its name and words alone
  examples_of(function)    the commands to try
  help_of(command)         `boidsgen help`
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

from boidsgen.cli.terminal import result

_EXAMPLES = "\n\nExamples:\n"
# What typer has no public names for.
_Context: TypeAlias = Any
_Formatter: TypeAlias = Any
_Argument: TypeAlias = Any


def add(program: typer.Typer, function: Callable[..., None], name: str | None = None) -> None:
    """Make a function a command of the program, called like the function unless it has a name of its own."""
    text = _documented(function).partition(_EXAMPLES)[0]
    line, examples = text.partition("\n")[0], "\n".join(examples_of(function))
    program.command(name, cls=Command, help=text, short_help=line, epilog=examples)(function)


def titled(function: Callable[..., None]) -> Callable[[], None]:
    """What has the name and the words of a command and nothing to take apart, for the list of all commands."""

    def nothing() -> None: ...

    nothing.__name__, nothing.__doc__ = function.__name__, function.__doc__
    return nothing


def examples_of(function: Callable[..., None]) -> list[str]:
    """The commands that a docstring gives to try."""
    return [line.strip() for line in _documented(function).partition(_EXAMPLES)[2].splitlines()]


def _documented(function: Callable[..., None]) -> str:
    return inspect.cleandoc(function.__doc__ or "")


class Command(TyperCommand):
    """A command whose arguments are shown as they are called, and whose examples stay lines."""

    @override
    def collect_usage_pieces(self, ctx: _Context) -> list[str]:
        return ["[OPTIONS]", *(_name(one) for one in self._arguments())]

    @override
    def format_options(self, ctx: _Context, formatter: _Formatter) -> None:
        if arguments := [(_name(one), one.help) for one in self._arguments()]:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [one.get_help_record(ctx) for one in self.get_params(ctx) if one.param_type_name == "option"]
        with formatter.section("Options"):
            formatter.write_dl([record for record in options if record])

    @override
    def format_epilog(self, ctx: _Context, formatter: _Formatter) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"  {line}\n")

    def _arguments(self) -> list[_Argument]:
        return [one for one in self.params if one.param_type_name == "argument"]


def help_of(
    context: typer.Context,
    command: Annotated[
        str | None, typer.Argument(metavar="[COMMAND]", help="A command; all of them unless given.")
    ] = None,
) -> None:
    """Show the help of a command.

    Examples:
        boidsgen help
        boidsgen help render
    """
    above = context.parent
    if above is None or not isinstance(above.command, TyperGroup):  # typer runs no command outside its program
        raise TypeError(above)
    if command is None:
        result(above.get_help())
        return
    _, found, _ = above.command.resolve_command(above, [command])
    if found is not None:
        result(found.get_help(typer.Context(found, info_name=command, parent=above)))


def _name(argument: _Argument) -> str:
    """An argument as it is called; one that may be left out has brackets of its own."""
    return str(argument.metavar or argument.name)
