"""`boidsgen course`, `gallery` and `collect`: material for a lecture, and the clips that students hand in.

The pages and sheets of the course come with boidsgen. A unit's clips and stills are those of the commands on its page.
"""

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from boidsgen.cli.main import Reporter, json_text, print_table, result, user_error
from boidsgen.cli.options import RESULT, Options, Texts, expanded, option, sharing
from boidsgen.cli.render import settle
from boidsgen.errors import BoidsgenError, OutputExistsError, UsageError, join_words, printable
from boidsgen.version import __version__

if TYPE_CHECKING:
    from boidsgen.replays import Original
    from boidsgen.scenario.scenario import Scenario

COURSE_FOLDER = "docs/course"  # Folder of the pages, of their sheets and of the starters
CLIP_THEMES = {"light": "paper", "dark": "night"}  # Theme of a clip, by the background of the slides
STARTERS = {"numpy": "numpy-canonical"}  # Exercises, and the preset whose flock each should give
MANIFEST, SHEETS, ARTICLE = "manifest.json", ("worksheet.pdf", "solutions.pdf"), "article.html"


class Unit(NamedTuple):
    """A page of the course."""

    number: int  # in the order of the course
    name: str  # of its file, without extension
    title: str  # without its number
    text: str  # the page, in Markdown

    def commands(self) -> Iterator[tuple[list[str], str]]:
        """The commands of its shell blocks that make a clip or a still, without output, and the name of each file."""
        for block in re.findall(r"^```sh\n(.*?)^```", self.text, re.DOTALL | re.MULTILINE):
            for line in block.splitlines():
                _, command, *words = shlex.split(line)
                if command in {"render", "still", "compare"}:
                    place = words.index("-o")
                    yield [command, *words[:place], *words[place + 2 :]], words[place + 1]


@sharing("format", "quiet", "as_json")
def course_command(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[starter NAME]", help=f"Write an exercise instead: {', '.join(STARTERS)}."),
    ] = None,
    *,
    output: Annotated[str, option("--output -o DIR", "The folder to fill.")],
    unit: Annotated[Texts, option("--unit NAME", "Only this unit, as in seeds or 3. Repeatable.")] = None,
    options: Options,
) -> None:
    """Make the clips, stills and worksheets of the course.

    Each unit gets its clips and stills, for light and for dark slides and large
    enough for a lecture room, and a worksheet and its solutions as PDF. Clips
    are MP4 unless --format is given. manifest.json lists everything. `course
    starter NAME` writes an exercise in Python, with a checker.

    Examples:
        boidsgen course --unit seeds -o slides
        boidsgen course starter numpy -o exercise
    """
    from boidsgen.system import refuse_name

    refuse_name(output)
    reporter, folder = options.reporter(), Path(output)
    if what is not None:
        _start(what, folder, reporter)
        return
    from boidsgen.output.formats import FORMATS, is_own
    from boidsgen.output.pictures import Png
    from boidsgen.output.publish import make_folder, refuse_foreign
    from boidsgen.pipeline import with_progress
    from boidsgen.scenario.sources import shipped_folder
    from boidsgen.webpage.article import article_text

    units, made = units_of(unit), list[Mapping[str, object]]()
    if options.format and FORMATS.get(options.format, Png) is Png:
        able = join_words(name for name, kind in FORMATS.items() if kind is not Png)
        raise UsageError(f"--format {options.format}: the clips of a course are {able}")
    sheets = [f"{one.name}/{kind}" for one in units for kind in SHEETS]
    texts = {one.name: shipped_folder(f"{COURSE_FOLDER}/articles") / f"{one.name}.md" for one in units}
    articles = {f"{name}/{ARTICLE}": text for name, text in texts.items() if text.is_file()}
    wanted = [
        (one, background, command, Path(one.name, background, _in_format(name, options.format or "mp4")))
        for one in units
        for command, name in one.commands()
        for background in CLIP_THEMES
    ]
    paths = [path.as_posix() for *_, path in wanted]
    refuse_foreign(folder, [MANIFEST, *sheets, *articles, *paths], is_own, "choose another folder")
    for path in {(folder / name).parent for name in (*sheets, *paths)}:
        make_folder(str(path))
    shipped = shipped_folder(f"{COURSE_FOLDER}/sheets")
    for name in sheets:
        _write(folder / name, (shipped / name).read_bytes())
    for name, text in articles.items():
        _write(folder / name, article_text(text.read_text("utf-8"), Path(text.name)).encode())
    with reporter.progress("course", len(wanted), "clips") as progress:
        for one, background, command, path in with_progress(wanted, progress):
            style = ["--set", f"style.theme={CLIP_THEMES[background]}", "--set", "style.scale=lecture"]
            found = _result_of([*command, *style, "-o", str(folder / path)])
            about = {"unit": one.number, "title": one.title, "background": background}
            again = shlex.join(["boidsgen", *command, *style])
            made.append({"path": path.as_posix(), **about, **found, "command": again})
    listed = json.dumps({"boidsgen": __version__, "clips": made, "sheets": sheets, "articles": [*articles]}, indent=2)
    _write(folder / MANIFEST, f"{listed}\n".encode())
    reporter.finish([folder / MANIFEST], (), {"clips": len(made), "sheets": len(sheets)})


