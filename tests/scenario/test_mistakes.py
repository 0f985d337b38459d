from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boidsgen.errors import BoidsgenError, ScenarioError, StorageError
from boidsgen.scenario.loading import MAX_DEPTH, MAX_SHOWN, draft, load_scenario
from boidsgen.scenario.overrides import from_text
from boidsgen.scenario.sources import MAX_BYTES, Source
from boidsgen.scenario.wording import dotted, one_of, written
from boidsgen.simulation import boundaries
from boidsgen.simulation.measures import MEASURES

MEASURED = one_of(written(name) for name in MEASURES)
MEANT = "(did you mean 'polarization'?)"
BOUNDARIES = one_of(written(kind) for kind in boundaries.BOUNDARIES)

MISTAKES = [
    (
        "[flock]\ncount = 3\n[overlay]\nfocus = 3\nneighbors = true",
        "4: overlay.focus: must be below 3, the number of boids in the first flock",
    ),
    ('[style]\ncolor_by = "depth"', "2: style.color_by: depth needs three dimensions, and world.size has 2 entries"),
    ('[flock.species]\nhunt = ["cats"]', "2: flock.species.hunt.0: there is no flock of this name"),
    ('[flock.species]\nhunt = ["boids"]', "2: flock.species.hunt.0: is the flock itself; name another one"),
    (
        '[[flock]]\nname = "mice"\nfollow_leader = { flock = "cat" }\n[[flock]]\nname = "cats"',
        "3: flock.0.follow_leader.flock: there is no flock of this name (did you mean 'cats'?)",
    ),
    (
        '[[events]]\nat = 1\nset = { "flock.max_speed" = -2 }',
        '3: events.set."flock.max_speed": must be above 0, not -2',
    ),
    (
        '[[events]]\nat = 1\nset = { "flock.steering" = "diretc" }',
        '3: events.set."flock.steering": must be "reynolds" or "direct", not "diretc" (did you mean \'direct\'?)',
    ),
    (
        '[[events]]\nat = 1\nset = { "flock.count" = 3 }',
        '3: events.set."flock.count": count is used at the start only; an event cannot change it',
    ),
    ("seed = -1", "1: seed: must be at least 0, not -1"),
    ("seed = 9223372036854775808", "1: seed: must be below 9223372036854775808, not 9223372036854775808"),
    ("seed = 1.0", "1: seed: must be a whole number, not 1.0"),
    ("seed = true", "1: seed: must be a whole number, not true"),
    ("\ntitle = 3", "2: title: must be text in quotes, not 3"),
    ("title = 2026-01-02", "1: title: must be text in quotes, not the date or time 2026-01-02"),
    ("titel = 3", "1: titel: unknown key (did you mean 'title'?)"),
    ("[style]\nTheme = 'x'", "2: style.Theme: unknown key (did you mean 'theme'?)"),
    ("[time]\nqqq = 3", "2: time.qqq: unknown key (known here: frames, steps_per_frame, dt, warmup)"),
    ('"a b\\n" = 3\n[time]\nframes = 0', "3: time.frames: must be at least 1, not 0"),
    ('[time]\n"a\\nb" = 3', '2: time."a\\nb": unknown key (known here: frames, steps_per_frame, dt, warmup)'),
    ("world = 3", "1: world: must be a table, not 3"),
    ("[world]\nsize = [400]", "2: world.size: must have at least 2 entries, not 1"),
    ("[world]\nsize = []", "2: world.size: must have at least 2 entries, not 0"),
    ("[world]\nsize = [1, 2, 3, 4]", "2: world.size: must have at most 3 entries, not 4"),
    ("[world]\nsize = 400", "2: world.size: must be a list of 2 to 3 numbers, not 400"),
    ("[world]\nsize = [\n  400,\n  0]", "4: world.size.1: must be above 0, not 0"),
    ("[world]\nsize = [400, nan]", "2: world.size.1: must be a finite number, not nan"),
    ("[time]\ndt = inf", "2: time.dt: must be a finite number, not inf"),
    ("[time]\ndt = 1e400", "2: time.dt: must be a finite number, not inf"),
    ("[time]\ndt = -0.0", "2: time.dt: must be above 0, not -0.0"),
    ("[time]\ndt = '1'", '2: time.dt: must be a number, not "1"'),
    ("[world]\nboundary = 'tors'", f"2: world.boundary: must be {BOUNDARIES}, not \"tors\" (did you mean 'torus'?)"),
    ("[world.boundary]\nkind = 'x'", f'2: world.boundary.kind: must be {BOUNDARIES}, not "x"'),
    ("[world.boundary]\nmargin = 3", f"1: world.boundary: must be given a kind: {BOUNDARIES}"),
    ("[world.boundary]\nkind = 'soft'\nmargin = 0", "3: world.boundary.margin: must be above 0, not 0"),
    ("[world]\nboundary = 3", f"2: world.boundary: must be a table with kind = {BOUNDARIES}, not 3"),
    ("[flock]\ncount = 'many'", '2: flock.count: must be a whole number, not "many"'),
    ("[flock]\naligment = {}", "2: flock.aligment: unknown key (did you mean 'alignment'?)"),
    ("[flock]\nseparation = 3", "2: flock.separation: must be a table, not 3"),
    ("[[flock]]\ncount = -1", "2: flock.count: must be at least 0, not -1"),
    ("[[flock]]\n[[flock]]\ncount = -1", "3: flock.1.count: must be at least 0, not -1"),
    ("flock = 3", "1: flock: must be a table, or several, not 3"),
    ("[flock.perception]\nfield_of_view = 361", "2: flock.perception.field_of_view: must be at most 360, not 361"),
    (
        "[flock]\nintegrator = 'semi'",
        '2: flock.integrator: must be "semi_implicit" or "explicit", not "semi"',
    ),
    ("[flock]\nmax_speed = 1\nmin_speed = 2", "3: flock.min_speed: must be at most max_speed, 1, not 2"),
    ('[overlay]\nhud = ["polarisation"]', f'2: overlay.hud.0: must be {MEASURED}, not "polarisation" {MEANT}'),
    ("flock = []", "1: flock: must have at least 1 entry, not 0"),
    ("[[obstacles]]\nkind = 'circle'\nradius = 3", "1: obstacles.center: must be given: a list of 2 to 3 numbers"),
    (
        "[world]\nsize = [9, 9, 9]\n[[obstacles]]\nkind = 'circle'\ncenter = [1, 2]\nradius = 3",
        "5: obstacles.center: must have 3 entries, as many as world.size, not 2",
    ),
    ("[flock.home]\npoint = [1, 2, 3]", "2: flock.home.point: must have 2 entries, as many as world.size, not 3"),
    (
        "[world]\nsize = [9, 9, 9]\n[[obstacles]]\nkind = 'polygon'\npoints = [[1, 2, 3], [2, 3, 4], [3, 4, 6]]",
        "3: obstacles: makes sense in 2D only, and world.size has 3 entries",
    ),
    ("schema_version = 2", "1: schema_version: must be 1, not 2"),
    ("[output]\nsize = [64, 3.5]", "2: output.size.1: must be a whole number, not 3.5"),
    ("[output]\nsize = [64, 64, 3]", "2: output.size: must have at most 2 entries, not 3"),
    ("[output]\nformat = 'MP4'", '2: output.format: must be "gif", "mp4" or "png", not "MP4" (did you mean \'mp4\'?)'),
    ("[limits]\nboids = 1e5", "2: limits.boids: must be a whole number, not 100000.0"),
    ("a = 1\na = 2", "2:6: not TOML: this key stands here for the second time"),
    ("[a]\n[a]", "2:3: not TOML: this table stands here for the second time: cannot declare ('a',) twice"),
    ("a = ", "1:5: not TOML: invalid value"),
    ('a = "x', "1:7: not TOML: unterminated string"),
    ("a = [\n", "2:1: not TOML: invalid value"),
    ("a = 1\n=", "2:1: not TOML: invalid statement"),
]


