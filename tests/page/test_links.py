"""Links of pages, done again: what a class did, and what is forged."""

import csv
import io
import json
import re
import zlib
from base64 import urlsafe_b64encode

import pytest

from boidsgen import load_scenario, simulate
from boidsgen.cli.main import run
from boidsgen.scenario.lessons import holds, parse_condition, variables
from boidsgen.webpage.links import (
    MAX_ACTIONS,
    MAX_FRAMES,
    MAX_LETTERS,
    Assignment,
    Link,
    claim_of,
    entry_of,
    read_link,
    session,
)
from boidsgen.webpage.writer import digest_of
from tests.promises.setting import patience

QUICKSTART = load_scenario("quickstart")
COHESION, ALIGNMENT, COUNT = "flock.0.cohesion.weight", "flock.0.alignment.weight", "flock.0.count"
CHOICES = QUICKSTART.page.try_[0].predict
DEEP = "[" * 100_000
MILLION = json.dumps([0, 5, [[1, COHESION, 1]] * 1_000_000, "", []])


def packed(text, whose=None, version="2"):
    """The fragment with a text."""
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = urlsafe_b64encode(made.compress(text.encode()) + made.flush()).decode().rstrip("=")
    return f"{version}.{whose or digest_of(QUICKSTART)}.{content}"


def fragment(*actions, seed=0, frame=20, claim="", steps=(), **more):
    """The fragment with these actions and steps: guesses from 1, shown, and the frame, seed and actions of a run."""
    return packed(json.dumps([seed, frame, actions, claim, steps]), **more)


def old_fragment(*actions, seed=0, frame=20, predictions=None, claim=""):
    """The fragment as pages of version 0.3.0 wrote it."""
    return packed(json.dumps([seed, frame, actions, predictions or {}, claim]), version="1")


FORGED = {
    "nothing": "",
    "no link": "top",
    "cut off": fragment([5, COHESION, 2.0], [9, COHESION, 0.0])[:-8],
    "cut off early": fragment()[:6],
    "of another scenario": fragment(whose="00000000"),
    "of another version": fragment(version="3"),
    "not base64": "1." + digest_of(QUICKSTART) + ".%%%<script>alert(1)</script>",
    "not deflated": "1." + digest_of(QUICKSTART) + ".AAAA",
    "not JSON": packed("<script>alert(1)</script>"),
    "nested": packed(DEEP),
    "null": packed("null"),
    "a table": packed('{"seed": 0}'),
    "a megabyte": fragment() + "A" * 1_000_000,
    "a bomb": packed(" " * 7_000_000),
    "a million events": packed(MILLION),
    "an event too many": fragment(*[[1, COHESION, 1]] * (MAX_ACTIONS + 1)),
    "before the start": fragment(frame=-1),
    "far ahead": fragment(frame=10**9),
    "between frames": fragment(frame=1.5),
    "an event far ahead": fragment([10**9, COHESION, 1]),
    "an event at the start": fragment([0, COHESION, 1]),
    "events out of order": fragment([9, COHESION, 1], [5, COHESION, 2]),
    "no such seed": fragment(seed=99),
    "no such key": fragment([5, "flock.0.cohesion.wieght", 1]),
    "no such table": fragment([5, "flock.7.cohesion.weight", 1]),
    "a key of the camera": fragment([5, "camera.zoom", 2]),
    "a key of objects": fragment([5, "flock.0.__proto__.weight", 1]),
    "a key of classes": fragment([5, "flock.0.constructor.prototype", {}]),
    "a key of markup": fragment([5, "<img src=x onerror=alert(1)>", 1]),
    "a name": fragment([5, "flock.0.name", "<b>"]),
    "text as a number": fragment([5, COHESION, "2"]),
    "a list as a number": fragment([5, COHESION, [2]]),
    "beyond numbers": packed(f'[0, 20, [[5, "{COHESION}", 1e999]], "", []]'),
    "a billion boids": fragment([5, COUNT, 10**9]),
    "half a boid": fragment([5, COUNT, 10.5]),
    "fewer than none": fragment([5, COUNT, -1]),
    "speeds crossed": fragment([5, "flock.0.min_speed", 1e9]),
    "predictions as a list": packed('[0, 20, [], ["a"], ""]', version="1"),
    "a table as a guess": fragment(steps=[[{}, 0, 0]]),
    "half a guess": fragment(steps=[[1.5, 0, 0]]),
    "a step far ahead": fragment(steps=[[1, 1, 0, 10**9]]),
    "a run without changes": fragment(steps=[[1, 1, 0, 9, 0]]),
    "a run with a forged key": fragment(steps=[[1, 1, 0, 9, 0, [[5, "camera.zoom", 2]]]]),
    "a run out of order": fragment(steps=[[1, 1, 0, 9, 0, [[9, COHESION, 1], [5, COHESION, 2]]]]),
    "a run with an event too many": fragment(steps=[[1, 1, 0, 9, 0, [[1, COHESION, 1]] * (MAX_ACTIONS + 1)]]),
    "a claim of markup": fragment(claim="<b>"),
    "a forged claim": fragment([5, COHESION, 2.0], claim="0123456789ab"),
}
"""Fragments that no page of quickstart makes."""


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_link_is_a_note_in_the_table(name):
    """Whatever a link contains, it has one line: why it cannot be done again, or that its claim is false."""
    with patience(20):
        entry = entry_of(name, f"file:///flock.html#{FORGED[name]}", Assignment(QUICKSTART))

    assert entry.name == name
    assert bool(entry.note) != (entry.same is False)
    assert "\n" not in entry.note
    assert len(entry.note) <= 210


