import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.scenario.documents import line_of

NASTY = '''\
# [not] = "a table"
top = 2
"quoted # key" . 'other.key' = { a = 3, "b]" = [3, { c = "}", d = 3 }] }
text = """
[flock]
count = 3 \\""" # still text
"""
raw = \'\'\'
x = [
\'\'\'
quotes = { a = """"two at the end""""", b = 11 }
escaped = ["a \\" # [b] = \\\\", 12]
[ flock . "separation" ] # comment = 1
weight = 14
list = [ # comment ]
  16,
  [ 17,
    18 ], """
]""",
  { x = [ 20 ] },

]
[[obstacles]]
center = [24, 24]
when = 1979-05-27 07:32:00
[[obstacles]]
[obstacles.inner]
deep = 28
[[obstacles.points]]
a = 30
[[obstacles.points]]
a.b.c = 32
[other]
last = 34
'''
"""Every number in it is that of its line."""


def numbers_in(node, keys=()):
    """The keys of every number, and the number."""
    if isinstance(node, int):
        yield keys, node
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from numbers_in(value, (*keys, key))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_key_has_its_line(line_end):
    """Strings, comments, arrays over several lines and quoted keys do not mislead the index, on any system."""
    line = line_of(NASTY.replace("\n", line_end))
    numbers = list(numbers_in(tomllib.loads(NASTY)))

    assert [(keys, line(keys)) for keys, _ in numbers] == numbers
    tables = {
        (): 1,
        ("flock",): 13,
        ("obstacles",): 23,
        ("obstacles", 1): 26,
        ("text",): 4,
        ("nowhere", "at", "all"): 1,
    }
    assert {keys: line(keys) for keys in tables} == tables
    assert line(("flock", "separation", "missing")) == 13


VALUES = st.sampled_from(
    [
        *("1", "-inf", '"# [a] = {"', "'\\'", '""', '"""\n[[a]]\nb = 1\n"""', "'''\n#\n'''", "1979-05-27T07:32:00Z"),
        *("[]", "[\n1, # ]\n\n2\n]", "[[1, 2], [\n3]]", '{ a = 1, "b c" = { d = [1, 2] } }'),
        '[{ a = "x" },\n{ a = """\n""" }]',
    ]
)
NAMES = st.from_regex(r"[a-z0-9_-]{1,3}", fullmatch=True) | st.sampled_from(['"a.b"', "'#'", '"="', '""', '"\\""'])
BLANKS = st.sampled_from(["", "\n", "# comment = [\n", "  \t\n\n"])


def _key(name):
    return next(iter(tomllib.loads(f"{name} = 1")))


@st.composite
def documents(draw):
    """A document, and the line of every key that is written as a statement."""
    text, lines = "", {}
    for number, repeats in enumerate(draw(st.lists(st.integers(0, 3), max_size=4))):
        for repeat in range(max(repeats, 1)):  # 0: a table, otherwise several of one name
            header, keys = (f"[[t{number}]]", (f"t{number}", repeat)) if repeats else (f"[t{number}]", (f"t{number}",))
            text += draw(BLANKS)
            lines[keys] = text.count("\n") + 1
            text += f"{header} # {{\n"
            for name in draw(st.lists(NAMES, unique_by=_key, max_size=4)):
                text += draw(BLANKS)
                lines[(*keys, _key(name))] = text.count("\n") + 1
                text += f"{name} = {draw(VALUES)}\n"
    return text, lines


@given(documents())
def test_lines_of_any_document(document):
    """Whatever stands between them, each key has the line it was written in."""
    text, lines = document
    line = line_of(text)

    assert {keys: line(keys) for keys in lines} == lines
