import numpy as np

from boidsgen.studies.compare.contact_sheet import shared_palette


def test_few_colors_are_all_kept():
    """As long as there is room, no color changes."""
    random = np.random.default_rng(1)
    palettes = [random.integers(0, 256, (number, 3)).astype(np.uint8) for number in (100, 80, 60)]

    palette, entries = shared_palette(palettes)

    assert len(palette) <= 255
    for before, entry in zip(palettes, entries, strict=True):
        assert np.array_equal(palette[entry], before)


def test_many_colors_move_little():
    """Beyond 255 colors backgrounds stay exact, and no step of a ramp moves by more than about one step."""
    inks = np.random.default_rng(2).integers(0, 256, (5, 12, 3))
    levels = np.linspace(0, 1, 22)[:, None, None]
    palettes = [
        (levels * ink + (1 - levels) * 10 * number).round().reshape(-1, 3).astype(np.uint8)[11:]
        for number, ink in enumerate(inks)
    ]

    palette, entries = shared_palette(palettes)

    assert len(palette) == 255
    for before, entry in zip(palettes, entries, strict=True):
        assert np.array_equal(palette[entry[0]], before[0])
        assert np.abs(palette[entry].astype(int) - before).max() < 32