@pytest.mark.parametrize(("text", "line"), MISTAKES, ids=[text.splitlines()[-1] for text, _ in MISTAKES])
def test_wording(text, line):
    """A mistake names file, line and key, then what is wrong and what would be right."""
    with pytest.raises(ScenarioError) as caught:
        draft(Source("bad.toml", "bad", text)).scenario()

    assert f"bad.toml:{line}" in caught.value.mistakes


OVERRIDES = [
    ("", ["flock.count=-1"], "--set flock.count=-1: must be at least 0, not -1"),
    ("", ["flock.0.count=-1"], "--set flock.0.count=-1: must be at least 0, not -1"),
    ("", ["flock={aligment=1}"], "--set flock={aligment=1}: flock.aligment: unknown key (did you mean 'alignment'?)"),
    (
        "",
        ["flock.aligment.weight=1"],
        "--set flock.aligment.weight=1: flock.aligment: unknown key (did you mean 'alignment'?)",
    ),
    (
        "[flock]\naligment = {}",
        ["flock.aligment.weight=1"],
        "bad.toml:2: flock.aligment: unknown key (did you mean 'alignment'?)",
    ),
    ("seed = -1", ["flock.count=1"], "bad.toml:1: seed: must be at least 0, not -1"),
    ("seed = -1", ["seed=-2", "seed=-3"], "--set seed=-3: must be at least 0, not -3"),
    (
        "[[flock]]\n[[flock]]",
        ["flock.count=3"],
        "--set flock.count=3: there are 2 here: put a number from 0 to 1 before count",
    ),
    ("", ["flock..x=3"], "--set flock..x=3: not a dotted key such as flock.count"),
    (
        "",
        ["flock.home.point=[1,2,3]"],
        "--set flock.home.point=[1,2,3]: must have 2 entries, as many as world.size, not 3",
    ),
]


