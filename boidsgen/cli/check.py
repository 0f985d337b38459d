"""`boidsgen check`, `doctor`, `presets`, `show`, `explain`, `new` and `schema`: commands that render nothing."""

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from boidsgen import plugins, system
from boidsgen.cli.main import DASH, exact, is_terminal, json_text, result, standard_output, warn
from boidsgen.cli.options import CLIP, OneScenario, Options, Scenarios, Text, complete_key, option, sharing
from boidsgen.cli.render import RenderJob, plan_jobs, report_failures
from boidsgen.errors import EncoderError, OutputExistsError, UsageError, join_words
from boidsgen.version import __version__

NEEDED = ("boidsgen", "numpy", "pillow", "imageio", "imageio-ffmpeg", "fonttools", "pydantic", "typer")
LACKING = ("missing", "not writable", "cannot be used", "cannot be cached")  # Words of findings that limit what works
EXTRAS = {
    "matplotlib": "plots",
    "distributed": "sweeps on a cluster",
    "pandas": "results as data frames",
    "xarray": "results as arrays with dimensions",
}
"""Optional packages and their purposes."""


@sharing(*CLIP, "format", "keep_going", "strict", "as_json")
def check_command(scenarios: Scenarios, *, options: Options) -> None:
    """Validate scenarios, and estimate render time and GIF size.

    All errors are reported at once.

    Examples:
        boidsgen check quickstart
        boidsgen check quickstart --size 1920x1080 --set flock.count=5000
    """
    jobs, failures = plan_jobs(scenarios, options.overrides(), None, options)
    for job in jobs:
        if options.as_json:
            result(json_text(_findings(job)))
        else:
            for line in _summary(job):
                result(line)
    report_failures(failures, len(scenarios), as_json=options.as_json)


def _findings(job: RenderJob) -> dict[str, object]:
    """The JSON object about a valid scenario."""
    from boidsgen.kernel import library
    from boidsgen.scenario.loading import gif_bytes, seconds
    from boidsgen.simulation.run import animals, neighbor_visits

    scenario = job.shown
    return {
        "scenario": job.source.label,
        "size": scenario.picture_size,
        "format": scenario.output.format,
        "frames": scenario.clip_frames,
        "duration": scenario.duration,
        "fps": scenario.output.fps,
        "seed": scenario.seed,
        "animals": animals(scenario),
        "steps": scenario.steps,
        "neighbor_visits": neighbor_visits(scenario),
        "seconds": round(seconds(scenario), 3),
        "bytes": gif_bytes(scenario),
        "outputs": [target.path for target in job.targets],
        "notice": library.kernel_notice(),
        "warnings": list(job.warnings),
    }


def _summary(job: RenderJob) -> Iterator[str]:
    """Lines about a valid scenario."""
    from boidsgen.scenario.scenario import from_theme

    found, scenario = _findings(job), job.shown
    width, height = scenario.picture_size
    duration = f"{scenario.duration:g} s at {scenario.output.fps:g} frames a second"
    yield f"{job.source.label}: a valid scenario"
    yield f"  picture     {width} x {height} pixels, {scenario.output.format}{_fitted(job)}"
    yield from (f"  defaults    {line}" for line in from_theme(scenario))
    yield f"  clip        {scenario.clip_frames} frames, {duration}"
    if seam := scenario.seam:
        yield f"  cross-fade  {seam} frames, {scenario.seam_bytes / 1e6:.0f} MB of memory"
    visits = f"{found['neighbor_visits']:,} neighbor visits"
    yield f"  simulation  {found['animals']} animals, {scenario.steps} steps, about {visits}"
    yield f"  time        roughly {found['seconds']:.0f} s"
    if found["bytes"]:
        yield f"  size        roughly {found['bytes']:,} bytes, within a factor of three"
    if found["notice"]:
        yield f"  engine      {found['notice']}"
    yield f"  output      {', '.join(target.path for target in job.targets)}"
    yield from (f"  warning: {warning}" for warning in job.warnings)


def _fitted(job: RenderJob) -> str:
    """The range of sizes that a clip may have which must fit; the size of a file depends on every pixel."""
    from boidsgen.output.formats import FITTED

    output = job.shown.output
    formats = [target.format for target in job.targets if target.format in FITTED]
    if output.max_bytes is None or not formats:
        return ""
    from boidsgen.output.fitting import Wanted

    wanted = Wanted(output.max_bytes, job.shown.picture_size, output.fps, formats)
    width, height = wanted.smallest[0].size
    how = f"{'coarser, then ' if wanted.losses else ''}down to {width} x {height} and fewer frames a second"
    return f" at most; fitted to {output.max_bytes:,} bytes when rendered, {how}"


