"""Promise 6: what is inside a file names no file of this machine and raises no limit, wherever its values come from.

The keys come from the annotations of the tables, so that a new one is tested without being listed here. The places are
all formats that embed a scenario, what extends one of them, grids, the folder of a study, manifests, and links.
"""

import json
import shutil
from pathlib import Path

import pytest

from boidsgen import ScenarioError, load_scenario, pipeline, render, still, sweep
from boidsgen import comparison as grids
from boidsgen.output.figures import FIGURES
from boidsgen.output.formats import FORMATS
from boidsgen.output.recording import TRAJECTORY_WRITERS
from boidsgen.replays import original
from boidsgen.scenario import sources
from boidsgen.scenario.documents import parsed
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Limits, Scenario
from boidsgen.scenario.sources import _READERS, find
from boidsgen.scenario.wording import everywhere, file_keys, to_toml
from boidsgen.tables import InWords, NamesFile, keys_of
from boidsgen.webpage import writer as pages
from boidsgen.webpage.links import Assignment, entry_of
from tests.page.test_links import QUICKSTART, fragment
from tests.promises.setting import FULL, content
from tests.running import SCENARIO
from tests.systems import posix

pytestmark = pytest.mark.faults

NAMED = {key: f"private{min(one.extensions, default='.x')}" for key, one in file_keys(Scenario).items()}
PLACES = {
    f"{section.name}.{key}".lstrip("."): {**({"layout": section.kind} if section.kind else {}), key: name}
    for section in everywhere(Scenario)
    for key, name in NAMED.items()
    if key in keys_of(section.table)
}
"""Every dotted key that names a file, with its table."""


def table(key, inner):
    """A document with a table at the place of a dotted key."""
    for name in reversed(key.split(".")[:-1]):
        inner = {name: inner}
    return inner


def ways(key, inner):
    """The ways in which a document may set a key: at its place, by an event, in a sweep, in text and inside others."""
    around, _, last = key.rpartition(".")
    yield "as it is", table(key, inner)
    if not around:
        return
    sets = {"a key": {key: inner[last]}, "quoted": {f'{around}."{last}"': inner[last]}, "a table": {around: inner}}
    for how, settings in sets.items():
        yield f"an event with {how}", {"events": [{"at": 1, "set": settings}]}
        yield f"a sweep over {how}", {"sweep": {"vary": {name: [one] for name, one in settings.items()}}}
        texts = {name: to_toml(one) for name, one in settings.items()}
        yield f"a sweep in text over {how}", {"sweep": {"vary": texts}}
        mixed = {name: f"{one}, a word" for name, one in texts.items()}
        yield f"a sweep in mixed text over {how}", {"sweep": {"vary": mixed}}
    whole = table(around, {around.rpartition(".")[2]: inner})
    yield "a sweep over all around", {"sweep": {"vary": {name: [one] for name, one in whole.items()}}}
    yield "an entry of a list in text", {"sweep": {"vary": {f"{around}.points": f"{to_toml(inner)}, 1"}}}


LIMITS = {
    f"limits.{key} in {how}": {"sweep": {"vary": values}}
    for key in keys_of(Limits)
    for how, values in {
        "a list": {f"limits.{key}": [2**40]},
        "a range": {f"limits.{key}": "1:1000000:2"},
        "a table": {"limits": [{key: 2**40}]},
    }.items()
}
DOCUMENTS = {f"{key} by {how}": found for key, inner in PLACES.items() for how, found in ways(key, inner)} | LIMITS


def text_of(document):
    """A document as its output embeds it."""
    lines = "".join(f"{key} = {to_toml(value)}\n" for key, value in document.items())
    return f"# boidsgen 0.3.0, numpy 2.0.0, pillow 11.0.0\nseed = 3\n{lines}"


def grid_of(text):
    """The same for a comparison."""
    return f"# boidsgen 0.3.0, numpy 2.0.0, pillow 11.0.0\ncolumns = 1\nscenarios = [{json.dumps(text)}]\n"