def _write(path: Path, content: bytes, *, no_clobber: bool = False) -> None:
    """Write a file, complete or not at all."""
    from boidsgen.output.publish import open_file

    with open_file(str(path), "stream", no_clobber=no_clobber) as file:
        file.write(content)


def _in_format(name: str, wanted: str) -> str:
    """The name of a clip in another format; that of a still as it is."""
    return f"{Path(name).stem}.{wanted}" if name.endswith((".gif", ".mp4")) else name


def units_of(names: Texts) -> list[Unit]:
    """The units of these names or numbers, by default all, in the order of the course."""
    from boidsgen.scenario.sources import shipped_folder

    texts = {
        page.name[:-3]: page.read_text("utf-8")
        for page in shipped_folder(COURSE_FOLDER).iterdir()
        if ".md" in page.name
    }
    heads = ((re.match(r"# Unit (\d+): (.+)", text), name) for name, text in texts.items())
    units = sorted(Unit(int(head[1]), name, head[2], texts[name]) for head, name in heads if head)
    known = {key for one in units for key in (one.name, str(one.number))}
    if unknown := [name for name in names or () if name not in known]:
        raise UsageError(f"--unit {unknown[0]}: no such unit; there are {', '.join(one.name for one in units)}")
    return [one for one in units if not names or {one.name, str(one.number)} & {*names}]


def _result_of(command: list[str]) -> dict[str, object]:
    """Run a command of this program; what it reports about its output, without the path."""
    from boidsgen.cli.main import load_commands, make_program

    program = typer.main.get_command(make_program(load_commands(command[0])))
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")) as printed:
        program.main([*command, "--quiet", "--json"], "boidsgen", standalone_mode=False)
    printed.seek(0)
    found: dict[str, object] = json.load(printed)
    return {name: value for name, value in found.items() if name != "path"}


def _start(what: list[str], folder: Path, reporter: Reporter) -> None:
    """Write an exercise: its files, and the flock that it should give."""
    from boidsgen.output.publish import make_folder
    from boidsgen.pipeline import record
    from boidsgen.scenario.loading import load_scenario
    from boidsgen.scenario.sources import shipped_folder

    if len(what) != 2 or what[0] != "starter" or what[1] not in STARTERS:
        raise UsageError(f"{' '.join(what)}: no such exercise; write one of: starter {', starter '.join(STARTERS)}")
    files = [one for one in shipped_folder(f"{COURSE_FOLDER}/{what[1]}").iterdir() if one.name.endswith(".py")]
    names = [*(one.name for one in files), "flock.npz"]
    if present := [folder / name for name in names if os.path.lexists(folder / name)]:
        raise OutputExistsError(f"{present[0]} already exists; name another folder")
    make_folder(str(folder))
    for one in files:
        _write(folder / one.name, one.read_bytes())
    notices = record(load_scenario(STARTERS[what[1]]), folder / "flock.npz")
    reporter.finish(sorted(folder / name for name in names), notices)