def test_the_longest_link_and_the_last_frame_are_within_the_bounds():
    """As many events as are allowed, up to the last frame, are done again."""
    changes = [[MAX_FRAMES - MAX_ACTIONS + one, COHESION, one % 2] for one in range(MAX_ACTIONS - 1)]
    link = fragment(*changes, frame=MAX_FRAMES - 1)

    assert len(link) <= MAX_LETTERS
    assert entry_of("long", f"#{link}", Assignment(QUICKSTART)).note == ""


def test_a_link_of_hours_is_refused_before_it_runs():
    """Boids and radii that a link brings count, up to the whole of its run."""
    link = fragment([5, COUNT, 10_000], [6, "flock.0.perception.radius", 1e6], frame=MAX_FRAMES - 1)

    assert "collect --trust allows it" in entry_of("long", f"#{link}", Assignment(QUICKSTART)).note


CONDITIONS = {
    "polarization > 0.9": True,
    "polarization > .9 and groups == 1": False,
    "0.9 < polarization <= 1 and not groups == 1": True,
    "flock.cohesion.weight == 0 or flock.0.alignment.weight != 1": False,
    "groups >= 2 and (flock.cohesion.weight == 0 or seed > -1)": True,
    "nearest_neighbor_distance < 9 or dispersion > 5": False,
}
VALUES = {"polarization": 0.95, "groups": 2, "flock.cohesion.weight": 1, "flock.0.alignment.weight": 1, "seed": 0}


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_are_those_of_python(text):
    """A condition holds where Python says so; where a value is not defined no comparison with it does."""
    tree = parse_condition(text, QUICKSTART)

    assert json.loads(json.dumps(tree)) == tree
    assert holds(tree, VALUES.get) == CONDITIONS[text]
    assert all(name in text for name in variables(tree))


