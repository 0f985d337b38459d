"""The widget of notebooks: anywidget in Python, and its module in a browser, with a model as notebooks have one."""

import importlib
import json
import sys
from base64 import b64encode
from math import inf

import numpy as np
import pytest

from boidsgen import ScenarioError, UsageError, load_scenario, simulate
from boidsgen.notebook import Widget
from tests.page.browsers import until

COHESION, RADIUS = "flock.0.cohesion.weight", "flock.0.perception.radius"
MODEL = """
class Model {
  constructor(state) { this.state = state; this.acts = []; this.changed = {}; this.saved = []; }
  get(name) { return this.state[name]; }
  set(name, value) {
    if (JSON.stringify(this.state[name]) === JSON.stringify(value)) return;
    this.state[name] = this.changed[name] = value;
    for (const [event, act] of [...this.acts]) if (event === `change:${name}`) act();
  }
  save_changes() {
    if (Object.keys(this.changed).length) this.saved.push(JSON.stringify(this.changed));
    this.changed = {};
  }
  on(event, act) { this.acts.push([event, act]); }
  off(event, act) { this.acts = this.acts.filter(([name, one]) => name !== event || one !== act); }
}
"""
"""What anywidget gives to a module: set calls who listens, saving sends what has changed."""


class Cell:
    """A cell of a notebook that shows a widget: its model in the browser, and that in Python."""

    def __init__(self, browser, shown):
        self.shown, self.tab = shown, browser.new_page(reduced_motion="reduce")
        esm = b64encode(shown._esm.encode()).decode()
        state = json.dumps({name: shown.get_state(name)[name] for name in shown.keys})
        self.tab.evaluate(f"""(async () => {{
            {MODEL}
            window.model = new Model({state});
            const {{default: {{render}}}} = await import("data:text/javascript;base64,{esm}");
            window.end = render({{model, el: document.body}});
        }})()""")
        self.ready()

    def ready(self):
        """Wait for the page."""
        until(self.tab, "document.querySelector('iframe').contentWindow.boidsgen && model.acts.length === 2")
        self.tab.wait_for_timeout(150)

    def page(self, expression):
        """The value of an expression in the page."""
        return self.tab.evaluate(f"document.querySelector('iframe').contentWindow.boidsgen.{expression}")

    def told(self, condition):
        """Wait until this holds for the model, and tell Python what was saved."""
        until(self.tab, condition)
        until(self.tab, "model.saved.length > 0")
        for one in self.tab.evaluate("model.saved.splice(0)"):
            self.shown.set_state(json.loads(one))

    def tell(self, *names):
        """Tell the browser what Python has set."""
        for name, value in self.shown.get_state([*names]).items():
            self.tab.evaluate(f"model.set({name!r}, {json.dumps(value)})")


@pytest.fixture
def cell(browser):
    """A cell with a small widget."""
    made = Cell(browser, Widget("quickstart", flock__count=20))
    yield made
    made.tab.close()


def test_a_change_in_the_page_arrives_in_python(cell):
    """Frame and settings are those of the page, also infinity; the session, done again, gives its positions."""
    cell.page("seek(7)")
    cell.page(f"set('{COHESION}', 2.5)")
    cell.page(f"set('{RADIUS}', Infinity)")
    cell.page("set('predators.0.count', 1)")  # by a click; no setting of the scenario
    cell.page("seek(12)")
    cell.told("model.get('frame') === 12")

    assert cell.shown.frame == 12
    assert cell.shown.overrides == {COHESION: 2.5, RADIUS: inf}
    assert load_scenario("quickstart", cell.shown.overrides).flock[0].cohesion.weight == 2.5
    *_, last = simulate(cell.shown.session())
    flock = cell.page("state()")[0]
    assert last.frame == 12
    assert np.array_equal(flock["position"], last.flocks[0].position.ravel())

    cell.page(f"set('{COHESION}', {load_scenario('quickstart').flock[0].cohesion.weight})")
    cell.told(f"!('{COHESION}' in model.get('overrides'))")
    assert cell.shown.overrides == {RADIUS: inf}


def test_what_python_sets_arrives_in_the_page(cell):
    """Settings and frame are set in the page; what is no longer among the settings is as in the scenario again."""
    before = cell.page(f"get('{RADIUS}')")
    cell.shown.frame = 9
    cell.shown.overrides = {"flock.cohesion.weight": 3.0, RADIUS: inf}
    cell.tell("frame", "overrides")

    assert cell.page("frame") == 9
    assert (cell.page(f"get('{COHESION}')"), cell.page(f"get('{RADIUS}')")) == (3.0, inf)

    cell.shown.overrides = {COHESION: 4.0}
    cell.tell("overrides")
    assert (cell.page(f"get('{COHESION}')"), cell.page(f"get('{RADIUS}')")) == (4.0, before)


def test_a_cell_that_is_moved_shows_the_same(cell):
    """A page that is loaded anew does again what was done, with the same start; a cell that is removed is silent."""
    cell.page("restart(1)")
    cell.page("seek(5)")
    cell.page(f"set('{COHESION}', 2.0)")
    cell.page("seek(9)")
    cell.told("model.get('frame') === 9")
    before = cell.page("state()")
    cell.tab.evaluate("document.querySelector('iframe').contentWindow.boidsgen.old = true")
    cell.tab.evaluate("document.body.append(document.querySelector('iframe'))")
    inside = "document.querySelector('iframe').contentWindow.boidsgen"
    until(cell.tab, f"{inside} && !{inside}.old && {inside}.frame === 9")

    assert cell.page("state()") == before
    assert cell.shown.session().seed == load_scenario("quickstart").seed + 1
    cell.tab.evaluate("end()")
    cell.page("seek(3)")
    cell.tab.wait_for_timeout(300)
    assert cell.tab.evaluate("[model.acts.length, model.saved.length]") == [0, 0]


def test_wrong_settings_are_refused():
    """A key that the scenario lacks, a wrong value, and what a page cannot change raise, and change nothing."""
    shown = Widget("quickstart", flock__count=20)
    shown.overrides = {COHESION: 2.0}

    with pytest.raises(ScenarioError, match="did you mean 'weight'"):
        shown.overrides = {"flock.cohesion.wieght": 2.0}
    with pytest.raises(ScenarioError, match="must be a number"):
        shown.overrides = {COHESION: "much"}
    with pytest.raises(UsageError, match=r"time\.frames.* is not moved in this page"):
        shown.overrides = {"time.frames": 2}
    with pytest.raises(UsageError, match="is not moved in this page"):
        Widget("quickstart", frames=2, output__page="recorded").overrides = {COHESION: 2.0}
    assert shown.overrides == {COHESION: 2.0}


def test_needs_the_library(monkeypatch):
    """Without anywidget there is one line with the command that installs it."""
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "boidsgen.notebook")

    with pytest.raises(UsageError, match=r"^boidsgen.notebook needs anywidget, .* 'boidsgen\[notebook\]'$"):
        importlib.import_module("boidsgen.notebook")
