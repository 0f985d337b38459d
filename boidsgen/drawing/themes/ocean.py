"""Pale fish in deep water."""

from boidsgen.drawing.theme import Color, Theme


class Ocean(Theme):
    """Pale fish in deep water."""

    background: Color = "#052b3b"
    text: Color = "#e6f6f7"
    muted: Color = "#6ba0ae"
    obstacle: Color = "#6fa3a0"
    predator: Color = "#ff7a59"
    accent: Color = "#ffffff"
    focus: Color = "#ffc864"
    forces: tuple[Color, ...] = ("#ff5050", "#50e878", "#6f8cff", "#ffa040", "#ff70d0", "#40e0e0", "#f0e050", "#b890ff")
    flocks: tuple[Color, ...] = ("#a9f0ea", "#ffd98a", "#9cc4ff", "#f7b3d2", "#c9ee8f", "#e3c4ff")
    sequential: tuple[Color, ...] = (
        "#5188cd",
        "#39a2d5",
        "#28bcd4",
        "#3dd0cc",
        "#67e0bf",
        "#9aecb1",
        "#d0f1ab",
        "#f9f6b7",
    )
    cyclic: tuple[Color, ...] = (
        "#feaaa9",
        "#feaf83",
        "#edbb64",
        "#c9cb6b",
        "#9ad78c",
        "#68ddb8",
        "#4cdbe3",
        "#72d1fe",
        "#a2c5ff",
        "#c3bafe",
        "#e7aaf5",
        "#ffa3cf",
    )
