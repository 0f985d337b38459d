"""The QR code of a link."""

import json
from pathlib import Path

import pytest

from boidsgen.webpage.writer import resource, script_of
from tests.page.browsers import node

READER = Path(__file__).with_name("node_modules") / "jsqr"
LETTERS = "https://example.org/flock.html#1.3b2da579.-_ABCxyz"
MISREAD = 23  # The version whose marks jsQR 1.4 looks for in a wrong place: 74 for 78
FULL = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858, 929, 1003, 1091]
FULL += [1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563, 2699, 2809, 2953]
"""Bytes that versions 1 to 40 hold at level L, as ISO/IEC 18004 lists them."""
LIBRARY = Path(__file__).with_name("node_modules") / "lean-qr"
EXPORT = "export{r as correction,m as generate};"


@pytest.mark.skipif(not READER.is_dir(), reason="needs jsqr: npm ci in tests/page")
def test_a_code_of_every_version_is_read_back_by_a_library():
    """A text that just fits a version has that version, and comes back; one byte more has the next version.

    One byte of each code says that its text is UTF-8.
    """
    texts = [(LETTERS * 60)[: length - 1] for length in FULL]
    longer = [(LETTERS * 60)[:length] for length in FULL[:-1]]
    with node("qr") as read_back:
        found = read_back(texts=texts + longer)
    versions = [(size - 17) // 4 for size, _ in found]

    assert versions == [*range(1, 41), *range(2, 41)]
    for text, version, (_, read) in zip(texts + longer, versions, found, strict=True):
        assert read == text or version == MISREAD


@pytest.mark.skipif(not LIBRARY.is_dir(), reason="needs lean-qr: npm ci in tests/page")
def test_the_library_is_that_of_npm_and_pages_carry_its_license():
    """Its code and its license word by word; only what it exports has another name."""
    text = resource("lean_qr.js")
    code = (LIBRARY / "nano.mjs").read_text("utf-8").strip().removesuffix(EXPORT)
    version = json.loads((LIBRARY / "package.json").read_text("utf-8"))["version"]
    assert f"\n{code}\n" in text
    assert f"lean-qr {version}\n\n{(LIBRARY / 'LICENSE').read_text('utf-8').strip()}`" in text
    assert "Copyright (c) 2021-2025 David Evans" in script_of("page")
