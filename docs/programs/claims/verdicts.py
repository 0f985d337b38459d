"""Verdicts on measured claims: range, effect and standard errors over the seeds of a run and of its control."""

from math import inf

import numpy as np

from docs.programs.claims.measures import SHARES

AGREES, NOT_BORNE_OUT, MENTIONED, DIFFERS = "agrees", "not borne out", "mentioned", "differs"
ERRORS = 3  # Standard errors by which a claim must differ from its control
EFFECTS = {
    "times": lambda ours, control, least: ours <= least * control if least < 1 else ours >= least * control,
    "by": lambda ours, control, least: ours - control <= least if least < 0 else ours - control >= least,
    "rest": lambda ours, control, least: EFFECTS["times"](1 - ours, 1 - control, least),
}
"""Least differences between a claim and its control; `rest` compares what is missing from 1."""


def verdict_on(claim, ours, control, text=None):
    """The verdict on a measured claim, from the values of its measure, of its control's, and of the text's own loop."""
    if text and not np.isclose(middle(claim, text), middle(claim, ours[: len(text)]), rtol=0.02, atol=1e-6):
        return DIFFERS
    holds = in_range(claim, middle(claim, ours))
    ((form, least),) = claim.effect.items()
    holds &= EFFECTS[form](middle(claim, ours), middle(claim.against, control), least)
    holds &= abs(standard_errors(ours, control)) >= ERRORS
    if holds == bool(claim.why):
        return DIFFERS
    return AGREES if holds else NOT_BORNE_OUT


def in_range(claim, value):
    """True if a value lies in the range of the claim, or it has none."""
    low, high = claim.between or (-inf, inf)
    return bool(low <= value <= high)


def defined(values):
    """The values of the runs that have one."""
    return np.array([value for value in values if value is not None])


def middle(claim, values):
    """The median over the seeds; of a share of runs, the share."""
    return float((np.mean if claim.measure in SHARES else np.median)(defined(values)))


def standard_errors(ours, control):
    """Difference of the means in standard errors of the difference, infinite where nothing scatters."""
    ours, control = defined(ours), defined(control)
    error = np.sqrt(sum(values.var(ddof=1) / len(values) for values in (ours, control)))
    apart = ours.mean() - control.mean()
    return apart / error if error else inf * np.sign(apart) if apart else 0.0
