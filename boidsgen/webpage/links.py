"""Links of pages, read back: collect the results of a class.

A link (see `link.js`) names the scenario of its page, a seed, actions, a frame, predictions, and a digest of the
positions in this frame: its claim. Each claim is checked by repeating the run. A link may come from anybody, so any
fault in it becomes a note in the table, and nothing else. The table has a line for each link or file; the page compares
the predictions of the class with the results.
"""

import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from io import BytesIO
from itertools import chain, islice
from math import inf
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field, TypeAdapter, ValidationError

from boidsgen.errors import BoidsgenError, LimitError, ScenarioError, printable
from boidsgen.output.columns import Columns, ColumnsCsv
from boidsgen.scenario.layers import refuse_reaching
from boidsgen.scenario.lessons import FRAME, Tree, holds, parse_condition, variables
from boidsgen.scenario.loading import draft, refuse_slow, source_of
from boidsgen.scenario.scenario import Scenario, non_defaults
from boidsgen.scenario.sources import find
from boidsgen.scenario.wording import to_toml
from boidsgen.simulation.measures import MEASURES, measure
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import State
from boidsgen.system import read_input
from boidsgen.tables import attributes, has_tables, value_at, walk
from boidsgen.webpage.document import MAX_SEEDS, numbered
from boidsgen.webpage.writer import digest_of, policy, with_numbers, with_spares

LINK_VERSION = "1"  # Of links
MAX_LETTERS, MAX_FRAMES, MAX_ACTIONS, MAX_STEPS = 10_000, 20_000, 1_000, 50  # Of a link; `link.js` has the same
MAX_FILE, MAX_LINKS = 50_000_000, 10_000  # Bytes and lines of a file of links
LONGEST_RUN = 60  # Estimated, of one run
MAX_SHOWN = 200  # Characters of a name, a prediction or a reason
LIST_ENDINGS = (".csv", ".tsv", ".txt")  # File extensions of lists of links
KEY = r"^(flock|predators|obstacles|attractors|fields)\.\d{1,9}(\.[a-z_]{1,50}){1,5}$"
ALTERED = "the link is cut off or altered"

FrameNumber = Annotated[int, Field(ge=0, lt=MAX_FRAMES)]
ShortText = Annotated[str, Field(max_length=MAX_SHOWN)]


class Link(NamedTuple):
    """The content of a link."""

    seed: Annotated[int, Field(ge=0, lt=MAX_SEEDS)]  # number of the start
    frame: FrameNumber  # that is shown
    actions: Annotated[list[tuple[FrameNumber, Annotated[str, Field(pattern=KEY)], Any]], Field(max_length=MAX_ACTIONS)]
    predictions: Annotated[dict[ShortText, ShortText | float], Field(max_length=MAX_STEPS)]
    claim: Annotated[str, Field(pattern="^([0-9a-f]{12})?$")]  # see `claim_of`; empty where the browser made none


class Submission(NamedTuple):
    """A line of the table; what is not known is None or empty."""

    name: str
    predicted: Mapping[str, str | float] = {}
    changed: Mapping[str, object] = {}
    frame: int | None = None
    reached: bool | None = None
    steps: tuple[bool, ...] = ()  # of the lesson, each reached or not
    values: Mapping[str, float] = {}
    same: bool | None = None  # the states are those that the link claims
    note: str = ""


