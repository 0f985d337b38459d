"""What a paper says of a study: its methods section, and the tables and figures of a fit.

The methods section has the table of the model, and sentences about what `study.toml` and the manifest record, and about
nothing else: runs, estimators and versions. Of a fit there are tables of posterior, intervals and misfit, a figure, and
the film beside the run most like it. `misfit.csv` comes first for a reader: intervals of a scenario that does not move
like the film mean nothing.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boidsgen import __version__
from boidsgen.comparison import compare, side_by_side
from boidsgen.errors import StorageError, join_words
from boidsgen.measuring import MAX_MEASURED
from boidsgen.output.columns import Columns, write_columns
from boidsgen.output.publish import open_file
from boidsgen.pipeline import RunOptions
from boidsgen.scenario.loading import draft, rules_of_program, supplied
from boidsgen.scenario.model_table import model, place_of_key
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import Scenario, versions
from boidsgen.scenario.sources import find
from boidsgen.scenario.wording import to_toml
from boidsgen.simulation.observing import ObservationModel
from boidsgen.studies.design import Floats
from boidsgen.studies.fit import ROUNDS, SUMMARIES, UNINFORMED, Fit
from boidsgen.studies.manifest import STUDY
from boidsgen.studies.plan import SweepAxis, group_axes, parse_values, value_text
from boidsgen.studies.posterior import QUANTILES, TOO_FEW
from boidsgen.studies.results import STYLE, Results, in_words, key_label, read_results, require_matplotlib, save_panels
from boidsgen.studies.sweep import FIRST_SEEDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_LISTED = 12  # Values of a key that are listed one by one
_CITE = f"boidsgen developers: boidsgen, version {__version__}, software, MIT License"
_BIBTEX = (
    f"% @software{{boidsgen, author = {{{{boidsgen developers}}}}, title = {{boidsgen}}, version = {{{__version__}}}}}"
)
_LATEX = {"\\": r"\textbackslash{}", "×": r"$\times$", "°": r"$^\circ$", "≤": r"$\leq$", "~": r"\textasciitilde{}"}
_LATEX |= {"^": r"\textasciicircum{}"} | {letter: f"\\{letter}" for letter in "&%$#_{}"}


def methods_section(directory: str, *, latex: bool = False) -> str:
    """The methods section of the study in a directory, as text or as LaTeX.

    Raises:
        StorageError: the directory has no study.
        BoidsgenError: another of its kinds, when its files are damaged.
    """
    path = Path(directory, STUDY)
    if not path.is_file():
        raise StorageError(f"{path}: there is no such file; the directory of a sweep has one")
    source, results = find(path, foreign=True), read_results(directory)
    scenario, added = draft(supplied(source, passed=True)).scenario(), rules_of_program(source)
    lead = f"The model{f' of {to_toml(scenario.title)}' if scenario.title else ''} had the values in this table. "
    lead += "Rules that are not in it were off; all other keys had their defaults or no effect."
    made = _join(dict.fromkeys(str(row["versions"]) for row in results.rows if row.get("versions")))
    repeated = f"The whole scenario is in {STUDY}; the command boidsgen sweep {STUDY} repeats the runs"
    if added:
        lead += f" Every flock was also steered by {added}, written in Python."
        repeated = f"The whole scenario and the source of {added} are in {STUDY}"
    software = [f"The runs were made with {made}", repeated, f"Cite as: {_CITE}"]
    parts = (design(scenario, results), _estimators(scenario, results), software)
    paragraphs, rows = [". ".join(part) + "." for part in parts], [*model(scenario, STUDY)]
    if latex:
        body = "\n".join(f"{' & '.join(map(_in_latex, row))} \\\\" for row in rows)
        table = f"\\begin{{tabular}}{{lll}}\n{body}\n\\end{{tabular}}"
        return "\n\n".join([_in_latex(lead), table, *map(_in_latex, paragraphs), _BIBTEX])
    first, second = (max(len(row[at]) for row in rows) for at in (0, 1))
    table = "\n".join(f"{key:<{first}}  {value:<{second}}  {remark}".rstrip() for key, value, remark in rows)
    return "\n\n".join([lead, table, *paragraphs])


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


def design(scenario: Scenario, results: Results) -> Iterator[str]:
    """Sentences about the values of the varied keys, how they were combined, and seeds."""
    sweep, seeds = scenario.sweep, Counter(str(row["parameters"]) for row in results.rows)
    axes = [
        SweepAxis(key, parse_values(values) if isinstance(values, str) else values, "")
        for key, values in sweep.vary.items()
    ]
    paired = sweep.zip if isinstance(sweep.zip, tuple) else tuple(sweep.vary) if sweep.zip else ()
    groups = group_axes(axes, paired)
    points = prod(len(group[0].values) for group in groups)
    what = "combination" if len(groups) > 1 else "point" if len(axes) > 1 else "value"
    if axes:
        told = "; and ".join(_group(group) for group in groups)
        how = f", in all {points:,} combinations" if len(groups) > 1 else f": {points:,} {what}{'s' * (points > 1)}"
        yield f"We varied {told}{how}"
    fewest, most = min(seeds.values()), max(seeds.values())
    if sweep.seeds is None:
        own = (
            ""
            if place_of_key("seed", scenario) in {place_of_key(key, scenario) for key in sweep.vary}
            else scenario.seed
        )
        yield f"Each was run once{f', with seed {own}' if own != '' else ''}"
    else:
        number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        many = "one seed" if most == 1 else f"{number} independent seeds"
        of_all = f", {'another' if sweep.independent else 'the same'} for each {what}" if axes else ""
        yield f"Each had {many}, spawned from {scenario.seed} by NumPy's SeedSequence{of_all}"
    if sweep.until:
        goals = (f"{_number(error)} for {in_words(name.removeprefix('error.'))}" for name, error in sweep.until.items())
        first = min(FIRST_SEEDS, sweep.seeds or 1)
        upto = f"from {first} up to {sweep.seeds}"
        yield f"Seeds were added, {upto}, until the standard error over them was at most {_join(goals)}"
    planned = f" of {points * (sweep.seeds or 1):,} planned" if not sweep.until else ""
    done = len(results.rows)
    yield f"{done:,}{planned if done != points * (sweep.seeds or 1) else ''} runs were done"


def _estimators(scenario: Scenario, results: Results) -> Iterator[str]:
    names = _join([in_words(name) for name in (*results.measures, *results.profiles)])
    if any(key.split(".")[0] in {"time", "measure"} for key in scenario.sweep.vary):
        yield f"We measured {names} in the frames that the table [measure] of each run names"
    else:
        frames = scenario.measure.frames(scenario.time, MAX_MEASURED)
        every = f"every {-frames.step} frames" if frames.step < -1 else "in every frame"
        yield f"We measured {names} {every} from frame {min(frames)} on, {len(frames)} values a run"
    yield (
        "The standard error of a run's mean allows for autocorrelation by blocking (Flyvbjerg and Petersen 1989; "
        "Kendall 1954)"
    )
    judged = [row.get("settled", {}) for row in results.rows]
    unsettled = Counter(name for row in judged for name, settled in row.items() if settled is False)
    said = _join([f"{in_words(name)} in {count:,} of {len(judged):,} runs" for name, count in unsettled.most_common()])
    tested = any(settled is not None for row in judged for settled in row.values())
    yield "The test of stationarity (after Geweke 1992) " + (
        f"found {said} not settled" if said else "found no run that had not settled" if tested else "needs 32 frames"
    )
    yield "Results are means over runs with their standard errors over runs"


def _group(axes: Sequence[SweepAxis]) -> str:
    """Keys that are varied together."""
    return f"{_join(list(map(_axis, axes)))}{', paired (first with first)' if len(axes) > 1 else ''}"


def _axis(axis: SweepAxis) -> str:
    """A varied key with its values and its unit."""
    key, values = axis.key, axis.values
    unit = f", in {key_unit(key)}" if key_unit(key) else ""
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(values) > _MAX_LISTED and len(numbers) == len(values):
        return f"{key} ({len(values)} values from {_number(min(numbers))} to {_number(max(numbers))}{unit})"
    return f"{key} ({', '.join(map(_number, values))}{unit})"


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else value_text(value)


def _join(parts: Iterator[str] | Sequence[str] | Mapping[str, None]) -> str:
    return join_words([*parts] or [""], "and")


_MAX_NAMED = 3  # Summaries that a line names
_PANEL = (2.6, 2.2)  # Width and height of a panel, in inches


def fit_tables(found: Fit) -> dict[str, list[dict[str, object]]]:
    """The records of each table, the misfit first."""
    factors, check = found.design.factors, found.check
    keys, likely, unreached = [one.key for one in factors], found.likely, {*found.unreached}
    surprise, below = found.first.surprise(likely.misfit), likely.share_below(found.observed)
    observed, low, middle, high = found.in_units(np.array([found.observed, *likely.predicted_interval]))
    tables: dict[str, list[dict[str, object]]] = {
        "misfit": [
            {
                "summary": found.summary_name(at),
                "unit": found.summary_unit(at),
                "observed": observed[at],
                "predicted_low": low[at],
                "predicted": middle[at],
                "predicted_high": high[at],
                "share_of_runs_below": below[at],
                "share_of_runs_above": 1 - below[at],
                "share_of_runs_nearer": surprise[at],
                "reached": at not in unreached,
            }
            for at in range(len(found.observed))
        ],
        "intervals": [
            {"key": one.key, **{f"quantile_{share:g}": value for share, value in zip(QUANTILES, column, strict=True)}}
            | {"prior": one.prior, "prior_low": one.value(0.0), "prior_high": one.value(1.0), "informed": told}
            for one, column, told in zip(factors, _quantiles(found), informed(found), strict=True)
        ],
        "posterior": [
            {"weight": weight, **dict(zip(keys, row, strict=True)), "run": found.plan.runs[run].name}
            for weight, row, run in zip(
                found.posterior.weights, _values(found, found.posterior.points), found.posterior.runs, strict=True
            )
        ],
    }
    if check:
        tables["check"] = [
            {"key": key, **{kind: getattr(check, kind)[at] for kind in check._fields[:4]}, "flagged": check.flagged}
            for at, key in enumerate(keys)
        ]
    return tables


def write_fit(found: Fit, directory: Path, plots: Sequence[str] = (), *, engine: str = "auto") -> list[str]:
    """Write everything into the directory, and figures to these paths. Returns all paths."""
    paths = []
    for name, rows in fit_tables(found).items():
        paths.append(str(directory / f"{name}.csv"))
        write_columns(paths[-1], Columns.of(rows))
    paths.append(str(directory / "methods.txt"))
    with open_file(paths[-1]) as file:
        file.write(f"{versions()}{methods(found)}\n".encode())
    for path in plots:
        _write_figure(found, path)
    if run := found.observation.run:  # beside the run nearest to it
        beside = [str(directory / name) for name in ("beside.html", "beside.gif")]
        labels = [Path(found.observation.name).name, "the run most like it"]
        nearest = found.plan.scenario(found.plan.runs[int(found.posterior.runs[0])])
        shown = [run.scenario, found.own.steered(nearest)]
        compare(side_by_side(labels, shown, run.states), *beside, options=RunOptions(engine))
        paths += beside
    return [*paths, *plots]


def _values(found: Fit, points: Floats) -> list[list[object]]:
    """The values at points of the unit cube, (n, k)."""
    return [[one.value(unit) for one, unit in zip(found.design.factors, row, strict=True)] for row in points.tolist()]


def _quantiles(found: Fit) -> list[tuple[Any, ...]]:
    """For each key the quantiles of its values."""
    return [*zip(*_values(found, found.posterior.quantiles()), strict=True)]


def informed(found: Fit) -> list[bool]:
    """For each key, false where the scenario does not fit, or the 90 % interval is nearly as wide as the prior's."""
    (low, *_, high), fits = found.posterior.quantiles(), not found.unreached
    return [fits and width < UNINFORMED * (QUANTILES[-1] - QUANTILES[0]) for width in (high - low).tolist()]