@pytest.fixture
def opened(here, monkeypatch):
    """The names of the files that are opened; what is private is there, and could be."""
    names, real = [], sources.open_input
    for name in NAMED.values():
        (here / name).write_text("3,4\n")
    for module in ("scenario.sources", "drawing.text", "system"):
        monkeypatch.setattr(f"boidsgen.{module}.open_input", lambda path: (names.append(str(path)), real(path))[1])
    return names


@pytest.fixture
def forged(monkeypatch):
    """Makes an output that embeds any text, by the writer of its own format."""

    def make(name, text):
        with monkeypatch.context() as patched:
            for module in (pipeline, grids):
                patched.setattr(module, "provenance_of", lambda *_: text)
            patched.setattr(pages, "provenance", lambda *_: text)
            if name.endswith((*(f".{kind}" for kind in FIGURES), ".png")):
                still(SCENARIO, name, frames=2)
            elif name.endswith(tuple(f".{kind}" for kind in TRAJECTORY_WRITERS)):
                pipeline.record(load_scenario(SCENARIO), name)
            else:
                render(SCENARIO, name, frames=2, size=(16, 16))
        return name

    return make


def refused(source, opened):
    """Nothing that a source names is read, and the refusal is one line with the way out."""
    opened.clear()
    with pytest.raises(ScenarioError, match=r"names files of this machine, or limits .*--trust") as error:
        draft(find(source))
    assert "\n" not in str(error.value)
    assert not {*NAMED.values()}.intersection(name.rpartition("/")[2] for name in opened)


def test_what_names_a_file_is_marked():
    """Each key whose description in messages or whose reader knows files is marked as one that names them."""
    every = [key for section in everywhere(Scenario) for key in keys_of(section.table).values()]
    told = {key.name for key in every if "file" in f"{key.remark(InWords)}".replace("film", "file")}
    marked = {key.name for key in every if key.remark(NamesFile)}

    assert told | {*_READERS} <= marked == {*NAMED}


@pytest.mark.turns(5)  # of the ways, whose number has another divisor, each with some keys
@pytest.mark.parametrize("named", DOCUMENTS)
def test_no_value_in_a_clip_names_a_file(named, opened, forged):
    """Whatever key names a file, and however it is set: the clip's scenario is refused, and the file is not opened."""
    refused(forged("clip.gif", text_of(DOCUMENTS[named])), opened)


KINDS = {**FORMATS, **FIGURES, **TRAJECTORY_WRITERS}
HOLDERS = [f".{name}" for name, kind in KINDS.items() if kind.signs]
SOME = [name for name in DOCUMENTS if FULL or name.startswith("flock.start.csv")]


@pytest.mark.turns(2)
@pytest.mark.parametrize("extension", HOLDERS)
def test_no_format_is_a_way_around(extension, opened, forged):
    """The same for every format that embeds a scenario, and for a scenario of one's own that extends such a file."""
    for named in SOME:
        name = forged(f"some{extension}", text_of(DOCUMENTS[named]))
        refused(name, opened)
        Path("mine.toml").write_text(f'extends = "{name}"')
        refused("mine.toml", opened)


@pytest.mark.parametrize("named", SOME)
def test_no_grid_is_a_way_around(named, opened, forged):
    """The same for the scenarios of a comparison, which only replay renders."""
    name = forged("grid.gif", grid_of(text_of(DOCUMENTS[named])))
    opened.clear()
    with pytest.raises(ScenarioError, match="--trust"):
        original(Path(name))
    assert not {*NAMED.values()}.intersection(opened)


