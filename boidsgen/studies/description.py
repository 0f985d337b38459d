"""The methods section of a study: the table of its model, and sentences about runs, estimators and versions.

Sentences are about what `study.toml` and the manifest record, and about nothing else.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path

from boidsgen import __version__
from boidsgen.errors import StorageError, join_words
from boidsgen.measuring import MAX_MEASURED
from boidsgen.scenario.loading import draft
from boidsgen.scenario.model_table import model, place_of_key
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import find
from boidsgen.scenario.wording import to_toml
from boidsgen.studies.manifest import STUDY
from boidsgen.studies.plan import SweepAxis, group_axes, parse_values, value_text
from boidsgen.studies.results import Results, in_words, read_results
from boidsgen.studies.runs import FIRST_SEEDS

_MAX_LISTED = 12  # Values of a key that are listed one by one
_CITE = f"boidsgen developers: boidsgen, version {__version__}, software, MIT License"
_BIBTEX = (
    f"% @software{{boidsgen, author = {{{{boidsgen developers}}}}, title = {{boidsgen}}, version = {{{__version__}}}}}"
)
_LATEX = {"\\": r"\textbackslash{}", "×": r"$\times$", "°": r"$^\circ$", "≤": r"$\leq$", "~": r"\textasciitilde{}"}
_LATEX |= {"^": r"\textasciicircum{}"} | {letter: f"\\{letter}" for letter in "&%$#_{}"}


def describe(directory: str, *, latex: bool = False) -> str:
    """The methods section of the study in a directory, as text or as LaTeX.

    Raises:
        StorageError: the directory has no study.
        BoidsgenError: another of its kinds, when its files are damaged.
    """
    path = Path(directory, STUDY)
    if not path.is_file():
        raise StorageError(f"{path}: there is no such file; the directory of a sweep has one")
    scenario, results = draft(find(path, foreign=True)).scenario(), read_results(directory)
    lead = f"The model{f' of {to_toml(scenario.title)}' if scenario.title else ''} had the values in this table. "
    lead += "Rules that are not in it were off; all other keys had their defaults or no effect."
    parts = (design(scenario, results), _estimators(scenario, results), _software(results))
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


def _software(results: Results) -> Iterator[str]:
    made = _join(dict.fromkeys(str(row["versions"]) for row in results.rows if row.get("versions")))
    yield f"The runs were made with {made}"
    yield f"The whole scenario is in {STUDY}; the command boidsgen sweep {STUDY} repeats the runs"
    yield f"Cite as: {_CITE}"


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