def lines_of(found: Fit) -> list[str]:
    """Lines about a fit, the misfit first."""
    lines, unreached = list[str](), found.unreached
    if unreached:
        observed, low, _, high = found.in_units(np.array([found.observed, *found.likely.predicted_interval]))
        some = [
            f"{found.summary_name(at)} is {observed[at]:.3g}, in runs like it {low[at]:.3g} to {high[at]:.3g}"
            for at in unreached[:_MAX_NAMED]
        ]
        more = f", and {len(unreached) - _MAX_NAMED} more" if len(unreached) > _MAX_NAMED else ""
        lines.append(f"does not fit, so that intervals mean little: {'; '.join(some)}{more}")
    elif found.first.fits(found.likely.misfit) is None:
        lines.append(TOO_FEW)
    if model := found.observation.model:
        lines.append(f"runs are seen as the film: {seen_as(model)}")
    for one, column, told in zip(found.design.factors, _quantiles(found), informed(found), strict=True):
        least, _, median, _, most = column
        nothing = "" if told or unreached else "; the data tell nothing about it"
        lines.append(f"{one.key}: {median}, 90 % {least} to {most}{nothing}")
    if check := found.check:
        for one, half, most, error, prior in zip(found.design.factors, *check[:4], strict=True):
            covered = f"intervals of 50 % and 90 % have {half:.0%} and {most:.0%} of them"
            lines.append(f"check, {one.key}: {covered}; median error {error / prior:.0%} of a guess")
        lines.append(f"check: a misfit is reported for {check.flagged:.0%} of runs of the scenario itself")
    return lines


