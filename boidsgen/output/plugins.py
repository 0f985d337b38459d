"""The writers for users of imageio: for each format a plugin that can be named once this module is imported.

    import boidsgen.output.plugins
    imageio.v3.imwrite("flock.gif", pictures, plugin="boidsgen-gif", fps=25)
    imageio.v3.imread("flock.gif", plugin="boidsgen-gif")

    with imageio.v3.imopen("flock.mp4", "w", plugin="boidsgen-mp4", fps=25) as file:
        for picture in pictures:
            file.write(picture)

A clip is streamed, verified and published whole or not at all, as `boidsgen render` does it through the same writers.
Pictures are uint8: red, green and blue, gray, or with a `palette` its indices, the only way in which colors are chosen
beforehand; of a palette of more than 255 colors, such as a lit look has, the indices are uint16. Without a palette, the
first call of `write` decides about that of the clip: colors are exact if its pictures have up to 255 of them, and
reduced by Pillow to as many if they have more.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from imageio.config import known_plugins
from imageio.config.plugins import PluginConfig
from imageio.core.request import RETURN_BYTES, InitializationError, IOMode, Request
from imageio.core.v3_plugin_api import ImageProperties
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from boidsgen.drawing.frame import Frame
from boidsgen.errors import UsageError
from boidsgen.output.contract import Clip, ClipWriter, Quality
from boidsgen.output.formats import WRITERS, spoken
from boidsgen.output.outputs import Outputs, open_outputs
from boidsgen.output.provenance import MAX_SIGN, bears_sign
from boidsgen.output.targets import Target, names_folder, target

MAX_COLORS = 255
"""So many a palette may have that is made here; a `Frame` has no more with indices of one byte."""

Pictures = NDArray[np.uint8]


class Colors(Protocol):
    """How the pictures of one clip become frames."""

    def frames(self, pictures: NDArray[Any]) -> Iterator[Frame]:
        """The frames of one picture or several."""


class Indexed:
    """Pictures that are indices of a palette: (height, width), or (number, height, width)."""

    def __init__(self, palette: ArrayLike) -> None:
        self._palette = np.asarray(palette, np.uint8)

    def frames(self, pictures: NDArray[Any]) -> Iterator[Frame]:
        """One frame a picture. Raises ValueError for anything else than indices."""
        if pictures.dtype not in {np.dtype(np.uint8), np.dtype(np.uint16)} or pictures.ndim not in {2, 3}:
            raise ValueError(
                "pictures must be palette indices: uint8 or uint16 of shape (height, width) or (number, height, width)"
            )
        if len(self._palette) > MAX_COLORS:
            pictures = pictures.astype(np.uint16)
        for index in pictures.reshape(-1, *pictures.shape[-2:]):
            yield Frame(np.ascontiguousarray(index), self._palette)


class Nearest:
    """Pictures in gray or color, each pixel shown in the nearest color of a palette that suits the first of them."""

    def __init__(self, first: NDArray[Any]) -> None:
        self._palette = _palette_of(_in_color(first))

    def frames(self, pictures: NDArray[Any]) -> Iterator[Frame]:
        """One frame a picture. Raises ValueError for anything else than pictures of 8 bits a channel."""
        for picture in _in_color(pictures):
            packed, place = np.unique(_packed(picture), return_inverse=True)
            offset = _unpacked(packed)[:, None] - self._palette.astype(np.int64)
            nearest = (offset**2).sum(axis=-1).argmin(axis=1).astype(np.uint8)
            yield Frame(nearest[place].reshape(picture.shape[:2]), self._palette)


def _in_color(pictures: NDArray[Any]) -> Pictures:
    """Pictures as (number, height, width, 3); a last axis of three is one of colors."""
    if pictures.dtype != np.uint8:
        raise ValueError(f"pictures must be of type uint8, not {pictures.dtype}")
    if pictures.shape[-1] != 3:
        pictures = np.stack([pictures] * 3, axis=-1)
    if pictures.ndim not in {3, 4}:
        raise ValueError(f"pictures must be (height, width), with colors as the last axis, not {pictures.shape}")
    return pictures.reshape(-1, *pictures.shape[-3:])


def _palette_of(pictures: Pictures) -> Pictures:
    """All colors of the pictures, or where these are too many the best choice of them: (colors, 3)."""
    colors = np.unique(_packed(pictures))
    if len(colors) <= MAX_COLORS:
        return _unpacked(colors).astype(np.uint8)
    reduced = Image.fromarray(pictures.reshape(-1, *pictures.shape[-2:])).quantize(MAX_COLORS)
    return np.array(reduced.getpalette(), np.uint8).reshape(-1, 3)[:MAX_COLORS]


def _packed(pictures: Pictures) -> NDArray[np.int64]:
    """Each color as one number."""
    red, green, blue = np.moveaxis(pictures.astype(np.int64), -1, 0)
    packed: NDArray[np.int64] = red << 16 | green << 8 | blue
    return packed


def _unpacked(colors: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=-1)


class BoidsgenPlugin:
    """Writes a clip or reads one. No subclass of imageio's base, which publishes half a clip when it is collected.

    Args:
        request: from imageio; its target must be a path.
        palette: (colors, 3) uint8, when pictures are indices; more than 255 colors go with indices of uint16.
        fps: frames a second.
        loop: how often a GIF plays, 0 = for ever.
        quality: effort of formats that lose detail.
        provenance: a text to store in the file.
        format: gif, mp4, webp, webm or png (a folder); by default the extension tells.

    Raises:
        InitializationError: this plugin cannot do what is asked.
    """

    output_format: ClassVar[str | None] = None
    """The format, where the name of the plugin tells it."""

    def __init__(
        self,
        request: Request,
        *,
        palette: ArrayLike | None = None,
        fps: float = 25,
        loop: int = 0,
        quality: Quality = "standard",
        provenance: str = "",
        format: str | None = None,  # noqa: A002  the word of users
    ) -> None:
        self.request = request
        self._target = _readable(request, format or self.output_format) or self._writable(request, format)
        self._format, self._path = WRITERS[self._target.format], Path(self._target.path)
        self._clip = Clip((0, 0), fps, None, loop, quality, provenance)
        self._colors: Colors | None = None if palette is None else Indexed(palette)
        self._stack = ExitStack()
        self._outputs: Outputs | None = None

    def write(self, ndimage: ArrayLike, *, palette: ArrayLike | None = None, **options: Any) -> None:  # noqa: ANN401
        """Append one picture or several, of uint8.

        With a palette they are its indices, (height, width) or (number, height, width), uint8 or uint16. Without one
        they are gray, in the same shapes, or have a last axis of three colors. What the constructor takes may also be
        said here, with the first picture, as `imageio.v3.imwrite` has it: it gives all options to `write`.
        """
        pictures = np.asarray(ndimage)
        if self._outputs is None:
            self._clip = replace(self._clip, **options)
            self._colors = Indexed(palette) if palette is not None else self._colors or Nearest(pictures)
        if self._colors is not None:
            for frame in self._colors.frames(pictures):
                self._opened(frame).write(frame)

    def read(self, *, index: int | None = None) -> Pictures:
        """One picture (height, width, 3), or without an index all of them, (number, height, width, 3)."""
        if index is None:
            return np.stack(list(self.iter()))
        found = next(islice(self.iter(), index, None), None)
        if found is None:
            raise IndexError(f"there is no picture {index}")
        return found

    def iter(self) -> Iterator[Pictures]:
        """One picture after the other, each (height, width, 3)."""
        return self._format.pictures(self._path)

    def properties(self, index: int | None = None) -> ImageProperties:
        """Shape and number of the pictures."""
        shape = next(self.iter()).shape
        if index is not None:
            return ImageProperties(shape, np.dtype(np.uint8))
        count = self._format.count(self._path)
        return ImageProperties((count, *shape), np.dtype(np.uint8), n_images=count, is_batch=True)

    def metadata(self, index: int | None = None, exclude_applied: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """What the clip says about itself: how many frames, how long it plays in seconds, the scenario in it."""
        del index, exclude_applied
        about = {"frames": self._format.count(self._path), "duration": self._format.duration(self._path)}
        return about | ({} if self._path.is_dir() else {"comment": self._comment()})

    def close(self) -> None:
        """Finish, verify and publish."""
        try:
            self._stack.close()
        finally:
            self.request.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Publish, or after an exception discard."""
        try:
            self._stack.__exit__(kind, error, traceback)
        finally:
            self.request.finish()

    def _writable(self, request: Request, output_format: str | None) -> Target:
        """The target of a request to write; without a plugin's name imageio tries all plugins on any name there is."""
        path, own = _path_of(request), self.output_format
        if own and output_format is None and not _named_for(path, WRITERS[own]):
            raise InitializationError(f"{path}: is not named as {own} is")
        try:
            return target(path, stem="clip", explicit=output_format or own)
        except UsageError as error:
            raise InitializationError(str(error)) from None

    def _opened(self, first: Frame) -> Outputs:
        """The outputs, opened when the first picture tells the size."""
        if self._outputs is None:
            height, width = first.index.shape
            clip = replace(self._clip, size=(width, height))
            self._outputs = self._stack.enter_context(open_outputs([self._target], clip))
        return self._outputs

    def _comment(self) -> str:
        with self._path.open("rb") as file:
            return self._format.comment(file).decode()


