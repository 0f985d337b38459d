"""Every claim of the five documents: where it stands, what it says, which preset shows it, how it is measured.

A claim is one of four kinds:
  Setting  a number, a color, a size: the key of the preset and its value, or an expectation (see `expectations`)
  Same     what comes out: ours must give what the document's own loop gives, within the spread of its seeds
  Bound    what comes out, with the range that the claim means; `holds` says whether the document's own loop agrees
  Taught   an idea, a formula, history, advice: the page that must say it
`preset` is the name of a scenario in configs/, existing or wanted (see `wanted_presets`). `case` and `measure` are
names in reference.json.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """One claim of one document."""

    document: str
    place: str
    claim: str


@dataclass(frozen=True)
class Setting(Claim):
    """A value that the preset must have."""

    preset: str
    key: str
    value: object


@dataclass(frozen=True)
class Same(Claim):
    """A statistic in which preset and document must agree."""

    preset: str
    case: str
    measure: str


@dataclass(frozen=True)
class Bound(Claim):
    """A statistic that the claim puts into a range; where the document's own loop breaks its word, `holds` is false."""

    preset: str
    case: str
    measure: str
    low: float
    high: float
    holds: bool = True


@dataclass(frozen=True)
class Taught(Claim):
    """Something that a page must say: one of its paragraphs has all these words, each a pattern in small or large."""

    words: tuple
    page: str


class Document:
    """Collects the claims of one document in the order in which it makes them."""

    def __init__(self, name):
        self.name = name
        self.claims = []
        self.place = ""

    def at(self, place):
        """The part of the document that the next claims stand in."""
        self.place = place

    def setting(self, claim, preset, key, value):
        """Add a claim about a value."""
        self.claims.append(Setting(self.name, self.place, claim, preset, key, value))

    def same(self, claim, preset, case, measure):
        """Add a claim whose outcome must be the document's own."""
        self.claims.append(Same(self.name, self.place, claim, preset, f"{self.name} {case}", measure))

    def bound(self, claim, preset, case, measure, low, high, *, holds=True):
        """Add a claim with a range."""
        self.claims.append(
            Bound(self.name, self.place, claim, preset, f"{self.name} {case}", measure, low, high, holds)
        )

    def taught(self, claim, *words, page="course"):
        """Add a claim that a page must make, in these words."""
        self.claims.append(Taught(self.name, self.place, claim, words, page))