@pytest.fixture
def handed_in(tmp_path, monkeypatch):
    """A table as a spreadsheet saves it: a true link, a forged one, one without a claim, a hostile name; and a file."""
    monkeypatch.chdir(tmp_path)
    done = [[5, COHESION, 0.0]]
    link = entry_of("", f"#{fragment(*done)}", Assignment(QUICKSTART))
    assert link.same is None
    scenario = load_scenario("quickstart", {"events": [{"at": 5, "set": {COHESION: 0.0}}], "time.frames": 21})
    claim = claim_of([*simulate(scenario)][20])
    rows = [
        ("name", "link"),
        ("Müller, Anna", old_fragment(*done, claim=claim, predictions={"1": "They <b>scatter</b>"})),
        ("Ben", fragment(*done, claim="0" * 12, steps=[(3, 2, 0)])),
        ("=cmd()", fragment(seed=1, steps=[(9, 1, 0)])),
        ("<script>", "cut"),
    ]
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows((name, f"https://x.test/a.html#{one}") for name, one in rows[1:])
    (tmp_path / "links.csv").write_text("name;link\n" + text.getvalue(), "utf-8-sig")
    (tmp_path / "own.toml").write_text('extends = "quickstart"\nflock.cohesion.weight = 0\n', "utf-8")
    return tmp_path


def table_of(path):
    """The rows of a table."""
    return [*csv.DictReader(io.StringIO(path.read_text("utf-8")))]


def test_the_table_tells_what_each_did(handed_in, capfd):
    """Name, guesses, changed keys, frame, verdict, measures and the truth of the claim, and a note."""
    wanted = ["--page", "quickstart", "--require", "polarization < 2 and flock.cohesion.weight == 0"]
    assert run(["collect", "links.csv", "own.toml", *wanted, "-o", "t.csv", "-o", "class.html"]) == 0
    assert capfd.readouterr().out == "t.csv\nclass.html\n"
    assert run(["collect", "links.csv", "own.toml", *wanted]) == 0
    printed = capfd.readouterr().out
    assert run(["collect", "links.csv", *wanted, "--json"]) == 0
    objects = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    anna, ben, formula, script, own = table_of(handed_in / "t.csv")

    assert printed == (handed_in / "t.csv").read_text("utf-8")
    assert [one["name"] for one in objects] == ["Müller, Anna", "Ben", "=cmd()", "<script>"]
    assert [anna[key] for key in ("name", "guess 1", "right 1", "changed", "frame", "reached", "same as claimed")] == [
        *("Müller, Anna", "", "", "cohesion weight 0, from frame 5", "20", "yes", "yes")
    ]
    assert (ben["guess 1"], ben["right 1"]) == (f"{CHOICES[2]}, then {CHOICES[1]}", "no")
    assert (ben["reached"], ben["same as claimed"]) == ("yes", "no")
    assert (formula["name"], formula["reached"], formula["changed"]) == ("'=cmd()", "no", "seed 2")
    assert anna["note"] == formula["note"] == "a prediction that the page does not offer"
    assert script["note"].startswith("the link is cut off")
    assert (own["name"], own["changed"], own["reached"]) == ("own.toml", "cohesion weight 0", "yes")
    assert anna["polarization"] == ben["polarization"] != formula["polarization"]


def test_without_a_condition_each_step_of_the_lesson_counts(handed_in):
    """The table says of each step whether it was reached in any frame, and the page which guesses came true."""
    both = fragment([200, COHESION, 0.0], [300, COHESION, 1.0], frame=320, steps=[(3, 3, 0), (1, 1, 0)])
    (handed_in / "links.csv").write_text(f"Anna,#{both}\nBen,#{fragment(steps=[(3, 2, 0)])}\n", "utf-8")

    assert run(["collect", "links.csv", "--page", "quickstart", "-o", "t.csv", "-o", "class.html"]) == 0
    anna, ben = table_of(handed_in / "t.csv")
    assert [[one[f"step {number}"] for number in (1, 2, 3)] for one in (anna, ben)] == [["yes", "no", "no"], ["no"] * 3]
    assert "reached" not in anna
    page = (handed_in / "class.html").read_text("utf-8")
    assert '<td>2<td><progress max="2" value="1"></progress>' in page.partition(CHOICES[2])[2]
    assert "1 of 3 steps reached" in page


