"""Pages as files: what they embed, allow and refuse."""

import json
import re
import tomllib
from base64 import b64decode, b64encode
from gzip import decompress
from hashlib import sha256
from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings

from boidsgen import ScenarioError, load_scenario, record, render, simulate
from boidsgen.comparison import compare, comparison_of
from boidsgen.drawing.themes import THEMES, contrast
from boidsgen.scenario.sources import find, presets
from boidsgen.webpage import writer
from boidsgen.webpage.controls import sliders
from boidsgen.webpage.look import look
from boidsgen.webpage.writer import page_data, page_text, style_of
from tests.generating import simulated


def test_a_page_of_quickstart_is_small_and_the_same_each_time():
    """The most of it is the kernel, which takes a third more room as text."""
    text = page_text(load_scenario("quickstart"))
    assert len(text.encode()) <= 280_000
    assert Path(writer.__file__).with_name("kernel.wasm.gz").stat().st_size <= 75_000
    assert text == page_text(load_scenario("quickstart"))


def test_the_policy_allows_the_scripts_and_the_style_of_the_page_alone():
    """The script that the page begins with, and the one that it unpacks."""
    text = page_text(load_scenario("quickstart"))
    style, packed, loader = (
        re.search(rf'<(style|script) id="{name}"[^>]*>(.*?)</', text, re.DOTALL)[2]
        for name in ("style", "packed", "script")
    )
    script = decompress(b64decode(packed)).decode()
    allowed = [b64encode(sha256(one.encode()).digest()).decode() for one in (loader, script, style)]
    assert "script-src 'sha256-{}' 'sha256-{}' 'wasm-unsafe-eval'; style-src 'sha256-{}';".format(*allowed) in text
    assert "default-src 'none'" in text
    assert not [one for one in (loader, script, style) if "/**" in one]


def test_a_page_embeds_the_scenario_that_it_shows(tmp_path):
    """A sentence of it names the picture, for screen readers."""
    path, scenario = tmp_path / "flock.html", load_scenario("hunt", {"title": "</script> & <b>", "time.frames": 3})
    render("hunt", path, overrides={"title": "</script> & <b>"}, frames=3)
    text = path.read_text("utf-8")
    assert load_scenario(str(path)) == scenario
    assert f'<canvas id="picture" role="img" aria-label="{escape(scenario.alt)}">' in text
    assert f'alt="{escape(scenario.alt)}"' in text


def assert_true(scenario):
    """The numbers, names and units in the sentence of a scenario are those of the scenario."""
    about, colon, told = scenario.alt.partition(f"{scenario.title or 'Flocking'}: ")
    assert (about, colon) == ("", f"{scenario.title or 'Flocking'}: ")
    assert "\n" not in told
    for kind, groups in (("boid", scenario.flock), ("predator", scenario.predators)):
        for group in groups:
            count = f"{group.count:,} {kind}{'' if group.count == 1 else 's'}"
            plain = group.name in {"", "boids", "predators"}
            assert (count if plain else f"{group.name} ({count}") in told
            felt = (name for name, rule in group.rules.items() if scenario.predators or not rule.predator_requests())
            moved = [name for name in felt if name != "species"]  # whom it hunts and flees is told instead
            path = getattr(group, "path", None)
            for rule in ["path"] if path and path.mode == "position" else moved:
                assert (f"{path.kind} path" if rule == "path" else rule.replace("_", " ")) in told
            assert not group.angular_noise or "angular noise" in told
            assert not group.from_ or f"{count} from frame {group.from_}" in told.replace(" at first", "")
            assert group.until is None or f" until frame {group.until}" in told
    size, boundary = re.search(r"in a world of (.+) units with (\w+) boundaries", told).groups()
    assert [float(side) for side in size.split(" × ")] == [*scenario.world.size]
    assert boundary == {"torus": "periodic"}.get(scenario.world.boundary.kind, scenario.world.boundary.kind)
    avoided = any("avoid" in group.rules for group in (*scenario.flock, *scenario.predators))
    met = [one for one in scenario.obstacles if avoided or one.weight or one.solid]
    pulls = [one for one in scenario.attractors if one.weight > 0]
    repelling = [one for one in scenario.attractors if one.weight < 0]
    things = {"obstacle": (met, scenario.obstacles), "attractor": (pulls, scenario.attractors)}
    for thing, (least, most) in (things | {"repelling point": (repelling, scenario.attractors)}).items():
        found = re.search(rf"(\d+) {thing}(s?)(?:,| and)", told)
        number = int(found[1]) if found else 0
        # Events and rules about other flocks may let more of them matter.
        assert len(least) <= number <= len(most) if scenario.events or thing == "obstacle" else number == len(least)
        assert not found or (found[2] == "s") == (number > 1)
    seconds = re.search(r", for ([0-9,.e-]+) seconds?\.$", told)[1].replace(",", "")
    assert float(seconds) == pytest.approx(scenario.looping_in({scenario.output.format}).duration, rel=6e-3)


