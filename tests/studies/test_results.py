"""Results of a sweep and their figures: points by hand, keys that are found, figures that can be read back."""

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from boidsgen import plot
from boidsgen.errors import OutputExistsError, UsageError
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.wording import to_toml
from boidsgen.studies.figure import _draw_panels, _text, complete_request, write_numbers, write_sweep_figure
from boidsgen.studies.manifest import LINES, row_to_line
from boidsgen.studies.requests import FigureRequest
from boidsgen.studies.results import (
    SPREADS,
    Moments,
    ResultQuantity,
    Results,
    binder_cumulant,
    jackknife,
    merge_results,
    read_results,
    results_of,
    susceptibility,
    write_runs,
)

NOISE, COUNT, SIZE = "flock.angular_noise", "flock.count", "world.size"

pytest.importorskip("matplotlib", reason="matplotlib is an extra: pip install 'boidsgen[plot]'")


def row(run, value, /, **parameters):
    """A finished run of the manifest, with one measure that was 0 or 1 in equal shares unless it is constant."""
    measured = {name: {"polarization": value, "groups": 10 * value} for name in ("mean", "final")}
    moments = {"moments": {"polarization": [value, value], "groups": [1.0, 1.0]}, "boids": 10}
    return {"run": run, "status": "done", "parameters": parameters, **measured, **moments}


@pytest.fixture
def grid():
    """Two counts that go with two sizes, three noises, two seeds."""
    rows = [
        row(f"{count} {noise} {seed}", 0.1 * seed + noise / 1000, **{COUNT: count, SIZE: [side, side], NOISE: noise})
        for count, side in ((40, 3.1), (100, 5.0))
        for noise in (0.0, 90.0, 180.0)
        for seed in (1, 2)
    ]
    return results_of("grid", rows)


def test_a_point_is_the_mean_over_its_runs(grid):
    """0.1 and 0.2 give 0.15 with a standard error of 0.05; runs that are all 0 or 1 have N (<m> - <m>²)."""
    found = grid.points([NOISE, COUNT], grid.quantity("polarization"), "error")

    assert len(found) == 6
    assert found[0.0, 40] == pytest.approx((0.15, 0.10, 0.20))
    assert found[90.0, 100] == pytest.approx((0.24, 0.19, 0.29))
    value, low, high = grid.points([NOISE, COUNT], grid.quantity("susceptibility.polarization"), "error")[0.0, 40]
    assert value == pytest.approx(10 * (0.15 - 0.15**2))
    assert low < value < high
    assert grid.quantity("final.groups") == ResultQuantity("final", "groups")


def test_accuracy_is_drawn_like_a_measure(grid):
    """The autocorrelation time and the number of samples are numbers of a run; a run without them gives no point."""
    accurate = [{**one, "tau": {"groups": 2.0 + one["parameters"][COUNT] / 100}} for one in grid.rows]
    results = results_of("accurate", [*accurate, row("short", 0.5, **{COUNT: 7, SIZE: [1, 1], NOISE: 0.0})])

    assert results.points([COUNT], results.quantity("tau.groups"), "error").keys() == {(40,), (100,)}
    assert results.points([COUNT], results.quantity("tau.groups"), "error")[100,] == pytest.approx((3.0, 3.0, 3.0))
    assert results.quantity("tau.groups").label == "tau (measured frames) of groups"
    assert results.quantity("n_eff.groups").label == "effective samples of groups"


@pytest.fixture
def profiled():
    """Two noises with two seeds each, and a profile of three shells, of which the last is not always known."""
    rows = [
        row(f"{noise} {seed}", 0.5, **{NOISE: noise})
        | {"profiles": {"density_profile": {"distance": [1.0, 3.0, 5.0], "mean": [seed, noise, last]}}}
        for noise in (0.0, 90.0)
        for seed, last in ((1.0, None), (2.0, 7.0))
    ]
    return results_of("profiled", rows)


