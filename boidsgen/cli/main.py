"""The program: its terminal, all commands, and the one place where errors become exit codes.

Results go to standard output, everything else to standard error, with a progress bar on a terminal. A closed reader (`|
head`) is no failure: files are still written. Only progress bars are drawn by rich, and only on a terminal: it takes a
while to import, and would interpret markup in messages and paths.

A new command is a function NAME_command in a module of `cli` and an entry in `COMMANDS`; a new exit code is a class in
`boidsgen.errors`.
"""

import _thread
import errno
import json
import mmap
import os
import re
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import wraps
from importlib import import_module
from io import StringIO
from os import PathLike, fspath
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NamedTuple, TextIO, TypeAlias

import typer
from typer.core import TyperCommand
from typing_extensions import override

from boidsgen import plugins, system
from boidsgen.errors import BoidsgenError, Interrupted, LimitError, ScenarioError, StorageError, UsageError, printable
from boidsgen.output.publish import remove_temporaries
from boidsgen.system import guard_inputs
from boidsgen.version import __version__

DASH = "-"
"""Standard output as the name of an output; here too because `--help` must not wait for the package that writes."""
REDRAW_INTERVAL = 0.1  # Seconds between two drawings of a progress bar

NO_MEMORY = ("failed to map segment", "annot allocate memory")
"""Parts of the message of a failed import where there is no memory for a library."""

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_results: list[TextIO] = []  # Standard output, while what is printed goes to standard error


@contextmanager
def stdout_guard() -> Iterator[None]:
    """Within it only `result` writes to standard output; what rules of other packages print goes to standard error."""
    if sys.stdout is None:  # closed by the caller
        yield
        return
    _results.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr or StringIO()):
            yield
    finally:
        _results.pop()


def standard_output() -> TextIO | None:
    """The stream of results; None where the caller has closed it."""
    return _results[-1] if _results else sys.stdout


def escaped(line: str) -> str:
    """A line without what a terminal would obey: controls, and marks that turn the direction of letters."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def result(line: str) -> None:
    """Print a line on standard output; StorageError if it cannot be written, as on a full disk."""
    exact(escaped(line))


def exact(line: str) -> None:
    """The same with every character as it is, unless standard output is a terminal: for names and documents."""
    stream = standard_output()
    try:
        _write(stream, escaped(line) if is_terminal(stream) else line)
    except OSError as error:
        _silence(stream)
        raise StorageError(f"standard output: {error.strerror}") from error


def warn(line: str) -> None:
    """Print a line on standard error; a failure to write it is ignored."""
    try:
        _write(sys.stderr, escaped(line))
    except OSError:
        _silence(sys.stderr)


def notice(line: str) -> None:
    """Print a line on standard error that begins with the name of the program."""
    warn(f"boidsgen: {line}")


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows of cells on standard output, with columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        result("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def json_text(value: object, *, indent: int | None = None, allow_nan: bool = True) -> str:
    """JSON, in ASCII unless standard output is UTF-8."""
    stream = standard_output()
    ascii_only = stream is None or stream.encoding.lower() != "utf-8"
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=allow_nan, indent=indent)


def failure(message: str, code: int, *, as_json: bool, plain: bool = False) -> int:
    """Print why a command failed and return its exit code; `plain` lines have no name of the program in front."""
    if as_json:
        warn(json_text({"error": message, "exit_code": code}))
        return code
    for line in message.split("\n"):
        (warn if plain else notice)(line)
    return code


def user_error(error: BaseException) -> BoidsgenError | None:
    """The error in words for the user where user, machine or a package are at fault; None for a bug."""
    limit = system.limit_met(OSError(errno.ENOMEM, ""))
    match error:
        case BoidsgenError():
            return error
        case MemoryError():
            return LimitError("not enough memory for this scenario")
        case ImportError() if any(words in str(error) for words in NO_MEMORY):
            return LimitError("not enough memory to begin with")
        case RuntimeError() if "can't start new thread" in str(error):
            return LimitError(f"the system allows no further thread{limit}")
        case OSError():  # what the system refuses is no bug, wherever that happens
            if isinstance(error, FileNotFoundError) and error.filename is None:  # as only the current directory
                error.strerror = "the current directory is gone; change into another one"
            reason = f"{error.strerror or str(error) or type(error).__name__}{system.limit_met(error)}"
            line = reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
            return (LimitError if error.errno == errno.ENOMEM else StorageError)(line)
    return None


def is_terminal(stream: TextIO | None) -> bool:
    """True if a stream is a terminal."""
    return stream is not None and stream.isatty()


def _write(stream: TextIO | None, line: str) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except OSError as error:
        # The reader of a pipe has gone, or a terminal was closed; to a disk the same error is a fault.
        device = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
        if not (system.is_broken_pipe(error) or (error.errno == errno.EIO and device)):
            raise
        _silence(stream)


def _silence(stream: TextIO | None) -> None:
    """Send the rest to the null device: otherwise the interpreter complains at exit about what is still buffered."""
    if stream is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def progress_bar(name: str, total: int, unit: str = "frames") -> Iterator[Callable[[int], None]]:
    """A bar on standard error with count, rate and time left; call it with the number of units done.

    It is erased at the end. Where the terminal is gone it becomes silent: the work matters more.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn(f"{unit} {{task.fields[rate]}}", markup=False),
        TimeRemainingColumn(compact=True),
        console=Console(file=sys.stderr),
        speed_estimate_period=10.0,
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task(printable(name), total=total, rate="")
    drawn = 0.0

    def show(done: int) -> None:
        nonlocal drawn
        speed = bar.tasks[0].speed
        bar.update(task, completed=done, rate=f"{speed:.1f}/s" if speed else "")
        if time.monotonic() - drawn >= REDRAW_INTERVAL:
            _drawn(bar.refresh)
            drawn = time.monotonic()

    _drawn(bar.start)
    _drawn(bar.console.show_cursor)  # which nobody would bring back after a kill
    try:
        yield show
    finally:
        _drawn(bar.stop)