@pytest.mark.parametrize(("text", "settings_", "line"), OVERRIDES)
def test_mistake_in_an_override_names_the_option(text, settings_, line):
    """Who made the mistake, the file or the option, is told apart."""
    overrides = [from_text(setting) for setting in settings_]
    with pytest.raises(ScenarioError) as caught:
        draft(Source("bad.toml", "bad", text), overrides).scenario()

    assert caught.value.mistakes == (line,)


def test_mistake_in_an_override_from_python(tmp_path):
    """From Python the override is named by its key."""
    (tmp_path / "a.toml").touch()
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "a.toml", overrides={"flock.count": -1})

    assert caught.value.mistakes == ("overrides: flock.count: must be at least 0, not -1",)


def test_all_mistakes_at_once_from_top_to_bottom():
    """Every mistake in a file is told, in the order of its lines, and those of overrides after them."""
    text = (
        "[output]\nfps = 0\n[flock]\ncount = -1\naligment = {}\n[world]\nsize = [1, 2, 3]\n[flock.home]\npoint = [1, 2]"
    )
    with pytest.raises(ScenarioError) as caught:
        draft(Source("bad.toml", "bad", text), [from_text("seed=-1")]).scenario()

    assert [line.split(": ")[0] for line in caught.value.mistakes] == [
        "bad.toml:2",
        "bad.toml:4",
        "bad.toml:5",
        "bad.toml:9",
        "--set seed=-1",
    ]


def test_thousands_of_mistakes_are_counted():
    """A file that is wrong throughout shows the first mistakes and the number of the others."""
    text = "\n".join(f"a{number} = 1" for number in range(MAX_SHOWN + 5))
    with pytest.raises(ScenarioError) as caught:
        draft(Source("bad.toml", "bad", text)).scenario()

    assert len(caught.value.mistakes) == MAX_SHOWN + 1
    assert caught.value.mistakes[-1] == "bad.toml: and 5 more mistakes"