COMMANDS = """
render clip.gif -o o.gif
still clip.gif -o o.png
simulate clip.gif -o o.npz
measure clip.gif -o o.csv
leaders clip.gif -o o.csv
sweep clip.gif -o o
sweep clip.gif --vary flock.count=2,3 -o o
sweep clip.gif --design sobol --runs 4 --vary flock.count=2:9 -o o
sweep mine.toml -o o
audit clip.gif --claim polarization<1 -o o.csv
fit clip.gif quickstart --vary flock.cohesion.weight=0:3 -o o
fit quickstart clip.gif --vary flock.cohesion.weight=0:3 -o o
compare clip.gif small.toml -o o.gif
replay clip.gif -o o.gif
check clip.gif
new o.toml --from clip.gif
"""
VARIED = [name for name in DOCUMENTS if "sweep in text over a key" in name] + [*LIMITS][: len(LIMITS) if FULL else 3]


@pytest.mark.parametrize("named", VARIED)
def test_no_command_is_a_way_around(named, opened, forged, boidsgen, here):
    """Every command that takes a scenario refuses one from inside a file whose sweep names files or limits."""
    forged("clip.gif", text_of(DOCUMENTS[named]))
    (here / "mine.toml").write_text('extends = "clip.gif"')
    before = content(here)
    for line in COMMANDS.strip().splitlines():
        opened.clear()
        ran = boidsgen(*line.split())
        assert (ran.code, ran.err.count("--trust")) == (2 if line.startswith("fit clip") else 3, 1), (line, ran)
        assert not {*NAMED.values()}.intersection(opened)
    assert content(here) == before


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The folder of a small sweep over two keys."""
    folder = tmp_path_factory.mktemp("study") / "s"
    axes = {"flock.cohesion.weight": [0.0, 1.0], "flock.alignment.weight": [0.0, 1.0]}
    sweep("quickstart", axes, directory=folder, frames=3, flock__count=3)
    return folder


@pytest.mark.parametrize("named", [*DOCUMENTS][:: 1 if FULL else 19])
def test_no_study_is_a_way_around(named, study, opened, boidsgen, here):
    """A study in a folder from elsewhere is not allowed more than a clip, whatever command looks at it."""
    shutil.copytree(study, here / "s")
    (here / "s" / "study.toml").write_text(text_of(DOCUMENTS[named]))
    before = content(here)
    for line in ("describe s", "plot s -o map.html"):
        opened.clear()
        ran = boidsgen(*line.split())
        assert (ran.code, len(ran.lines), "--trust" in ran.err) == (3, 1, True), ran
        assert not {*NAMED.values()}.intersection(name.rpartition("/")[2] for name in opened)
    assert content(here) == before


@pytest.mark.parametrize("key", [*PLACES, "limits.frames"])
def test_no_manifest_is_a_way_around(key, study, opened, boidsgen, here):
    """Nor are the values in the rows of a manifest, which a map gives to the scenario."""
    shutil.copytree(study, here / "s")
    value = PLACES[key][key.rpartition(".")[2]] if key in PLACES else 2**40
    lines = (here / "s" / "manifest.jsonl").read_text().splitlines()
    rows = [{**row, "parameters": {**row["parameters"], key: value}} for row in map(json.loads, lines)]
    (here / "s" / "manifest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    before = content(here)
    opened.clear()
    axes = ("--x", "cohesion.weight", "--color", "alignment.weight")
    ran = boidsgen("plot", "s", "-o", "map.html", *axes)

    assert (ran.code, len(ran.lines), "--trust" in ran.err) == (3, 1, True), ran
    assert not {*NAMED.values()}.intersection(name.rpartition("/")[2] for name in opened)
    assert content(here) == before


@pytest.mark.parametrize("key", [key for key in PLACES if key.count(".") > 1])
def test_no_link_is_a_way_around(key, opened):
    """Nor is what was done on a page, as a link tells it."""
    around, _, last = key.replace("flock.", "flock.0.").replace("predators.", "predators.0.").rpartition(".")
    for action in ([1, around, PLACES[key]], [1, f"{around}.{last}", PLACES[key][last]]):
        opened.clear()
        entry = entry_of("ann", f"https://x/#{fragment(action)}", Assignment(QUICKSTART))
        assert "names files of this machine" in entry.note
        assert not {*NAMED.values()}.intersection(opened)


@pytest.mark.parametrize("named", [*DOCUMENTS][:: 1 if FULL else 19])
def test_no_scenario_of_a_student_is_a_way_around(named, opened):
    """Nor is a TOML file that is handed in, which others have written as they have a clip."""
    Path("ann.toml").write_text(text_of(DOCUMENTS[named]))
    opened.clear()
    entry = entry_of("ann.toml", None, Assignment(QUICKSTART))

    assert "names files of this machine, or limits" in entry.note
    assert not {*NAMED.values()}.intersection(opened)


def test_a_student_may_extend_a_preset(here):
    """Presets come with boidsgen, and are read whatever is in the current directory."""
    (here / "ann.toml").write_text('extends = "quickstart"\nflock.cohesion.weight = 0\n')
    (here / "quickstart").write_text("nonsense = 1\n")
    entry = entry_of("ann.toml", None, Assignment(QUICKSTART))

    assert (entry.note, entry.changed) == ("", ("cohesion weight 0",))


def test_presets_extend_presets(here):
    """A file that has the name of a preset is not read for another preset, which extends that."""
    extending = {one.name: parsed(one.text).get("extends") for one in sources.presets()}
    for name in filter(None, extending.values()):
        (here / name).write_text("nonsense = 1\n")
    for name, base in extending.items():
        assert not base or (here / name).exists() or load_scenario(name)


def test_no_new_scenario_has_limits_of_others(here, boidsgen):
    """A limit that a clip raises stays behind where its scenario becomes one's own, or that of a sweep."""
    (here / "theirs.toml").write_text(f'extends = "{SCENARIO}"\nlimits.frames = 9000000\n')
    assert boidsgen("render", "theirs.toml", "-o", "clip.gif").code == 0
    assert boidsgen("new", "mine.toml", "--from", "clip.gif").code == 0
    for folder, options in (("s", ()), ("t", ("--trust",))):
        assert boidsgen("sweep", "clip.gif", "--vary", "seed=1", "-o", folder, *options).code == 0
    raised = [
        name for name in ("clip.gif", "mine.toml", "s/seed=1.gif", "t/seed=1.gif") if "9000000" in find(name).text
    ]

    assert raised == ["clip.gif", "t/seed=1.gif"]
    assert load_scenario("mine.toml").limits == Limits.default()


