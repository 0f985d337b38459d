"""The formats of series: every `Ledger` class in a module of this folder, by the name users know it by."""

from boidsgen.studies.series_formats.ledger import Ledger
from boidsgen.writers.sink import sinks

LEDGERS = sinks(__name__, Ledger)