class Assignment(NamedTuple):
    """The task of a class."""

    scenario: Scenario  # of the page
    condition: Tree | None = None
    engine: str = "auto"

    @property
    def steps(self) -> tuple[Tree, ...]:
        """Conditions of the steps of the lesson, unless another condition takes their place."""
        return (
            ()
            if self.condition
            else tuple(parse_condition(one.until, self.scenario) for one in self.scenario.page.try_)
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures that the table has: those of the conditions, or else those of the scenario."""
        conditions = self.steps or ([self.condition] if self.condition else [])
        names = chain(*map(variables, conditions)) if conditions else self.scenario.measure.names
        return tuple(name for name in dict.fromkeys(names) if name in MEASURES)


def listed_links(path: str) -> list[tuple[str, str | None]]:
    """Names and links of a file with one of each in a line; a file of another kind stands alone.

    Raises:
        BoidsgenError: it cannot be read, or has too many lines.
    """
    if not path.lower().endswith(LIST_ENDINGS):
        return [(path, None)]
    try:
        lines = read_input(path, MAX_FILE).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ScenarioError([f"{printable(path)}: is not UTF-8; save the table as CSV UTF-8"]) from None
    if len(lines) > MAX_LINKS:
        raise LimitError(f"{printable(path)}: {len(lines):,} lines, and there may be {MAX_LINKS:,}")
    found = list[tuple[str, str | None]]()
    for number, line in enumerate(lines, 1):
        if line.strip():
            end = max(map(line.rfind, ",;\t"))  # of the name, which may contain any of them
            name, link = (
                cell.strip().removeprefix('"').removesuffix('"').strip()
                for cell in (line[: max(end, 0)], line[end + 1 :])
            )
            found.append((name.replace('""', '"') or f"line {number}", link))
    return found[1:] if found and found[0][1] == "link" else found


def read_link(link: str, scenario: Scenario) -> Link:
    """The content of a link to a page of a scenario; ScenarioError with the reason why it is none."""
    fragment = link.partition("#")[2]
    version, whose, packed = [*fragment.split("."), "", ""][:3]
    if len(fragment) > MAX_LETTERS:
        raise ScenarioError(["the link is too long"])
    if packed and version != LINK_VERSION:
        raise ScenarioError(["the link was made by another version of boidsgen"])
    if packed and whose != digest_of(scenario):
        raise ScenarioError(["the link belongs to another scenario"])
    try:
        content = zlib.decompress(b64decode(packed + "=" * (-len(packed) % 4), b"-_", validate=True), -zlib.MAX_WBITS)
        found = TypeAdapter(Link).validate_json(content, strict=True)
    except (ValueError, ValidationError, zlib.error):
        raise ScenarioError([ALTERED]) from None
    frames = [at for at, *_ in found.actions]
    if frames != sorted(frames) or 0 in frames[:1]:
        raise ScenarioError([ALTERED])
    return found


def session(link: Link, scenario: Scenario) -> Scenario:
    """The scenario with what was done as events, up to the last of them or the frame that is shown."""
    page = with_numbers(with_spares(scenario) if scenario.world.dimension == 2 else scenario)
    events: dict[int, dict[str, object]] = {}
    for at, key, value in link.actions:
        events.setdefault(at, {}).pop(key, None)
        events[at][key] = _plain(value)
    table = {key: value for key, value in non_defaults(page, page.theme_defaults).items() if key != "page"}
    done = [{"at": at, "set": changes} for at, changes in events.items()]
    refuse_reaching({"events": done}, "the link")
    table |= {"events": [*map(non_defaults, page.events), *done], "seed": (scenario.seed + link.seed) % 2**63}
    clock = {key: value for key, value in non_defaults(page.time).items() if key != "duration"}
    frames = 1 + max([link.frame, *events])
    return draft(source_of({**table, "time": {**clock, "frames": frames}})).scenario()


def _plain(value: Any) -> Any:  # noqa: ANN401  of JSON
    """A value of a link as a scenario has it."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return inf if value == "inf" else value


def claim_of(state: State) -> str:
    """Digest of the positions of all animals."""
    places = (np.ascontiguousarray(one.position, "<f8").tobytes() for one in (*state.flocks, *state.predators))
    return sha256(b"".join(places)).hexdigest()[:12]


def entry_of(name: str, link: str | None, task: Assignment) -> Submission:
    """The line of a link, or without one that of the file of this name."""
    shown = _short(name)
    try:
        if link is not None:
            said = read_link(link, task.scenario)
            entry = Submission(shown, said.predictions, {key: _plain(value) for _, key, value in said.actions})
            last = max([said.frame, *(at for at, *_ in said.actions)])
            entry, claim = _run(entry, session(said, task.scenario), last, task, said.frame)
            return entry._replace(same=claim == said.claim if said.claim else None)
        scenario = draft(find(name, foreign=True)).scenario()
        if told := scenario.page.session:
            scenario = scenario.model_copy(update={"page": scenario.page.model_copy(update={"session": None})})
        own, known = link_keys(scenario), link_keys(task.scenario)
        changed = {key: own.get(key) for key in {**known, **own} if own.get(key) != known.get(key)}
        entry = Submission(shown, told.predictions if told else {}, changed)
        last = scenario.time.frames - 1
        return _run(entry, scenario, min(told.frame, last) if told else last, task)[0]
    except BoidsgenError as error:
        reason = str(error).partition("\n")[0].removeprefix("scenario: ").removeprefix(f"{name}: ")
        return Submission(shown, note=_short(reason))


def _run(
    entry: Submission, scenario: Scenario, frame: int, task: Assignment, claimed: int = 0
) -> tuple[Submission, str]:
    """The line with what a scenario has up to a frame, and the claim of one; LimitError where that takes too long."""
    scenario.refuse_excess(drawn=False)
    refuse_slow("scenario", scenario, "collect", LONGEST_RUN)
    steps, names = task.steps, task.measures
    done, claim = [False] * len(steps), ""
    for state in islice(simulate(scenario, task.engine), frame + 1):
        last = state.frame == frame
        claim = claim_of(state) if state.frame == claimed else claim
        values = measure(state, names) if last or not all(done) else {}
        done = [one or holds(step, _value(state, values)) for one, step in zip(done, steps, strict=True)]
    reached = None if task.condition is None else holds(task.condition, _value(state, values))
    return entry._replace(frame=frame, reached=reached, steps=(*done,), values=values), claim


def _value(state: State, values: Mapping[str, float]) -> Callable[[str], float | None]:
    """The value of a measure, of `frame` or of a key in a state."""

    def value(name: str) -> float | None:
        if name == FRAME:
            return state.frame
        found: float | None = values.get(name) if name in MEASURES else value_at(state.setup, numbered(name).split("."))
        return found

    return value


def link_keys(scenario: Scenario) -> dict[str, object]:
    """All keys with their values but those that follow from the theme, dotted, as in flock.1.count; 0 is left out."""
    found = {
        ".".join(str(part) for part in (*keys, key) if part != 0): getattr(table, name)
        for keys, table in walk(scenario)
        for key, name in attributes(type(table)).items()
    }
    given = scenario.theme_defaults
    return {key: one for key, one in found.items() if not has_tables(one) and (key not in given or one != given[key])}


def _short(text: str) -> str:
    return printable(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")


def as_csv(entries: Sequence[Submission], task: Assignment) -> str:
    """The table as CSV."""
    verdicts = [f"step {number}" for number, _ in enumerate(task.steps, 1)] or ["reached"]
    said = {None: "", True: "yes", False: "no"}
    records = []
    for one in entries:
        predicted = "; ".join(f"{_short(step)}: {_short(str(guess))}" for step, guess in one.predicted.items())
        changed = " ".join(f"{key}={to_toml(value)}" for key, value in one.changed.items())
        record = {"name": one.name, "predicted": predicted, "changed": changed, "frame": one.frame}
        met = dict(zip(verdicts, map(said.get, one.steps or [one.reached] * len(verdicts)), strict=True))
        records.append({**record, **met, **one.values, "same as claimed": said[one.same], "note": one.note})
    names = ["name", "predicted", "changed", "frame", *verdicts, *task.measures, "same as claimed", "note"]
    file, table = BytesIO(), Columns.of(records, names)
    ColumnsCsv(file, table).write(table)
    return file.getvalue().decode()


_STYLE = (
    "body{font:1.4rem system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:normal;width:40%}"
    "td,th{padding:.3rem .5rem}progress{width:100%;height:1.6rem;accent-color:#34a}"
)


def as_page(entries: Sequence[Submission], title: str) -> str:
    """A page with the predictions of a class as bars, beside what came of them."""
    content = "".join(_parts(entries))
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy((), [_STYLE])}"><style>{_STYLE}</style>'
    name = f"<title>{escape(title)}</title><h1>{escape(title)}</h1>"
    return f'<!doctype html>\n<html lang="en"><meta charset="utf-8">{head}{name}{content}</html>\n'


def _parts(entries: Sequence[Submission]) -> Iterator[str]:
    """The predictions of each step, then what happened."""
    opened = [one for one in entries if not one.note]
    for step in dict.fromkeys(step for one in opened for step in one.predicted):
        guesses = [(str(one.predicted[step]), _met(one, step)) for one in opened if step in one.predicted]
        counts, met = Counter(guess for guess, _ in guesses), Counter(guess for guess, reached in guesses if reached)
        rows = "".join(_row(guess, len(guesses), count, met[guess]) for guess, count in counts.most_common())
        yield f"<h2>Prediction {escape(step)}</h2><table><tr><th><td>predicted<td><td>reached it<td>{rows}</table>"
    counts = Counter(_outcome(one) for one in entries)
    rows = "".join(_row(outcome, len(entries), count) for outcome, count in counts.most_common())
    yield f"<h2>What happened</h2><table>{rows}</table>"


def _met(entry: Submission, step: str) -> bool | None:
    """True if this step of the lesson was reached, or without a lesson the condition."""
    known = {str(number): done for number, done in enumerate(entry.steps, 1)}
    return known.get(step, entry.reached)


def _outcome(entry: Submission) -> str:
    if entry.note or entry.same is False:
        return "cannot be done again" if entry.note else "other states than claimed"
    if entry.steps:
        return f"{sum(entry.steps)} of {len(entry.steps)} steps reached"
    return {None: "done again", True: "reached", False: "not reached"}[entry.reached]


def _row(label: str, most: int, *counts: int) -> str:
    bars = "".join(f'<td><progress max="{most}" value="{count}"></progress><td>{count}' for count in counts)
    return f"<tr><th>{escape(label)}{bars}"
