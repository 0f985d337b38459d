"""The program: all commands, and the one place where errors become exit codes.

`run(arguments)` runs a command line. A new command is a function in a file of its own, and a name in the tuple
`COMMANDS`; a new exit code is a class in `boidsgen.errors`.
"""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from boidsgen import __version__, plugins, system
from boidsgen.cli import signals
from boidsgen.cli.check import check
from boidsgen.cli.compare import compare
from boidsgen.cli.doctor import doctor
from boidsgen.cli.help import add, help_of, titled
from boidsgen.cli.hosting import hosting
from boidsgen.cli.measure import measure
from boidsgen.cli.plot import plot
from boidsgen.cli.presets import explain, new, presets, schema, show
from boidsgen.cli.render import render
from boidsgen.cli.replay import replay
from boidsgen.cli.report import failure, notice
from boidsgen.cli.simulate import simulate
from boidsgen.cli.still import still
from boidsgen.cli.sweep import sweep
from boidsgen.cli.terminal import note, record, result
from boidsgen.errors import BoidsgenError, Interrupted, LimitError, ScenarioError, StorageError, UsageError
from boidsgen.output import originals, parts

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


def exit_codes() -> Mapping[int, str]:
    """Every exit code and its meaning."""
    kinds = reversed([*_below(BoidsgenError)])  # a kind of its own within another has the meaning of the wider one
    errors = {error.exit_code: _meaning(error) for error in kinds}
    stops = {128 + number: f"Stopped by {name}." for name, number in STOPS.items()}
    return dict(sorted({0: "Done.", 1: "A bug in boidsgen.", **errors, **stops}.items()))


def reference() -> str:
    """Markdown: the table of exit codes."""
    rows = [f"| {code} | {meaning} |" for code, meaning in exit_codes().items()]
    return "\n".join(["| exit code | meaning |", "| --- | --- |", *rows])


def _below(error: type[BoidsgenError]) -> Iterator[type[BoidsgenError]]:
    for kind in error.__subclasses__():
        yield kind
        yield from _below(kind)


def _meaning(error: type[BoidsgenError]) -> str:
    return (error.__doc__ or "").partition("\n")[0]


JSON = "--json"
NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "cannot allocate memory")
"""What the loader of libraries says where there is no memory for one."""
NO_REASON = ("error return without exception set", "returned NULL without setting an exception")
"""What Python says where it fails and has no memory left to say why."""
ROOM = 90 << 20
"""Bytes that numpy takes as it is loaded; with less, its library ends the whole program in its own words."""
NO_THREAD = "can't start new thread"
"""What Python says where the system allows no further thread."""

COMMANDS = (
    render,
    still,
    check,
    presets,
    show,
    explain,
    new,
    schema,
    doctor,
    compare,
    measure,
    simulate,
    replay,
    sweep,
    plot,
)
"""Every command, in the order in which `--help` lists them."""

HELP_OPTIONS = ["-h", "--help"]

_MISUSE: type[Exception] = typer.BadParameter.__bases__[0]
"""What typer raises for a command line that it does not understand; it has no public name there."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line and give its exit code; bugs are raised."""
    try:
        with signals.raising() as request:
            return _run_reporting(arguments, request)
    except Interrupted as stop:  # when everything had been done or reported
        return _stopped(stop.args[0], arguments)


def _run_reporting(arguments: Sequence[str], request: signals.Request) -> int:
    """Run a command line, report what went wrong, and clean up."""
    try:
        with originals.reading():
            return _told_what_is_slow(_run(arguments), arguments)
    except (Exception, Interrupted) as error:  # noqa: BLE001  bugs are raised again
        if request.number is not None:  # an import that is interrupted raises whatever it likes
            return _stopped(request.number, arguments)
        return _report(error, arguments)
    finally:
        parts.remove_begun()


def _told_what_is_slow(code: int, arguments: Sequence[str]) -> int:
    """The code itself, after a line about each package that made everybody wait."""
    if not {"--quiet", "-q"} & {*arguments}:
        for line in plugins.slow():
            notice(line)
    return code


def _report(error: BaseException, arguments: Sequence[str]) -> int:
    """Report an error that is no bug, and give its exit code; raise any other."""
    as_json = JSON in arguments
    if isinstance(error, Interrupted):
        return _stopped(error.args[0], arguments)
    told = in_our_words(error)
    if told:
        plain = isinstance(told, ScenarioError)  # its lines begin with the name of the file
        return failure(str(told), told.exit_code, as_json=as_json, plain=plain)
    if as_json:
        note(record(error=f"{type(error).__name__}: {error}", exit_code=BoidsgenError.exit_code))
    raise error


def in_our_words(error: BaseException) -> BoidsgenError | None:
    """What went wrong in words for the user, where user, machine or a package are at fault; None for a bug."""
    match error:
        case BoidsgenError():
            return error
        case MemoryError():
            return LimitError("not enough memory for this scenario")
        case ImportError() | SystemError() if _wants_memory(error):
            return LimitError("not enough memory to begin with")
        case RuntimeError() if NO_THREAD in str(error):
            return _without_thread()
        case OSError():  # what the system refuses is no bug, wherever that happens
            return (LimitError if error.errno == errno.ENOMEM else StorageError)(_refusal(error))
    return plugins.complaint(error)


