"""What every format must do; a new one is tested by existing."""

import gc
import hashlib
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from pydantic import ValidationError

from boidsgen.drawing.frame import Frame
from boidsgen.errors import BoidsgenError, ScenarioError
from boidsgen.output.base import Clip, Writer
from boidsgen.output.formats import SIDES, WRITERS, Output, format_table, refusals
from boidsgen.output.provenance import CARRIERS, MAX_SIGN, bears_sign, origin
from boidsgen.scenario.sources import may_carry

SIZES = [(1, 1), (2, 2), (3, 5), (5000, 1), (401, 301), (64, 48)]
RATES = [0.01, 10, 12, 15, 24, 25, 29.97, 30, 33, 50]
LOSSY = {name for name, writer in WRITERS.items() if not writer.exact}


def blocks(size, colors):
    """Frames of 16 x 16 blocks, each of one color, so that halved color resolution does not blur them."""
    random = np.random.default_rng(3)
    palette = random.integers(0, 256, (colors, 3)).astype(np.uint8)
    cells = [random.integers(0, colors, (size[1] // 16, size[0] // 16)) for _ in range(4)]
    return [Frame(np.kron(cell, np.ones((16, 16))).astype(np.uint8), palette) for cell in cells]


@pytest.fixture(params=WRITERS)
def kind(request):
    return request.param


def test_is_registered_by_its_name(kind):
    """A format is found under the name its class gives it."""
    assert issubclass(WRITERS[kind], Writer)
    assert WRITERS[kind].name == kind
    assert all(extension.startswith(".") for extension in WRITERS[kind].extensions)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_keeps_every_frame_and_the_size(kind, size, frames, write, decode, path_of):
    """As many frames come back as went in, at the same size; or the size is refused before anything is written."""
    pictures = frames(4, size)
    if refusals(kind, size, 25):
        with pytest.raises(ScenarioError, match=r"^output\.size: "):
            write([(path_of(kind), kind)], pictures)
        assert not path_of(kind).exists()
        return

    write([(path_of(kind), kind)], pictures)

    assert len(decode(path_of(kind), size)) == 4


@pytest.mark.parametrize("colors", [1, 2, 16, 255])
def test_keeps_colors(kind, colors, write, decode, path_of):
    """Colors come back exactly, or within what video compression does to an even area."""
    pictures = blocks((320, 192), colors)

    write([(path_of(kind), kind)], pictures, quality="high")

    decoded = decode(path_of(kind), (320, 192)).astype(int)
    wanted = np.stack([picture.palette[picture.index] for picture in pictures])
    error = np.abs(decoded - wanted)[:, 8::16, 8::16]
    assert error.max() <= (12 if kind in LOSSY else 0)


def test_keeps_frames_that_are_equal(kind, frames, write, decode, path_of):
    """A standstill is as many frames as it was drawn."""
    (picture,) = frames(1, (64, 48))

    write([(path_of(kind), kind)], [picture] * 30)

    assert len(decode(path_of(kind), (64, 48))) == 30


def test_keeps_a_single_frame(kind, frames, write, decode, path_of):
    """One frame is a clip too."""
    write([(path_of(kind), kind)], frames(1, (64, 48)))

    assert len(decode(path_of(kind), (64, 48))) == 1


def test_writes_equal_bytes_for_equal_frames(kind, frames, write, path_of):
    """The same frames give the same bytes."""
    contents = []
    for stem in ("once", "again"):
        path = path_of(kind, stem)
        write([(path, kind)], frames(8, (64, 48)), provenance="seed = 7")
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        contents.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in files])

    assert contents[0] == contents[1]


def test_does_not_mind_reused_arrays(kind, frames, write, decode, path_of):
    """A frame may be drawn over as soon as `write` returns."""
    pictures = frames(6, (64, 48))
    canvas = pictures[0].index.copy()

    def drawn_over():
        for picture in pictures:
            np.copyto(canvas, picture.index)
            yield Frame(canvas, picture.palette)

    class Reused(list):
        __iter__ = lambda _: drawn_over()  # noqa: E731

    write([(path_of(kind, "reused"), kind)], Reused(pictures))
    write([(path_of(kind, "fresh"), kind)], pictures)

    assert np.array_equal(decode(path_of(kind, "reused"), (64, 48)), decode(path_of(kind, "fresh"), (64, 48)))


def test_needs_no_more_memory_for_more_frames(kind, frames, write, path_of):
    """What a writer holds does not grow with the clip."""
    few = frames(4, (160, 120))

    def peak(number):
        gc.collect()
        tracemalloc.start()
        write([(path_of(kind), kind)], few * number)
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    peak(5)
    assert peak(50) < peak(10) + 300_000


def test_says_too_few_frames_of_a_broken_file(kind, frames, write, path_of):
    """A file that was cut off does not count as complete."""
    path = path_of(kind)
    write([(path, kind)], frames(5, (64, 48)))
    assert WRITERS[kind].count(path) == 5

    victim = next(iter(path.iterdir())) if path.is_dir() else path
    content = victim.read_bytes()
    for length in (0, 3, len(content) // 2, len(content) - 1):
        victim.write_bytes(content[:length])
        with suppress(ValueError):  # with ffmpeg's reason
            assert WRITERS[kind].count(path) < 5


def test_keeps_the_old_file_after_an_exception(kind, frames, write, path_of):
    """What was there stays as it was, to the byte, when a render stops half-way."""
    path = path_of(kind)
    write([(path, kind)], frames(3, (64, 48)))
    file = next(iter(path.iterdir())) if path.is_dir() else path
    before = file.read_bytes()

    class Stopping(list):
        def __iter__(self):
            yield from list(super().__iter__())[:2]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write([(path, kind)], Stopping(frames(5, (64, 48), colors=3)))

    assert file.read_bytes() == before
    assert WRITERS[kind].count(path) == 3


def test_leaves_nothing_after_an_exception(kind, frames, write, path_of, tmp_path):
    """Where there was nothing there is nothing when a render stops before its first frame."""

    class Stopping(list):
        def __iter__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write([(path_of(kind), kind)], Stopping(frames(2, (64, 48))))

    assert list(tmp_path.iterdir()) == []


def test_replaces_its_own_output(kind, frames, write, decode, path_of):
    """Rendering again replaces what the last render left, with no frame of it mixed in."""
    write([(path_of(kind), kind)], frames(9, (64, 48)))
    write([(path_of(kind), kind)], frames(4, (64, 48)))

    assert len(decode(path_of(kind), (64, 48))) == 4


def test_names_the_output_when_the_directory_is_missing(kind, frames, write, tmp_path):
    """A missing directory is told before the first frame, by name."""
    told = r"^.*[/\\]absent[/\\]flock: there is no directory .*[/\\]absent; "
    with pytest.raises(BoidsgenError, match=told) as caught:
        write([(tmp_path / "absent" / "flock", kind)], frames(1, (64, 48)))

    assert caught.value.exit_code == 5


@pytest.mark.parametrize("fps", RATES)
def test_accepts_usual_rates(kind, fps):
    """The usual frame rates suit every format."""
    assert refusals(kind, (64, 48), fps) == []


def test_every_key_has_a_default():
    """An empty table is a gif at 25 frames a second, for ever."""
    output = Output()

    assert (output.size, output.fps, output.format, output.loop, output.quality) == (None, 25, "gif", 0, "standard")


def test_every_format_can_be_chosen():
    """Every registered format is a value of the key."""
    assert [Output(format=name).format for name in WRITERS] == list(WRITERS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"format": "avi"},
        {"fps": 0},
        {"fps": float("nan")},
        {"fps": float("inf")},
        {"fps": 1001},
        {"loop": -1},
        {"loop": True},
        {"size": (0, 10)},
        {"quality": "best"},
        {"dither": 1},
    ],
    ids=str,
)
def test_wrong_values_are_refused(wrong):
    """Values outside the documented bounds, and unknown keys, are mistakes."""
    with pytest.raises(ValidationError):
        Output(**wrong)


