r"""TOML hints: what somebody probably meant by a line that is not TOML, and how TOML writes it.

`explained(text, line, column, reason)` is the error in words for people who do not know TOML. A hint looks at one line;
the first that fits is taken, so special ones stand above general ones. `pointed` shows the line with a caret below it.
"""

import re

MAX_WIDTH = 100  # Characters of a line that are shown
MAX_LENGTH = 200  # Characters of a line in which hints are looked for; nobody writes longer ones by hand

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
    "Invalid value": "this is no value: a number, text in quotes, true, false, a list or a table",
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
    (r"\s*\[\[?[\w.]+\]\]?\s*([\w.]+\s*=.*)", "every key has a line of its own; begin a new line with {1}"),
    (
        _KEY + r"=\s*(?:\"[^\"]*\"|'[^']*'|[\w.+-]+)\s*[;,]?\s+([\w.]+\s*=.*)",
        "every key has a line of its own; begin a new line with {2}",
    ),
    (r"\s*[-*]\s+([\w.]+\s*[=:].*)", "nothing stands before a key: {1}"),
    (_KEY + r"(?:==|:=|=>|->|<-)\s*(.+)", "a single = is right: {key} = {2}"),
    (_KEY + r":\s*([^\s#].*)", "= belongs between a key and its value: {key} = {2}"),
    (_KEY + r"=\s*(\{\s*[\w.]+)\s*:\s*(.*)", "= belongs between a key and its value: {key} = {2} = {3}"),
    (r"(.*?)\s*,\s*\}(.*)", "no comma is allowed before }}: {1} }}{2}"),
    (_KEY + r"=\s*\{[^}]*$", "a table in braces must stand on one line; or write [{key}], and its keys below"),
    (rf"\s*([\w.]+)\s+({_NUMBER})\s*$", "= belongs between a key and its value: {1} = {2}"),
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
    (r"\"([^\"]*)\"\s+\"([^\"]*)\"", "one text has one pair of quotes", '"{1} {2}"'),
    (r"\"([^'\"]*\\[^'\"]*)\"", "text with a backslash needs single quotes", "'{1}'"),
    (rf"({_NUMBER})\s*[*/]\s*({_NUMBER})", "TOML does no arithmetic; write the result of {0}", ""),
    (r"([+-]?\d+),(\d+)", "decimals take a point, not a comma", "{1}.{2}"),
    (rf"{_NUMBER}(?:\s*[,;]\s*{_NUMBER})+|\(.*\)", "a list needs square brackets", _LIST),
    (rf"\[\s*{_NUMBER}(?:[\s;]+{_NUMBER})+\s*\]", "commas belong between entries", _LIST),
    (rf"({_NUMBER})\s*(?:%|°|[a-z][a-z/²]*)", "numbers have no unit", "{1}"),
    (rf"[+-]+([+-]{_NUMBER})", "one sign is enough", "{1}"),
    (r"([+-]?)\.(\d+)", "a number begins with a digit", "{1}0.{2}"),
    (r"([+-]?\d+)\.", "a digit must follow the point", "{1}.0"),
    (r"([+-]?)0+(\d+(?:\.\d+)?)", "no zeros at the front of a number", "{1}{2}"),
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
        said = (len(here) <= MAX_LENGTH and _hint(here)) or plainer
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
            return f"[{name}] is here twice, first in line {numbers[0]}; {fix}"
        keys = [number for number, line in enumerate(before, 1) if re.match(rf"\s*{re.escape(name)}\s*[.=]", line)]
        above = f"in line {keys[0]}" if keys else "above"
        return f"{name} has keys {above} already; write them below [{name}], without {name} in front"
    heading = max((n for n, line in enumerate(before) if line.lstrip().startswith("[")), default=0)
    for number, line in enumerate(before[heading:], start=heading + 1):
        if (pair := _PAIR.match(here)) and re.match(rf"\s*{re.escape(pair['key'])}\s*=", line):
            return f"{pair['key']} is here twice, first in line {number}; keep one of the two lines"
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