def seen_as(model: ObservationModel) -> str:
    """An observation model in words."""
    velocities = "as observed" if model.given else f"smoothed over {model.smooth} frames" if model.smooth else "derived"
    missing = f"{1 - model.seen.mean():.3g} of the positions are missing"
    return f"{missing}, each coordinate has noise of {model.noise:g}, velocities are {velocities}"


def methods(found: Fit) -> str:
    """The methods section of a fit, as one paragraph."""
    runs = [len(found.first.points), len(found.plan.runs)]
    added = " and ".join(found.own.sources(found.plan.base))
    steered = f", whose flocks were also steered by the rules {added}, written in Python," if added else ""
    ranges = join_words(
        [f"{one.key} from {one.value(0.0)} to {one.value(1.0)} (prior: {one.prior})" for one in found.design.factors],
        "and",
    )
    model = found.observation.model
    seen = f"Runs were measured as the film shows them: {seen_as(model)}. " if model else ""
    kinds = join_words([words.removesuffix(" of {}").removesuffix(" {}") for words in SUMMARIES.values()], "and")
    return (
        f"We fitted the scenario {found.plan.source.label}{steered} to {found.observation.name} by approximate "
        f"Bayesian computation, varying {ranges}. {runs[0]} runs form a Latin hypercube over the whole "
        f"ranges, and in {len(ROUNDS) - 1} further rounds {runs[1] - runs[0]} runs one over the part in which the "
        f"posterior was; each has its own seed, and the animals, frames and frame rate of the observation. {seen}"
        f"Summaries are {kinds} of {join_words([name.replace('_', ' ') for name in found.names], 'and')}. Points were "
        "predicted from normal scores of the summaries and their products by ridge regression (Fearnhead and Prangle "
        "2012), the nearest eighth of the runs was kept with Epanechnikov weights, and adjusted by local linear "
        "regression of logits (Beaumont, Zhang and Balding 2002). A summary counts as not reached where it is farther "
        f"from that regression than any summary of 95 % of the runs. Software: boidsgen {__version__}."
    )