def test_along_the_axis_of_a_profile_goes_the_distance(profiled, tmp_path):
    """At each distance it is the mean over the runs where it is known; keys are told by color, or in a heat map."""
    found = profiled.points(["distance", NOISE], profiled.quantity("density_profile"), "error")
    assert found[1.0, 0.0] == pytest.approx((1.5, 1.0, 2.0))
    assert found[3.0, 90.0] == pytest.approx((90.0, 90.0, 90.0))
    assert found[5.0, 90.0] == pytest.approx((7.0, 7.0, 7.0))
    assert len(found) == 6
    full = complete_request(profiled, FigureRequest(("density_profile",)))

    assert (full.x, full.color) == ("distance", NOISE)
    for heat in (False, True):
        write_sweep_figure(profiled, FigureRequest(("density_profile",), heat=heat), str(tmp_path / f"{heat}.svg"))
        drawn = (tmp_path / f"{heat}.svg").read_text("utf-8")
        assert "distance" in drawn
        assert "density_profile against distance" in drawn
        assert ("<!-- 7.0 -->" in drawn) == heat  # the numbers stand in the cells


def test_what_is_left_open_is_chosen(grid):
    """The key with the most numbers goes along the axis, the next by color; a key that was paired needs no place."""
    full = complete_request(grid, FigureRequest())

    assert (full.x, full.color, full.panels) == (NOISE, COUNT, "")
    assert full.measures == ("polarization",)
    assert complete_request(grid, FigureRequest(x="count")).color == NOISE


def test_nothing_is_averaged_silently(grid):
    """A fourth key that varies must be chosen, not hidden in the error bars."""
    rows = [
        {**one, "parameters": {**one["parameters"], "a": a, "b": b}} for one in grid.rows for a in "xy" for b in "xy"
    ]
    wide = Results("wide", rows)

    with pytest.raises(UsageError, match=r"b varies too; choose one of its values with --only b=VALUE"):
        complete_request(wide, FigureRequest())
    assert complete_request(wide.only("b", "x"), FigureRequest()).panels == "a"
    assert grid.only(NOISE, "0.0", "180.0").keys[NOISE] == [0.0, 180.0]


@pytest.mark.parametrize(("title", "wrong"), [("a\x01b", "a character that no font shows"), ("\udcff", "is not UTF-8")])
def test_a_title_is_text(grid, title, wrong, tmp_path):
    """What no figure can show is refused, and no file appears."""
    with pytest.raises(UsageError, match=f"--title .*{wrong}|--title: has {wrong}"):
        write_sweep_figure(grid, FigureRequest(title=title), str(tmp_path / "a.svg"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", [r"a $\frac$ c", r"\$ $"])
def test_no_text_is_mathematics(text, tmp_path, monkeypatch):
    """Titles, values of keys and their names stand in a figure as they are."""
    from matplotlib.text import Text

    shown, preprocess = [], Text._preprocess_math
    monkeypatch.setattr(Text, "_preprocess_math", lambda self, text: shown.append(preprocess(self, text)) or shown[-1])
    rows = [row(f"{noise} {of}", noise, title=of, **{NOISE: noise}) for noise in (1.0, 2.0) for of in (text, "b")]
    request = FigureRequest(title=text, x=NOISE, color="title")
    for wanted in (request, FigureRequest(x="title", color=NOISE, heat=True)):
        write_sweep_figure(results_of("r", rows), wanted, str(tmp_path / "a.svg"))

    assert shown.count((text, False)) >= 3


@pytest.mark.parametrize("values", [range(60), [f"text {number}" for number in range(30)]], ids=["numbers", "texts"])
def test_many_names_leave_the_curves_alone(values, tmp_path, monkeypatch):
    """However many curves there are, the legend is whole, within the figure and beside the panel."""
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *_, **__: drawn.append(figure))
    rows = [row(f"{of} {count}", 0.5, title=of, **{COUNT: count}) for of in values for count in (1, 2)]
    write_sweep_figure(results_of("r", rows), FigureRequest(x=COUNT, color="title"), str(tmp_path / "a.png"))

    drawn[0].draw_without_rendering()
    (place,) = drawn[0].axes
    assert place.get_ylim()[1] >= 1.03 * place.dataLim.y1  # markers are whole
    legend, panel, whole = place.get_legend().get_window_extent(), place.get_window_extent(), drawn[0].bbox
    assert legend.x0 >= panel.x1
    assert (legend.x1, legend.y1) <= (whole.x1, whole.y1)
    assert (legend.x0, legend.y0) >= (whole.x0, whole.y0)
    assert panel.width > 0.4 * whole.width


@pytest.mark.parametrize(("ending", "heat"), [("svg", False), ("svg", True), ("pdf", False), ("png", True)])
def test_figures_are_whole_and_reproducible(grid, ending, heat, tmp_path):
    """Equal results give equal files, and a file that exists is kept where that is asked for."""
    request = FigureRequest(measures=("polarization", "groups"), heat=heat, log="" if heat else "x", theme="night")
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]

    positive = grid.only(NOISE, "90.0", "180.0")
    for path in paths:
        write_sweep_figure(positive, request, str(path))

    assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(OutputExistsError):
        write_sweep_figure(positive, request, str(paths[0]), no_clobber=True)


