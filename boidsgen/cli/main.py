"""The program: all commands, and the one place where errors become exit codes.

A new command is a function here and an entry in `COMMANDS`; a new exit code is a class in `boidsgen.errors`.
"""

import _thread
import errno
import mmap
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, TypeAlias

import typer
from typer.core import TyperCommand
from typing_extensions import override

from boidsgen import plugins, system
from boidsgen.cli.terminal import failure, json_text, result, stdout_guard, user_error, warn
from boidsgen.errors import BoidsgenError, Interrupted, LimitError, ScenarioError, UsageError
from boidsgen.inputs import guard_inputs
from boidsgen.output.publish import remove_temporaries
from boidsgen.version import __version__

COMMANDS = {
    "render": "render",
    "live": "render",
    "still": "render",
    "check": "check",
    "presets": "check",
    "gallery": "course",
    "show": "check",
    "explain": "check",
    "new": "check",
    "schema": "check",
    "doctor": "check",
    "compare": "render",
    "measure": "measure",
    "simulate": "measure",
    "tracks": "measure",
    "leaders": "measure",
    "replay": "render",
    "collect": "course",
    "course": "course",
    "sweep": "sweep",
    "plot": "measure",
    "describe": "sweep",
    "fit": "sweep",
    "sensitivity": "sweep",
}
"""Every command and its module, in the order in which `--help` lists them."""

STOPS = {
    "SIGHUP": 1,
    "SIGINT": 2,
    "SIGQUIT": 3,
    "SIGUSR1 (macOS: 158)": 10,
    "SIGUSR2 (macOS: 159)": 12,
    "SIGALRM": 14,
    "SIGTERM": 15,
    "SIGBREAK (Windows: Ctrl-Break, or the console was closed)": 21,
    "SIGXCPU, the limit of processor time": 24,
    "SIGVTALRM": 26,
    "SIGPROF": 27,
}
"""The signals that stop a command on some system, with their numbers there."""

JSON = "--json"
NUMPY_MEMORY = 90 << 20
"""Bytes that numpy takes when it is loaded; with less, its library ends the whole program in its own words."""
HELP_OPTIONS = ["-h", "--help"]
WORDING = (
    ("Input should be", "must be"),
    ("a valid integer", "a whole number"),
    ("a valid number", "a number"),
    (". Did", "; did"),
    ("greater than or equal to", "at least"),
)
"""Words of typer's errors, and ours."""

# What typer has no public names for.
_Misuse: type[Exception] = typer.BadParameter.__bases__[0]
_Context: TypeAlias = Any
_Argument: TypeAlias = Any
_Formatter: TypeAlias = Any


def exit_codes() -> Mapping[int, str]:
    """Every exit code and its meaning."""
    codes = {0: "Done.", 1: "A bug in boidsgen."}
    kinds = list(BoidsgenError.__subclasses__())
    for kind in kinds:  # which grows meanwhile; a kind within another has the meaning of the wider one
        kinds += kind.__subclasses__()
        codes.setdefault(kind.exit_code, system.docstring(kind).partition("\n")[0])
    return dict(sorted((codes | {128 + number: f"Stopped by {name}." for name, number in STOPS.items()}).items()))