def test_ones_own_scenario_may(here, boidsgen):
    """What a user writes himself may name files, also in a sweep; and --trust gives that to a clip."""
    (here / "points.csv").write_text("3,4\n9,9\n")
    (here / "mine.toml").write_text(f'extends = "{SCENARIO}"\nsweep.vary = {{ "flock.start.csv" = "points.csv" }}\n')
    (here / "mine.toml").write_text(f"flock.count = 2\n{(here / 'mine.toml').read_text()}")
    assert boidsgen("sweep", "mine.toml", "-o", "own").code == 0
    boidsgen("render", "mine.toml", "-o", "clip.gif")
    assert boidsgen("sweep", "clip.gif", "-o", "theirs").code == 3
    assert boidsgen("sweep", "clip.gif", "-o", "theirs", "--trust").code == 0


@posix
def test_a_study_that_is_a_link_is_not_quoted(study, boidsgen, here):
    """A study whose file is a link to another one tells nothing of that."""
    shutil.copytree(study, here / "s")
    (here / "secret").write_text("root:x:0:0\n")
    (here / "s" / "study.toml").unlink()
    (here / "s" / "study.toml").symlink_to(here / "secret")
    for line in ("describe s", "plot s -o map.html"):
        ran = boidsgen(*line.split())
        assert (ran.code, len(ran.lines), "root" in ran.err) == (3, 1, False), ran


def test_a_text_that_is_too_long_to_be_looked_at(forged, opened):
    """A sweep whose values are a text of a megabyte is refused rather than taken apart."""
    refused(forged("clip.gif", text_of({"sweep": {"vary": {"flock.start": "x, " * 200_000}}})), opened)
