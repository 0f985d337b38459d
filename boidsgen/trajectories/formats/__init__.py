"""The formats: every `Recorder` class in a module of this folder, by the name users know it by."""

from boidsgen.trajectories.recorder import Recorder
from boidsgen.writers.sink import sinks

RECORDERS = sinks(__name__, Recorder)
