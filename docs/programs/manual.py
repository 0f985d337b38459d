"""The manual page, made from the help of the program and of its commands.

`python -m docs.programs.manual` makes `docs/man/boidsgen.1` anew; installing boidsgen puts it where `man` looks.

  manual_page()   the page, in the man macros that groff and mandoc read
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from boidsgen import __version__
from boidsgen.cli.main import exit_codes, load_commands, make_program

DAY = "2026-11-26"  # Of the version that the page describes

MANUAL = Path(__file__).parents[1] / "man" / "boidsgen.1"

DESCRIPTION = """\
A scenario is a path, the name of a preset, or \\- for standard input.
Without an output a command writes into the folder
.I outputs
below the current one.
.PP
Paths of results go to standard output, one a line; progress, notices and
errors go to standard error."""

ENVIRONMENT = """\
.TP
.B BOIDSGEN_THREADS
Maximum number of threads that step a large flock; by default one for each
processor that the process may use.
.TP
.B BOIDSGEN_LANES
Number of SIMD lanes that the kernel uses, such as 1, 2, 4 or 8; by default the
largest number that the processor supports.
.PP
Neither changes any result."""

SEE_ALSO = """\
.BR ffmpeg (1)
.PP
.B boidsgen explain
.I KEY
tells about each key of a scenario,
.B boidsgen presets
lists the scenarios that come along, and
.B boidsgen doctor
says what is installed."""

MAX_COLUMNS = 78  # How long a line of running text may be in the source of the page


def manual_page() -> str:
    """The whole page."""
    program = make_program(load_commands())
    group = typer.main.get_command(program)
    above = typer.Context(group, info_name="boidsgen", **program.info.context_settings)
    return "\n".join([*_head(group), *_options(group, above), *_commands(group, above), *_tail(), ""])


def _head(group: Any) -> Iterator[str]:
    yield '.\\" Made by: python -m docs.programs.manual'
    yield f'.TH BOIDSGEN 1 {DAY} "boidsgen {__version__}" "User Commands"'
    yield from (".SH NAME", _text(f"boidsgen - {group.help[0].lower()}{group.help[1:].rstrip('.')}"))
    yield from (".SH SYNOPSIS", ".B boidsgen", ".I COMMAND", "[OPTIONS] [ARGUMENTS]")
    yield from (".SH DESCRIPTION", DESCRIPTION)
    yield ".SH OPTIONS"


def _commands(group: Any, above: Any) -> Iterator[str]:
    yield ".SH COMMANDS"
    for name, command in group.commands.items():
        context = typer.Context(command, info_name=name, parent=above)
        yield f".SS {name}"
        yield from (".B boidsgen", f".B {name}", _text(" ".join(command.collect_usage_pieces(context))))
        text, _, examples = command.help.partition("\n\n\b\nExamples:\n")
        for paragraph in text.split("\n\n"):
            yield from (".PP", _text(paragraph))
        yield from _options(command, context)
        yield from (
            ".PP",
            "Examples:",
            ".PP",
            ".EX",
            *(f"  {_literal(line.strip())}" for line in examples.splitlines()),
            ".EE",
        )


def _options(command: Any, context: Any) -> Iterator[str]:
    """Arguments and options, a paragraph each."""
    for one in command.get_params(context):
        record = one.get_help_record(context)
        if one.param_type_name == "argument" and one.help:
            yield from (".TP", f"\\fI{_literal(one.metavar)}\\fR", _text(one.help))
        elif record:
            yield from (".TP", _declared(record[0]), _text(record[1]))


def _tail() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, meaning in exit_codes().items():
        yield from (".TP", f".B {code}", _text(meaning))
    yield from (".SH ENVIRONMENT", ENVIRONMENT, ".SH SEE ALSO", SEE_ALSO)


def _declared(declaration: str) -> str:
    """How an option is written: what is typed bold, what stands for a value in italics."""
    return re.sub(r"(?<![\w'|,.])(\\-[\w\\-]+)|([A-Z'][^ ]*.*)", _font, _literal(declaration))


def _font(found: re.Match[str]) -> str:
    return f"\\fB{found[1]}\\fR" if found[1] else f"\\fI{found[2]}\\fR"


def _text(paragraph: str) -> str:
    """Running text, with what stands between backticks in bold."""
    wrapped = textwrap.fill(" ".join(paragraph.split()), MAX_COLUMNS, break_on_hyphens=False, break_long_words=False)
    return "\n".join(re.sub(r"`([^`]+)`", r"\\fB\1\\fR", _literal(line)) for line in wrapped.splitlines())


def _literal(line: str) -> str:
    """A line as it is to be read, whatever it begins with and whichever letters it has."""
    escaped = line.replace("\\", "\\e").replace("-", "\\-")
    named = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in escaped)
    return f"\\&{named}" if named.startswith((".", "'")) else named


if __name__ == "__main__":
    MANUAL.write_text(manual_page(), "utf-8")