def _write_figure(found: Fit, path: str) -> None:
    """Draw marginals on the diagonal, and pairs below it."""
    require_matplotlib(path)
    factors, weights = found.design.factors, found.posterior.weights
    count, told = len(factors), informed(found)
    columns = np.array(_values(found, found.posterior.points), float).T
    quantiles = _quantiles(found)

    def draw(figure: "Figure", places: Sequence["Axes"]) -> None:
        figure.suptitle("does not fit: see misfit.csv" if found.unreached else "posterior, median and 90 % interval")
        for number, place in enumerate(places):
            row, column = divmod(number, count)
            if column > row:
                place.remove()
                continue
            along, ends = factors[column], [factors[column].value(0.0), factors[column].value(1.0)]
            place.set(xscale="log" if along.logarithmic else "linear", xlim=ends)
            if row == column:
                edges = sorted({float(str(along.value(share))) for share in np.linspace(0, 1, 26)})
                place.hist(columns[row], bins=edges, weights=weights / weights.sum(), color="#0072b2")
                place.axvspan(quantiles[row][0], quantiles[row][-1], color="#0072b2", alpha=0.15, linewidth=0)
                place.axvline(quantiles[row][2], color="#d55e00")
                place.set_yticks([])
                place.set_title("" if told[row] else "not informed", loc="left")
            else:
                place.scatter(columns[column], columns[row], s=8 * weights, color="#0072b2", linewidth=0)
                scale = "log" if factors[row].logarithmic else "linear"
                place.set(yscale=scale, ylim=[factors[row].value(0.0), factors[row].value(1.0)])
            if row == count - 1:
                place.set_xlabel(key_label(along.key))
            if column == 0 and row:
                place.set_ylabel(key_label(factors[row].key))

    about = f"{versions()}# boidsgen fit {found.observation.name} {found.plan.source.label}\n"
    save_panels(path, count * count, draw, about, STYLE, panel=_PANEL, columns=count)
