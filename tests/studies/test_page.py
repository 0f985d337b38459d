"""The page of a sweep, as text and in a real browser, where there is one."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import pytest

from boidsgen.jobs import Here
from boidsgen.scenario.layers import Override
from boidsgen.scenario.sources import Source
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.reports import PAGE, write_page
from boidsgen.studies.sweep import Study

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
TINY = "[world]\nsize = [48, 32]\n[time]\nframes = 2\n[flock]\ncount = 3\n"
HOSTILE = '</script><script>document.title = "broken"</script><b>&amp;"\u2028'
REPORT = """
<script>
{  // names of its own
%s
addEventListener("load", async () => {
  const found = {};
  try { await DRIVEN.%s(found); } catch (error) { found.error = String(error); }
  document.body.dataset.found = encodeURIComponent(JSON.stringify(found));
});
}
</script>
"""
DRIVEN = Path(__file__).with_name("driven.js").read_text("utf-8")


def _plan(counts, title="", **options):
    text = f"title = {json.dumps(title)}\n{TINY}" if title else TINY
    return plan_sweep(
        Source("tiny.toml", "tiny", text), [], SweepOptions((SweepAxis("flock.count", counts, ""),), **options)
    )


def _row(run, **entries):
    values = {"file": run.file, "status": "done", "seed": run.seed, "parameters": {"flock.count": run.values[0]}}
    return {"run": run.name, **values, **entries}


def _measured(run):
    count = run.values[0]
    return _row(run, mean={"polarization": count / 100}, final={"polarization": 1 - count / 100}, seconds=0.5, frames=2)


def _seeded(run):
    """A measured run whose value grows with the count, and differs by 0.2 between the two spawned seeds."""
    count, speed = run.values
    values = {"polarization": count / 100 + 0.2 * (run.number - 1)}
    keys = {"flock.count": count, "flock.max_speed": speed}
    return _row(run, parameters=keys, mean=values, final=values, file="", seed_number=run.number)


def _grid(directory):
    """The page of a sweep of three counts, two speeds and two seeds."""
    axes = (SweepAxis("flock.count", (10, 20, 40), ""), SweepAxis("flock.max_speed", (1.0, 2.0), ""))
    plan = plan_sweep(Source("tiny.toml", "tiny", TINY), [], SweepOptions(axes, seeds=2, drawn=False))
    _page(directory, plan, [_seeded(run) for run in plan.runs])


def _study(page):
    return json.loads(re.search(r'<script type="application/json" id="study">(.*?)</script>', page, re.DOTALL)[1])


def _page(directory, plan, rows):
    write_page(directory, plan, lambda: iter(rows))
    return (directory / PAGE).read_text()


def _found(directory, name, seconds=10):
    """What a function of `driven.js` finds in the page, after it is loaded."""
    page = directory / "driven.html"
    text, report = (directory / PAGE).read_text(), REPORT % (DRIVEN, name)
    added = b64encode(sha256(report.strip()[len("<script>") : -len("</script>")].encode()).digest()).decode()
    page.write_text(text.replace("script-src ", f"script-src 'sha256-{added}' ") + report)
    profile = f"--user-data-dir={directory / 'profile'}"
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900", profile]
    call = [BROWSER, *flags, f"--virtual-time-budget={1000 * seconds}", "--dump-dom", page.as_uri()]
    shown = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'data-found="([^"]*)"', shown)
    assert found, shown[-2000:]
    return json.loads(unquote(found[1]))


def test_a_page_holds_every_run(tmp_path):
    """All runs are there with their parameters, and the measures that at least one has."""
    plan = _plan((3, 4, 5))
    rows = [_measured(run) for run in plan.runs]
    rows[1] = _row(plan.runs[1], status="failed", reason="no luck")
    study = _study(_page(tmp_path, plan, rows))

    names = [column["name"] for column in study["columns"]]
    assert names[-3:] == ["flock.count", "mean.polarization", "final.polarization"]
    assert [dict(zip(names, run, strict=True))["flock.count"] for run in study["runs"]] == [3, 4, 5]
    failed = dict(zip(names, study["runs"][1], strict=True))
    assert (failed["status"], failed["reason"], failed["mean.polarization"]) == ("failed", "no luck", None)


def test_a_page_is_whole_and_safe(tmp_path):
    """There is no address in it, and titles, values and reasons stay text, as does infinity."""
    plan = _plan((3,), title=HOSTILE)
    rows = [_row(plan.runs[0], status="failed", reason=HOSTILE, parameters={"flock.count": float("inf")})]
    page = _page(tmp_path, plan, rows)

    assert "://" not in page
    assert "@import" not in page
    assert not re.search(r"""(src|href)\s*=\s*["']//""", page)
    assert "<script>document" not in page
    assert HOSTILE in _study(page)["runs"][0]
    assert _study(page)["runs"][0][-1] == float("inf")
    assert page.count("<script") == page.count("</script>") == 2
    for kind in ("script", "style"):
        (content,) = re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        assert f"{kind}-src 'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'" in page
    assert "default-src 'none'" in page


