"""A scientific plot: blue boids and red predators on white, with grey axes."""

from boidsgen.drawing.theme import Color, Theme


class Plot(Theme):
    """A scientific plot: blue boids and red predators on white, with grey axes."""

    background: Color = "#ffffff"
    text: Color = "#1a1a1a"
    muted: Color = "#8a8a8a"
    obstacle: Color = "#8c8c8c"
    predator: Color = "#e00000"
    accent: Color = "#000000"
    focus: Color = "#d07800"
    forces: tuple[Color, ...] = ("#d81e1e", "#128a2a", "#2040e0", "#b85c00", "#b0148c", "#007c8a", "#7a6a00", "#6a3fc0")
    flocks: tuple[Color, ...] = (
        "#1f3fe0",
        "#1a8f3c",
        "#8c3fc4",
        "#007f96",
        "#8a5a00",
        "#4a4a4a",
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