@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_every_preset_has_a_sentence_that_is_true(name):
    """Who moves, how many, by which rules, where and for how long; for screen readers."""
    assert_true(load_scenario(name))


@given(document=simulated())
@settings(max_examples=40, deadline=None)
def test_every_scenario_has_a_sentence_that_is_true(document):
    """Who moves, how many, by which rules, where and for how long; for screen readers."""
    assert_true(load_scenario(document))


def test_what_a_browser_cannot_compute_is_refused_with_the_reason_where_a_live_page_is_wanted():
    scenario = load_scenario("quickstart", {"flock.count": 20_000, "output.page": "live"})
    with pytest.raises(ScenarioError, match=r"output\.page: A browser takes too long"):
        page_text(scenario)


def test_a_saved_run_makes_a_recorded_page_that_says_so(tmp_path):
    scenario = load_scenario("quickstart", {"time.frames": 3})
    record(scenario, tmp_path / "run.npz")
    render(str(tmp_path / "run.npz"), tmp_path / "run.html")
    assert "It shows a saved run." in (tmp_path / "run.html").read_text("utf-8")
    assert "It shows a saved run." in page_text(scenario, simulate(scenario))


def _data(scenario):
    return json.loads(re.findall(r'<script id="page"[^>]*>(.*?)</script>', page_text(scenario), re.DOTALL)[0])


def test_a_scenario_chooses_its_sliders_and_their_ranges():
    slider = {"key": "flock.cohesion.weight", "min": 0.0, "max": 5.0, "step": 0.1}
    speed, made = _data(load_scenario("quickstart", {"page.controls": ("flock.max_speed", slider)}))["controls"]
    assert speed["key"] == "flock.0.max_speed"
    assert [made[name] for name in ("key", "low", "high", "step")] == ["flock.0.cohesion.weight", 0, 5, 0.1]


@pytest.mark.turns(3)
@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_both_ends_of_every_slider_can_be_rendered(name, end):
    """A page exports them as events, and lets no speed pass the other one."""
    moved = {one["key"]: one[end] for one in sliders(load_scenario(name))}
    first, other = ("max_speed", "min_speed") if end == "low" else ("min_speed", "max_speed")
    moved = {key.replace(first, other): value for key, value in moved.items() if key.endswith(first)} | moved
    whole = {key: int(value) if key.endswith(("count", "neighbors")) else value for key, value in moved.items()}
    events = tomllib.loads(find(name).text).get("events", [])

    assert load_scenario(name, {"events": [*events, {"at": 1, "set": whole}]}).events[-1].set == whole


