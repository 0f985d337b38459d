"""`just prove release`: it tags what is ready, and refuses everything else with its reason."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from boidsgen.kernel.build import TARGETS
from boidsgen.version import __version__

ROOT = Path(__file__).parents[2]
RELEASE = ROOT / ".ci" / "release.py"
GIT, JUST = shutil.which("git"), Path(sys.executable).with_name("just")
IDENTITY = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
FILES = {
    "boidsgen/version.py": '__version__ = "9.1.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## 9.1.0 (2030-01-02)\n\n- Owls.\n\n## 9.0.0 (2029-01-02)\n\n- Hawks.\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 9.1.0\n",
    "codemeta.json": '{"version": "9.1.0"}\n',
    "docs/install.md": "pipx install ./boidsgen-9.1.0-py3-none-any.whl\n",
    "pyproject.toml": '[project.urls]\nSource = "https://example.org/boidsgen"\n',
    "justfile": "mod prove\nci:\n    @true\n",
    "prove.just": "slow:\n    @exit 00\n\npages:\n    @exit 0\n",
}
"""A project that is ready."""
BREAKS = [
    ("boidsgen/version.py", "9.1.0", "9.2.0", "no section '## 9.2.0 (YYYY-MM-DD)'"),
    ("CHANGELOG.md", "(2030-01-02)", "(unreleased)", "no section '## 9.1.0 (YYYY-MM-DD)'"),
    ("CITATION.cff", "9.1.0", "9.0.0", "CITATION.cff is not of version 9.1.0"),
    ("codemeta.json", "9.1.0", "9.0.0", "codemeta.json is not of version 9.1.0"),
    ("docs/install.md", "9.1.0", "9.0.0", "docs/install.md names version 9.0.0"),
    ("pyproject.toml", "example.org", "example.invalid", "[project.urls] in pyproject.toml is a placeholder"),
    ("justfile", "@true", "@false", "CI fails"),
    ("prove.just", "exit 00", "exit 1", "a test fails that CI leaves out"),
    ("prove.just", "exit 0\n", "exit 1\n", "pages fail in a browser"),
]
pytestmark = pytest.mark.skipif(not (GIT and JUST.exists()), reason="needs git and just")


@pytest.fixture
def project(tmp_path):
    """A repository that is ready for a release."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    commit(tmp_path)
    return tmp_path


def git(project, *arguments):
    return subprocess.run(
        [GIT, *arguments], cwd=project, env=IDENTITY, check=True, capture_output=True, text=True
    ).stdout


def commit(project):
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Change")


def release(project, *arguments):
    """What the command prints, and its exit code."""
    environment = {**IDENTITY, "PATH": f"{JUST.parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, str(RELEASE), *arguments]
    ran = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr, ran.returncode


def test_what_is_ready_is_tagged_once(project):
    """The tag has the section of the changelog as its message; the same version is not released again."""
    first, again = release(project), release(project)

    assert first == ("tagged v9.1.0; publish it with: git push origin main v9.1.0\n", 0)
    assert git(project, "tag", "--list", "--format=%(contents)") == "boidsgen 9.1.0\n\n- Owls.\n\n"
    assert again[1] == 1
    assert "v9.1.0 has been released" in again[0]
    assert release(project, "--notes") == ("- Owls.\n", 0)


@pytest.mark.parametrize(("file", "old", "new", "reason"), BREAKS, ids=[one[3] for one in BREAKS])
def test_what_is_not_ready_is_refused(file, old, new, reason, project):
    """Each thing that is missing is named, and nothing is tagged."""
    (project / file).write_text(FILES[file].replace(old, new))
    commit(project)
    said, code = release(project)

    assert code == 1
    assert reason in said
    assert git(project, "tag") == ""


def test_only_a_clean_main_branch_is_released(project):
    """Both reasons are given at once."""
    git(project, "switch", "--quiet", "--create", "topic")
    (project / "CITATION.cff").write_text(FILES["CITATION.cff"] + "# later\n")
    said, code = release(project)

    assert code == 1
    assert "uncommitted changes" in said
    assert "this is the branch 'topic', not 'main'" in said


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [("false", "this fails: just prove wheels"), ("date +%N > build/wheels/a.whl", "a.whl has other bytes")],
)
def test_a_rehearsal_ends_where_packages_cannot_be_built_alike(project, recipe, reason):
    """What fails is named; nothing is tagged."""
    (project / "prove.just").write_text(f"wheels:\n    mkdir -p build/wheels\n    @{recipe}\n")
    commit(project)
    said, code = release(project, "--dry")

    assert code == 1
    assert reason in said
    assert git(project, "tag") == ""


