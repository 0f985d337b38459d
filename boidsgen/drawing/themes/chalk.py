"""Chalk on a blackboard."""

from boidsgen.drawing.theme import Color, Theme


class Chalk(Theme):
    """Chalk on a blackboard."""

    background: Color = "#26352f"
    text: Color = "#f6f4ea"
    muted: Color = "#94a69b"
    obstacle: Color = "#a3b0a4"
    predator: Color = "#ff8f80"
    accent: Color = "#ffffff"
    focus: Color = "#ffc864"
    forces: tuple[Color, ...] = ("#ff5050", "#50e878", "#6f8cff", "#ffa040", "#ff70d0", "#40e0e0", "#f0e050", "#b890ff")
    flocks: tuple[Color, ...] = ("#f4f0dc", "#ffe08a", "#9fd8f2", "#f3b6cf", "#b9e3a3", "#d9c2ff")
    sequential: tuple[Color, ...] = (
        "#718bc3",
        "#61a3cb",
        "#5db9c8",
        "#70cbbd",
        "#95d9b0",
        "#c0e2aa",
        "#e2e9b6",
        "#fcf2cd",
    )
    cyclic: tuple[Color, ...] = (
        "#fdb5b4",
        "#f9bb99",
        "#e8c58b",
        "#cdd08f",
        "#aed9a4",
        "#91ddc2",
        "#84dce0",
        "#8fd5f8",
        "#aeccfc",
        "#c9c2ff",
        "#e4b9ed",
        "#f6b4d2",
    )
