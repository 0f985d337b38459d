"""What a format of trajectories has to be: a sink of states; see `boidsgen.writers.sink`."""

from abc import abstractmethod

from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.writers.contract import Part
from boidsgen.writers.sink import Sink


class Recorder(Sink[State]):
    """One format: writes the states of one run into one part."""

    @abstractmethod
    def __init__(self, part: Part, setup: Setup, text: str) -> None:
        """Begin, with the tables of the run and a text that tells its origin."""