@sharing("as_json")
def doctor_command(
    *,
    clean: Annotated[Text, option("--clean DIR", "Ask, then remove temporary files of killed runs there.")] = None,
    yes: Annotated[bool, option("--yes", "Remove them without asking.")] = False,
    options: Options,
) -> None:
    """Show installed versions, and folders for outputs and caches.

    Examples:
        boidsgen doctor
        boidsgen doctor --clean outputs
    """
    if clean is not None:
        _clean(Path(clean), asks=not yes)
        return
    findings = dict(_installed())
    poor = [name for name, one in findings.items() if any(word in one for word in LACKING)]
    findings["verdict"] = f"limited; see {', '.join(poor)}" if poor else "ready to render"
    if options.as_json:
        result(json_text(findings))
        return
    widest = max(map(len, findings))
    for name, finding in findings.items():
        result(f"{name:{widest}}  {finding}")


def _clean(directory: Path, *, asks: bool) -> None:
    """Remove temporary folders, each when the user agrees: a name is no proof, and a render may be running.

    A course has them in the folders of its units.
    """
    from boidsgen.output.publish import storing
    from boidsgen.system import PREFIX, SUFFIX, is_leftover

    with storing(str(directory)):
        next(directory.iterdir(), None)  # raises where there is no such directory
        found = [path for below in ("", "*/", "*/*/") for path in sorted(directory.glob(f"{below}{PREFIX}*{SUFFIX}"))]
        real = directory.resolve()
        for path in (one for one in found if one.parent.resolve().is_relative_to(real) and not is_leftover(one.parent)):
            held = ", ".join(str(one.relative_to(path)) for one in sorted(path.rglob("*"))[:5]) or "nothing"
            warn(f"{path} holds {held}{'; remove it? [y/N]' if asks else ''}")
            if not asks or (sys.stdin and sys.stdin.readline().strip().lower() == "y"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
                result(str(path))


def _installed() -> Iterator[tuple[str, str]]:
    from importlib.resources import files

    from PIL import features

    from boidsgen.kernel import library
    from boidsgen.output.formats import DIRECTORY, FORMATS
    from boidsgen.simulation.run import ENGINES
    from boidsgen.system import is_leftover

    yield "python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    yield "system", f"{platform.platform()}, {platform.machine()}"
    yield "cores", f"{system.usable_cores()} usable of {os.cpu_count()}"
    yield from ((name, _version(name)) for name in NEEDED)
    for name, purpose in EXTRAS.items():
        yield name, _version(name) if find_spec(name) else f"not installed; only needed for {purpose}"
    yield "packages", ", ".join(plugins.packages()) or "none adds a rule, a measure, an obstacle, a shape or a theme"
    yield "engines", f"auto, {', '.join(ENGINES)}"
    yield "kernel", library.engine_line()
    yield "formats", ", ".join(FORMATS)
    yield "ffmpeg", _encoder()
    names = [Path(file.name) for file in (files("boidsgen.drawing") / "fonts").iterdir()]
    fonts = ", ".join(sorted(name.stem for name in names if name.suffix in {".otf", ".ttf"}))
    yield "fonts", f"{fonts}, drawn by FreeType {features.version('freetype2')}"
    streams = [(name, one) for name, one in (("output", standard_output()), ("errors", sys.stderr)) if one is not None]
    width = next((os.get_terminal_size(one.fileno()).columns for _, one in streams if is_terminal(one)), None)
    encodings = [f"{name} in {one.encoding}" for name, one in streams]
    yield "terminal", ", ".join([*encodings, "no terminal" if width is None else f"{width} columns"])
    folder = Path(DIRECTORY)
    existing = folder if folder.exists() else Path()
    verdict = "writable" if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK) else "not writable"
    yield "outputs", f"{folder.absolute()}, {verdict}{'' if folder.exists() else ', made when needed'}"
    places = [Path(), folder, Path(tempfile.gettempdir())]
    found = [str(path) for place in places if place.is_dir() for path in filter(is_leftover, place.iterdir())]
    yield "cite", f"boidsgen {__version__}, see CITATION.cff; outputs name their version and digests"
    yield "leftovers", ", ".join(found) or f"no temporary files of killed runs here, in outputs or in {places[-1]}"


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _encoder() -> str:
    from boidsgen.output.formats import WRITERS
    from boidsgen.output.video import installed

    none = f"so no {join_words(name for name, writer in WRITERS.items() if writer.needs_ffmpeg)}"
    try:
        found = installed()
    except EncoderError as error:
        return f"missing, {none}: {error}"
    h264 = "with libx264" if found.has_x264 else f"without libx264, {none}"
    return f"{found.version} {h264}, {found.path}"


