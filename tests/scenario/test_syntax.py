"""What people write instead of TOML, and what they are told: what it is, and what would be right."""

import re

import pytest

from boidsgen.errors import ScenarioError
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import Source

SLIPS = [
    ("theme = ocean", '1:9: not TOML: text needs quotes: theme = "ocean"'),
    ("legend = True", "1:10: not TOML: TOML says true, not True: legend = true"),
    ("legend = yes  # shown", "1:10: not TOML: TOML says true, not yes: legend = true"),
    ("legend = Off", "1:10: not TOML: TOML says false, not Off: legend = false"),
    ("title = None", "1:9: not TOML: TOML has no None; leave title out"),
    ("weight = 0,5", "1:11: not TOML: decimals take a point, not a comma: weight = 0.5"),
    ("radius = 50px", "1:12: not TOML: numbers have no unit: radius = 50"),
    ("radius = 50 %", "1:13: not TOML: numbers have no unit: radius = 50"),
    ("max_turn = 30°", "1:14: not TOML: numbers have no unit: max_turn = 30"),
    ("size = (400, 300)", "1:8: not TOML: a list needs square brackets: size = [400, 300]"),
    ("size = 400, 300", "1:11: not TOML: a list needs square brackets: size = [400, 300]"),
    ("size = [400 300]", "1:13: not TOML: commas belong between entries: size = [400, 300]"),
    ("size = [400, 300\n[flock]", "1:17: not TOML: a ] is missing: size = [400, 300]"),
    ("title = “Flock”", '1:9: not TOML: curly quotes do not work in TOML; use straight ones: title = "Flock"'),
    ('title = "Flock', '1:15: not TOML: the text is not closed: title = "Flock"'),
    ('title = "Flock\nseed = 3', '1:15: not TOML: the text is not closed: title = "Flock"'),
    ("title = 'Flock", '1:15: not TOML: the text is not closed: title = "Flock"'),
    ('title = Flock"', '1:9: not TOML: text needs quotes: title = "Flock"'),
    (
        "[flock]\ncount = 3\n[flock]",
        (
            "3:7: not TOML: [flock] is here twice, first in line 1; put all keys "
            "below one of them, or write [[flock]] in both lines for two"
        ),
    ),
    (
        "[flock]\ncount = 3\n[[flock]]",
        ("3:8: not TOML: [flock] and [[flock]], in lines 1 and 3, do not go together; write [[flock]] in both"),
    ),
    ("[flock\ncount = 3", "1:7: not TOML: a ] is missing: [flock]"),
    ("count: 50", "1:6: not TOML: = belongs between a key and its value: count = 50"),
    ("count 50", "1:7: not TOML: = belongs between a key and its value: count = 50"),
    ("cohesion = { weight: 3 }", "1:20: not TOML: = belongs between a key and its value: cohesion = { weight = 3 }"),
    ("flock:\n  count = 50", "1:6: not TOML: a table is written in brackets: [flock]"),
    ("<flock>", "1:1: not TOML: a table is written in square brackets: [flock]"),
    ("// hello", "1:1: not TOML: comments begin with #, not with //"),
    ("; hello", "1:1: not TOML: comments begin with #, not with ;"),
    ("count =", "1:8: not TOML: the value of count is missing: count = …"),
    ("background = #ff0000", '1:14: not TOML: # begins a comment; a color needs quotes: background = "#ff0000"'),
    ("count == 3", "1:8: not TOML: a single = is right: count = 3"),
    ("max speed = 4", "1:5: not TOML: a key has no spaces: max_speed = 4"),
    ("weight = .5", "1:10: not TOML: a number begins with a digit: weight = 0.5"),
    ("weight = 5.", "1:11: not TOML: a digit must follow the point: weight = 5.0"),
    ("seed = 007", "1:9: not TOML: no zeros at the front of a number: seed = 7"),
    ("count = 50,", "1:11: not TOML: nothing may follow the value: count = 50"),
    ("x = { a = 1, }", "1:14: not TOML: no comma is allowed before }: x = { a = 1 }"),
    ('title = "C:\\data"', "1:14: not TOML: text with a backslash needs single quotes: title = 'C:\\data'"),
    ("count = 50\ncount = 60", "2:11: not TOML: count is here twice, first in line 1; keep one of the two lines"),
    ("count", "1:6: not TOML: the value of count is missing: count = …"),
    ("x = [1, 2", "1:10: not TOML: a ] is missing: x = [1, 2]"),
    (
        "[flock]]\ncount = 3",
        ("1:8: not TOML: the brackets do not match; write [flock], or [[flock]] where there are several"),
    ),
    (
        "[[flock]\ncount = 3",
        ("1:8: not TOML: the brackets do not match; write [flock], or [[flock]] where there are several"),
    ),
    ("flock.count = 3\n[flock]", "2:7: not TOML: line 1 belongs below [flock], as count = 3"),
    (
        '{"flock": {"count": 3}}',
        (
            '1:1: not TOML: a scenario is TOML, not JSON; {"flock": {"count": 3}} '
            "is two lines there, [flock] and count = 3"
        ),
    ),
    (
        "cohesion = { weight = 2,\n  radius = 3 }",
        ("1:25: not TOML: a table in braces must stand in one line: cohesion = { weight = 2, radius = 3 }"),
    ),
    ('title = "a"; seed = 3', "1:12: not TOML: every key has a line of its own; begin a new line with seed = 3"),
    ("seed = 3 count = 4", "1:10: not TOML: every key has a line of its own; begin a new line with count = 4"),
    ("[flock] count = 3", "1:9: not TOML: every key has a line of its own; begin a new line with count = 3"),
    ("- count = 3", "1:3: not TOML: nothing stands before a key: count = 3"),
    ("weight -> 3", "1:8: not TOML: a single = is right: weight = 3"),
    ("title = 'It's a flock'", "1:13: not TOML: text that has ' in it needs double quotes: title = \"It's a flock\""),
    (
        'title = "The "wild" ones"',
        ('1:15: not TOML: text that has " in it needs single quotes: title = \'The "wild" ones\''),
    ),
    ("radius = 1/2", "1:11: not TOML: TOML does no arithmetic; write the result: radius = 0.5"),
    ("radius = 2 * 25", "1:12: not TOML: TOML does no arithmetic; write the result: radius = 50"),
    ("background = rgb(255, 0, 16)", '1:14: not TOML: a color is text, # and six digits: background = "#ff0010"'),
    ("weight = --3", "1:10: not TOML: one sign is enough: weight = -3"),
    ('title = "a" "b"', '1:13: not TOML: one text has one pair of quotes: title = "a b"'),
    (
        "points = [\n[1, 2],\n[3, 4]\n[flock]",
        ("4:1: not TOML: the list or table that begins in line 1 is not closed; write ] before this line"),
    ),
    (
        "[flock]\ncount = 2\n[world]\ncount = 3\ncount = 4",
        ("5:10: not TOML: count is here twice, first in line 4; keep one of the two lines"),
    ),
    (
        "flock = [{count = 3}, {count = 4}\n[world]",
        ("1:34: not TOML: a ] is missing: flock = [{count = 3}, {count = 4}]"),
    ),
    (
        "flock = { count = 3 }\n[flock]\nseed = 1",
        ("2:7: not TOML: [flock] is in line 1 already; delete that line, and write its keys below [flock]"),
    ),
    (
        "[[flock]]\ncount = 1\n[flock]",
        ("3:7: not TOML: [flock] and [[flock]], in lines 1 and 3, do not go together; write [[flock]] in both"),
    ),
    ("size = [400, 300 # wide\ntheme = ocean", "1:24: not TOML: a ] is missing: size = [400, 300]"),
    (
        "x = [1,\n  ocean]",
        "2:3: not TOML: this is no value: a number, text in quotes, true, false, a list or a table",
    ),
]
"""Documents, and the first line of what is said of each."""


