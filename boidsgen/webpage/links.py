"""Links of pages, read back: collect the results of a class.

A link (see `link.js`) names the scenario of its page, a seed, actions, a frame, a digest of the positions in this frame
(its claim), and for each step of the lesson the guesses and the run in which it was reached. Claims and steps are
checked by repeating the runs. A link may come from anybody, so any fault in it becomes a note in the table, and nothing
else. The table has a line for each link or file; the page has the guesses of the class.
"""

import re
import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from io import BytesIO
from itertools import chain, islice, zip_longest
from math import inf
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from boidsgen.errors import BoidsgenError, LimitError, ScenarioError, printable
from boidsgen.output.columns import Columns, ColumnsCsv
from boidsgen.output.formats import Html
from boidsgen.scenario.layers import refuse_reaching
from boidsgen.scenario.lessons import FRAME, Action, Attempt, Tree, Try, holds, parse_condition, variables
from boidsgen.scenario.loading import draft, refuse_slow, source_of
from boidsgen.scenario.scenario import Scenario, non_defaults
from boidsgen.scenario.sources import find
from boidsgen.scenario.wording import to_toml
from boidsgen.simulation.measures import MEASURES, measure
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import State
from boidsgen.system import read_input
from boidsgen.tables import attributes, has_tables, value_at, walk
from boidsgen.webpage.controls import labels
from boidsgen.webpage.document import MAX_SEEDS, numbered
from boidsgen.webpage.writer import SPARES, digest_of, policy, with_numbers, with_spares

LINK_VERSIONS = ("1", "2")  # Of links that are read; pages write the latest
MAX_LETTERS, MAX_FRAMES, MAX_ACTIONS = 10_000, 20_000, 1_000  # Of a link; `link.js` has the same
MAX_LINK_BYTES = 1_000_000  # Of the text in a link
MAX_FILE, MAX_LINKS = 50_000_000, 10_000  # Bytes and lines of a file of links
LONGEST_RUN = 60  # Estimated, of one run
MAX_SHOWN = 200  # Characters of a name or a reason
MAX_CHANGED = 12  # Keys in which a file differs from the scenario of the page; with more it is another scenario
NO_CHANGES = (
    "time.",
    "events",
    "output.",
    "page.session",
    "seed",
    "extends",
)  # Keys of what is told otherwise, or is none
FEW_CHANGES = 3  # Frames with changes; two runs with fewer may be equal by chance
LIST_ENDINGS = (".csv", ".tsv", ".txt")  # File extensions of lists of links
KEY = r"^(flock|predators|obstacles|attractors|fields)\.\d{1,9}(\.[a-z_]{1,50}){1,5}$"
CUT_OFF = "the link is cut off: its end is missing, so ask for the whole address"
ALTERED = "the link was altered: its letters are not those of a page"
FOREIGN_GUESS = "a prediction that the page does not offer"
_FRAGMENT = re.compile(r"(?:#|%23)(\d+)\.([0-9a-f]{8})\.([\w-]*)", re.ASCII)


def _in_order(changes: list[tuple[int, str, Any]]) -> list[tuple[int, str, Any]]:
    frames = [at for at, *_ in changes]
    if frames != sorted(frames) or 0 in frames[:1]:
        raise ValueError("out of order")
    return changes


FrameNumber = Annotated[int, Field(ge=0, lt=MAX_FRAMES)]
_Change = tuple[FrameNumber, Annotated[str, Field(pattern=KEY)], Any]
_Changes = Annotated[list[_Change], Field(max_length=MAX_ACTIONS), AfterValidator(_in_order)]
_Seed = Annotated[int, Field(ge=0, lt=MAX_SEEDS)]
_Claim = Annotated[str, Field(pattern="^([0-9a-f]{12})?$")]
_Guess = Annotated[int, Field(ge=0, le=1000)]
_Step = (
    tuple[_Guess, _Guess, int]
    | tuple[_Guess, _Guess, int, FrameNumber]
    | tuple[_Guess, _Guess, int, FrameNumber, _Seed, _Changes]
)
_FIRST = TypeAdapter(tuple[_Seed, FrameNumber, _Changes, dict[str, str | float], _Claim])
_SECOND = TypeAdapter(tuple[_Seed, FrameNumber, _Changes, _Claim, list[_Step]])