def load_commands(*names: str) -> list[Callable[..., None]]:
    """The functions of these commands, by default of all; a command waits for no module but its own."""
    return [getattr(import_module(f"boidsgen.cli.{COMMANDS[name]}"), name) for name in names or COMMANDS]


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; bugs are raised."""
    as_json = JSON in arguments
    try:
        with _signals() as stop:
            try:
                with guard_inputs():
                    code = _run(arguments)
            except (Exception, Interrupted) as error:  # noqa: BLE001  bugs are raised again
                if stop.number is not None:  # an import that is interrupted raises whatever it likes
                    return _stopped(stop.number, as_json=as_json)
                return _report(error, as_json=as_json)
            else:
                return code
            finally:
                remove_temporaries()
    except Interrupted as interrupted:  # when everything had been done or reported
        return _stopped(interrupted.args[0], as_json=as_json)


def _run(arguments: Sequence[str]) -> int:
    """Let typer run a command line.

    Typer takes the parameters of every command apart, which is a tenth of a start: it gets only the one that is called.
    """
    if arguments[:1] == ["help"] and not {*HELP_OPTIONS} & {*arguments}:
        arguments = [*arguments[1:], "--help"]
    if not {*arguments} <= {*HELP_OPTIONS}:
        _require_memory()
    called = make_program(load_commands(*(name for name in arguments[:1] if name in COMMANDS)))
    try:
        code = typer.main.get_command(called).main(list(arguments), "boidsgen", standalone_mode=False)
    except SystemExit as stop:  # completion ends so
        return stop.code if isinstance(stop.code, int) else 0
    except _Misuse as error:
        if not arguments:  # then typer raises its help
            warn(str(error))
            return UsageError.exit_code
        raise UsageError(_misuse(error, arguments)) from error
    return code if isinstance(code, int) else 0


def _require_memory() -> None:
    """Stop before numpy is loaded where a limit leaves too little memory for it."""
    if system.limit_met(OSError(errno.ENOMEM, "")):
        try:
            mmap.mmap(-1, NUMPY_MEMORY).close()
        except OSError:
            raise LimitError("not enough memory to begin with") from None


def _report(error: BaseException, *, as_json: bool) -> int:
    """Report an error and return its exit code; raise a bug."""
    if isinstance(error, Interrupted):
        return _stopped(error.args[0], as_json=as_json)
    reported = user_error(error)
    if reported is None:
        if as_json:
            warn(json_text({"error": f"{type(error).__name__}: {error}", "exit_code": BoidsgenError.exit_code}))
        raise error
    plain = isinstance(reported, ScenarioError)  # its lines begin with the name of the file
    return failure(str(reported), reported.exit_code, as_json=as_json, plain=plain)


def _misuse(error: Any, arguments: Sequence[str]) -> str:  # noqa: ANN401  see `_Misuse`
    """A usage error in one line, with the help to read on."""
    command = arguments[0] if arguments[0] in COMMANDS else ""
    where = error.ctx.command_path if error.ctx else f"boidsgen {command}".rstrip()
    reason = " ".join(error.format_message().split()).rstrip(".").partition(", unable to parse")[0]
    for theirs, ours in WORDING:
        reason = reason.replace(theirs, ours)
    reason = f"{reason[:1].lower()}{reason[1:]}"
    if found := re.match(r"(no such option: --([\w-]+))(?!.*did you mean)", reason):
        from boidsgen.scenario.scenario import Scenario
        from boidsgen.scenario.wording import likely_places

        if places := likely_places(found[2].replace("-", "_"), (), Scenario):
            reason = f"{found[1]}; keys of a scenario are set by --set, as in --set {places[0]}=VALUE"
    elif found := re.fullmatch(r"no such command '(.+)'", reason):
        from boidsgen.scenario.sources import presets as shipped

        if Path(found[1]).is_file() or found[1] in {preset.name for preset in shipped()}:
            reason += f"; did you mean 'boidsgen render {found[1]}'?"
    return f"{reason} (see {where} --help)"


def _stopped(number: int, *, as_json: bool) -> int:
    return failure(f"stopped by {system.signal_name(number)}", Interrupted(number).exit_code, as_json=as_json)


class _Stop:
    """A request to stop, by a signal.

    The first signal raises `Interrupted`, so that clean-up code runs. Further ones are ignored, except a second SIGINT,
    which exits at once. Where Python cannot raise, as in a destructor, it drops the exception; then it is raised again
    a moment later.

    Attributes:
        number: of the signal; None before there was one.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self.hook = sys.unraisablehook

    def come(self, number: int, _: FrameType | None) -> None:
        """Handle a signal; the number is kept, since the code that it interrupts may raise something else."""
        self.number = number
        for other in system.STOPPING:
            signal.signal(other, signal.SIG_IGN)
        signal.signal(signal.SIGINT, lambda number, _: os._exit(128 + number))
        raise Interrupted(number)

    def dropped(self, what: "sys.UnraisableHookArgs") -> None:
        """Handle an exception that Python could not raise."""
        if isinstance(what.exc_value, Interrupted):
            number = what.exc_value.args[0]
            signal.signal(number, self.come)
            threading.Timer(0.01, lambda: _thread.interrupt_main(number)).start()
        else:
            self.hook(what)


@contextmanager
def _signals() -> Iterator[_Stop]:
    """Within it, signals that ask to stop raise; those that the caller ignores (nohup) stay ignored."""
    stop = _Stop()
    heard = [number for number in system.STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop.come) for number in heard}
    sys.unraisablehook = stop.dropped
    try:
        yield stop
    finally:
        sys.unraisablehook = stop.hook
        for number, handler in before.items():
            signal.signal(number, handler)


class _Command(TyperCommand):
    """A command that has no output named in vain, and whose help names arguments without their types."""

    @override
    def parse_args(self, ctx: _Context, args: list[str]) -> list[str]:
        given: list[Any] = self.make_parser(ctx).parse_args(args=[*args])[2]
        for one in given:
            if one.name == "output" and not one.multiple and given.count(one) > 1:  # of others the last one counts
                raise UsageError(f"{one.opts[0]}: this command makes one output, and {given.count(one)} are named")
        return super().parse_args(ctx, args)

    @override
    def collect_usage_pieces(self, ctx: _Context) -> list[str]:
        return ["[OPTIONS]", *(str(one.metavar) for one in self._arguments())]

    @override
    def format_options(self, ctx: _Context, formatter: _Formatter) -> None:
        if arguments := [(str(one.metavar), one.help) for one in self._arguments()]:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [one.get_help_record(ctx) for one in self.get_params(ctx) if one.param_type_name == "option"]
        with formatter.section("Options"):
            formatter.write_dl([record for record in options if record])

    def _arguments(self) -> list[_Argument]:
        return [one for one in self.params if one.param_type_name == "argument"]


def make_program(commands: Sequence[Callable[..., None]]) -> typer.Typer:
    """A program with these commands; the first line of a docstring is what the list of commands shows."""
    made = typer.Typer(
        no_args_is_help=True,
        context_settings={"help_option_names": HELP_OPTIONS},
        rich_markup_mode=None,  # plain help starts faster, and has no colors in a pipe
        pretty_exceptions_enable=False,
    )
    made.callback(help=system.docstring(_main))(_main)
    for name, command in [*((one.__name__, _hosted(one)) for one in commands), ("help", help_of)]:
        text = system.docstring(command).replace("\nExamples:", "\n\b\nExamples:").replace("\n    ", "\n  ")
        made.command(name, cls=_Command, help=text, short_help=text.partition("\n")[0])(command)
    return made


def _hosted(command: Callable[..., None]) -> Callable[..., None]:
    """The command; what rules of other packages print while it runs, or their attempt to exit, does no harm."""

    @wraps(command)
    def hosted(**options: object) -> None:
        with plugins.boundary(), stdout_guard():
            command(**options)

    return hosted


def help_of(
    command: Annotated[
        str | None, typer.Argument(metavar="[COMMAND]", help="A command; by default all of them.")
    ] = None,
) -> None:
    """Show the help of a command.

    Examples:
        boidsgen help
        boidsgen help render
    """


def _print_version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    if wanted:
        result(f"boidsgen {__version__}")
        raise typer.Exit


def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Render flocking simulations to GIF or MP4 from a short TOML file."""
