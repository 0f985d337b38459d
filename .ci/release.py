"""Tag a release of the version in boidsgen/version.py, or say everything that is not ready.

    python .ci/release.py            check, run CI and all tests that it leaves out, and tag
    python .ci/release.py --dry      build all packages twice, and install and try the one for this system offline
    python .ci/release.py --notes    print what the changelog says of this version
    python .ci/release.py --recipe   print the recipe for conda-forge, of the source distribution in build/wheels
    python .ci/release.py --catalog  print the entry for the catalog of SchemaStore
    python .ci/release.py --site     build the site and commit it to gh-pages, under its version and as `latest`

A tag that is pushed makes .github/workflows/release.yml test, build, attest and publish.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

BUILT, REHEARSAL = Path("build/wheels"), Path("build/rehearsal")
CONTENTS, CITATION = "check-wheel-contents==0.6.3", "cffconvert==2.0.0"
COMMANDS = ("render quickstart -o flock.gif", "render quickstart -o flock.html")  # The first ones of the readme
TASKS = {
    "ci": "CI fails",
    "prove slow": "a test fails that CI leaves out",
    "prove pages": "pages fail in a browser, or a browser is missing",
}
"""Tasks of a release, and what is said where one fails."""
PLACEHOLDER = ".invalid/"
"""Part of the address in pyproject.toml until the repository has one."""


def version() -> str:
    """The version that the package gives itself."""
    return re.findall(r'^__version__ = "(.+)"$', _text("boidsgen/version.py"), re.MULTILINE)[0]


def notes() -> str:
    """The section of the changelog for this version, without its heading; empty where there is none with a date."""
    heading = rf"^## {re.escape(version())} \(\d{{4}}-\d\d-\d\d\)\n"
    _, *sections = re.split(heading, _text("CHANGELOG.md"), maxsplit=1, flags=re.MULTILINE)
    return re.split("^## ", sections[0], maxsplit=1, flags=re.MULTILINE)[0].strip() if sections else ""


RECIPE = """\
schema_version: 1

package:
  name: boidsgen
  version: "{version}"

source:
  url: https://pypi.org/packages/source/b/boidsgen/boidsgen-{version}.tar.gz
  sha256: {sha256}

build:
  number: 0
  script:
    env:
      BOIDSGEN_KERNEL: all # a package runs on other processors than the one that builds it
    content: python -m pip install . --no-deps --no-build-isolation

requirements:
  build:
    - ${{{{ compiler("c") }}}}
  host:
    - python
    - pip
{host}
  run:
    - python
{run}

tests:
  - python:
      imports: boidsgen
      pip_check: true
  - script:
      - boidsgen doctor
      - boidsgen render quickstart -o flock.gif

