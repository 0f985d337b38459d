"""All claims, the presets that they want, and whether the documents' own loops bear them out."""

from tests.sources import claims_000, claims_001, claims_002, claims_003, claims_004
from tests.sources.claims import Bound, Same, Taught
from tests.sources.reference import reference

DOCUMENTS = tuple(module.DOCUMENT for module in (claims_000, claims_001, claims_002, claims_003, claims_004))
CLAIMS = tuple(claim for document in DOCUMENTS for claim in document.claims)
MEASURED = tuple(claim for claim in CLAIMS if isinstance(claim, Same | Bound))


def wanted_presets():
    """Names of all presets that a claim is shown by, in order."""
    return sorted({claim.preset for claim in CLAIMS if not isinstance(claim, Taught)})


def borne_out(claim):
    """Whether the median of the document's own loop lies in the range of a `Bound`."""
    return claim.low <= reference(claim.case, claim.measure)["median"] <= claim.high
