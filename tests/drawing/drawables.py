"""Input of a renderer, put together from tables and a look, and the luminance of what it draws."""

import numpy as np

from boidsgen.drawing.look import Drawable, Look


def drawable(tables, look=None):
    """A simulation's tables together with a look, given as keys or as a table; the usual one without."""
    chosen = look if isinstance(look, Look) else Look.model_validate(look or {})
    return Drawable.model_validate({**dict(tables), **dict(chosen)})


def luminance(color):
    """Relative luminance of colors from 0 to 255, shape (…, 3) (WCAG 2.2)."""
    part = np.asarray(color) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)