def complaint(text):
    """What is said of a document, line by line."""
    with pytest.raises(ScenarioError) as raised:
        draft(Source("my.toml", "my", text))
    return str(raised.value).splitlines()


@pytest.mark.parametrize(("text", "said"), SLIPS, ids=[said for _, said in SLIPS])
def test_slips_are_understood(text, said):
    """A slip is told as what it is, with what would be right, at its line and column."""
    assert complaint(text)[0] == f"my.toml:{said}"


@pytest.mark.parametrize("text", [text for text, _ in SLIPS])
def test_the_caret_points_at_the_column(text):
    """Below the message stands the line, and under its column a caret."""
    first, *shown = complaint(text)
    line, column = map(int, re.match(r"my\.toml:(\d+):(\d+)", first).groups())
    written = text.split("\n")[line - 1]

    assert shown == [f"  {line} | {written}", f"    | {' ' * (column - 1)}^"]


@pytest.mark.parametrize("letter", ["\r", "\x85", "\u2028"])
def test_letters_that_begin_a_line(letter):
    """A blank stands in the place of each: the message is one line, the line below it another."""
    first, shown, _ = complaint(f"[{letter}0")

    assert (first, shown) == ("my.toml:1:2: not TOML: a ] is missing: [ 0]", "  1 | [ 0")


def test_long_lines_are_cut_round_the_place():
    """Of a line of a million letters a hundred are shown, with the place among them, at once."""
    first, shown, caret = complaint(f"title = {'x' * 1_000_000}")

    assert first == "my.toml:1:9: not TOML: this is no value: a number, text in quotes, true, false, a list or a table"
    assert shown[6:] == f"title = {'x' * 92}"
    assert caret[6:] == " " * 8 + "^"


def test_letters_that_would_move_the_cursor_are_not_shown():
    """A control character in a line is a space where the line is shown."""
    _, shown, _ = complaint("theme = oc\x1b[31mean")

    assert shown == "  1 | theme = oc [31mean"