def _without_thread() -> BoidsgenError:
    """No further thread can be made: for want of memory, where that is limited, or else because there are too many."""
    if limit := _limit_of_memory():
        return LimitError(f"not enough memory for another thread{limit}")
    return StorageError(_refusal(OSError(errno.EAGAIN, "the system allows no further thread")))


def _wants_memory(error: Exception) -> bool:
    """Whether an import or Python itself has failed for want of memory."""
    if isinstance(error, ImportError):
        return any(words in str(error) for words in NO_MEMORY)
    return any(words in str(error) for words in NO_REASON) and _limit_of_memory() != ""


def _require_room() -> None:
    """Refuse to begin where numpy cannot.

    Raises:
        LimitError: there is a limit of memory, and too little is left.
    """
    if not _limit_of_memory():
        return
    from mmap import mmap

    try:
        mmap(-1, ROOM).close()
    except OSError:
        raise LimitError("not enough memory to begin with") from None


def _limit_of_memory() -> str:
    """The limit of memory, for a message; empty where there is none."""
    return system.limit_met(OSError(errno.ENOMEM, ""))


def _run(arguments: Sequence[str]) -> int:
    if not {*HELP_OPTIONS} & {*arguments}:
        _require_room()
    try:
        code = typer.main.get_command(_called(arguments)).main(list(arguments), "boidsgen", standalone_mode=False)
    except SystemExit as stop:  # completion ends so
        return stop.code if isinstance(stop.code, int) else 0
    except _MISUSE as error:
        if not arguments:  # then it is the help that typer raises
            note(str(error))
            return UsageError.exit_code
        raise UsageError(_misuse(error, arguments)) from error
    return code if isinstance(code, int) else 0


WORDING = (
    ("Input should be", "must be"),
    ("a valid integer", "a whole number"),
    ("a valid number", "a number"),
    (". Did", "; did"),
    ("greater than or equal to", "at least"),
)
"""What typer says of a command line, and what we say."""


def _misuse(error: Any, arguments: Sequence[str]) -> str:  # noqa: ANN401  see `_MISUSE`
    """What is wrong with a command line, in one line, and where to read on."""
    command = next((one.__name__ for one in COMMANDS if one.__name__ == arguments[0]), "")
    where = error.ctx.command_path if error.ctx else f"boidsgen {command}".rstrip()
    reason = " ".join(error.format_message().split()).rstrip(".").partition(", unable to parse")[0]
    for theirs, ours in WORDING:
        reason = reason.replace(theirs, ours)
    told = f"{reason[:1].lower()}{reason[1:]}"
    return f"{_meant_as_setting(told) or _meant_as_scenario(told) or told} (see {where} --help)"


def _meant_as_setting(reason: str) -> str:
    """What to say of an option that does not exist and has the name of a key; nothing of any other."""
    found = re.match(r"(no such option: --([\w-]+))(?!.*did you mean)", reason)
    if not found:
        return ""
    from boidsgen.scenario.meant import places_meant
    from boidsgen.scenario.scenario import Scenario

    places = places_meant(found[2].replace("-", "_"), (), Scenario)
    return f"{found[1]}; keys of a scenario are set by --set, as in --set {places[0]}=VALUE" if places else ""


def _meant_as_scenario(reason: str) -> str:
    """What to say of a command that does not exist and has the name of a scenario; nothing of any other."""
    found = re.fullmatch(r"no such command '(.+)'", reason)
    if not found:
        return ""
    from boidsgen.scenario.sources import presets as shipped

    known = Path(found[1]).is_file() or found[1] in {preset.name for preset in shipped()}
    return f"{reason}; did you mean 'boidsgen render {found[1]}'?" if known else ""


def _stopped(number: int, arguments: Sequence[str]) -> int:
    return failure(f"stopped by {system.signal_name(number)}", Interrupted(number).exit_code, as_json=JSON in arguments)


def _refusal(error: OSError) -> str:
    """What the operating system said, and about which file."""
    reason = f"{error.strerror or str(error) or type(error).__name__}{system.limit_met(error)}"
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"


def _tell_version(asked: bool) -> None:  # noqa: FBT001  typer calls it so
    if asked:
        result(f"boidsgen {__version__}")
        raise typer.Exit


def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Render boids: a TOML scenario in, a GIF or an MP4 of a flock out."""


def _program(commands: Iterable[Callable[..., None]]) -> typer.Typer:
    """A program with these commands."""
    made = typer.Typer(
        no_args_is_help=True,
        context_settings={"help_option_names": HELP_OPTIONS},
        rich_markup_mode=None,  # plain help starts faster, and has no colors in a pipe
        pretty_exceptions_enable=False,
    )
    made.callback()(_main)
    for command in commands:
        add(made, hosting(command))
    add(made, help_of, "help")
    return made


def _called(arguments: Sequence[str]) -> typer.Typer:
    """The program as far as a command line needs it: typer takes each command apart, which is a tenth of a start."""
    if arguments and set(arguments) <= set(HELP_OPTIONS):
        return _program([titled(one) for one in COMMANDS])
    return _program([one for one in COMMANDS if [one.__name__] == [*arguments[:1]]] or COMMANDS)


program = _program(COMMANDS)
"""The whole program."""
