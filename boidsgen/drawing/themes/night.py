"""Bright birds on a clear night sky."""

from boidsgen.drawing.theme import Color, Theme


class Night(Theme):
    """Bright birds on a clear night sky."""

    background: Color = "#0b1020"
    text: Color = "#e8ecf6"
    muted: Color = "#7483a6"
    obstacle: Color = "#7d8bb0"
    predator: Color = "#ff5c5c"
    accent: Color = "#ffffff"
    focus: Color = "#ffb454"
    forces: tuple[Color, ...] = ("#ff5050", "#50e878", "#6f8cff", "#ffa040", "#ff70d0", "#40e0e0", "#f0e050", "#b890ff")
    flocks: tuple[Color, ...] = (
        "#7fd4ff",
        "#ffc857",
        "#8be28b",
        "#d9a2ff",
        "#ff9ecb",
        "#62e0d0",
    )
    sequential: tuple[Color, ...] = (
        "#4d57b7",
        "#257cce",
        "#0f9ecc",
        "#02bbc3",
        "#34d4a9",
        "#94e18f",
        "#d0e98f",
        "#fef1a1",
    )
    cyclic: tuple[Color, ...] = (
        "#fd9696",
        "#fe9b61",
        "#e6ac3d",
        "#bdbf48",
        "#85cd75",
        "#3ad4aa",
        "#17d0d8",
        "#3ac7ff",
        "#8eb8fe",
        "#b6aaff",
        "#df99ef",
        "#f990c4",
    )