def presets_command(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD]...", help="Only those with these words in name, title, group or tags."),
    ] = None,
    *,
    as_json: Annotated[bool, option("--json", "One JSON object per line.")] = False,
) -> None:
    """List the presets in groups, with their features.

    Examples:
        boidsgen presets
        boidsgen presets predator 3D
    """
    from boidsgen.scenario.reference import catalog

    wanted = [word.lower() for word in words or ()]
    found = [entry for entry in catalog() if all(word in entry.text for word in wanted)]
    if not found:
        raise UsageError(f"{' '.join(words or ())}: no preset has all these words; `boidsgen presets` lists them all")
    widest, heading = max(len(entry.preset.name) for entry in found), ""
    for preset, group, tags in found:
        if as_json:
            named = {"name": preset.name, "title": preset.title, "group": group.heading, "level": group.level}
            result(json_text({**named, "tags": tags}))
            continue
        if group.heading != heading:
            result(f"{chr(10) if heading else ''}{group.heading} ({group.level})")
            heading = group.heading
        result(f"  {preset.name:{widest}}  {preset.title} [{', '.join(tags)}]")


def show_command(scenario: OneScenario) -> None:
    """Print a scenario: a preset, a file, or what a clip embeds.

    Examples:
        boidsgen show quickstart
        boidsgen show flock.gif
    """
    from boidsgen.scenario.sources import find

    exact(find(scenario).text.replace("\r\n", "\n").rstrip("\n"))  # the console has line ends of its own


def explain_command(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY",
            help="A key, a table or a measure, as in flock.separation or polarization.",
            autocompletion=complete_key,
        ),
    ],
) -> None:
    """Explain a key or a measure.

    A key is explained with its values, its default, and the presets that set it.

    Examples:
        boidsgen explain flock.separation
        boidsgen explain style.theme
        boidsgen explain polarization
    """
    from boidsgen.scenario.reference import explained_key

    for line in explained_key(key):
        result(line)


def schema_command() -> None:
    """Print the JSON Schema of a scenario, for editors.

    Examples:
        boidsgen schema
    """
    from boidsgen.scenario.reference import json_schema

    result(json_text(json_schema(), indent=2, allow_nan=False))


def new_command(
    output: Annotated[
        str,
        typer.Argument(metavar="OUT.toml", help="The file to make, or - for standard output; it must not exist yet."),
    ],
    origin: Annotated[Text, option("--from SCENARIO", "Start from a preset, a file or a clip, or from lesson.")] = None,
    *,
    full: Annotated[bool, option("--full/--simple", "Every key, or only those that matter most.")] = False,
) -> None:
    """Write a commented scenario to start from.

    Examples:
        boidsgen new mine.toml
        boidsgen new every-key.toml --full
        boidsgen new hawks.toml --from hunt
        boidsgen new lesson.toml --from lesson
    """
    from boidsgen.scenario.documents import parsed
    from boidsgen.scenario.layers import movable
    from boidsgen.scenario.reference import LESSON, lesson_template, starter, template, with_headers
    from boidsgen.scenario.sources import find

    _refuse_misleading(output)
    if origin is None:
        text = template() if full else starter()
    elif origin == LESSON and not full:
        text = lesson_template()
    elif full:
        raise UsageError("--full lists every key at its default, and --from starts from a scenario; choose one")
    else:
        source = movable(find(origin), Path(output).parent)
        text = with_headers(parsed(source.text)) if source.carried else source.text
    _write_new(output, text)
    if output != DASH:
        result(output)


def _refuse_misleading(path: str) -> None:
    """Stop before a scenario gets the name of a folder, a clip or a preset."""
    from boidsgen.output.formats import FORMATS, names_folder
    from boidsgen.scenario.sources import presets as shipped

    if names_folder(path):
        raise UsageError(f"{path}: is the name of a folder; name the scenario, as in {path}mine.toml")
    if any(Path(path).suffix.lower() in writer.extensions for writer in FORMATS.values()):
        raise UsageError(f"{path}: has the extension of an output; end it with .toml")
    if path in {preset.name for preset in shipped()}:
        raise UsageError(f"{path}: would hide the preset of that name; end it with .toml")


def _write_new(path: str, text: str) -> None:
    """Write a new file, complete or not at all."""
    from boidsgen.output.publish import open_file

    try:
        with open_file(path, "stream", no_clobber=True) as file:
            file.write(text.encode())
    except OutputExistsError:
        raise OutputExistsError(f"{path} already exists; choose another name") from None