@pytest.mark.parametrize("x", [NOISE, "world.boundary"])
@pytest.mark.parametrize("heat", [False, True])
def test_panels_share_axes(x, heat, tmp_path, monkeypatch):
    """All panels have one horizontal axis, those of one quantity one vertical axis, or one scale of colors."""
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *_, **__: drawn.append(figure))
    values = (0.0, 90.0) if x == NOISE else ("torus", "open")
    rows = [
        row(
            f"{value} {count} {size}",
            (at + 1) * count * size / 1000,
            **{x: value, COUNT: count, "flock.max_speed": size},
        )
        for at, value in enumerate(values)
        for count in (40, 100)
        for size in (2, 4)
    ]
    request = FigureRequest(("polarization", "groups"), x=x, color=COUNT, panels="max_speed", heat=heat)
    write_sweep_figure(results_of("r", rows), request, str(tmp_path / "a.png"))

    panels = [place for place in drawn[0].axes if place.get_title(loc="left")]
    speeds = [f"max speed (world units per unit of time) {size}" for size in (2, 4)]
    assert [place.get_title(loc="left") for place in panels] == speeds * 2
    assert len({place.get_xlim() for place in panels}) == 1
    for one, other in (panels[:2], panels[2:]):
        assert one.get_ylim() == other.get_ylim()
        if heat:
            assert one.images[0].get_clim() == other.images[0].get_clim()
    assert heat or panels[0].get_ylim()[1] < panels[2].get_ylim()[1]


def test_axes_of_ones_own(grid, tmp_path):
    """In Python a figure of one panel is drawn into given axes, with the means of the runs; several are refused."""
    from matplotlib import pyplot as plt

    (tmp_path / "manifest.jsonl").write_bytes(b"".join(map(row_to_line, grid.rows)))
    figure, (_, mine) = plt.subplots(1, 2)
    drawn = plot(tmp_path, "groups", ax=mine, x="angular_noise", only={COUNT: 40})

    assert drawn is mine
    assert mine.lines[0].get_xydata().tolist() == [[0, 1.5], [90, pytest.approx(2.4)], [180, pytest.approx(3.3)]]
    assert (mine.get_xlabel(), mine.get_ylabel()) == ("angular noise (degrees)", "groups")
    plt.close(figure)
    assert not plot(tmp_path, only={COUNT: 100}).get_figure().texts
    plt.close("all")


def test_figures_name_version_and_runs(grid, tmp_path):
    """The metadata of a figure have the version, and a digest that differs with the runs that are drawn."""
    found = set()
    for number, some in enumerate((grid, grid, grid.only(COUNT, "40"))):
        rows = [one | {"scenario": one["run"]} for one in some.rows]
        write_sweep_figure(results_of("r", rows), FigureRequest(), str(tmp_path / f"{number}.png"))
        with Image.open(tmp_path / f"{number}.png") as image:
            found.add(image.text["Comment"])

    assert len(found) == 2
    assert all(re.match(r"# boidsgen \d\S+, numpy .*\n.*digest [0-9a-f]{64}\n", text) for text in found)


def test_axes_name_keys_with_units(grid, tmp_path):
    """An axis has the key in words and its unit; with radians a turn is 6.28 long, not 360."""
    for name, radians in (("degrees", False), ("radians", True)):
        write_sweep_figure(grid, FigureRequest(radians=radians), str(tmp_path / f"{name}.svg"))
    degrees, radians = ((tmp_path / f"{name}.svg").read_text() for name in ("degrees", "radians"))

    assert "<!-- angular noise (degrees) -->" in degrees
    assert "<!-- angular noise (radians) -->" in radians
    assert "<!-- 180 -->" in degrees
    assert "<!-- 180 -->" not in radians
    assert key_unit(NOISE) == "degrees"
    assert key_unit("flock.max_speed") == "world units per unit of time"
    assert key_unit("flock.noise.weight") == key_unit("no.such.key") == ""


