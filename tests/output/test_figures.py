"""Files of figures: whole, with their scenario in them, and read back whatever has happened to them."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pypdfium2
import pytest

from boidsgen import load_scenario, still
from boidsgen.errors import BoidsgenError, OutputExistsError, ReplayError, ScenarioError
from boidsgen.output.figures import FIGURE_WRITERS
from boidsgen.output.provenance import origin
from boidsgen.studies.compare import strip
from boidsgen.studies.replay import original, replay


@pytest.fixture(params=FIGURE_WRITERS)
def kind(request):
    return request.param


def small(**overrides):
    usual = {"time.frames": 6, "flock.count": 5, "title": 'Less < more & "ü" \\ ]]>'}
    return load_scenario("quickstart", overrides=usual | overrides)


def test_carries_its_scenario(kind, tmp_path):
    """The text comes back to the letter, with the number of the frame before it."""
    still(small(), tmp_path / "flock.png", at=3)
    still(small(), tmp_path / f"flock.{kind}", at=3)

    assert origin(tmp_path / f"flock.{kind}", "") == origin(tmp_path / "flock.png", "")


def test_comes_back_byte_by_byte(kind, tmp_path):
    """A replay is the same file, of one frame and of a strip."""
    still(small(), tmp_path / f"flock.{kind}", at=3)
    strip(small(), tmp_path / f"strip.{kind}", at=(0, 2, 5))

    for name in ("flock", "strip"):
        replay(original(tmp_path / f"{name}.{kind}"), str(tmp_path / f"again.{kind}"))
        assert (tmp_path / f"again.{kind}").read_bytes() == (tmp_path / f"{name}.{kind}").read_bytes()


def test_an_altered_figure_is_told(kind, tmp_path):
    """A replay that differs from the original says so."""
    path = tmp_path / f"flock.{kind}"
    still(small(), path, at=3)
    path.write_bytes(path.read_bytes() + b"\n")

    with pytest.raises(ReplayError, match="it has been altered since"):
        replay(original(path), str(tmp_path / f"again.{kind}"))


def test_damage_is_told(kind, tmp_path):
    """Whatever is cut off, the answer is a text or a clear word."""
    path = tmp_path / f"flock.{kind}"
    still(small(), path, at=3)
    content = path.read_bytes()
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        try:
            text = origin(path, "flock")
        except ScenarioError as error:
            text = str(error)
        assert text is None or "flock" in text


def test_a_stranger_is_told(kind, tmp_path):
    """A figure that another program made has no scenario."""
    strange = {"svg": '<svg xmlns="http://www.w3.org/2000/svg"/>', "pdf": "%PDF-1.4\nnothing"}
    (tmp_path / f"flock.{kind}").write_text(strange[kind])

    with pytest.raises(ScenarioError, match="boidsgen did not make it"):
        origin(tmp_path / f"flock.{kind}", "flock")


def test_old_or_new(kind, tmp_path, monkeypatch):
    """When writing fails the old figure stays, and an existing one stays on demand."""
    path = tmp_path / f"flock.{kind}"
    path.write_bytes(b"old")
    with pytest.raises(OutputExistsError):
        still(small(), path, no_clobber=True)
    monkeypatch.setattr(FIGURE_WRITERS[kind], "encoded", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        still(small(), path)

    assert (path.read_bytes(), len(list(tmp_path.iterdir()))) == (b"old", 1)


def test_a_missing_directory_is_told(kind, tmp_path):
    """As for every output."""
    with pytest.raises(BoidsgenError, match="there is no directory") as caught:
        still(small(), tmp_path / "absent" / f"flock.{kind}")

    assert caught.value.exit_code == 5


def test_others_understand_the_files(tmp_path):
    """An SVG is XML, and a PDF has one page and the scenario attached."""
    for ending in ("svg", "pdf"):
        still(small(), tmp_path / f"flock.{ending}", at=3)

    root = ET.parse(tmp_path / "flock.svg").getroot()  # noqa: S314  our own file
    document = pypdfium2.PdfDocument(tmp_path / "flock.pdf")
    attached = document.get_attachment(0)
    assert (root.get("width"), root.get("height")) == ("400", "400")
    assert (len(document), attached.get_name()) == (1, "scenario.toml")
    assert bytes(attached.get_data()).decode() == origin(tmp_path / "flock.pdf", "")
    document.close()


def test_from_the_command_line(tmp_path, monkeypatch, capfd):
    """`still -o` takes the names of figures, in upper or lower case, and names what it takes."""
    from boidsgen.cli.main import run

    monkeypatch.chdir(tmp_path)
    told = [run(["still", "quickstart", "--frames", "3", "-o", name]) for name in ("a.svg", "b.PDF", "c.jpg")]

    assert told == [0, 0, 2]
    assert sorted(path.name for path in Path().iterdir()) == ["a.svg", "b.PDF"]
    assert "end its name with one of .png, .svg, .pdf" in capfd.readouterr().err