class Link(NamedTuple):
    """The content of a link."""

    seed: int  # number of the start
    frame: int  # that is shown
    actions: Sequence[tuple[int, str, Any]]
    claim: str = ""  # see `claim_of`; empty where the browser made none
    attempts: Sequence[Attempt] = ()  # at the steps of the lesson


class Submission(NamedTuple):
    """A line of the table; what is not known is None or empty."""

    name: str
    guesses: tuple[tuple[str, str], ...] = ()  # the first and the last one of each step
    shown: tuple[bool, ...] = ()  # steps with "Show me"
    changed: tuple[str, ...] = ()
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
    def lesson(self) -> Sequence[Try]:
        """The steps of the page."""
        return self.scenario.page.try_

    @property
    def steps(self) -> tuple[Tree, ...]:
        """Conditions of the steps, unless another condition takes their place."""
        return () if self.condition else tuple(parse_condition(one.until, self.scenario) for one in self.lesson)

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


def read_link(text: str, scenario: Scenario) -> Link:
    """The content of a link to a page of a scenario, wherever it stands in a text.

    Raises:
        ScenarioError: there is none, with the reason.
    """
    if not (found := _FRAGMENT.search(text)):
        raise ScenarioError([_reason(text)])
    version, whose, packed = found.groups()
    if len(found[0]) > MAX_LETTERS:
        raise ScenarioError(["the link is too long"])
    if version not in LINK_VERSIONS:
        raise ScenarioError(["the link was made by another version of boidsgen"])
    if whose != digest_of(scenario):
        raise ScenarioError(["the link belongs to another scenario"])
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = unpacking.decompress(b64decode(packed + "=" * (-len(packed) % 4), b"-_"), MAX_LINK_BYTES)
        if not unpacking.eof:
            raise ScenarioError([CUT_OFF if len(content) < MAX_LINK_BYTES else ALTERED])
        steps = scenario.page.try_
        if version == "1":
            seed, frame, actions, predictions, claim = _FIRST.validate_json(content, strict=True)
            attempts = [step.guessed(predictions.get(f"{number}")) for number, step in enumerate(steps, 1)]
        else:
            seed, frame, actions, claim, codes = _SECOND.validate_json(content, strict=True)
            codes = [*codes, *[(0, 0, 0)] * len(steps)][: len(steps)]
            attempts = [_attempt(code, seed, actions) for code in codes]
    except (ValueError, ValidationError, zlib.error):
        raise ScenarioError([CUT_OFF if len(packed) % 4 == 1 else ALTERED]) from None
    return Link(seed, frame, actions, claim, attempts)


def _reason(text: str) -> str:
    """The reason why a text has no link in it."""
    if not text.strip():
        return "there is no link in this row"
    if "#" in text or "%23" in text:
        return CUT_OFF
    if "://" in text or text.lower().endswith(Html.extensions):
        return "the address of the page alone, without what was done: use its button “Copy link”"
    return "a text instead of a link: use the button “Copy link” of the page"


def _attempt(code: _Step, seed: int, actions: _Changes) -> Attempt:
    """Read the attempt at a step, as links have it: a run that is not told is that of the link."""
    first, last, shown, *rest = code
    proof: list[Any] = rest
    if not proof:
        return Attempt(first=first, last=last, shown=shown == 1)
    frame, begun, changes = proof if len(proof) > 1 else (*proof, seed, actions)
    made = [Action(at=at, key=key, value=value) for at, key, value in changes if at <= frame]
    return Attempt(first=first, last=last, shown=shown == 1, reached=frame, seed=begun, actions=(*made,))


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
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return inf if value == "inf" else value


