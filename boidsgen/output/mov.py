"""MOV with ProRes 4444: for Keynote and for editing, as they want a film without background."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.drawing.frame import Frame
from boidsgen.output.pictures import Clip, Quality, Sign, boxed, boxed_text, image_of
from boidsgen.output.publish import Destination
from boidsgen.output.video import FfmpegWriter

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image


class Mov(FfmpegWriter):
    """ProRes 4444, every color and opacity at full resolution, for programs on a Mac and for editing."""

    name: ClassVar[str] = "mov"
    extensions: ClassVar[tuple[str, ...]] = (".mov",)
    signs: ClassVar[tuple[Sign, ...]] = ((4, b"ftypqt  "),)
    usage: ClassVar[str] = "-o flock.mov"
    checked: ClassVar[tuple[Sequence[str], Sequence[str]]] = (), ("-t", "0.2")
    suits: ClassVar[str] = "Keynote and editing, also without background (ProRes 4444); ten times as large as an mp4"

    effort: ClassVar[Mapping[Quality, int]] = {"draft": 16, "standard": 9, "high": 4}
    """The quantizer: lower loses less."""

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._part, self._clip = part, clip

    @override
    def image(self, frame: Frame) -> "Image.Image":
        """Mode RGB, or RGBA for a transparent clip."""
        return image_of(frame).convert("RGBA" if self._clip.transparent else "RGB")

    @classmethod
    @override
    def told(cls, clip: Clip) -> str:
        return ""  # here a comment is at most 64 KiB long; the text gets a box of its own

    @classmethod
    @override
    def pixels(cls, clip: Clip) -> Sequence[str]:
        converted = "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int"
        encoded = "yuva444p10le" if clip.transparent else "yuv444p10le"
        return "rgba" if clip.transparent else "rgb24", encoded, converted, f"format={encoded}"

    @classmethod
    @override
    def encoding(cls, clip: Clip) -> list[str]:
        quantizer = str(cls.effort[clip.quality] + 2 * clip.loss)
        return ["-c:v", "prores_ks", "-profile:v", "4444", "-qscale:v", quantizer, "-movflags", "+faststart"]

    @override
    def close(self) -> None:
        super().close()
        with self._part.shared.open("ab") as file:
            file.write(boxed(self._clip.provenance))

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        return boxed_text(file)
