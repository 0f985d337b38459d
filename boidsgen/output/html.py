"""HTML: a finished output inside a page, such as a notebook, that needs no other file."""

from base64 import b64encode
from pathlib import Path

MAX_BYTES = 50_000_000
"""Bytes of an output that is put into a page; of a larger one the page has the name."""

IMAGES = {".gif": "gif", ".png": "png", ".webp": "webp"}
"""Endings of what a browser shows as a picture, moving or not, with the name of their type."""
VIDEOS = {".mp4": "mp4", ".webm": "webm"}
"""Endings of what a browser plays."""


def shown_in_html(path: Path) -> str:
    """The element that shows a file; its name where no browser would, or where it is gone or too large."""
    from html import escape  # noqa: PLC0415  it comes with the names of two thousand letters

    kind = path.suffix.lower()
    if kind not in IMAGES | VIDEOS or not path.is_file() or path.stat().st_size > MAX_BYTES:
        return f"<code>{escape(str(path))}</code>"
    content = b64encode(path.read_bytes()).decode()
    if kind in IMAGES:
        return f'<img src="data:image/{IMAGES[kind]};base64,{content}">'
    return f'<video src="data:video/{VIDEOS[kind]};base64,{content}" autoplay loop muted controls></video>'