about:
  homepage: {homepage}
  summary: {summary}
  license: {license}
  license_file:
{files}
"""
"""A recipe of rattler-build, as conda-forge takes it."""


def recipe() -> str:
    """The recipe of the source distribution that has been built."""
    tables = tomllib.loads(_text("pyproject.toml"))
    project, built = tables["project"], (BUILT / f"boidsgen-{version()}.tar.gz").read_bytes()

    def listed(entries: list[str]) -> str:
        named = (re.sub(r"(?=[<>=])", " ", entry.partition(";")[0].strip(), count=1) for entry in entries)
        return "\n".join(f"    - {entry}" for entry in named)

    return RECIPE.format(
        version=version(),
        sha256=hashlib.sha256(built).hexdigest(),
        host=listed(tables["build-system"]["requires"]),
        run=listed(project["dependencies"]),
        homepage=project["urls"]["Source"],
        summary=project["description"],
        license=project["license"],
        files=listed(project["license-files"]),
    )


def catalog() -> str:
    """The entry of the schema for editors, which take it for scenarios with these names."""
    project = tomllib.loads(_text("pyproject.toml"))["project"]
    entry = {
        "name": "boidsgen scenario",
        "description": "Scenario of boidsgen, which renders flocking simulations",
        "fileMatch": ["*.boidsgen.toml"],
        "url": f"{project['urls']['Source']}/raw/main/configs/scenario.schema.json",
    }
    return json.dumps(entry, indent=2)


def add_site() -> None:
    """Build the site and commit it under its version, as mike lays sites out: `latest` is the newest, also at the root.

    The command of mike builds sites without live pages.
    """
    from mike.commands import deploy, set_default  # noqa: PLC0415  only here

    short, folder = version().rpartition(".")[0], Path("build/site")
    os.environ |= {"MIKE_DOCS_VERSION": short, "SITE_VERSIONS": "mike"}  # zensical adds the former to SITE_URL
    with deploy({"site_dir": str(folder)}, short, version(), ["latest"], update_aliases=True):
        _run(["just", "site", "--all"])
        text = (folder / "sitemap.xml").read_text("utf-8")  # by which the selector stays on a page; it wants the root
        (folder / "sitemap.xml").write_text(text.replace(f"/{short}/index.html<", f"/{short}/<"), "utf-8")
    set_default("latest", allow_empty=True)


def obstacles() -> Iterator[str]:
    """Everything that is in the way of a release, but for CI."""
    if _git("status", "--porcelain"):
        yield "the work tree has uncommitted changes"
    if (branch := _git("branch", "--show-current")) != "main":
        yield f"this is the branch {branch!r}, not 'main'"
    if _git("tag", "--list", f"v{version()}"):
        yield f"v{version()} has been released; raise __version__ in boidsgen/version.py"
    yield from _unpublishable()


def _unpublishable() -> Iterator[str]:
    if not notes():
        yield f"CHANGELOG.md has no section '## {version()} (YYYY-MM-DD)'"
    if f"\nversion: {version()}\n" not in _text("CITATION.cff"):
        yield f"CITATION.cff is not of version {version()}"
    if json.loads(_text("codemeta.json"))["version"] != version():
        yield f"codemeta.json is not of version {version()}"
    for page in sorted(Path("docs").rglob("*.md")):
        for other in sorted({*re.findall(r"(?:boidsgen-|rev: v)(\d+\.\d+\.\d+)", _text(str(page)))} - {version()}):
            yield f"{page} names version {other}"
    if any(PLACEHOLDER in address for address in tomllib.loads(_text("pyproject.toml"))["project"]["urls"].values()):
        yield "[project.urls] in pyproject.toml is a placeholder; enter the address of the repository"


def rehearse() -> None:
    """Do what a release does with packages, but for publishing them; exits at the first failure."""
    first, again = _built(), _built()
    if first != again:
        _refuse([f"{name} has other bytes when it is built again" for name in first if first[name] != again.get(name)])
    wheels = [str(BUILT / name) for name in first if name.endswith(".whl")]
    _run(["uv", "tool", "run", "--quiet", CONTENTS, *wheels])
    _run(["uv", "tool", "run", "--quiet", CITATION, "--validate", "-i", "CITATION.cff"])
    shutil.rmtree(REHEARSAL, ignore_errors=True)
    folder, there = REHEARSAL / "wheels", REHEARSAL / "installed"
    wanted = f"boidsgen=={version()}"
    _run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder), "--find-links", str(BUILT), wanted]
    )
    venv.create(there, with_pip=True)
    programs = there.resolve() / ("Scripts" if os.name == "nt" else "bin")
    offline = ["--quiet", "--no-index", "--find-links", str(folder)]
    _run([str(programs / "python"), "-m", "pip", "install", *offline, wanted])
    for command in COMMANDS:
        if command not in _text("README.md"):
            _refuse([f"README.md has no command: boidsgen {command}"])
        _run([str(programs / "boidsgen"), *command.split()], REHEARSAL)
    _run([str(programs / "python"), "tests/smoke.py"])
    print(*(f"{digest}  {name}" for name, digest in first.items()), sep="\n")
    print(*(f"still to do: {reason}" for reason in obstacles()), sep="\n")


def _built() -> dict[str, str]:
    """The digests of all packages, built anew and checked by twine."""
    _run(["just", "prove", "wheels"])
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(BUILT.iterdir())}


def _run(command: list[str], folder: Path = Path()) -> None:
    if subprocess.run(command, check=False, cwd=folder).returncode:
        _refuse([f"this fails: {' '.join(command)}"])


def main() -> None:
    """Check everything that is quick, then run CI, the slow tests and those in all browsers, then tag."""
    if "--notes" in sys.argv:
        _refuse([*_unpublishable()])
        print(notes())
        return
    if "--recipe" in sys.argv:
        print(recipe(), end="")
        return
    if "--dry" in sys.argv:
        rehearse()
        return
    if "--catalog" in sys.argv:
        print(catalog())
        return
    if "--site" in sys.argv:
        add_site()
        return
    _refuse([*obstacles()])
    for task, failed in TASKS.items():
        if subprocess.run(["just", *task.split()], check=False).returncode:
            _refuse([failed])
    message = f"boidsgen {version()}\n\n{notes()}"
    _git("tag", "--annotate", "--cleanup", "whitespace", "--message", message, f"v{version()}")
    print(f"tagged v{version()}; publish it with: git push origin main v{version()}")


def _refuse(reasons: list[str]) -> None:
    if reasons:
        sys.exit("\n".join(["not released:", *(f"  {reason}" for reason in reasons)]))


def _text(path: str) -> str:
    return Path(path).read_text("utf-8")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
