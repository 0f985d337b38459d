"""Print: Okabe and Ito's colors, safe for color-blind readers, on white."""

from boidsgen.drawing.theme import Color, Theme


class Paper(Theme):
    """Print: Okabe and Ito's colors, safe for color-blind readers, on white."""

    background: Color = "#ffffff"
    text: Color = "#1a1a1a"
    muted: Color = "#8a8a8a"
    obstacle: Color = "#8c8c8c"
    predator: Color = "#d55e00"
    accent: Color = "#000000"
    focus: Color = "#b8860b"
    forces: tuple[Color, ...] = ("#d81e1e", "#128a2a", "#2040e0", "#b85c00", "#b0148c", "#007c8a", "#7a6a00", "#6a3fc0")
    flocks: tuple[Color, ...] = (
        "#0072b2",
        "#009e73",
        "#cc79a7",
        "#7a5195",
        "#3d3d3d",
        "#8c6510",
    )
    sequential: tuple[Color, ...] = (
        "#57bc8a",
        "#02af9f",
        "#169cab",
        "#0086af",
        "#016cb5",
        "#2f4fa7",
        "#343389",
        "#311969",
    )
    cyclic: tuple[Color, ...] = (
        "#c34e54",
        "#be5a0a",
        "#9f7100",
        "#7f8006",
        "#438f31",
        "#009070",
        "#138b90",
        "#0386b1",
        "#4278d2",
        "#7b67cc",
        "#a059b1",
        "#b94f87",
    )