def test_the_page_of_a_class_has_the_choices_of_the_page_in_its_order(handed_in):
    """Each choice has a bar, with zero for none; no text of a link is there, and the question stands above."""
    wanted = ["--require", "flock.cohesion.weight == 0", "-o", "class.html", "--quiet"]
    assert run(["collect", "links.csv", "--page", "quickstart", *wanted]) == 0
    text = (handed_in / "class.html").read_text("utf-8")

    assert f"<h1>{QUICKSTART.page.question}</h1>" in text
    places = [text.index(f"<th>{choice}") for choice in CHOICES]
    assert places == sorted(places)
    counts = [text[place:].partition("<progress")[2].partition("</table>")[0] for place in places]
    assert [f'max="1" value="{number}"' in count[:40] for number, count in zip((0, 0, 1), counts, strict=True)]
    assert "scatter</b>" not in text
    assert "<script" not in text


UNREADABLE = {
    "": "there is no link in this row",
    "I forgot it, sorry": "a text instead of a link: use the button “Copy link” of the page",
    "https://x.test/flock.html": "the address of the page alone, without what was done: use its button “Copy link”",
    "file:///C:/flock.html#": "the link is cut off: its end is missing, so ask for the whole address",
    "#" + fragment([5, COHESION, 0.0])[:30]: "the link is cut off: its end is missing, so ask for the whole address",
    "#" + packed("[0, 20"): "the link was altered: its letters are not those of a page",
    "#" + fragment(whose="00000000"): "the link belongs to another scenario",
    "#" + fragment(version="9"): "the link was made by another version of boidsgen",
    "#" + fragment() + "A" * 20_000: "the link is too long",
}


@pytest.mark.parametrize("text", UNREADABLE, ids=[reason[:40] for reason in UNREADABLE.values()])
def test_what_is_no_link_gets_the_sentence_that_helps(text):
    """Each kind of it has its own."""
    assert entry_of("Ida", text, Assignment(QUICKSTART)).note == UNREADABLE[text]


@pytest.mark.parametrize(
    "around", ["#{}", "%23{}", "Here: <https://x.test/a.html#{}>.", "see https://x.test/a#{} (Ida)"]
)
def test_a_link_is_found_in_what_surrounds_it(around):
    """A mail program may write # as %23, and students write words around a link."""
    entry = entry_of("Ida", around.format(fragment([5, COHESION, 0.0])), Assignment(QUICKSTART))

    assert (entry.note, entry.changed) == ("", ("cohesion weight 0, from frame 5",))