@sharing(*RESULT)
def gallery_command(
    *,
    output: Annotated[str, option("--output -o OUT.html", "The page.")],
    options: Options,
) -> None:
    """Make one offline page of all presets.

    A click on a preset starts its flock. The page takes two minutes, and about 5 MB.

    Examples:
        boidsgen gallery -o gallery.html
    """
    from boidsgen.output.publish import open_file
    from boidsgen.pipeline import with_progress
    from boidsgen.scenario.reference import catalog
    from boidsgen.webpage.outer import gallery_text

    reporter, entries = options.reporter(), [*catalog()]
    _refuse_other_endings(output, "the gallery")
    with (
        open_file(output, no_clobber=options.no_clobber) as file,
        reporter.progress("gallery", len(entries), "presets") as progress,
    ):
        file.write(gallery_text(with_progress(entries, progress)).encode())
    reporter.finish([output], (), {"presets": len(entries)})


@sharing(*RESULT)
def page_command(
    article: Annotated[str, typer.Argument(metavar="ARTICLE.md", help="Text in Markdown, with flocks.")],
    *,
    output: Annotated[str, option("--output -o OUT.html", "The page.")],
    options: Options,
) -> None:
    """Make an offline page of a text with live flocks.

    A fenced block named boidsgen holds a preset or a scenario, and becomes a
    flock. Names in braces become its numbers: of a measure, such as
    polarization, or of a key, such as flock.cohesion.weight, which readers drag.

    Examples:
        boidsgen page lesson.md -o lesson.html
    """
    from boidsgen.cli.render import refuse_paths
    from boidsgen.errors import MAX_DOCUMENT
    from boidsgen.output.publish import open_file
    from boidsgen.scenario.sources import document_text
    from boidsgen.system import read_input
    from boidsgen.webpage.article import article_text

    reporter = options.reporter()
    _refuse_other_endings(output, "an article")
    text = document_text(printable(article), read_input(article, MAX_DOCUMENT))
    refuse_paths([output])
    with open_file(output, no_clobber=options.no_clobber) as file:
        file.write(article_text(text, Path(article)).encode())
    reporter.finish([output])


def _refuse_other_endings(output: str, what: str) -> None:
    from boidsgen.output.formats import Html

    if not output.lower().endswith(Html.extensions):
        raise UsageError(f"{output}: {what} is a page; end its name with .html")


@sharing("engine", "trust", "no_clobber", "quiet", "as_json")
def collect_command(
    files: Annotated[
        list[str],
        typer.Argument(callback=expanded, metavar="FILE...", help="Clips and pictures, or a table of names and links."),
    ],
    *,
    page: Annotated[str, option("--page PAGE", "The page, preset or scenario that links and files started from.")] = "",
    require: Annotated[str, option("--require CONDITION", 'As in "polarization > 0.9 and groups == 1".')] = "",
    output: Annotated[Texts, option("--output -o OUT", "A table: .csv, or a page of bars: .html. Repeatable.")] = None,
    options: Options,
) -> None:
    """List what students handed in, and what each changed.

    A clip is rendered again from its embedded scenario; it is verified if all
    frames are identical. The preset is the one with the fewest keys that
    differ.

    With --page, the links of a page are re-run: does the condition hold in
    the frame that a link shows, and are its states those it claims? Each
    line of the table is a name, a comma and a link.

    Examples:
        boidsgen collect flock.gif
        boidsgen collect *.gif --json
        boidsgen collect links.csv --page quickstart --require "groups > 4"
    """
    if page:
        _collect_links(files, page, require, output, options)
        return
    if require or output:
        raise UsageError("--require and -o need --page, the page that links and files began with")
    from boidsgen.pipeline import with_progress
    from boidsgen.scenario.loading import load_scenario
    from boidsgen.scenario.sources import presets
    from boidsgen.scenario.wording import to_toml
    from boidsgen.webpage.links import LIST_ENDINGS, link_keys

    if lists := [file for file in files if file.lower().endswith(LIST_ENDINGS)]:
        raise UsageError(f"{printable(lists[0])}: links need --page, the page, preset or scenario that they began with")
    reporter = options.reporter()
    known = {one.name: link_keys(load_scenario(one.name)) for one in presets()}
    rows = [["file", "preset", "verified", "changed keys"]]
    with reporter.progress("collect", len(files), "files") as progress:
        for file in with_progress(files, progress):
            found = _examined(Path(file), known, options.engine)
            if found["reason"]:
                reporter.notice(f"{printable(file)}: {found['reason']}")
            if options.as_json:
                result(json_text({"path": file, **found}))
            values = found["changed"].items()
            changed = " ".join(f"{key}={'-' if value is None else to_toml(value)}" for key, value in values)
            rows.append([printable(file), found["preset"] or "-", "yes" if found["verified"] else "no", changed])
    if not options.as_json:
        print_table(rows)