def claim_of(state: State) -> str:
    """Digest of the positions of all animals."""
    places = (np.ascontiguousarray(one.position, "<f8").tobytes() for one in (*state.flocks, *state.predators))
    return sha256(b"".join(places)).hexdigest()[:12]


class _Work(NamedTuple):
    """A session that was handed in, and the claim of its positions."""

    scenario: Scenario  # with what was done as events
    frame: int  # the last one of the session
    attempts: Sequence[Attempt]
    shown: int = 0  # the frame of the claim
    claim: str = ""


def submissions_of(handed_in: Iterable[tuple[str, str | None]], task: Assignment) -> Iterator[Submission]:
    """The lines of links and files; a run that was handed in before is named."""
    known = dict[object, str]()
    for name, link in handed_in:
        shown = _short(name)
        try:
            work = _linked(link, task.scenario) if link is not None else _filed(name)
            entry = _run(shown, work, task)
        except BoidsgenError as error:
            reason = str(error).partition("\n")[0].removeprefix("scenario: ").removeprefix(f"{name}: ")
            yield Submission(shown, note=_short(reason))
            continue
        notes = [FOREIGN_GUESS] if any(map(_is_foreign, task.lesson, work.attempts)) else []
        if run := _identity(work, task.scenario):
            if run in known:
                notes.append(f"same run as {known[run]}")
            known.setdefault(run, shown)
        yield entry._replace(note="; ".join(notes))


def entry_of(name: str, link: str | None, task: Assignment) -> Submission:
    """The line of a link, or without one that of the file of this name."""
    return next(submissions_of([(name, link)], task))


def _linked(link: str, page: Scenario) -> _Work:
    said = read_link(link, page)
    scenario = session(said, page).model_copy(update={"page": page.page})
    return _Work(scenario, scenario.time.frames - 1, said.attempts, said.frame, said.claim)


def _filed(path: str) -> _Work:
    scenario = draft(find(path, foreign=True)).scenario()
    last, told = scenario.time.frames - 1, scenario.page.session
    return _Work(scenario, min(told.frame, last) if told else last, scenario.page.attempts)


def _is_foreign(step: Try, attempt: Attempt) -> bool:
    return max(attempt.first, attempt.last) > len(step.predict)


def _guessed(step: Try, attempt: Attempt) -> tuple[str, str]:
    offered = dict(enumerate(step.predict, 1))
    return offered.get(attempt.first, ""), offered.get(attempt.last, "")


def _own_events(scenario: Scenario, page: Scenario) -> list[tuple[int, str, object]]:
    """Frames, keys and values of the changes that the events of a page do not make."""
    known = with_numbers(page).events
    events = (event for event in with_numbers(scenario).events if event not in known)
    return [(event.at, key, value) for event in events for key, value in event.set.items()]


def _identity(work: _Work, page: Scenario) -> object:
    """A value that differs between different runs; None without changes. Few changes may be equal by chance."""
    done = _own_events(work.scenario, page)
    chance = (work.frame, *work.attempts) if len({at for at, *_ in done}) < FEW_CHANGES else ()
    return repr((work.scenario.seed, done, chance)) if done else None