def drawn(results, request, monkeypatch, tmp_path):
    """The axes of a figure."""
    found = []
    monkeypatch.setattr("boidsgen.studies.figure._draw_panels", lambda *of: (found.extend(of[0]), _draw_panels(*of)))
    write_sweep_figure(results, request, str(tmp_path / "drawn.png"))
    return found


def test_angles_in_radians_are_multiples_of_pi(grid, monkeypatch, tmp_path):
    """Ticks at an axis, names of curves and of cells are such as 3π/4; what is no such multiple stays a number."""
    (plain,) = drawn(grid.only(COUNT, "40"), FigureRequest(radians=True), monkeypatch, tmp_path)
    heat = drawn(grid, FigureRequest(x=COUNT, color=NOISE, heat=True, radians=True), monkeypatch, tmp_path)[0]

    assert [tick.get_text() for tick in plain.get_xticklabels()] == [
        *("0", "π/8", "π/4", "3π/8", "π/2", "5π/8", "3π/4", "7π/8", "π"),
    ]
    assert [tick.get_text() for tick in heat.get_yticklabels()] == ["0", "π/2", "π"]
    assert _text(-50.0, NOISE, FigureRequest(radians=True)) == "\N{MINUS SIGN}5π/18"
    assert _text(50.1, NOISE, FigureRequest(radians=True)) == "0.8744"


def test_numbers_of_a_heat_map_have_one_precision(monkeypatch, tmp_path):
    """All have the decimals of the largest, which has three digits."""
    for largest, written in ((0.39, ["0.390", "0.088"]), (21.54, ["21.5", "0.1"]), (4e8, ["4e+08", "0.0883"])):
        rows = [row(f"{count}", value, **{COUNT: count, NOISE: 0.0}) for count, value in ((40, largest), (100, 0.0883))]
        request = FigureRequest(x=COUNT, color=NOISE, heat=True)
        (place,) = drawn(results_of("heat", rows), request, monkeypatch, tmp_path)

        assert [text.get_text() for text in place.texts] == written


def test_bars_at_one_place_stand_apart(grid, monkeypatch, tmp_path):
    """Error bars of several curves do not cover each other, and all curves of a row of panels are named once."""
    request = FigureRequest(measures=("polarization", "groups"), x=NOISE, color=COUNT)
    first, last = drawn(grid, request, monkeypatch, tmp_path)
    left, right = (lines.get_transform().transform(lines.get_xydata()[0])[0] for lines in first.lines[::3][:2])
    names = [[text.get_text() for text in place.texts] for place in (first, last)]

    assert 3 < right - left < 12
    assert names == [[], ["40", "100", "count"]]


def test_manifests_are_read(tmp_path, grid):
    """Of a directory only finished runs of the last sweep count, the latest row of each, and no broken line."""
    rows = [*grid.rows, row("old", 9.0, **{NOISE: 1.0}), {**row("failed", 1.0), "status": "failed"}]
    lines = [row_to_line({**grid.rows[0], "mean": {}}), *map(row_to_line, rows), b'{"run": "half']
    (tmp_path / "manifest.jsonl").write_bytes(b"".join(lines))
    table = ["run", *(one["run"] for one in grid.rows)]
    (tmp_path / "manifest.csv").write_text("\n".join(table))

    for name in ("", "manifest.jsonl", "manifest.csv"):
        assert sorted(one["run"] for one in read_results(str(tmp_path / name)).rows) == sorted(
            one["run"] for one in grid.rows
        )
    assert (
        read_results(str(tmp_path)).notices[1] == f"{tmp_path}: runs of earlier sweeps there, left out of the figure: 1"
    )


