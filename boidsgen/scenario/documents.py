"""Documents: TOML from anywhere, read in time and memory that grow no faster than the text.

`parsed(text)` is `tomllib.loads`, but counts before it reads: a dotted key costs the standard parser the square of its
names. `document_of(text, label)` is the same with errors in words for people who do not know TOML, and hints at what
they probably meant; `line_of(text)(keys)` is the line of a key.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from boidsgen.errors import MAX_DEPTH, MAX_DIGITS, MAX_VALUES, TOO_DEEP, ScenarioError

Keys = tuple[str | int, ...]  # The way to a value: names of keys, numbers of entries in arrays

_OPAQUE = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z)'  # up to two quotes may stand before the closing three
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|(?P<comment>#[^\n]*+)"
    r"|(?P<number>(?<![\w.-])[+-]?\d[\d_]*+\.\d[\d_]*+(?:[eE][+-]?\d++)?+(?![\w.-]))",
    re.DOTALL,
)
"""Parts in which dots, commas and brackets mean nothing: texts, comments, and numbers with a point."""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")
_LONG_NUMBER = re.compile(rf"(?<![\w.-])[+-]?\d\w{{{MAX_DIGITS}}}")
_WEIGHTS = {",": 1, "=": 1, "[": 1, "{": 1, ".": 5, "\n[": 4}
"""Cost of each sign for the parser, in entries of a list: a name of a dotted key or a header is a table of its own."""
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class Problem(NamedTuple):
    """An error or a warning."""

    keys: Keys  # where, as the user wrote it
    wording: str  # what is wrong and what would be right


class ExcessError(ValueError):
    """A document is too large to be taken apart; the message says in what way."""


def parsed(text: str) -> dict[str, Any]:
    """Parse a document; ExcessError when it is too large or too deep, ValueError when it is not TOML."""
    refuse_oversized(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ExcessError(TOO_DEEP) from None


def refuse_oversized(text: str) -> None:
    """Raise ExcessError for a document that is too large or too deep, before it is parsed."""
    signs = _OPAQUE.sub(lambda one: "0" * len(one["number"] or "") or ("" if one["comment"] else "x"), text)
    if _LONG_KEY.search(signs):
        raise ExcessError(TOO_DEEP)
    if _LONG_NUMBER.search(signs):
        raise ExcessError(f"a number has more than {MAX_DIGITS:,} digits")
    values = sum(weight * signs.count(sign) for sign, weight in _WEIGHTS.items())
    if values > MAX_VALUES:
        raise ExcessError(f"about {values:,} keys and entries, and a document may have {MAX_VALUES:,}")


def document_of(text: str, label: str, *, quoted: bool = True) -> dict[str, Any]:
    """Parse a document that messages call by the label, and quote; ScenarioError if it is not TOML, or too large."""
    try:
        return parsed(text)
    except ExcessError as error:
        raise ScenarioError([f"{label}: {error}"]) from None
    except ValueError as error:  # tomllib's own, or Python's about a number of thousands of digits
        reason = str(error)
        position = _POSITION.search(reason)
        if position is None:
            raise ScenarioError([f"{label}: not TOML: {explained('', 1, 1, reason)}"]) from None
        end = text.count("\n") + 1, len(text.rpartition("\n")[2]) + 1  # which tomllib does not count
        line, column = (int(position[1]), int(position[2])) if position[1] else end
        if not quoted:
            raise ScenarioError([f"{label}:{line}:{column}: not TOML"]) from None
        said = f"{label}:{line}:{column}: not TOML: {explained(text, line, column, reason[: position.start()])}"
        raise ScenarioError(["\n".join([said, *pointed(text, line, column)])]) from None


_SIGN = re.compile(r"[\[{\]},\n]\s*")


@lru_cache(maxsize=4)  # every error in a document asks
def line_of(text: str) -> Callable[[Keys], int]:
    """A function that gives the line of a key of this document, or of the nearest one around it, counted from 1."""
    lines: dict[Keys, int] = {}
    numbers: dict[Keys, int] = {}  # of the last table in each array of tables
    table: Keys = ()
    for line, statement, entries in _statements(text):
        node: object = tomllib.loads(statement)
        is_header = statement.startswith("[")
        keys: Keys = () if is_header else table
        while isinstance(node, dict) and node:
            name, node = next(iter(node.items()))
            keys = (*keys, name)
            lines.setdefault(keys, line)
            if statement.startswith("[[") and isinstance(node, list):
                numbers[keys] = numbers.get(keys, -1) + 1
            keys = (*keys, numbers[keys]) if keys in numbers else keys
        if is_header:
            lines[keys], table = line, keys
        lines |= {(*keys, *entry): at for entry, at in entries.items()}

    def nearest(keys: Keys) -> int:
        while keys and keys not in lines:
            keys = keys[:-1]
        return lines.get(keys, 1)

    return nearest


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[Keys, int]]]:
    """The headers and pairs of a document: the line, the text, and the line of each entry of a list in it."""
    text = f"\n{text}\n"
    masked = _OPAQUE.sub(lambda one: (" " if one["comment"] else "x") * len(one[0]), text)
    begin, first, line, counted = 0, 0, 0, 0
    opened: list[tuple[int, ...] | None] = []  # for each open bracket the entry of the list, or None within braces
    entries: dict[Keys, int] = {}
    for sign in _SIGN.finditer(masked):
        line += text.count("\n", counted, sign.end())
        counted = sign.end()
        around = opened[-1] if opened else ()
        match sign[0][0]:
            case "[" | "{" as bracket:
                opened.append((*around, 0) if bracket == "[" and around is not None else None)
            case "]" | "}":
                opened.pop()
            case "," if around:
                opened[-1] = (*around[:-1], around[-1] + 1)
        if opened and (entry := opened[-1]):
            entries.setdefault(entry, line)
        elif not opened and "\n" in sign[0]:
            if statement := text[begin : sign.end()].strip():
                yield first, statement, entries
            begin, first, entries = sign.end(), line, {}


def value_in(node: object, key: str | int) -> object:
    """The value under a key of the document; None where there is none."""
    if isinstance(node, Mapping):
        return node.get(key)
    if isinstance(node, list | tuple) and isinstance(key, int) and key < len(node):
        return node[key]
    return None


def present(keys: Keys, document: object) -> bool:
    """True if the document has these keys."""
    return all((document := value_in(document, key)) is not None for key in keys)


def as_written(keys: Keys, document: object) -> Keys:
    """The keys without those that pydantic puts where the user wrote less.

    These are the number of a table where there is only one, and the key of a list that stands for its table.
    """
    kept: list[str | int] = []
    for key in keys:
        if not isinstance(document, Mapping if isinstance(key, int) else list | tuple):
            kept.append(key)
            document = value_in(document, key)
    return tuple(kept)


def without(node: object, keys: Keys) -> object:
    """A document without the innermost named key of a path."""
    first, rest = keys[0], keys[1:]
    if isinstance(node, Mapping) and first in node:
        others = {key: value for key, value in node.items() if key != first}
        deeper = any(isinstance(key, str) for key in rest)
        return {**others, first: without(node[first], rest)} if deeper else others
    if isinstance(node, list | tuple) and rest and isinstance(first, int) and first < len(node):
        return (*node[:first], without(node[first], rest), *node[first + 1 :])
    return node


# Hints: what somebody probably meant by a line that is not TOML, and how TOML writes it. A hint looks at one line; the
# first that fits is taken, so special ones stand above general ones.

MAX_WIDTH = 100  # Characters of a line that are shown
MAX_HINT_LINE = 200  # Characters of a line in which hints are looked for; nobody writes longer ones by hand

_KEY = r"\s*(?P<key>[\w.-]+|\"[^\"]*\")\s*"
_PAIR = re.compile(_KEY + r"=\s*(?P<value>[^\s#].*?)\s*(?:#.*)?$")
_QUOTED_OR_COMMENT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*")
_NUMBER = r"[+-]?\d[\d_]*(?:\.\d+)?"
_CURLY = "“”„‟‘’‚‛«»"  # noqa: RUF001  the signs in question

_REASONS = {
    "Illegal character '\\n'": "the text is not closed: a quote is missing at the end of the line",
    "Invalid statement": "a line is a key with its value (count = 50), a table ([flock]) or a comment (# …)",
    "Expected newline": "only a comment may follow a value",
    "Unclosed array": "the list is not closed: ] is missing",
    "Unclosed inline table": "the table is not closed: } is missing",
    "Invalid value": "not a value; use a number, text in quotes, true, false, a list or a table",
}
"""Plainer words for some of the parser's reasons, by how they begin."""