@pytest.fixture
def hundred(tmp_path):
    """A page of a hundred runs, one of which failed and one of which waits."""
    plan = _plan(tuple(range(100)))
    rows = [_measured(run) for run in plan.runs]
    rows[7] = _row(plan.runs[7], status="failed", reason=HOSTILE)
    rows[8] = _row(plan.runs[8], status="waiting")
    _page(tmp_path, plan, rows)
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="there is no chromium to open the page with")
class TestInABrowser:
    """What the page does."""

    def test_sort_and_filter(self, hundred):
        """Runs are sorted by any measure, either way, and filtered by parameters and measures."""
        found = _found(hundred, "sort_and_filter")

        assert found["first"] == "0"
        assert found["highest"] == "99"
        assert found["between"] == ["Runs: 11 of 100", "60", "50"]
        assert found["failed"] == ["Runs: 1 of 100", HOSTILE]
        assert found["title"] == "tiny"

    def test_a_figure_of_the_runs(self, tmp_path):
        """Means with their spread stand where they belong, follow the filters, and tell their numbers."""
        _grid(tmp_path)
        found = _found(tmp_path, "a_figure_of_the_runs")

        assert found["curves"] == 2
        assert found["legend"] == ["max speed 1", "max speed 2"]
        # Two runs with 0.1 and 0.3: their mean, and half of their difference as the error.
        assert found["first"] == "max speed 1: count 10, 0.2 (0.1 to 0.3), runs: 2"
        assert found["range"] == found["first"]
        assert found["heights"] == sorted(found["heights"], reverse=True)
        assert found["places"][2] - found["places"][1] == pytest.approx(2 * (found["places"][1] - found["places"][0]))
        assert found["even"][2] - found["even"][1] == pytest.approx(found["even"][1] - found["even"][0])
        assert found["turned"] == [3, 6]
        assert found["filtered"] == 2

    def test_a_table_of_means(self, tmp_path):
        """Each cell is a mean over seeds with its error, darker where it is more, and tells each seed."""
        _grid(tmp_path)
        found = _found(tmp_path, "a_table_of_means")

        assert found["heads"] == ["count", "max speed", "1", "2", "10", "20", "40"]
        assert found["cells"] == ["0.20 ±0.1", "0.20 ±0.1", "0.30 ±0.1", "0.30 ±0.1", "0.50 ±0.1", "0.50 ±0.1"]
        assert found["shares"] == ["0%", "0%", "33%", "33%", "100%", "100%"]
        assert found["read"] == "count 10, max speed 1: 0.20 ±0.1 (seed 1: 0.1, seed 2: 0.3)"
        assert found["filtered"] == 2
        assert found["each"] == [0, 4]

    def test_a_table_averages_over_no_key(self, tmp_path):
        """A third key that varies has rows of its own."""
        keys = {"flock.count": (10, 20, 40), "flock.cohesion.weight": (0.0, 1.0), "flock.max_speed": (1.0, 2.0)}
        axes = tuple(SweepAxis(key, values, "") for key, values in keys.items())
        plan = plan_sweep(Source("tiny.toml", "tiny", TINY), [], SweepOptions(axes, drawn=False))
        rows = [
            _row(run, parameters=dict(zip(keys, run.values, strict=True)), mean={"polarization": 0.5}, file="")
            for run in plan.runs
        ]
        _page(tmp_path, plan, rows)
        found = _found(tmp_path, "a_table_of_means")

        assert found["heads"][:4] == ["count, cohesion weight", "max speed", "1", "2"]
        assert found["heads"][4:] == ["10, 0", "10, 1", "20, 0", "20, 1", "40, 0", "40, 1"]
        assert found["cells"] == ["0.50 "] * 12

    def test_ten_thousand_runs(self, tmp_path):
        """Of very many runs only those exist that can be seen, wherever one has scrolled."""
        plan = _plan(tuple(range(10_000)), drawn=False)
        _page(tmp_path, plan, [_measured(run) | {"file": ""} for run in plan.runs])
        found = _found(tmp_path, "ten_thousand_runs")

        assert 0 < found["above"] < 200
        assert 0 < found["below"] < 200
        assert found["last"] == "9999"

    @pytest.mark.parametrize(("output_format", "tag"), [("gif", "img"), ("mp4", "video"), ("png", "img")])
    def test_playing_on_hover(self, tmp_path, output_format, tag):
        """Pictures stand still until one points at them, and again afterwards."""
        plan = plan_sweep(
            Source("tiny.toml", "tiny", TINY), [Override("output.format", output_format, "")], SweepOptions(seeds=2)
        )
        with Study(plan, tmp_path) as study:
            assert study.run(Here()) == []
        found = _found(tmp_path, "playing_on_hover")

        assert found["playing"][0] == tag
        assert found["still"] == found["after"]
        assert found["still"] != found["playing"]
        assert found["size"] == ([48, 32] if output_format == "gif" else None)
        # What stands still is the end of the run, not its random start.
        if output_format == "png":
            assert found["still"][1] == "frame_0002.png"
        if output_format == "mp4":
            assert float(found["still_at"]) == pytest.approx(1 / plan.base.output.fps)
