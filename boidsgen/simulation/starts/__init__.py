"""Start layouts, one file each; see `start` for what a layout answers."""

from typing import TYPE_CHECKING

from boidsgen.simulation.starts.start import Start
from boidsgen.tables import choice, family

STARTS = family(__name__, Start, "layout")

if TYPE_CHECKING:
    AnyStart = Start
else:
    AnyStart = choice(STARTS, "layout")