def changes_of(scenario: Scenario, page: Scenario) -> Iterator[str]:
    """The changes, as the controls of the page name them.

    Raises:
        ScenarioError: it is another scenario than that of the page.
    """
    tables = {name: getattr(scenario, name) for name in SPARES}
    own_tables = {
        name: found[:-1] if found[len(getattr(page, name)) :] == (SPARES[name],) else found
        for name, found in tables.items()
    }
    known, own = link_keys(page), link_keys(scenario.model_copy(update=own_tables))
    differing = [key for key in {**known, **own} if own.get(key) != known.get(key) and not key.startswith(NO_CHANGES)]
    asked = [key for key in differing if key.startswith(("page.try", "page.question")) and "answer" not in key]
    if asked or len(differing) > MAX_CHANGED:
        raise ScenarioError([f"another scenario than that of the page: {len(differing)} keys differ"])
    if turn := scenario.seed - page.seed:
        yield f"seed {turn + 1 if 0 < turn < MAX_SEEDS else scenario.seed}"
    yield from (f"{_label(key, page)} {_value_text(own.get(key))}" for key in differing)
    latest = dict[str, tuple[object, int]]()
    for at, key, value in _own_events(scenario, page):
        latest.pop(key, None)
        latest[key] = (value, at)
    yield from (f"{_label(key, page)} {_value_text(value)}, from frame {at}" for key, (value, at) in latest.items())


def _label(key: str, page: Scenario) -> str:
    """The name of a key beside its control."""
    name, number, *rest = numbered(key).split(".") if key.count(".") > 1 else ("", "")
    groups = getattr(page, name) if name in {"flock", "predators"} else ()
    if not (number.isdecimal() and int(number) < len(groups)):
        return key
    words = " ".join(labels(rest)).strip().replace("_", " ")
    several = len(page.flock) + len(page.predators) > 1
    return f"{groups[int(number)].name}: {words}" if several else words


def _value_text(value: object) -> str:
    if value is None:
        return "removed"
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else to_toml(value)


def _run(name: str, work: _Work, task: Assignment) -> Submission:
    """The line of a session, done again; LimitError where that takes too long."""
    changed = (*changes_of(work.scenario, task.scenario),)
    _refuse(work.scenario)
    steps, names = task.steps, task.measures
    done, claim = [False] * len(steps), ""
    for state in islice(simulate(work.scenario, task.engine), work.frame + 1):
        last = state.frame == work.frame
        claim = claim_of(state) if state.frame == work.shown else claim
        values = measure(state, names) if last or not all(done) else {}
        done = [one or holds(step, _value(state, values)) for one, step in zip(done, steps, strict=True)]
    reached = None if task.condition is None else holds(task.condition, _value(state, values))
    tried = zip_longest(steps, done, work.attempts[: len(steps)])
    return Submission(
        name,
        (*map(_guessed, task.lesson, work.attempts),),
        tuple(one.shown for one in work.attempts),
        changed,
        work.frame,
        reached,
        tuple(met or _proven(step, attempt, task) for step, met, attempt in tried),
        values,
        claim == work.claim if work.claim else None,
    )


def _refuse(scenario: Scenario) -> None:
    scenario.refuse_excess(drawn=False)
    refuse_slow("scenario", scenario, "collect", LONGEST_RUN)


def _proven(condition: Tree, attempt: Attempt | None, task: Assignment) -> bool:
    """True if a step holds in the run in which the page says it was reached."""
    if attempt is None or attempt.reached is None:
        return False
    actions = [(one.at, one.key, one.value) for one in attempt.actions]
    scenario = session(Link(attempt.seed, attempt.reached, actions), task.scenario)
    _refuse(scenario)
    names = [name for name in dict.fromkeys(variables(condition)) if name in MEASURES]
    states = islice(simulate(scenario, task.engine), attempt.reached + 1)
    return any(holds(condition, _value(state, measure(state, names))) for state in states)


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


SAID = {None: "", True: "yes", False: "no"}