_LINES = (
    (r"\s*(//|;|--|%|/\*)", "comments begin with #, not with {1}"),
    (r"\s*\[\[?[^\]\"']*$", "a ] is missing: {0}]"),
    (_KEY + r"(?:=\s*(?:#\s*)?)?$", "the value of {key} is missing: {key} = …"),
    (_KEY + r"=\s*(#[0-9a-f]{3,8})\b", '# begins a comment; a color needs quotes: {key} = "{2}"'),
    (
        r"\s*\[(\[)?([^\[\]]+)(?(1)\]|\]\])\s*$",
        "the brackets do not match; write [{2}], or [[{2}]] where there are several",
    ),
    (
        r"\s*\{",
        'a scenario is TOML, not JSON; {{"flock": {{"count": 3}}}} is two lines there, [flock] and count = 3',
    ),
    (r"\s*\[\[?[\w.]+\]\]?\s*([\w.]+\s*=.*)", "each key needs its own line; begin a new line with {1}"),
    (
        _KEY + r"=\s*(?:\"[^\"]*\"|'[^']*'|[\w.+-]+)\s*[;,]?\s+([\w.]+\s*=.*)",
        "each key needs its own line; begin a new line with {2}",
    ),
    (r"\s*[-*]\s+([\w.]+\s*[=:].*)", "a key must come first: {1}"),
    (_KEY + r"(?:==|:=|=>|->|<-)\s*(.+)", "use a single =: {key} = {2}"),
    (_KEY + r":\s*([^\s#].*)", "write = between a key and its value: {key} = {2}"),
    (_KEY + r"=\s*(\{\s*[\w.]+)\s*:\s*(.*)", "write = between a key and its value: {key} = {2} = {3}"),
    (
        r".*\{(?:[^{\[\"']*,)?\s*[\w.]+\s*=\s*([+-]?\d+),(\d+)\s*[,}].*",
        "use a decimal point, not a comma: {1}.{2}",
    ),
    (r"(.*?)\s*,\s*\}(.*)", "no comma is allowed before }}: {1} }}{2}"),
    (_KEY + r"=\s*\{[^}]*$", "a table in braces must be on one line; or write [{key}], and its keys below"),
    (rf"\s*([\w.]+)\s+({_NUMBER})\s*$", "write = between a key and its value: {1} = {2}"),
    (_KEY + r":\s*$", "a table is written in brackets: [{key}]"),
    (r"\s*(\w+)\s+(\w+)\s*=(.*)", "a key has no spaces: {1}_{2} ={3}"),
    (r"\s*<\s*(\w+)\s*/?>\s*$", "a table is written in square brackets: [{1}]"),
    (_KEY + r"=\s*(none|null|nil)\s*(?:#.*)?$", "TOML has no {2}; leave {key} out"),
)
"""Patterns of lines, and what to say; {0} is the line, {1} the first group."""

