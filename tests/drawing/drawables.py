"""Input of a renderer, put together from tables and a look."""

from boidsgen.drawing.look import Drawable, Look


def drawable(tables, look=None):
    """A simulation's tables together with a look, given as keys or as a table; the usual one without."""
    chosen = look if isinstance(look, Look) else Look.model_validate(look or {})
    return Drawable.model_validate({**dict(tables), **dict(chosen)})
