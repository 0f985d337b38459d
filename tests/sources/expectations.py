"""What a key of a preset may be asked for besides being equal to a value; each has `fits(value)` and reads as words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class About:
    """A number that is as near as this."""

    number: float
    within: float

    def fits(self, value):
        """Whether a value is what was asked for."""
        return abs(value - self.number) <= self.within

    def __str__(self):
        return f"{self.number:.3g}"


@dataclass(frozen=True)
class AtMost:
    """A number that is not larger."""

    number: float

    def fits(self, value):
        """Whether a value is what was asked for."""
        return value <= self.number

    def __str__(self):
        return f"at most {self.number:g}"


@dataclass(frozen=True)
class Below:
    """A number that is smaller."""

    number: float

    def fits(self, value):
        """Whether a value is what was asked for."""
        return value < self.number

    def __str__(self):
        return f"below {self.number:g}"


@dataclass(frozen=True)
class Above:
    """A number that is larger."""

    number: float

    def fits(self, value):
        """Whether a value is what was asked for."""
        return value > self.number

    def __str__(self):
        return f"above {self.number:g}"


@dataclass(frozen=True)
class Has:
    """A list in which something stands."""

    entry: str

    def fits(self, value):
        """Whether a value is what was asked for."""
        return self.entry in value

    def __str__(self):
        return f"with {self.entry}"


@dataclass(frozen=True)
class Given:
    """Anything but nothing."""

    def fits(self, value):
        """Whether a value is what was asked for."""
        return value is not None and value != ()

    def __str__(self):
        return "given"


@dataclass(frozen=True)
class Sets:
    """Events of which one gives a key a value."""

    key: str
    value: object

    def fits(self, value):
        """Whether a value is what was asked for."""
        return any(event.set.get(self.key) == self.value for event in value)

    def __str__(self):
        return f"{self.key} = {self.value:g}"