def _path_of(request: Request) -> str:
    path = request.raw_uri
    if not isinstance(path, str | Path) or path == RETURN_BYTES:
        raise InitializationError("boidsgen writes clips to paths, and reads them from paths")
    return str(path)


def _named_for(path: str, writer: type[ClipWriter]) -> bool:
    """Whether a name suits a format: its ending, or for a folder of pictures a slash or an existing folder."""
    if writer.makes == "folder":
        return names_folder(path) or Path(path).is_dir()
    return Path(path).suffix.lower() in writer.extensions


def _readable(request: Request, output_format: str | None) -> Target | None:
    """The target of a request to read, recognized by its content; None when the request is to write."""
    if request.mode.io_mode != IOMode.read:
        return None
    path = _path_of(request)
    wanted = [WRITERS[output_format]] if output_format else [*WRITERS.values()]
    found = next((writer.name for writer in wanted if _looks_like(Path(path), writer)), None)
    if found is None:
        raise InitializationError(f"{path}: is not {spoken(writer.name for writer in wanted)}")
    return Target(path, found)


def _looks_like(path: Path, writer: type[ClipWriter]) -> bool:
    if path.is_dir():
        return writer.makes == "folder"
    with path.open("rb") as file:
        return bears_sign(writer, file.read(MAX_SIGN))


def _plugin(writer: type[ClipWriter]) -> type[BoidsgenPlugin]:
    """The plugin of one format."""
    name = f"{writer.__name__}Plugin"
    about = {"__doc__": f"`BoidsgenPlugin` for {writer.name}.", "__module__": __name__, "output_format": writer.name}
    return type(name, (BoidsgenPlugin,), about)


PLUGINS = {f"boidsgen-{name}": _plugin(writer) for name, writer in WRITERS.items()}
"""Every plugin by its name."""


def __getattr__(name: str) -> type[BoidsgenPlugin]:
    """The plugins by the names of their classes: this is how imageio finds them."""
    found = next((plugin for plugin in PLUGINS.values() if plugin.__name__ == name), None)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


known_plugins.update({name: PluginConfig(name, plugin.__name__, __name__) for name, plugin in PLUGINS.items()})
