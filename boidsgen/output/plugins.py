"""imageio plugins: each format by the name `boidsgen-<format>`, once this module is imported.

    import boidsgen.output.plugins
    imageio.v3.imwrite("flock.gif", pictures, plugin="boidsgen-gif", fps=25)
    imageio.v3.imread("flock.gif", plugin="boidsgen-gif")

    with imageio.v3.imopen("flock.mp4", "w", plugin="boidsgen-mp4", fps=25) as file:
        for picture in pictures:
            file.write(picture)

A clip is streamed, verified and published whole or not at all, by the same writers as in `boidsgen render`.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from imageio.config import known_plugins
from imageio.config.plugins import PluginConfig
from imageio.core.request import RETURN_BYTES, InitializationError, IOMode, Request
from imageio.core.v3_plugin_api import ImageProperties
from imageio_ffmpeg import count_frames_and_secs
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageSequence

from boidsgen.drawing.frame import MAX_COLORS, Frame
from boidsgen.output.base import Clip, ClipWriter
from boidsgen.output.formats import MAX_SIGN, WRITERS, Target, has_magic, names_folder
from boidsgen.output.outputs import Outputs, open_outputs


class BoidsgenPlugin:
    """Writes a clip or reads one. No subclass of imageio's base, which publishes half a clip when it is collected.

    Args:
        request: from imageio; its target must be a path, with the extension of the format or, to read, its content.
        palette: (colors, 3) uint8, if pictures are indices; more than 255 colors go with indices of uint16.
        options: `fps`, `loop`, `quality` and `provenance`, as in `Clip`.

    Raises:
        InitializationError: the target does not suit the format.
    """

    format: ClassVar[type[ClipWriter]]

    def __init__(self, request: Request, *, palette: ArrayLike | None = None, **options: Any) -> None:  # noqa: ANN401  of `Clip`
        path, reads = request.raw_uri, request.mode.io_mode == IOMode.read
        if not isinstance(path, str | Path) or path == RETURN_BYTES:
            raise InitializationError("boidsgen writes clips to paths, and reads them from paths")
        self.request, self._path = request, Path(path)
        if self.format.makes == "folder":
            suits = self._path.is_dir() or (names_folder(str(path)) and not reads)
        elif reads:
            with self._path.open("rb") as file:
                suits = has_magic(self.format, file.read(MAX_SIGN))
        else:  # imageio tries all plugins on any name
            suits = self._path.suffix.lower() in self.format.extensions
        if not suits:
            raise InitializationError(f"{path}: is no {self.format.name}")
        self._clip, self._given = replace(Clip((0, 0), 25), **options), palette
        self._palette: NDArray[np.uint8] | None = None
        self._stack = ExitStack()
        self._outputs: Outputs | None = None

    def write(self, ndimage: ArrayLike, *, palette: ArrayLike | None = None, **options: Any) -> None:  # noqa: ANN401
        """Append one picture or several, of uint8: gray, RGB with a last axis of three, or indices of the palette.

        Without a palette, the first call selects the colors of the clip: exact if its pictures have up to 255 of them,
        else reduced to as many by Pillow. `imageio.v3.imwrite` passes all options here.
        """
        pictures = np.asarray(ndimage)
        if self._palette is None:
            self._given = self._given if palette is None else palette
            self._palette = _colors(pictures) if self._given is None else np.asarray(self._given, np.uint8)
        for frame in (_nearest if self._given is None else _indexed)(pictures, self._palette):
            if self._outputs is None:
                clip = replace(self._clip, size=frame.index.shape[::-1], **options)
                target = Target(str(self._path), self.format.name)
                self._outputs = self._stack.enter_context(open_outputs([target], clip))
            self._outputs.write(frame)

    def read(self, *, index: int | None = None) -> NDArray[np.uint8]:
        """One picture (height, width, 3), or without an index all of them, (number, height, width, 3)."""
        if index is None:
            return np.stack(list(self.iter()))
        found = next(islice(self.iter(), index, None), None)
        if found is None:
            raise IndexError(f"there is no picture {index}")
        return found

    def iter(self) -> Iterator[NDArray[np.uint8]]:
        """One picture after the other, each (height, width, 3)."""
        return self.format.pictures(self._path)

    def properties(self, index: int | None = None) -> ImageProperties:
        """Shape and number of the pictures."""
        shape = next(self.iter()).shape
        if index is not None:
            return ImageProperties(shape, np.dtype(np.uint8))
        count = self.format.count(self._path)
        return ImageProperties((count, *shape), np.dtype(np.uint8), n_images=count, is_batch=True)

    def metadata(self, index: int | None = None, exclude_applied: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Number of frames, and of a file the seconds that it plays and the embedded scenario."""
        del index, exclude_applied
        about: dict[str, Any] = {"frames": self.format.count(self._path)}
        if self._path.is_dir():
            return about
        if self.format.needs_ffmpeg:
            about["duration"] = count_frames_and_secs(self._path)[1]
        else:
            with Image.open(self._path) as image:
                delays = [one.convert("RGB").info["duration"] for one in ImageSequence.Iterator(image)]
            about["duration"] = sum(delays) / 1000
        with self._path.open("rb") as file:
            return about | {"comment": self.format.comment(file).decode()}

    def close(self) -> None:
        """Finish, verify and publish."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Publish, or discard after an exception."""
        try:
            self._stack.__exit__(*raised)  # type: ignore[arg-type]  # as Python gives them
        finally:
            self.request.finish()


