import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boidsgen.scenario.documents import line_of

NASTY = '''\
# [not] = "a table"
top = 1
"quoted # key" . 'other.key' = { a = 1, "b]" = [1, { c = "}" }] }
text = """
[flock]
count = 3 \\""" # still text
"""
raw = \'\'\'
x = [
\'\'\'
quotes = """"two at the end"""""
escaped = "a \\" # [b] = \\\\"
[ flock . "separation" ] # comment = 1
weight = 1.0
list = [ # comment ]
  1,
  [ 2,
    3 ], """
]""",
  { x = [
    4 ] },
]
[[obstacles]]
center = [1, 2]
when = 1979-05-27 07:32:00
[[obstacles]]
[obstacles.inner]
deep = true
[[obstacles.points]]
a = 1
[[obstacles.points]]
a.b.c = 2
[other]
last = inf
'''

PLACES = {
    ("top",): 2,
    ("quoted # key",): 3,
    ("quoted # key", "other.key", "b]"): 3,
    ("quoted # key", "other.key", "b]", 1, "c"): 3,
    ("text",): 4,
    ("raw",): 8,
    ("quotes",): 11,
    ("escaped",): 12,
    ("flock",): 13,
    ("flock", "separation"): 13,
    ("flock", "separation", "weight"): 14,
    ("flock", "separation", "missing"): 13,
    ("flock", "separation", "list"): 15,
    ("flock", "separation", "list", 0): 16,
    ("flock", "separation", "list", 1): 17,
    ("flock", "separation", "list", 1, 0): 17,
    ("flock", "separation", "list", 1, 1): 18,
    ("flock", "separation", "list", 2): 18,
    ("flock", "separation", "list", 3): 20,
    ("flock", "separation", "list", 3, "x", 0): 21,
    ("obstacles",): 23,
    ("obstacles", 0): 23,
    ("obstacles", 0, "center"): 24,
    ("obstacles", 0, "center", 1): 24,
    ("obstacles", 0, "when"): 25,
    ("obstacles", 1): 26,
    ("obstacles", 1, "inner", "deep"): 28,
    ("obstacles", 1, "points", 0, "a"): 30,
    ("obstacles", 1, "points", 1, "a", "b", "c"): 32,
    ("other", "last"): 34,
    ("nowhere", "at", "all"): 1,
    (): 1,
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_key_has_its_line(line_end):
    """Strings, comments, arrays over several lines and quoted keys do not mislead the index, on any system."""
    line = line_of(NASTY.replace("\n", line_end))

    assert {keys: line(keys) for keys in PLACES} == PLACES


VALUES = st.sampled_from(
    [
        "1",
        "-inf",
        '"# [a] = {"',
        "'\\'",
        '""',
        '"""\n[[a]]\nb = 1\n"""',
        "'''\n#\n'''",
        "[]",
        "[\n1, # ]\n\n2\n]",
        "[[1, 2], [\n3]]",
        '{ a = 1, "b c" = { d = [1, 2] } }',
        '[{ a = "x" },\n{ a = """\n""" }]',
        "1979-05-27T07:32:00Z",
    ]
)
NAMES = st.one_of(
    st.from_regex(r"[a-z0-9_-]{1,3}", fullmatch=True), st.sampled_from(['"a.b"', "'#'", '"="', '""', '"\\""'])
)
BLANKS = st.sampled_from(["", "\n", "# comment = [\n", "  \t\n\n"])


@st.composite
def documents(draw):
    """A document, and the line of every key that is written as a statement."""
    text, lines = "", {}
    for number, several in enumerate(draw(st.lists(st.booleans(), max_size=4))):
        for repeat in range(draw(st.integers(1, 3)) if several else 1):
            header, keys = (f"[[t{number}]]", (f"t{number}", repeat)) if several else (f"[t{number}]", (f"t{number}",))
            text += draw(BLANKS)
            lines[keys] = text.count("\n") + 1
            text += f"{header} # {{\n"
            for name in draw(
                st.lists(NAMES, unique_by=lambda name: tomllib.loads(f"{name}=1").popitem()[0], max_size=4)
            ):
                text += draw(BLANKS)
                key = next(iter(tomllib.loads(f"{name} = 1")))
                lines[(*keys, key)] = text.count("\n") + 1
                text += f"{name} = {draw(VALUES)}\n"
    return text, lines


@settings(deadline=None)
@given(documents())
def test_lines_of_any_document(document):
    """Whatever stands between them, each key has the line it was written in."""
    text, lines = document
    assert tomllib.loads(text) is not None
    line = line_of(text)

    assert {keys: line(keys) for keys in lines} == lines