def test_the_recipe_has_what_the_project_needs(tmp_path):
    """The recipe for conda-forge has the dependencies and the digest of what was built."""
    yaml = pytest.importorskip("yaml")
    for name in ("pyproject.toml", "boidsgen/version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (sdist := tmp_path / "build" / "wheels" / f"boidsgen-{__version__}.tar.gz").parent.mkdir(parents=True)
    sdist.write_bytes(b"a distribution")
    text, code = release(tmp_path, "--recipe")
    found, project = yaml.safe_load(text), tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert code == 0
    assert found["source"]["sha256"] == hashlib.sha256(b"a distribution").hexdigest()
    assert found["source"]["url"].endswith(f"/{sdist.name}")
    assert found["package"]["version"] == __version__
    needed = [one.replace(" ", "") for one in found["requirements"]["run"]]
    assert needed == ["python", *(one.partition(";")[0] for one in project["dependencies"])]
    assert all((ROOT / name).is_file() for name in found["about"]["license_file"])


def test_the_catalog_of_schemas_has_the_schema(tmp_path):
    """An entry as SchemaStore's own schema wants it, of a file that is there and a name that a scenario may have."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    text, code = release(tmp_path, "--catalog")
    entry, project = json.loads(text), tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert code == 0
    assert entry.keys() == {"name", "description", "fileMatch", "url"}
    address, _, path = entry["url"].partition("/raw/main/")
    assert address == project["urls"]["Source"]
    assert json.loads((ROOT / path).read_text("utf-8"))["title"] == "Scenario"
    assert all(pattern in (ROOT / "docs/how-to/editor.md").read_text("utf-8") for pattern in entry["fileMatch"])


def test_the_site_keeps_earlier_versions(project):
    """Each version in a folder of its own, as it was; `latest` and the root lead to the newest."""
    pytest.importorskip("mike")
    recipe = """\
site all:
    mkdir -p build/site
    echo "<loc>/$MIKE_DOCS_VERSION/index.html</loc>" > build/site/sitemap.xml
    cp boidsgen/version.py build/site
"""
    for new in ("9.1.0", "9.2.0"):
        (project / "boidsgen" / "version.py").write_text(f'__version__ = "{new}"\n')
        (project / "justfile").write_text(FILES["justfile"] + recipe)
        assert release(project, "--site")[1] == 0
    shown = {
        name: git(project, "show", f"gh-pages:{name}")
        for name in git(project, "ls-tree", "-r", "--name-only", "gh-pages").split()
    }

    assert shown["9.1/version.py"] == '__version__ = "9.1.0"\n'
    assert shown["9.2/sitemap.xml"] == "<loc>/9.2/</loc>\n"
    assert shown["latest"] == "9.2"  # a link
    assert "latest/" in shown["index.html"]
    assert [(one["version"], one["title"], one["aliases"]) for one in json.loads(shown["versions.json"])] == [
        ("9.2", "9.2.0", ["latest"]),
        ("9.1", "9.1.0", []),
    ]


def test_publishes_what_the_index_accepts():
    """The workflow publishes the folder of the wheels for each system; PyPI refuses tags such as linux_x86_64."""
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    tags = [tag for target in TARGETS.values() for tag in target.tag.split(".")]

    assert "just prove wheels" in workflow
    assert {*re.findall(r"build/(\w+)/(?:\n|boidsgen-|notes|recipe)", workflow)} == {"wheels"}
    assert not [tag for tag in tags if not re.fullmatch(r"(manylinux|musllinux|macosx)\w+|win_amd64", tag)]