def test_chunks_come_merge_results(grid):
    """Parts of one sweep give the points of the whole, in whatever order they vary its keys; no run counts twice."""
    turned = [one | {"parameters": dict(reversed(one["parameters"].items()))} for one in grid.rows[5:]]
    parts = [Results("a", grid.rows[:7]), Results("b", turned)]
    keys = [NOISE, COUNT]

    both = merge_results(parts).points(keys, grid.quantity("polarization"), "error")

    assert both == grid.points(keys, grid.quantity("polarization"), "error")


def test_moments_of_an_order_parameter_by_hand():
    """Two runs of ten boids with values 0 and 1 in equal shares: N (1/2 - 1/4) and 1 - (1/2) / (3/4)."""
    runs = [Moments(0.0, 0.0, 0.0, 10), Moments(1.0, 1.0, 1.0, 10)]

    assert susceptibility(runs) == pytest.approx(2.5)
    assert binder_cumulant(runs) == pytest.approx(1 / 3)
    assert binder_cumulant([Moments(0.0, 0.0, 0.0, 10)]) == 0


def test_order_has_the_binder_cumulant_of_order():
    """A value that never changes gives 2/3; one of two normal components gives 1/3."""
    pair = np.hypot(*np.random.default_rng(1).normal(size=(2, 200_000)))

    assert binder_cumulant([Moments(0.9, 0.81, 0.9**4, 5)]) == pytest.approx(2 / 3)
    assert binder_cumulant([Moments(pair.mean(), (pair**2).mean(), (pair**4).mean(), 5)]) == pytest.approx(
        1 / 3, abs=0.01
    )