def _drawn(draw: Callable[[], object]) -> None:
    try:
        draw()
    except OSError:
        _silence(sys.stderr)


def browse(address: str) -> bool:
    """Show something with the system's default program; False where there is none."""
    import webbrowser

    return webbrowser.open(address)


class Reporter(NamedTuple):
    """Reports for one command: results as paths or as JSON objects, which may be opened, notices, and progress."""

    quiet: bool
    as_json: bool = False
    shows: bool = False

    def notice(self, line: str) -> None:
        """Print a line that is neither a result nor a failure."""
        if not self.quiet:
            notice(line)

    @contextmanager
    def progress(self, name: str, total: int, unit: str = "frames") -> Iterator[Callable[[int], None] | None]:
        """A progress bar on a terminal; None elsewhere."""
        if self.quiet or not is_terminal(sys.stderr):
            yield None
            return
        with progress_bar(name, total, unit) as show:
            yield show

    def output(self, path: str | PathLike[str], entries: Mapping[str, object]) -> None:
        """Name one output; `entries` are what `--json` says about it."""
        path = fspath(path)
        exact(json_text({"path": path, **entries}) if self.as_json else path)

    def finish(
        self,
        paths: Iterable[str | PathLike[str]],
        notices: Iterable[str] = (),
        entries: Mapping[str, object] | None = None,
    ) -> None:
        """Print notices, then name the outputs, and open them where that is wanted."""
        for line in dict.fromkeys(notices):
            self.notice(line)
        for path in paths:
            if fspath(path) != DASH:
                self.output(path, entries or {})
                if self.shows and not browse(Path(path).absolute().as_uri()):
                    self.notice(f"--open: this system has no program to open {fspath(path)} with")

    def facts(self, facts: Mapping[str, str], notices: Iterable[str]) -> None:
        """Print notices, then lines of facts about an input."""
        self.finish([], notices)
        for line in [json_text(facts)] if self.as_json else [f"{name}: {fact}" for name, fact in facts.items()]:
            exact(line)

    def invite(self, paths: Iterable[str]) -> None:
        """Say on a terminal how to look at what was made."""
        files = [path for path in paths if path != DASH]
        if files and not self.shows and is_terminal(sys.stderr):
            self.notice(f"to view it, open {files[0]} in a browser, or add --open")


COMMANDS = {
    "render": "render",
    "live": "render",
    "still": "render",
    "check": "check",
    "presets": "check",
    "gallery": "course",
    "page": "course",
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
    "audit": "sweep",
    "plot": "measure",
    "describe": "sweep",
    "fit": "sweep",
    "sensitivity": "sweep",
    "mcp": "mcp",
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


def load_commands(*names: str) -> dict[str, Callable[..., None]]:
    """The functions of these commands, by default of all; a command waits for no module but its own."""
    modules = {name: import_module(f"boidsgen.cli.{COMMANDS[name]}") for name in names or COMMANDS}
    return {name: getattr(module, f"{name}_command") for name, module in modules.items()}


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


def make_program(commands: Mapping[str, Callable[..., None]]) -> typer.Typer:
    """A program with these commands; the first line of a docstring is what the list of commands shows."""
    made = typer.Typer(
        no_args_is_help=True,
        context_settings={"help_option_names": HELP_OPTIONS},
        rich_markup_mode=None,  # plain help starts faster, and has no colors in a pipe
        pretty_exceptions_enable=False,
    )
    made.callback(help=system.docstring(_main))(_main)
    for name, command in [*((name, _hosted(one)) for name, one in commands.items()), ("help", help_of)]:
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
