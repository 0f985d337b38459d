import pytest

from boidsgen.errors import UsageError
from boidsgen.output.targets import Target, default_target, target
from tests.systems import native, posix


@pytest.mark.parametrize(
    ("name", "explicit", "wanted"),
    [
        ("a.gif", None, Target("a.gif", "gif")),
        ("a.MP4", None, Target("a.MP4", "mp4")),
        ("-x.gif", "gif", Target("-x.gif", "gif")),
        pytest.param("a:b.mp4", None, Target("a:b.mp4", "mp4"), marks=posix),
        ("a.bin", "mp4", Target("a.bin", "mp4")),
        ("-", None, Target("-", "gif")),
        ("-", "mp4", Target("-", "mp4")),
        ("./-", "gif", Target("./-", "gif")),
        ("/dev/null", None, Target("/dev/null", "gif")),
        ("out/", None, Target(native("out/flock.gif"), "gif")),
        ("out/", "mp4", Target(native("out/flock.mp4"), "mp4")),
        ("out/", "png", Target("out/", "png")),
        ("frames", "png", Target("frames", "png")),
    ],
)
def test_a_name_tells_path_and_format(name, explicit, wanted):
    """Extension, --format and the scenario's format decide, in this order, and the path stays as written."""
    assert target(name, stem="flock", explicit=explicit) == wanted


def test_an_existing_directory_gets_a_file_inside(tmp_path):
    """A directory needs no slash behind it."""
    assert target(str(tmp_path), stem="flock", default="mp4") == Target(str(tmp_path / "flock.mp4"), "mp4")


@pytest.mark.parametrize(
    ("name", "explicit", "message"),
    [
        ("a.gif", "mp4", "a.gif: ends with .gif, but --format says mp4; change one of them"),
        (
            "a.avi",
            None,
            "a.avi: the name does not tell the format; end it with .gif, .mp4, .webp, .webm, or say --format",
        ),
        ("a", None, "a: the name does not tell the format; end it with .gif, .mp4, .webp, .webm, or say --format"),
        ("a.png", None, "a.png: png frames go into a folder, such as a/ with --format png"),
    ],
)
def test_a_name_that_tells_no_format_is_a_mistake(name, explicit, message):
    """Nothing is guessed."""
    with pytest.raises(UsageError) as caught:
        target(name, stem="flock", explicit=explicit)

    assert str(caught.value) == message


@pytest.mark.parametrize(("kind", "path"), [("gif", "outputs/s.gif"), ("mp4", "outputs/s.mp4"), ("png", "outputs/s")])
def test_outputs_is_where_nameless_files_go(kind, path):
    """Without a name the file is called after the scenario."""
    assert default_target("s", kind) == Target(native(path), kind)