_LIST = "[…]"
_VALUES = (
    (rf"[{_CURLY}\"']*(.*?)[{_CURLY}]+[\"']?", "curly quotes do not work in TOML; use straight ones", '"{1}"'),
    ("(?-i:True|TRUE)|yes|on", "TOML has true, not {0}", "true"),
    ("(?-i:False|FALSE)|no|off", "TOML has false, not {0}", "false"),
    (r"rgb\s*\(.*\)", "a color is text, # and six hexadecimal digits", '"#rrggbb"'),
    (r"'([^'\"]*\w'\w[^\"]*)'", "text with ' in it needs double quotes", '"{1}"'),
    (r"\"([^']*\"\w[^']*\w\"[^']*)\"", 'text with " in it needs single quotes', "'{1}'"),
    (r"\"([^\"]*)\"\s+\"([^\"]*)\"", "use a single pair of quotes", '"{1} {2}"'),
    (r"\"([^'\"]*\\[^'\"]*)\"", "text with a backslash needs single quotes", "'{1}'"),
    (rf"({_NUMBER})\s*[*/]\s*({_NUMBER})", "TOML does no arithmetic; write the result of {0}", ""),
    (r"([+-]?\d+),(\d+)", "use a decimal point, not a comma", "{1}.{2}"),
    (rf"{_NUMBER}(?:\s*[,;]\s*{_NUMBER})+|\(.*\)", "a list needs square brackets", _LIST),
    (rf"\[\s*{_NUMBER}(?:[\s;]+{_NUMBER})+\s*\]", "separate entries with commas", _LIST),
    (rf"({_NUMBER})\s*(?:%|°|[a-z][a-z/²]*)", "numbers have no unit", "{1}"),
    (rf"[+-]+([+-]{_NUMBER})", "use a single sign", "{1}"),
    (r"([+-]?)\.(\d+)", "a number begins with a digit", "{1}0.{2}"),
    (r"([+-]?\d+)\.", "a digit must follow the point", "{1}.0"),
    (r"([+-]?)0+(\d+(?:\.\d+)?)", "a number cannot begin with zeros", "{1}{2}"),
    (r"(.+\S)\s*[,;]", "nothing may follow the value", "{1}"),
    (r"[\"']([^\"']*)", "the text is not closed", '"{1}"'),
    (r"([^\W\d][\w./ -]*?)\s*[\"']?", "text needs quotes", '"{1}"'),
)
"""Patterns of values, what is wrong with them, and the right value, if that is clear."""