BYTES = [
    (b"\xef\xbb\xbfseed = -1", "{file}:1: seed: must be at least 0, not -1"),
    (b"title = 'x'\r\nseed = -1\r\n", "{file}:2: seed: must be at least 0, not -1"),
    (b"\ntitle = 'caf\xe9'", "{file}:2: byte 13 (0xe9) is not UTF-8; save the file as UTF-8"),
    (b"title = 'a\0b'", "{file}:1:11: not TOML: found invalid character '\\x00'"),
    (b"x" * (MAX_BYTES + 1), "{file}: more than 1000 kB, too large for a scenario"),
    (b"x = " + b"[" * 100_000, "{file}: tables and lists are nested more than 30 levels deep"),
    (b"x = " + b"[" * 40 + b"]" * 40, "{file}: tables and lists are nested more than 30 levels deep"),
    (b".".join([b"x"] * 5000) + b" = 1", "{file}: tables and lists are nested more than 30 levels deep"),
    (b"seed = " + b"1" * 5000, None),
]


@pytest.mark.parametrize(("content", "line"), BYTES, ids=[repr(content[:20]) for content, _ in BYTES])
def test_unusual_files(tmp_path, content, line):
    """Whatever is in a file, there is one clear line about it."""
    file = tmp_path / "odd.toml"
    file.write_bytes(content)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)

    assert len(caught.value.mistakes) == 1
    assert line is None or caught.value.mistakes == (line.format(file=file),)


def test_depth_is_counted_from_the_top():
    """The deepest document that is allowed is judged by its keys, not by its depth."""
    text = f"x = {'[' * (MAX_DEPTH - 2)}{']' * (MAX_DEPTH - 2)}"
    with pytest.raises(ScenarioError, match="unknown key"):
        draft(Source("bad.toml", "bad", text)).scenario()


MISSING = [
    ("nowhere.toml", StorageError, "nowhere.toml: neither a file nor a shipped preset"),
    ("qickstart", StorageError, "qickstart: neither a file nor a shipped preset (did you mean 'quickstart'?)"),
    ("a\0b", StorageError, "'a\\x00b': embedded null byte"),
    ("x" * 5000, StorageError, f"{'x' * 5000}: File name too long"),
    (".", ScenarioError, ".: a directory, not a scenario; name one of the files in it"),
]


@pytest.mark.parametrize(("name", "error", "line"), MISSING, ids=[name[:20] for name, *_ in MISSING])
def test_missing_files(name, error, line):
    """A scenario that cannot be read says why."""
    with pytest.raises(error) as caught:
        load_scenario(name)

    assert str(caught.value) == line


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="[]{}=.,\"'#\n abflock01-")), st.lists(st.text(), max_size=2))
def test_any_text_is_a_scenario_or_a_mistake(text, settings_):
    """No text and no override, however odd, leads to anything but a scenario or a mistake in words."""
    with suppress(BoidsgenError):
        overrides = [from_text(setting) for setting in settings_]
        draft(Source("any.toml", "any", text), overrides).scenario()


KEYS = st.sampled_from(
    ["flock", "world", "size", "boundary", "kind", "count", "obstacles", "events", "at", "set", "start", "output"]
)
TREES = st.recursive(
    st.one_of(st.integers(), st.floats(), st.booleans(), st.sampled_from(["soft", "circle", "ring", "x"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_any_document_is_a_scenario_or_mistakes_with_lines(document):
    """Known keys with any values lead to a scenario or to mistakes that each name a line."""
    text = "".join(f"{dotted((key,))} = {written(value)}\n" for key, value in document.items())
    mistakes = ()
    try:
        draft(Source("any.toml", "any", text)).scenario()
    except ScenarioError as error:
        mistakes = error.mistakes

    assert all(line.split(":")[1].isdecimal() for line in mistakes)


def test_empty_file_is_a_scenario(tmp_path):
    """Everything has a default."""
    Path(tmp_path / "empty.toml").touch()

    assert load_scenario(tmp_path / "empty.toml").picture_size == (400, 400)
