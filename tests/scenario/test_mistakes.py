import pytest

from boidsgen import load_scenario
from boidsgen.drawing.overlays.readings import COUNTS
from boidsgen.errors import ScenarioError
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import one_of, written
from boidsgen.simulation import boundaries
from boidsgen.simulation.measures import MEASURES

MEASURED = one_of(written(name) for name in (*COUNTS, *MEASURES))


MEANT = "(did you mean 'polarization'?)"


BOUNDARIES = one_of(written(kind) for kind in boundaries.BOUNDARIES)


MISTAKES = [
    (
        "[flock]\ncount = 3\n[overlay]\nfocus = 3\nneighbors = true",
        "4: overlay.focus: must be below 3, the number of boids in the first flock, counted from 0",
    ),
    ('[style]\ncolor_by = "depth"', "2: style.color_by: depth needs three dimensions, and world.size has 2 entries"),
    ('[flock.species]\nhunt = ["cats"]', "2: flock.species.hunt.0: there is no flock of this name (there is boids)"),
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
        '[[events]]\nat = 1\nset = { "predators.count" = 3 }',
        '3: events.set."predators.count": count is used at the start only; an event cannot change it',
    ),
    ("seed = -1", "1: seed: must be at least 0, not -1"),
    ("seed = 9223372036854775808", "1: seed: must be below 9223372036854775808, not 9223372036854775808"),
    ("seed = 1.0", "1: seed: must be a whole number, not 1.0 (write 1)"),
    ("seed = true", "1: seed: must be a whole number, not true"),
    ("\ntitle = 3", "2: title: must be text in quotes, not 3"),
    ("title = 2026-01-02", "1: title: must be text in quotes, not the date or time 2026-01-02"),
    ("titel = 3", "1: titel: unknown key (did you mean 'title'?)"),
    ("[style]\nTheme = 'x'", "2: style.Theme: unknown key (did you mean 'theme'?)"),
    ("[time]\nqqq = 3", "2: time.qqq: unknown key (known here: frames, duration, steps_per_frame, dt, warmup)"),
    ('"a b\\n" = 3\n[time]\nframes = 0', "3: time.frames: must be at least 1, not 0"),
    ('[time]\n"a\\nb" = 3', '2: time."a\\nb": unknown key (known here: frames, duration, steps_per_frame, dt, warmup)'),
    ("world = 3", "1: world: must be a table, not 3 (write [world], and its keys below)"),
    ("[world]\nsize = [400]", "2: world.size: must have at least 2 entries, not 1"),
    ("[world]\nsize = []", "2: world.size: must have at least 2 entries, not 0"),
    ("[world]\nsize = [1, 2, 3, 4]", "2: world.size: must have at most 3 entries, not 4"),
    ("[world]\nsize = 400", "2: world.size: must be a list of 2 or 3 numbers, not 400"),
    ("[world]\nsize = [\n  400,\n  0]", "4: world.size.1: must be above 0, not 0"),
    ("[world]\nsize = [400, nan]", "2: world.size.1: must be a finite number, not nan"),
    ("[time]\ndt = inf", "2: time.dt: must be a finite number, not inf"),
    ("[time]\ndt = 1e400", "2: time.dt: must be a finite number, not inf"),
    ("[time]\ndt = -0.0", "2: time.dt: must be above 0, not -0.0"),
    ("[time]\ndt = '1'", '2: time.dt: must be a number, not "1" (write 1)'),
    ("[world]\nboundary = 'tors'", f"2: world.boundary: must be {BOUNDARIES}, not \"tors\" (did you mean 'torus'?)"),
    ("[world.boundary]\nkind = 'x'", f'2: world.boundary.kind: must be {BOUNDARIES}, not "x"'),
    ("[world.boundary]\nmargin = 3", f"1: world.boundary: must be given a kind: {BOUNDARIES}"),
    ("[world.boundary]\nkind = 'soft'\nmargin = 0", "3: world.boundary.margin: must be above 0, not 0"),
    (
        "[world]\nboundary = 3",
        (
            f"2: world.boundary: must be a table with kind = {BOUNDARIES}, not 3 "
            "(write [world.boundary], and its keys below)"
        ),
    ),
    ("[flock]\ncount = 'many'", '2: flock.count: must be a whole number, not "many"'),
    ("[flock]\naligment = {}", "2: flock.aligment: unknown key (did you mean 'alignment'?)"),
    ("[flock]\nseparation = 3", "2: flock.separation: must be a table, not 3 (write separation = { weight = 3 })"),
    ("[[flock]]\ncount = -1", "2: flock.count: must be at least 0, not -1"),
    ("[[flock]]\n[[flock]]\ncount = -1", "3: flock.1.count: must be at least 0, not -1"),
    ("flock = 3", "1: flock: must be a table, or several, not 3 (write [[flock]], and its keys below)"),
    ("[flock.perception]\nfield_of_view = 361", "2: flock.perception.field_of_view: must be at most 360, not 361"),
    (
        "[flock]\nintegrator = 'semi'",
        '2: flock.integrator: must be "semi_implicit" or "explicit", not "semi"',
    ),
    ("[flock]\nmax_speed = 1\nmin_speed = 2", "3: flock.min_speed: must be at most max_speed, 1, not 2"),
    ("[overlay]\ncenter_of_mass = 3", '2: overlay.center_of_mass: must be true, false or "dot", not 3'),
    (
        "[overlay]\ncenter_of_mass = 'dott'",
        """2: overlay.center_of_mass: must be true, false or "dot", not "dott" (did you mean 'dot'?)""",
    ),
    ("[camera]\nfollow = 'boids'", '2: camera.follow: must be "nothing" or "flock", not "boids"'),
    ('[overlay]\nhud = ["polarisation"]', f'2: overlay.hud.0: must be {MEASURED}, not "polarisation" {MEANT}'),
    ("flock = []", "1: flock: must have at least 1 entry, not 0"),
    ("[[obstacles]]\nkind = 'circle'\nradius = 3", "1: obstacles.center: must be given: a list of 2 or 3 numbers"),
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
    ("[output]\nsize = [64, 64, 3]", '2: output.size: must have at most 2 entries or be "square" or "vertical", not 3'),
    (
        "[output]\nformat = 'MP4'",
        '2: output.format: must be "gif", "mp4", "webp", "webm" or "png", not "MP4" (did you mean \'mp4\'?)',
    ),
    ("[limits]\nboids = 1e5", "2: limits.boids: must be a whole number, not 100000.0 (write 100000)"),
    ("a = 1\na = 2", "2:6: not TOML: a is here twice, first in line 1; keep one of the two lines"),
    (
        "[a]\n[a]",
        (
            "2:3: not TOML: [a] is here twice, first in line 1; put all keys below one of them, "
            "or write [[a]] in both lines for two"
        ),
    ),
    ("a = ", "1:5: not TOML: the value of a is missing: a = …"),
    ('a = "x', '1:7: not TOML: the text is not closed: a = "x"'),
    ("a = [\n", "1:6: not TOML: a ] is missing: a = []"),
    ("a = 1\n=", "2:1: not TOML: a line is a key with its value (count = 50), a table ([flock]) or a comment (# …)"),
]


@pytest.mark.parametrize(("text", "line"), MISTAKES, ids=[text.splitlines()[-1] for text, _ in MISTAKES])
def test_wording(text, line):
    """A mistake names file, line and key, then what is wrong and what would be right."""
    with pytest.raises(ScenarioError) as caught:
        draft(Source("bad.toml", "bad", text)).scenario()

    assert f"bad.toml:{line}" in [mistake.partition("\n")[0] for mistake in caught.value.mistakes]


@pytest.mark.parametrize("letter", ["\x85", "\u2028", "\u2029"])
def test_letters_that_end_a_line_are_escaped(letter, tmp_path):
    """A value may hold them, and a message is one line all the same."""
    file = tmp_path / "a.toml"
    file.write_text(f'[style]\nfocus = "{letter}"\n', encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)

    assert len(str(caught.value).splitlines()) == 1