def _indexed(pictures: NDArray[Any], palette: NDArray[np.uint8]) -> Iterator[Frame]:
    """Frames of palette indices, (height, width) or (number, height, width)."""
    if pictures.dtype not in {np.dtype(np.uint8), np.dtype(np.uint16)} or pictures.ndim not in {2, 3}:
        raise ValueError("palette indices must be uint8 or uint16 of shape (height, width) or (number, height, width)")
    kind = np.uint16 if len(palette) > MAX_COLORS else pictures.dtype
    for index in pictures.reshape(-1, *pictures.shape[-2:]):
        yield Frame(np.ascontiguousarray(index, kind), palette)


def _nearest(pictures: NDArray[Any], palette: NDArray[np.uint8]) -> Iterator[Frame]:
    """Frames of gray or RGB pictures, each pixel in the nearest color of the palette."""
    for picture in _rgb_words(pictures):
        colors, place = np.unique(picture, return_inverse=True)
        offset = colors.view(np.uint8).reshape(-1, 1, 4)[..., :3].astype(np.int64) - palette
        nearest = (offset**2).sum(axis=-1).argmin(axis=1).astype(np.uint8)
        yield Frame(nearest[place].reshape(picture.shape), palette)


def _colors(pictures: NDArray[Any]) -> NDArray[np.uint8]:
    """All colors of gray or RGB pictures, or if these are too many Pillow's choice of them: (colors, 3)."""
    words = _rgb_words(pictures)
    colors = np.unique(words)
    if len(colors) > MAX_COLORS:
        column = Image.fromarray(words.view(np.uint8).reshape(-1, words.shape[-1], 4)[..., :3])
        return np.array(column.quantize(MAX_COLORS).getpalette(), np.uint8).reshape(-1, 3)[:MAX_COLORS]
    return colors.view(np.uint8).reshape(-1, 4)[:, :3]


def _rgb_words(pictures: NDArray[Any]) -> NDArray[np.uint32]:
    """Gray or RGB pictures as (number, height, width), each color one number of which three bytes are used."""
    if pictures.dtype != np.uint8:
        raise ValueError(f"pictures must be of type uint8, not {pictures.dtype}")
    gray = pictures.shape[-1] != 3
    if pictures.ndim + gray not in {3, 4}:
        raise ValueError(f"pictures must be (height, width), with colors as the last axis, not {pictures.shape}")
    rgb = np.stack([pictures] * 3, axis=-1) if gray else pictures
    words: NDArray[np.uint32] = np.pad(rgb, [*[(0, 0)] * (rgb.ndim - 1), (0, 1)]).view(np.uint32)
    return words.reshape(-1, *rgb.shape[-3:-1])


PLUGINS = {
    f"boidsgen-{name}": type(f"{writer.__name__}Plugin", (BoidsgenPlugin,), {"format": writer})
    for name, writer in WRITERS.items()
}
"""Every plugin by its name."""

globals().update({plugin.__name__: plugin for plugin in PLUGINS.values()})  # imageio looks for classes by name
known_plugins.update({name: PluginConfig(name, plugin.__name__, __name__) for name, plugin in PLUGINS.items()})
