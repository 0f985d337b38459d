r"""Syntax: what somebody probably meant by a line that is not TOML, and how TOML writes it.

`explained(text, line, column, reason)` is what is wrong there, in words for people who do not know TOML; the parser's
own reason where none of the slips below fits. `pointed(text, line, column)` shows the line with a caret:

    3 | theme = ocean
      |         ^

A slip looks at one line. The first that fits is taken, so special ones stand above general ones.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from typing_extensions import override

MAX_WIDTH = 100
"""Characters of a line that are shown."""
MOST_LINES = 10
"""Lines below it in which the end of a table in braces is looked for."""
MAX_LENGTH = 200
"""Characters of a line in which slips are looked for; nobody writes longer ones by hand."""

_KEY = r"\s*(?P<key>[\w.-]+|\"[^\"]*\")\s*"
_PAIR = re.compile(_KEY + r"=\s*(?P<value>[^\s#].*?)\s*(?:#.*)?$")
_BEFORE_COMMENT = re.compile(r"(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|[^\"'#])*")
_NUMBER = r"[+-]?\d[\d_]*(?:\.\d+)?"
_CURLY = "“”„‟‘’‚‛«»"  # noqa: RUF001  the signs in question
_BACKSLASH = r"a backslash means something else in double quotes; write two of them, \\, or use single quotes"
_REASONS = {
    "Illegal character '\\t'": "a tab inside quotes; write \\t, or a space",
    "Illegal character '\\n'": "the text is not closed: a quote is missing at the end of the line",
    "Unescaped '\\' in a string": _BACKSLASH,
    "Invalid hex value": _BACKSLASH,
    "Invalid statement": "a line is a key with its value (count = 50), a table ([flock]) or a comment (# …)",
    "Invalid initial character for a key part": "a key or the name of a table is missing here",
    "Expected newline": "only a comment may follow a value",
    "Expected '=' after a key": "= and a value are missing after the key",
    "Exceeds the limit": "a number has thousands of digits",
    "Cannot overwrite a value": "this key is here twice; keep one of the two lines",
    "Unterminated string": "the text is not closed: a quote is missing at its end",
    "Unclosed array": "the list is not closed: ] is missing",
    "Unclosed inline table": "the table is not closed: } is missing",
    "Invalid value": "this is no value: a number, text in quotes, true, false, a list or a table",
}
"""Plainer words for what the parser says, by how that begins."""


@dataclass(frozen=True)
class Slip(ABC):
    """Something that people write instead of TOML.

    Attributes:
        pattern: the lines on which it is found.
    """

    pattern: re.Pattern[str]

    def told(self, line: str) -> str | None:
        """What is wrong with this line and what would be right, or None where the slip is another one."""
        found = self.pattern.match(line)
        return self.wording(found) if found else None

    @abstractmethod
    def wording(self, found: re.Match[str]) -> str:
        """What to say of a line on which the pattern was found."""


@dataclass(frozen=True)
class LineSlip(Slip):
    """A slip in the line as such."""

    say: Callable[[re.Match[str]], str]

    @override
    def wording(self, found: re.Match[str]) -> str:
        return self.say(found)


@dataclass(frozen=True)
class ValueSlip(Slip):
    """A slip in the value of a key: what is wrong, and the value as it would be right."""

    wrong: str
    right: Callable[[re.Match[str]], str]

    @override
    def told(self, line: str) -> str | None:
        pair = _PAIR.match(line)
        found = self.pattern.fullmatch(pair["value"]) if pair else None
        return f"{self.wording(found)}: {pair['key']} = {self.right(found)}" if pair and found else None

    @override
    def wording(self, found: re.Match[str]) -> str:
        return self.wrong.format(found[0])


def explained(text: str, line: int, column: int, reason: str) -> str:
    """What is wrong at a place of a document that is not TOML; line and column count from 1."""
    return _visible(_explained(text, line, column, reason))


def _explained(text: str, line: int, column: int, reason: str) -> str:
    if lines := _twice(text, line, reason) or _in_braces(text, line):
        return lines
    if open_end := _open_end(text, line, column):
        return _closed(_line(text, open_end))
    written = _line(text, line)
    told = (slip.told(written) for slip in SLIPS if len(written) <= MAX_LENGTH)
    within = _left_open(_above(text, line, column)) not in {0, line}
    slip = "" if within else next((words for words in told if words), "")
    return slip or _unclosed(text, line, column, reason) or _plainer(reason)


def at_fault(text: str, line: int, column: int) -> tuple[int, int]:
    """The place to be shown: where a bracket is missing at the end of a line above, that end."""
    open_end = _open_end(text, line, column)
    return (open_end, len(_line(text, open_end).rstrip()) + 1) if open_end else (line, column)


def pointed(text: str, line: int, column: int) -> tuple[str, ...]:
    """The line with a caret below the column; where it is long, the part round the column. Nothing for an empty one."""
    written = _line(text, line)
    if not written.strip():
        return ()
    begin = max(0, column - 1 - MAX_WIDTH // 2)
    piece = written[begin : begin + MAX_WIDTH]
    gutter = " " * len(str(line))
    return f"  {line} | {_visible(piece)}".rstrip(), f"  {gutter} | {' ' * (column - 1 - begin)}^"


def _visible(piece: str) -> str:
    """A piece of a document with a blank for each letter that would not be seen, or begin a line."""
    return "".join(letter if letter.isprintable() else " " for letter in piece)


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


def _twice(text: str, line: int, reason: str) -> str:
    """A key that stands there already, or a table, once or as one of several."""
    if not reason.startswith("Cannot "):
        return ""
    if header := re.match(r"\s*(\[{1,2})\s*([\w. -]+?)\s*\]", _line(text, line)):
        return _table_twice(text, line, *header.groups())
    if not (pair := _PAIR.match(_line(text, line))):
        return ""
    heading = max((n for n, one in _lines_above(text, line) if re.match(r"\s*\[", one)), default=0)
    first = _first(text, line, rf"\s*{re.escape(pair['key'])}\s*=", heading)
    return f"{pair['key']} is here twice, first in line {first}; keep one of the two lines" if first else ""


def _table_twice(text: str, line: int, brackets: str, name: str) -> str:
    table = re.escape(name)
    if first := _first(text, line, rf"\s*\[{{1,2}}\s*{table}\s*\]"):
        if brackets == "[" and "[[" not in _line(text, first):
            several = f"or write [[{name}]] in both lines for two"
            return f"[{name}] is here twice, first in line {first}; put all keys below one of them, {several}"
        return f"[{name}] and [[{name}]], in lines {first} and {line}, do not go together; write [[{name}]] in both"
    if first := _first(text, line, rf"\s*{table}\.[\w.]+\s*="):
        pair = _line(text, first).strip().removeprefix(f"{name}.")
        return f"line {first} belongs below [{name}], as {pair}"
    if first := _first(text, line, rf"\s*{table}\s*="):
        return f"[{name}] is in line {first} already; delete that line, and write its keys below [{name}]"
    return f"[{name}] is made above already; put all its keys in one place"


def _first(text: str, line: int, pattern: str, after: int = 0) -> int:
    """The first line between two lines that begins so; 0 for none."""
    before = re.compile(pattern)
    return next((number for number, one in _lines_above(text, line) if number > after and before.match(one)), 0)


def _lines_above(text: str, line: int) -> Iterator[tuple[int, str]]:
    """The lines before this one, with their numbers."""
    return enumerate(text.split("\n")[: line - 1], start=1)


def _in_braces(text: str, line: int) -> str:
    """A table in braces that does not end on its line."""
    if len(_line(text, line)) > MAX_LENGTH or not re.match(_KEY + r"=\s*\{[^}]*$", _line(text, line)):
        return ""
    whole = " ".join(part.strip() for part in text.split("\n")[line - 1 : line + MOST_LINES])
    one_line = whole[: whole.find("}") + 1]
    if 0 < len(one_line) <= MAX_WIDTH:
        return f"a table in braces must stand in one line: {one_line}"
    return "a table in braces must stand in one line; a longer one has a heading, as in [flock.separation]"


def _open_end(text: str, line: int, column: int) -> int:
    """The line above at whose end a bracket is missing: a list begins there and does not go on; 0 for none."""
    opened = _left_open(_above(text, line, column))
    last = max((number for number, one in _lines_above(text, line) if one.strip()), default=0)
    following = "".join([_line(text, line)[column - 1 :], *text.split("\n")[line:]])
    goes_on = following.strip() and _code(_line(text, opened)).endswith((",", "[", "{"))
    return opened if opened == last and not goes_on else 0


def _unclosed(text: str, line: int, column: int, reason: str) -> str:
    """A list that was never closed, so that the parser stumbles over its end or over what follows."""
    opened = _left_open(_above(text, line, column))
    if opened == line:
        return "" if _line(text, line)[column - 1 :].strip() else _closed(_line(text, line))
    if not opened or not reason.startswith("Unclosed"):
        return ""
    closing = _closing(_line(text, opened))
    return f"the list or table that begins in line {opened} is not closed; write {closing} before this line"


def _closed(line: str) -> str:
    """What is missing at the end of a line, and the line with it."""
    closing = _closing(line)
    return f"a {closing} is missing: {_code(line)}{closing}" if closing else ""


def _code(line: str) -> str:
    """A line without its comment."""
    found = _BEFORE_COMMENT.match(line)
    return found[0].strip() if found else line.strip()


def _above(text: str, line: int, column: int) -> list[str]:
    """What stands before a place."""
    return [*text.split("\n")[: line - 1], _line(text, line)[: column - 1]]


def _left_open(lines: list[str]) -> int:
    """The line of the last bracket that is open at the end of these lines, outside quotes and comments; 0 for none."""
    opened: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not opened and re.match(r"\s*\[", line):  # the name of a table
            continue
        for bracket in _brackets(line):
            opened = [*opened, number] if bracket in "[{" else opened[:-1]
    return opened[-1] if opened else 0


def _closing(line: str) -> str:
    """What would close the brackets of a line."""
    opened = ""
    for bracket in _brackets(line):
        opened = opened + bracket if bracket in "[{" else opened[:-1]
    return "".join("]" if bracket == "[" else "}" for bracket in reversed(opened))


def _brackets(line: str) -> list[str]:
    """The brackets of a line, outside quotes and comments."""
    return re.findall(r"[\[{\]}]", re.sub(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*", "", line))


def _plainer(reason: str) -> str:
    return next(
        (plain for begin, plain in _REASONS.items() if reason.startswith(begin)), reason[:1].lower() + reason[1:]
    )


def _bracketed(found: re.Match[str]) -> str:
    entries = re.findall(r"[^\s,;()\[\]]+", found[0])
    return f"[{', '.join(entries)}]"


def _computed(found: re.Match[str]) -> str:
    first, second = (float(found[group].replace("_", "")) for group in (1, 3))
    if found[2] == "*":
        return f"{first * second:g}"
    return f"{first / second:g}" if second else found[1]


def _straight(found: re.Match[str]) -> str:
    return '"' + re.sub(f"[{_CURLY}]", "", found[0]).strip("\"'") + '"'


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


SLIPS: tuple[Slip, ...] = (
    LineSlip(_compiled(r"\s*(//|;|--|%|/\*)"), lambda found: f"comments begin with #, not with {found[1]}"),
    LineSlip(_compiled(r"\s*\[\[?[^\]\"']*$"), lambda found: f"a ] is missing: {found[0].strip()}]"),
    LineSlip(
        _compiled(_KEY + r"(?:=\s*(?:#\s*)?)?$"),
        lambda found: f"the value of {found['key']} is missing: {found['key']} = …",
    ),
    LineSlip(
        _compiled(_KEY + r"=\s*(#[0-9a-f]{3,8})\b"),
        lambda found: f'# begins a comment; a color needs quotes: {found["key"]} = "{found[2]}"',
    ),
    LineSlip(
        _compiled(r"\s*\[([^\[\]]+)\]\]\s*$|\s*\[\[([^\[\]]+)\]\s*$"),
        lambda found: "the brackets do not match; write [{0}], or [[{0}]] where there are several".format(
            (found[1] or found[2]).strip()
        ),
    ),
    LineSlip(
        _compiled(r"\s*\{"),
        lambda _: 'a scenario is TOML, not JSON; {"flock": {"count": 3}} is two lines there, [flock] and count = 3',
    ),
    LineSlip(
        _compiled(
            r"\s*\[\[?[\w.]+\]\]?\s*(?P<of_table>[\w.]+\s*=.*)|"
            + _KEY
            + r"=\s*(?:\"[^\"]*\"|'[^']*'|[\w.+-]+)\s*[;,]?\s+(?P<of_key>[\w.]+\s*=.*)"
        ),
        lambda found: f"every key has a line of its own; begin a new line with {found['of_table'] or found['of_key']}",
    ),
    LineSlip(_compiled(r"\s*[-*]\s+([\w.]+\s*[=:].*)"), lambda found: f"nothing stands before a key: {found[1]}"),
    LineSlip(
        _compiled(_KEY + r"(?:==|:=|=>|->|<-)\s*(.+)"),
        lambda found: f"a single = is right: {found['key']} = {found[2]}",
    ),
    LineSlip(
        _compiled(_KEY + r":\s*([^\s#].*)"),
        lambda found: f"= belongs between a key and its value: {found['key']} = {found[2]}",
    ),
    LineSlip(
        _compiled(_KEY + r"=\s*(\{\s*[\w.]+)\s*:\s*(.*)"),
        lambda found: f"= belongs between a key and its value: {found['key']} = {found[2]} = {found[3]}",
    ),
    LineSlip(
        _compiled(r"(.*),\s*\}(.*)"), lambda found: f"no comma is allowed before }}: {found[1].strip()} }}{found[2]}"
    ),
    LineSlip(
        _compiled(rf"\s*([\w.]+)\s+({_NUMBER})\s*$"),
        lambda found: f"= belongs between a key and its value: {found[1]} = {found[2]}",
    ),
    LineSlip(_compiled(_KEY + r":\s*$"), lambda found: f"a table is written in brackets: [{found['key']}]"),
    LineSlip(
        _compiled(r"\s*(\w+(?:\s+\w+)+)\s*=(.*)"),
        lambda found: f"a key has no spaces: {'_'.join(found[1].split())} ={found[2]}",
    ),
    LineSlip(
        _compiled(r"\s*<\s*(\w+)\s*/?>\s*$"), lambda found: f"a table is written in square brackets: [{found[1]}]"
    ),
    ValueSlip(_compiled(rf".*[{_CURLY}].*"), "curly quotes do not work in TOML; use straight ones", _straight),
    ValueSlip(_compiled("(?-i:True|TRUE)|yes|on"), "TOML says true, not {}", lambda _: "true"),
    ValueSlip(_compiled("(?-i:False|FALSE)|no|off"), "TOML says false, not {}", lambda _: "false"),
    ValueSlip(
        _compiled(r"rgb\s*\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)"),
        "a color is text, # and six digits",
        lambda found: '"#{:02x}{:02x}{:02x}"'.format(*(min(int(part), 255) for part in found.groups())),
    ),
    ValueSlip(
        _compiled(r"'([^'\"]*\w'\w[^\"]*)'"), "text that has ' in it needs double quotes", lambda found: f'"{found[1]}"'
    ),
    ValueSlip(
        _compiled(r"\"([^']*\"\w[^']*\w\"[^']*)\""),
        'text that has " in it needs single quotes',
        lambda found: f"'{found[1]}'",
    ),
    ValueSlip(
        _compiled(r"\"([^\"]*)\"\s+\"([^\"]*)\""),
        "one text has one pair of quotes",
        lambda found: f'"{found[1]} {found[2]}"',
    ),
    ValueSlip(
        _compiled(r"\"([^'\"]*\\[^'\"]*)\""),
        "text with a backslash needs single quotes",
        lambda found: f"'{found[1]}'",
    ),
    ValueSlip(
        _compiled(rf"({_NUMBER})\s*([*/])\s*({_NUMBER})"), "TOML does no arithmetic; write the result", _computed
    ),
    LineSlip(
        _compiled(_KEY + r"=\s*(none|null|nil)\s*(?:#.*)?$"),
        lambda found: f"TOML has no {found[2]}; leave {found['key']} out",
    ),
    ValueSlip(
        _compiled(r"([+-]?\d+),(\d+)"), "decimals take a point, not a comma", lambda found: f"{found[1]}.{found[2]}"
    ),
    ValueSlip(_compiled(rf"{_NUMBER}(?:\s*[,;]\s*{_NUMBER})+"), "a list needs square brackets", _bracketed),
    ValueSlip(
        _compiled(rf"\[\s*{_NUMBER}(?:[\s;]+{_NUMBER})+\s*\]"),
        "commas belong between entries",
        _bracketed,
    ),
    ValueSlip(_compiled(r"\(.*\)"), "a list needs square brackets", _bracketed),
    ValueSlip(_compiled(rf"({_NUMBER})\s*(?:%|°|[a-z][a-z/²]*)"), "numbers have no unit", lambda found: found[1]),
    ValueSlip(_compiled(rf"[+-]*([+-])({_NUMBER})"), "one sign is enough", lambda found: f"{found[1]}{found[2]}"),
    ValueSlip(_compiled(r"([+-]?)\.(\d+)"), "a number begins with a digit", lambda found: f"{found[1]}0.{found[2]}"),
    ValueSlip(_compiled(r"([+-]?\d+)\."), "a digit must follow the point", lambda found: f"{found[1]}.0"),
    ValueSlip(
        _compiled(r"([+-]?)0+(\d+(?:\.\d+)?)"),
        "no zeros at the front of a number",
        lambda found: f"{found[1]}{found[2]}",
    ),
    ValueSlip(_compiled(r"(.+\S)\s*[,;]"), "nothing may follow the value", lambda found: found[1]),
    ValueSlip(
        _compiled(r"\"([^\"]*)|'([^']*)"),
        "the text is not closed",
        lambda found: f'"{found[1] if found[1] is not None else found[2]}"',
    ),
    ValueSlip(_compiled(r"([^\W\d][\w./ -]*)[\"']?"), "text needs quotes", lambda found: f'"{found[1].strip()}"'),
)
"""Every slip that is known, the first that fits first."""
