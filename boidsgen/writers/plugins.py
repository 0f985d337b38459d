"""The writers as an imageio v3 plugin.

    with imageio.v3.imopen("flock.gif", "w", plugin=BoidsgenPlugin, palette=palette, fps=25) as file:
        for index in pictures:
            file.write(index)

It streams, unlike imageio's own GIF writers; it verifies and publishes atomically, unlike its ffmpeg writer. Pictures
are palette indices: that is what makes colors exact. `boidsgen render` does not come through here, so that it need not
import imageio.
"""

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from imageio.core.request import RETURN_BYTES, InitializationError, IOMode, Request
from numpy.typing import ArrayLike, NDArray

from boidsgen.drawing.frame import Frame
from boidsgen.errors import UsageError
from boidsgen.writers.contract import Quality
from boidsgen.writers.outputs import Outputs, open_outputs
from boidsgen.writers.targets import Target, target


class BoidsgenPlugin:
    """Writes a clip. No subclass of imageio's base, which would publish half a clip when it is garbage-collected.

    Args:
        request: from imageio; its target must be a path.
        palette: (colors, 3) uint8, at most 255 colors.
        fps: frames a second.
        loop: how often a GIF plays, 0 = for ever.
        quality: effort of formats that lose detail.
        provenance: a text to store in the file.
        format: gif, mp4 or png (a folder); by default the extension tells.

    Raises:
        InitializationError: this plugin cannot do what is asked.
    """

    def __init__(
        self,
        request: Request,
        *,
        palette: ArrayLike,
        fps: float = 25,
        loop: int = 0,
        quality: Quality = "standard",
        provenance: str = "",
        format: str | None = None,  # noqa: A002  the word of users
    ) -> None:
        self.request = request
        self._palette = np.asarray(palette, np.uint8)
        self._target = _target(request, format)
        self._fps, self._loop, self._quality, self._provenance = fps, loop, quality, provenance
        self._stack = ExitStack()
        self._outputs: Outputs | None = None

    def write(self, ndimage: ArrayLike) -> None:
        """Append one picture (height, width), or several (number, height, width), of uint8 palette indices."""
        pictures = np.asarray(ndimage)
        if pictures.dtype != np.uint8 or pictures.ndim not in {2, 3}:
            raise ValueError(
                "pictures must be palette indices: uint8 of shape (height, width) or (number, height, width)"
            )
        for index in pictures.reshape(-1, *pictures.shape[-2:]):
            self._opened(index).write(Frame(index, self._palette))

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

    def _opened(self, index: NDArray[np.uint8]) -> Outputs:
        """The outputs, opened when the first picture tells the size."""
        if self._outputs is None:
            height, width = index.shape
            self._outputs = self._stack.enter_context(
                open_outputs(
                    [self._target],
                    size=(width, height),
                    fps=self._fps,
                    loop=self._loop,
                    quality=self._quality,
                    provenance=self._provenance,
                )
            )
        return self._outputs


def _target(request: Request, output_format: str | None) -> Target:
    path = request.raw_uri
    if request.mode.io_mode != IOMode.write or not isinstance(path, str | Path) or path == RETURN_BYTES:
        raise InitializationError("boidsgen writes clips to paths, and does nothing else")
    try:
        return target(str(path), stem="clip", explicit=output_format)
    except UsageError as error:
        raise InitializationError(str(error)) from None