def _collect_links(files: list[str], page: str, require: str, output: Texts, options: Options) -> None:
    """Do links and files again, and write or print what came of them."""
    from boidsgen.pipeline import with_progress
    from boidsgen.scenario.lessons import parse_condition
    from boidsgen.scenario.loading import draft
    from boidsgen.scenario.sources import find
    from boidsgen.studies.manifest import json_value
    from boidsgen.webpage.links import Assignment, as_csv, as_page, listed_links, submissions_of

    reporter, paths = options.reporter(output or ()), output or []
    if unfit := [path for path in paths if Path(path).suffix.lower() not in {".csv", ".html"}]:
        raise UsageError(f"{unfit[0]}: must be a .csv or a .html")
    scenario = draft(find(page)).scenario()
    try:
        task = Assignment(scenario, parse_condition(require, scenario) if require else None, options.engine)
    except ValueError as error:
        raise UsageError(f"--require {require}: {error}") from None
    handed_in = [one for file in files for one in listed_links(file)]
    settle(paths, paths)
    with reporter.progress("collect", len(handed_in), "links") as progress:
        entries = [*submissions_of(with_progress(handed_in, progress), task)]
    for path in paths:
        made = as_csv(entries, task) if path.lower().endswith(".csv") else as_page(entries, task)
        _write(Path(path), made.encode(), no_clobber=options.no_clobber)
    if options.as_json:
        for one in entries:
            result(json_text(json_value(one._asdict())))
    elif not paths:
        for line in as_csv(entries, task).splitlines():
            result(line)
    reporter.finish(() if options.as_json else paths)


def _examined(path: Path, known: Mapping[str, Mapping[str, object]], engine: str) -> dict[str, Any]:
    """Entries of `--json` about a file; `known` are the keys of all presets."""
    from boidsgen.output.publish import scratch_folder
    from boidsgen.pipeline import RunOptions
    from boidsgen.replays import original, replay_file
    from boidsgen.scenario.scenario import Scenario

    found: dict[str, Any] = {"preset": None, "changed": {}, "verified": False, "frames": None, "reason": None}
    with scratch_folder() as folder:
        again = str(Path(folder) / path.name)  # a page has its own name in it
        try:
            one = original(path)
            if isinstance(one.content, Scenario):
                found["preset"], found["changed"] = _differences(one, one.content, known)
            frames = replay_file(one, again, RunOptions(engine)).identical
        except (BoidsgenError, OSError) as error:
            return found | {"reason": str(user_error(error)).removeprefix(f"{again}: ").removeprefix(f"{path}: ")}
    if frames is None:
        return found | {"reason": "is not equal byte by byte, and clips of pages and of lossy formats prove nothing"}
    return found | {"verified": True, "frames": frames}


def _differences(
    one: "Original", scenario: "Scenario", known: Mapping[str, Mapping[str, object]]
) -> tuple[str, dict[str, object]]:
    """The preset with the fewest keys that differ, and the values of these in the scenario; None where it has none."""
    from boidsgen.output.formats import FORMATS
    from boidsgen.webpage.links import link_keys

    own, ending = link_keys(scenario), one.path.suffix.lower()
    loops = any(ending in kind.extensions for kind in FORMATS.values() if kind.loops)
    if not loops and not scenario.output.loop_seam:  # a clip that stops has none, whatever it comes from
        known = {name: {**keys, "output.loop_seam": 0} for name, keys in known.items()}
    other = {name: [key for key in {**own, **keys} if own.get(key) != keys.get(key)] for name, keys in known.items()}
    preset = min(other, key=lambda name: len(other[name]))
    return preset, {key: "inf" if own.get(key) == inf else own.get(key) for key in other[preset]}  # JSON has no inf