def as_csv(entries: Sequence[Submission], task: Assignment) -> str:
    """The table as CSV."""
    asked = [(number, step) for number, step in enumerate(task.lesson) if step.predict]
    guessed = [(f"guess {number + 1}", f"right {number + 1}", number, step) for number, step in asked]
    verdicts = [f"step {number}" for number, _ in enumerate(task.steps, 1)] or ["reached"]
    records = []
    for one in entries:
        record: dict[str, Any] = {"name": one.name, "changed": "; ".join(one.changed), "frame": one.frame}
        for guess, right, number, step in guessed:
            first, last = one.guesses[number] if number < len(one.guesses) else ("", "")
            record[guess] = first if first == last else f"{first}, then {last}"
            record[right] = SAID[first == step.answer if first and step.answer else None]
        outcomes = map(_verdict, one.steps, one.shown) if task.steps else [SAID[one.reached]]
        record |= dict(zip(verdicts, outcomes, strict=False))
        records.append({**record, **one.values, "same as claimed": SAID[one.same], "note": one.note})
    columns = [name for guess, right, _, step in guessed for name in ((guess, right) if step.answer else (guess,))]
    names = ["name", *columns, "changed", "frame", *verdicts, *task.measures, "same as claimed", "note"]
    file, table = BytesIO(), Columns.of(records, names)
    ColumnsCsv(file, table).write(table)
    return file.getvalue().decode()


def _verdict(done: bool, shown: bool) -> str:  # noqa: FBT001  of a step
    return "shown" if done and shown else SAID[done]


_STYLE = (
    "body{font:1.4rem system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:normal;width:40%}"
    "td,th{padding:.3rem .5rem}progress{width:100%;height:1.6rem;accent-color:#34a}"
)
_MARKS = re.compile(r"[*`]")


def as_page(entries: Sequence[Submission], task: Assignment) -> str:
    """A page with the first guesses of a class as bars, beside what came of them."""
    title = task.scenario.page.question or task.scenario.title
    content = "".join(_parts(entries, task))
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy((), [_STYLE])}"><style>{_STYLE}</style>'
    name = f"<title>{escape(title)}</title><h1>{escape(title)}</h1>"
    return f'<!doctype html>\n<html lang="en"><meta charset="utf-8">{head}{name}{content}</html>\n'


def _parts(entries: Sequence[Submission], task: Assignment) -> Iterator[str]:
    """The guesses at each step, in the order of the page, then what happened."""
    opened = [one for one in entries if one.frame is not None]
    for number, step in enumerate(task.lesson):
        guesses = [(one.guesses[number][0], _met(one, number)) for one in opened if number < len(one.guesses)]
        counts, met = Counter(guess for guess, _ in guesses), Counter(guess for guess, reached in guesses if reached)
        voters = sum(counts[choice] for choice in step.predict)
        if not step.predict:
            continue
        rows = "".join(_row(choice, voters, counts[choice], met[choice]) for choice in step.predict)
        yield f"<h2>Step {number + 1}</h2><p>{_plain_text(step.do)}</p>"
        yield f"<table><tr><th>first guess<td><td>students<td><td>reached it{rows}</table>"
        if step.answer:
            right = f"{counts[step.answer]} of {voters} guessed it"
            yield f"<details><summary>What happens</summary><p>{_plain_text(step.answer)}: {right}.</p></details>"
    outcomes = Counter(_outcome(one) for one in entries)
    rows = "".join(_row(outcome, len(entries), count) for outcome, count in outcomes.most_common())
    yield f"<h2>What happened</h2><table>{rows}</table>"


def _plain_text(text: str) -> str:
    return escape(_MARKS.sub("", text))


def _met(entry: Submission, number: int) -> bool | None:
    """True if this step of the lesson was reached, or in its place the condition."""
    return entry.steps[number] if number < len(entry.steps) else entry.reached


def _outcome(entry: Submission) -> str:
    if entry.frame is None:
        return "not readable"
    if entry.same is False:
        return "other states than claimed"
    if entry.steps:
        return f"{sum(entry.steps)} of {len(entry.steps)} steps reached"
    return {None: "done again", True: "reached", False: "not reached"}[entry.reached]


def _row(label: str, most: int, *counts: int) -> str:
    bars = "".join(f'<td><progress max="{max(most, 1)}" value="{count}"></progress><td>{count}' for count in counts)
    return f"<tr><th>{_plain_text(label)}{bars}"