def test_a_table_of_links_alone_needs_the_page(tmp_path, monkeypatch, capfd):
    """What a teacher meets first who forgets --page."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.csv").write_text(f"Ida,#{fragment()}\n", "utf-8")

    assert run(["collect", "links.csv"]) == 2
    assert "links.csv: links need --page" in capfd.readouterr().err


def test_a_file_of_another_scenario_is_said_to_be_one(tmp_path):
    """Whether another lesson, another preset, or the same one with most of its keys changed."""
    (tmp_path / "other.toml").write_text('extends = "hunt"\n', "utf-8")
    (tmp_path / "asked.toml").write_text('extends = "quickstart"\npage.question = "Why?"\n', "utf-8")

    for name in ("other", "asked"):
        entry = entry_of(str(tmp_path / f"{name}.toml"), None, Assignment(QUICKSTART))
        assert entry.note.startswith("another scenario than that of the page: ")
        assert entry.changed == ()


def claimed(actions, frame, seed=0):
    """The claim of a page that shows a frame of a run."""
    made = session(Link(seed, frame, actions), QUICKSTART)
    return claim_of(next(state for state in simulate(made) if state.frame == frame))


def test_every_row_of_a_class_of_forty_is_right(tmp_path, monkeypatch):
    """Six copied, six forged, four cut off, four of another scenario, four after restarts, and sixteen honest ones."""
    monkeypatch.chdir(tmp_path)
    rows, wanted = {}, {}

    def hand_in(name, link, **row):
        rows[name] = f"https://x.test/flock.html#{link}"
        wanted[name] = {"note": "", "same as claimed": "yes"} | row

    for number in range(16):
        at, guess = 180 + number, number % 4
        row = {"changed": f"cohesion weight 0, from frame {at}", "step 1": "yes", "step 2": "no"}
        row |= {"guess 1": ["", *CHOICES][guess], "right 1": ["", "no", "yes", "no"][guess]}
        actions = [[at, COHESION, 0]]
        steps = [[guess, guess, int(number % 8 == 7), 320]]
        row["step 1"] = "shown" if number % 8 == 7 else "yes"
        link = fragment(*actions, frame=330, claim=claimed(actions, 330), steps=steps)
        hand_in(f"honest {number}", link, **row)
        if number < 6:
            hand_in(f"copied {number}", link, note=f"same run as honest {number}", **row)
        if number < 4:
            cut = "the link is cut off: its end is missing, so ask for the whole address"
            hand_in(f"cut {number}", link[: -4 - 9 * number], **{"note": cut, "same as claimed": "", "step 1": ""})
            note = "the link belongs to another scenario"
            other = fragment(*actions, whose=digest_of(load_scenario("hunt")))
            hand_in(f"other {number}", other, **{"note": note, "same as claimed": "", "step 1": ""})
            restarted = [[90 + number, ALIGNMENT, 0]]
            steps = [[2, 2, 0, 320, 0, actions], [2, 2, 0, 300 + number]]
            again = {"frame": 300 + number, "claim": claimed(restarted, 300 + number)}
            row = {"step 1": "yes", "step 2": "yes", "step 3": "no", "guess 1": CHOICES[1], "right 1": "yes"}
            row["changed"] = f"alignment weight 0, from frame {90 + number}"
            hand_in(f"restarted {number}", fragment(*restarted, steps=steps, **again), **row)
    start = claimed([], 20)
    no = {"step 1": "no", "step 2": "no", "step 3": "no"}
    hand_in("states", fragment(claim="0123456789ab"), **{"same as claimed": "no"}, **no)
    second = {"guess 1": CHOICES[1], **no}
    hand_in("proof", fragment(claim=start, steps=[[2, 2, 0, 330]]), **second)
    hand_in("other proof", fragment(claim=start, steps=[[2, 2, 0, 9, 0, [[5, COHESION, 0]]]]), **second)
    hand_in("choice", fragment(claim=start, steps=[[7, 2, 0]]), note="a prediction that the page does not offer", **no)
    hand_in("text", old_fragment(claim=start, predictions={"1": "<b>Me</b>"}), note=wanted["choice"]["note"], **no)
    hand_in("key", fragment([5, "camera.zoom", 2]), **{"same as claimed": ""}, note=UNREADABLE["#" + packed("[0, 20")])
    lines = "".join(f"{name},{link}\n" for name, link in rows.items())
    (tmp_path / "links.csv").write_text(lines, "utf-8")

    assert run(["collect", "links.csv", "--page", "quickstart", "-o", "t.csv", "-o", "class.html", "--quiet"]) == 0
    found = {row["name"]: row for row in table_of(tmp_path / "t.csv")}
    assert len(rows) == 40
    assert {name: {key: found[name][key] for key in row} for name, row in wanted.items()} == wanted
    page = (tmp_path / "class.html").read_text("utf-8")
    assert "Me</b>" not in page
    bars = [int(count) for count in re.findall(r'value="(\d+)"', page.partition(CHOICES[0])[2])[0:6:2]]
    assert bars == [sum(row.get("guess 1") == choice for row in wanted.values()) for choice in CHOICES]


def test_a_session_loads_again_from_its_text():
    """What was done is a scenario like any other."""
    link = read_link(f"#{fragment([5, COHESION, 0.0], [5, COUNT, 60])}", QUICKSTART)
    made = session(link, QUICKSTART)

    assert load_scenario(str(made)) == made
    assert dict(made.events[-1].set) == {COHESION: 0.0, COUNT: 60}