def test_jackknife_of_a_mean_is_its_standard_error():
    """For the mean, leaving out each run in turn gives the usual standard error."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    runs = [Moments(value, 0.0, 0.0, 1) for value in values]

    value, error = jackknife(lambda some: float(np.mean([run.mean for run in some])), runs)

    assert (value, error) == pytest.approx((4.0, values.std(ddof=1) / 2))
    assert jackknife(susceptibility, runs[:1])[1] == 0


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        ("error", (3.0, 3 - np.sqrt(2.5 / 5), 3 + np.sqrt(2.5 / 5))),
        ("deviation", (3.0, 3 - np.sqrt(2.5), 3 + np.sqrt(2.5))),
        ("quantiles", (3.0, 1.4, 4.6)),
        ("range", (3.0, 1.0, 5.0)),
    ],
)
def test_spreads_by_hand(spread, expected):
    """Of 1 to 5 the mean is 3, the variance 2.5; the lowest tenth ends at 1.4."""
    assert set(SPREADS) == {"error", "deviation", "quantiles", "range"}
    around = SPREADS[spread][1]
    assert around(np.arange(1.0, 6.0)) == pytest.approx(expected)
    assert around(np.array([2.0])) == pytest.approx((2.0, 2.0, 2.0))


def test_a_figure_has_the_size_that_was_asked_for(grid, tmp_path):
    """Width, height and letters hold in the PDF, labels are mathematics, and the numbers come as CSV."""
    request = FigureRequest(("groups",), x=COUNT, color=NOISE, panels=SIZE)
    small = request._replace(width="86mm", height="60mm", font="7pt", xlabel=r"$\eta$")
    write_sweep_figure(grid, small, str(tmp_path / "one.pdf"))
    found = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", (tmp_path / "one.pdf").read_bytes())
    assert [float(side) for side in found.groups()] == pytest.approx([86 / 25.4 * 72, 60 / 25.4 * 72], abs=0.01)
    write_numbers(grid, request, str(tmp_path / "one.csv"))
    rows = list(csv.DictReader((tmp_path / "one.csv").read_text().splitlines()))
    assert {*rows[0]} == {"panel", "quantity", COUNT, NOISE, "value", "low", "high"}
    assert len(rows) == len({(row["panel"], row[COUNT], row[NOISE]) for row in rows}) > 3


KINDS = {
    "whole numbers": (5, 6),
    "numbers": (2.5, 3.5),
    "infinity": (9, "inf"),
    "only infinity": ("inf",),
    "lists": ([40, 40], [50, 50]),
    "lists of tables": ([], [{"kind": "circle", "center": [10, 10], "radius": 3}]),
    "tables": ({"weight": 1}, {"weight": 2, "radius": 5}),
    "text": ("torus", "reflect"),
    "text and tables": ("torus", {"kind": "reflect"}),
    "truths": (True, False),
    "truths and numbers": (True, 2),
    "none": (None, 1.5),
    "only none": (None,),
}
"""Values of a varied key, of every type that a manifest has."""


@pytest.mark.parametrize(
    ("kind", "further", "ending"),
    [
        # In CI all in tables, and of the figures of each type one, in a format and with another key in turn
        pytest.param(
            kind,
            further,
            ending,
            marks=pytest.mark.slow if at < 3 and (at, other) != (number % 3, number // 3 % 3) else (),
        )
        for number, kind in enumerate(KINDS)
        for other, further in enumerate((None, (1, 2), ([1], [2])))
        for at, ending in enumerate(("png", "svg", "pdf", "csv", "parquet"))
    ],
)
def test_every_type_of_value_is_plotted_in_every_format(tmp_path, kind, further, ending):
    """Whatever type the values of a varied key have, alone or with another key, every format shows all of them."""
    values = [{"key": value} | ({"other": one} if further else {}) for value in KINDS[kind] for one in further or [0]]
    results = results_of("kinds", [row(str(at), 0.5, **one) for at, one in enumerate(values)])
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
        write_runs(results, str(path))
    else:
        write = write_numbers if ending == "csv" else write_sweep_figure
        write(results, FigureRequest(x="key"), str(path))

    assert path.stat().st_size > 0
    if ending == "csv":
        read = [one["key"] for one in csv.DictReader(path.read_text().splitlines())]
    elif ending == "parquet":
        from pyarrow.parquet import read_table

        read = [one["key"] for one in read_table(path).to_pylist()]
    else:
        return
    texts = {"" if one is None else one if isinstance(one, str) else to_toml(one) for one in KINDS[kind]}
    found = {"" if one is None else one if isinstance(one, str) else to_toml(one) for one in read}
    assert {*map(_number, found)} == {*map(_number, texts)}


def _number(text):
    """A number written in whatever way as a number, and text as it is."""
    try:
        return float(text)
    except ValueError:
        return text.lower()


def test_several_plots_are_written_together_or_not_at_all(boidsgen):
    """Where one of several outputs cannot be made, or is there already, all are as they were; else all are new."""
    Path(LINES).write_bytes(b"".join(row_to_line(row(str(at), 0.5, key=at)) for at in range(3)))
    outputs = ("-o", "a.csv", "-o", "a.svg", "-o", "a.html")

    assert boidsgen("plot", ".", *outputs).code == 2  # a map needs two keys
    Path("a.svg").write_text("old")
    assert boidsgen("plot", ".", *outputs[:4], "--no-clobber").code == 4
    assert {path.name for path in Path().iterdir()} == {LINES, "small.toml", "a.svg"}
    assert Path("a.svg").read_text() == "old"
    assert boidsgen("plot", ".", *outputs[:4]).paths == ["a.csv", "a.svg"]
    assert Path("a.svg").stat().st_size > 1000


def test_every_run_is_a_row_of_parquet(boidsgen):
    """It has the columns and values of manifest.csv, numbers as numbers, and infinity among them."""
    parquet = pytest.importorskip("pyarrow.parquet")
    varied = ["--vary", "flock.count=5,6", "--vary", "flock.perception.radius=9,inf"]
    assert boidsgen("sweep", "quickstart", *varied, "--frames", "3", "--measures-only", "-o", "runs").code == 0
    assert boidsgen("plot", "runs", "-o", "runs.parquet").code == 0
    with Path("runs/manifest.csv").open(newline="") as file:
        wanted = [*csv.DictReader(file)]
    found = parquet.read_table("runs.parquet").to_pylist()

    assert [row["flock.perception.radius"] for row in found[:4]] == [9, math.inf, 9, math.inf]
    assert {type(row["mean.polarization"]) for row in found} == {float}
    for row, cells in zip(found, wanted, strict=True):
        numbers = {name: value for name, value in row.items() if type(value) in {int, float}}
        assert numbers == {name: float(text) for name, text in cells.items() if name in numbers} | {
            name: value for name, value in numbers.items() if name not in cells
        }
        others = {name: text for name, text in cells.items() if text and name not in numbers}
        assert others == {name: row[name] if isinstance(row[name], str) else to_toml(row[name]) for name in others}