def explained(text: str, line: int, column: int, reason: str) -> str:
    """The error at a place of a document that is not TOML, and a fix; line and column count from 1."""
    lines = text.split("\n")
    here = lines[line - 1].rstrip("\r")
    bracket, opened = _open_bracket([*lines[: line - 1], here[: column - 1]])
    is_end = not "".join([here[column - 1 :], *lines[line:]]).strip()
    plainer = next((plain for begin, plain in _REASONS.items() if reason.startswith(begin)), "")
    plainer = plainer or reason[:1].lower() + reason[1:]
    if reason.startswith("Cannot ") and (twice := _twice(lines[: line - 1], here)):
        said = twice
    elif opened and (is_end or opened != line):
        said = plainer
        if bracket == "{":
            said = f"the table in braces that begins in line {opened} must end on that line: }} is missing"
        elif is_end or reason.startswith("Unclosed"):
            said = f"the list that begins in line {opened} is not closed: ] is missing"
    else:
        said = (len(here) <= MAX_HINT_LINE and _hint(here)) or plainer
    return _visible(said)


def pointed(text: str, line: int, column: int) -> tuple[str, ...]:
    """The line, and a caret below the column; of a long line the part around the column. Nothing for an empty line."""
    here = text.split("\n")[line - 1].rstrip("\r")
    begin = max(0, column - 1 - MAX_WIDTH // 2)
    gutter = " " * len(str(line))
    shown = f"  {line} | {_visible(here[begin : begin + MAX_WIDTH])}".rstrip()
    return (shown, f"  {gutter} | {' ' * (column - 1 - begin)}^") if here.strip() else ()


def _visible(piece: str) -> str:
    """A piece of a document with a blank for each character that would be invisible, or begin a line."""
    return "".join(letter if letter.isprintable() else " " for letter in piece)


def _open_bracket(lines: list[str]) -> tuple[str, int]:
    """The last bracket that is open at the end of these lines, and its line; 0 for none."""
    opened = [("", 0)]
    for number, line in enumerate(lines, start=1):
        if len(opened) > 1 or not line.lstrip().startswith("["):  # which would be the name of a table
            for bracket in re.findall(r"[\[{\]}]", _QUOTED_OR_COMMENT.sub("", line)):
                opened = [*opened, (bracket, number)] if bracket in "[{" else opened[:-1] or [("", 0)]
    return opened[-1]


def _twice(before: list[str], here: str) -> str:
    """The error about a table or a key that exists already; empty where the first one is not found."""
    if header := re.match(r"\s*\[{1,2}\s*([\w. -]+?)\s*\]", here):
        name, first = header[1], rf"\s*\[{{1,2}}\s*{re.escape(header[1])}\s*\]"
        fix = f"put all keys below one of them, or write [[{name}]] in both lines for two"
        numbers = [number for number, line in enumerate(before, start=1) if re.match(first, line)]
        if numbers:
            return f"[{name}] is defined twice, first in line {numbers[0]}; {fix}"
        keys = [number for number, line in enumerate(before, 1) if re.match(rf"\s*{re.escape(name)}\s*[.=]", line)]
        above = f"in line {keys[0]}" if keys else "above"
        return f"{name} has keys {above} already; write them below [{name}], without {name} in front"
    heading = max((n for n, line in enumerate(before) if line.lstrip().startswith("[")), default=0)
    for number, line in enumerate(before[heading:], start=heading + 1):
        if (pair := _PAIR.match(here)) and re.match(rf"\s*{re.escape(pair['key'])}\s*=", line):
            return f"{pair['key']} is defined twice, first in line {number}; keep one of the two lines"
    return ""


def _hint(line: str) -> str:
    for pattern, said in _LINES:
        if found := re.match(pattern, line, re.IGNORECASE):
            return said.format(line.strip(), *found.groups(), **found.groupdict())
    pair = _PAIR.match(line)
    for pattern, wrong, right in _VALUES if pair else ():
        if pair and (found := re.fullmatch(pattern, pair["value"], re.IGNORECASE)):
            entries = ", ".join(re.findall(r"[^\s,;()\[\]]+", pair["value"])) if right == _LIST else ""
            fixed = f"[{entries}]" if right == _LIST else right.format(found[0], *found.groups())
            return wrong.format(found[0]) + (f": {pair['key']} = {fixed}" if fixed else "")
    return ""
