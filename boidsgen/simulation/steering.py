"""Steering: the two forms in which a wish becomes a change of velocity; see `rules.rule` for what they mean."""

from typing import Literal

Steering = Literal["reynolds", "direct"]
"""How a raw vector becomes a change of velocity."""