@pytest.mark.parametrize("fps", [10, 24, 29.97, 50])
def test_plays_as_long_as_its_clip(kind, fps, frames, write, path_of):
    """A format that tells players a duration tells that of the clip, as exactly as its unit of time allows."""
    write([(path_of(kind), kind)], frames(40, (64, 48)), fps=fps)

    told = WRITERS[kind].duration(path_of(kind))
    assert told is None or abs(told - Clip((64, 48), fps, 40).duration) <= 0.005


def test_reads_its_own_pictures(kind, frames, write, decode, path_of):
    """The writer reads the pictures that ffmpeg reads; where it is exact they are those that were drawn."""
    pictures = frames(5, (64, 48))
    write([(path_of(kind), kind)], pictures)

    read = list(WRITERS[kind].pictures(path_of(kind)))

    assert abs(np.array(read).astype(int) - decode(path_of(kind), (64, 48))).max() <= (0 if kind not in LOSSY else 3)
    assert not WRITERS[kind].exact or np.array_equal(read, [one.palette[one.index] for one in pictures])


def test_reads_its_own_text(kind, frames, write, path_of):
    """What a file carries of its origin comes back, whatever the file is called, and only its own writer answers."""
    write([(path_of(kind), kind)], frames(2, (64, 48)), provenance="seed = 7\n")
    path = path_of(kind)
    file = next(iter(path.iterdir())) if path.is_dir() else path

    assert may_carry(file)
    assert origin(file, "").endswith("seed = 7\n")
    assert [one.name for one in CARRIERS if bears_sign(one, file.read_bytes()[:MAX_SIGN])] == [kind]


def test_is_told_to_the_user(kind):
    """Table, schema and refusals speak of every format by what its class says."""
    assert f"| `{kind}` | `{WRITERS[kind].usage}` | {WRITERS[kind].suits} |" in format_table().splitlines()
    assert all(remark in Output.model_fields[key].description for key, remark in WRITERS[kind].remarks.items())
    assert kind in Output.model_fields["quality"].description
    assert refusals(kind, (WRITERS[kind].multiple,) * 2, 25) == []
    assert not any(SIDES % writer.multiple for writer in WRITERS.values())


@pytest.mark.parametrize(("name", "size"), [("square", (1080, 1080)), ("vertical", (1080, 1920))])
def test_sizes_with_a_name(name, size):
    """A name stands for a size that every format can hold."""
    assert Output(size=name).size == size
    assert [refusals(kind, size, 25) for kind in WRITERS] == [[] for _ in WRITERS]
    assert Output.model_validate(Output(size=name).model_dump()).size == size