def test_a_page_says_what_its_keys_do_and_names_the_flock_only_where_there_is_a_choice():
    keys = {"1": "flock.separation.weight", "s": "spawn"}
    one = _data(load_scenario("quickstart", {"page.keys": keys}))["shortcuts"]
    assert [made["label"].format_map(made["values"]) for made in one] == ["separation on or off", "Add boids: 10"]
    both = {"1": "flock.cohesion.weight", "2": "predators.hunt.weight"}
    two = _data(load_scenario("hunt", {"page.keys": both}))["shortcuts"]
    said = [made["label"].format_map(made["values"]) for made in two]
    assert said == ["cohesion of starlings on or off", "hunt of hawks on or off"]


def test_clicks_of_the_scenario_take_the_place_of_the_usual_tools():
    own = {"page.click": {"weight": 2.0}, "page.right_click": {"weight": -3.0, "radius": 9.0}}
    for keys, pulls in (({}, {"attract": 1, "repel": -4}), (own, {"click": 2, "right click": -3})):
        tools = _data(load_scenario("quickstart", keys))["tools"]
        assert tools.pop("predator")["there"] == [["predators.0.count", 1]]
        assert {tool: dict(brings["there"])["attractors.0.weight"] for tool, brings in tools.items()} == pulls


def test_a_comparison_is_one_file_whose_policy_allows_the_styles_of_all_its_pages(tmp_path):
    path = tmp_path / "two.html"
    text = '"</script>" & <b>'
    compare(comparison_of([find("quickstart"), find("hunt")], [], labels=[text, "hunt"]), path)
    page = path.read_text("utf-8")
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    data = json.loads(re.findall(r'<script id="page"[^>]*>(.*?)</script>', page, re.DOTALL)[0])
    assert data["beside"]["label"] == text
    (cell,) = data["beside"]["cells"]
    (style,) = re.findall(r"style-src ('[^']*')", cell["page"])
    allowed = re.findall(r"style-src ([^;]*)", page)[0]
    assert style in allowed
    assert re.findall("script-src [^;]*", page) == [*re.findall("script-src [^;]*", cell["page"])] * 2


def test_live_and_recorded_pages_are_refused_side_by_side_in_one_line(tmp_path):
    comparison = comparison_of([find("quickstart")], [], ["", "output.page=recorded"])
    with pytest.raises(ScenarioError, match=r"\Aoutput page recorded: This is [^\n]*The others are live[^\n]*\Z"):
        compare(comparison, tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.turns(2)
@pytest.mark.parametrize("color_by", ["speed", "heading", "flock"])
@pytest.mark.parametrize("theme", THEMES)
def test_words_in_the_color_of_boids_can_be_read_on_a_page_and_on_its_card(theme, color_by):
    """In each theme, with a contrast of at least 4.5; a card is the background with 7 % of the ink."""
    style = style_of(page_data(load_scenario("quickstart", {"style.theme": theme, "style.color_by": color_by}))[0])
    colors = dict(re.findall(r"--(back|ink|lead):(#\w+);", style))
    back, ink = ([int(colors[name][at : at + 2], 16) for at in (1, 3, 5)] for name in ("back", "ink"))
    card = "#" + "".join(f"{round(0.93 * one + 0.07 * other):02x}" for one, other in zip(back, ink, strict=True))

    assert "--card:color-mix(in srgb, var(--ink) 7%, var(--back))" in style
    assert contrast(colors["lead"], card) >= 4.5
    assert contrast(colors["lead"], colors["back"]) >= 4.5
    assert contrast(colors["ink"], card) >= 4.5


@pytest.mark.parametrize("size", [(640, 360), (240, 240), (300, 640)])
def test_a_page_shows_the_world_without_what_its_clip_has_beside_it(size):
    """Whatever the size of the clip, the edges of the picture are those of the world."""
    scenario = load_scenario("quickstart", {"output.size": size})
    left, top, wide, high = look(scenario)["window"]

    assert wide == pytest.approx(high)
    assert left >= 0
    assert left + wide <= size[0] + 1e-6
    assert top + high <= size[1] + 1e-6
