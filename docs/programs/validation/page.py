"""The tables of docs/validation.md and the figure of the hysteresis, made from stored values."""

from pathlib import Path

from boidsgen.studies.results import save_panels, themed_style
from docs.programs.validation.cases import BINS, NARROW, SECTIONS, SEEDS, WIDE, stored

DOCS = Path(__file__).parents[2]
PAGE = DOCS / "validation.md"
TITLE = "Width of the zone of orientation, growing and shrinking"
FIGURE = DOCS / "figures" / "couzin-hysteresis.svg"
LOOP = "Δr_o grows and shrinks"
BOUND = 4.0  # Standard errors by which two means that are the same may differ: more happens once in 16,000 comparisons
MIDDLE = BINS // 2
HALF = 0.5


def quantity(values, case, name):
    """Mean and standard error of ours."""
    return values[case][name]["ours"][:2]


def apart(one, other):
    """By how many standard errors a mean, with its error, exceeds another."""
    return (one[0] - other[0]) / max((one[1] ** 2 + other[1] ** 2) ** 0.5, 1e-12)


def shown(mean, error):
    """A mean and its error, with two digits of the error; exact values have six."""
    if not error:
        return f"{mean:.6g}"
    digits = max(0, 1 - int(f"{error:e}".partition("e")[2]))
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def rows(values, cases):
    """Rows of the table of a model: quantity, reference, ours, difference, verdict; all points of the loop are one."""
    for case in cases:
        table = {name: both for name, both in values[case.name].items() if "theirs" in both}
        differences = {name: apart(both["ours"], both["theirs"]) for name, both in table.items()}
        if case.name == LOOP:
            table = {name: both for name, both in table.items() if name.endswith(f" {MIDDLE}")}
        for name, both in table.items():
            source = "plain loop" if both["theirs"][1] else "exact"
            said = name.replace(f" {MIDDLE}", f" through {bin_middle(MIDDLE):.3g}") if case.name == LOOP else name
            yield f"{case.name}: {said}", source, both, differences[name]
        if case.name == LOOP:
            worst = max(differences.values(), key=abs)
            yield f"{case.name}: all {len(differences)} points, the worst", "plain loop", None, worst


def bin_middle(number):
    """Width of the zone of orientation in the middle of a bin."""
    return NARROW + (WIDE - NARROW) * (number + 0.5) / BINS


def sayings(values):
    """What publications say in words: the words, the bound, what is measured, and whether they are borne out."""
    size = [quantity(values, f"N = {count}, η = 3", "order") for count in (40, 100, 400)]
    both = {
        width: [quantity(values, f"Δr_o = {width}", name) for name in ("polarization", "rotation")]
        for width in (0, 2, 4, 10)
    }
    up, down = (quantity(values, LOOP, f"polarization {way} {MIDDLE}") for way in ("up", "down"))
    near = [quantity(values, f"7 nearest, η = 1, density {density}", "order") for density in ("4", "0.4")]
    far = [quantity(values, *one) for one in (("N = 100, η = 1", "order"), ("radius 1, η = 1, density 0.4", "order"))]
    whole = [quantity(values, f"{name}, attacked", "largest group") for name in ("7 nearest", "radius 16")]

    def states(width):
        return "polarization {}, rotation {}".format(*(shown(*one) for one in both[width]))

    yield (
        "Vicsek et al. 1995",
        "order falls earlier the larger the system",
        "at η = 3 lower by 3 errors at each size",
        ", ".join(shown(*one) for one in size),
        min(apart(size[0], size[1]), apart(size[1], size[2])) >= 3,
    )
    for width, words, holds in (
        (0, "swarm: neither aligned nor turning", both[0][0][0] < HALF and both[0][1][0] < HALF),
        (2, "torus: turning, not aligned", both[2][0][0] < HALF and both[2][1][0] > HALF),
        (4, "parallel group: aligned, not turning", both[4][0][0] > HALF and both[4][1][0] < HALF),
    ):
        yield "Couzin et al. 2002", words, f"below or above ½ at Δr_o = {width}", states(width), holds
    yield (
        "Couzin et al. 2002",
        "highly parallel: more aligned than the dynamic parallel group",
        "polarization higher by 3 errors, and by .05, at Δr_o = 10 than at 4",
        states(10),
        apart(both[10][0], both[4][0]) >= 3 and both[10][0][0] >= both[4][0][0] + 0.05,
    )
    yield (
        "Couzin et al. 2002",
        "collective memory: what the group was before decides what it is",
        f"at Δr_o = {bin_middle(MIDDLE):.3g} polarization below ½ while it grows, above while it shrinks",
        f"{shown(*up)} growing, {shown(*down)} shrinking",
        up[0] < HALF and down[0] > HALF,
    )
    yield (
        "Ballerini et al. 2008",
        "topological interaction does not depend on distance, metric interaction does",
        "at a tenth of the density 7 nearest keep their order to 10 %, those within 1 do not",
        f"7 nearest {shown(*near[0])} and {shown(*near[1])}, radius {shown(*far[0])} and {shown(*far[1])}",
        abs(near[1][0] / near[0][0] - 1) < 0.1 <= abs(far[1][0] / far[0][0] - 1),
    )
    yield (
        "Ballerini et al. 2008", "topological interaction keeps a flock together under attack better than metric",
        "share in the largest group higher by 3 errors",
        f"7 nearest {shown(*whole[0])}, radius {shown(*whole[1])}", apart(*whole) >= 3,
    )  # fmt: skip


def table(model):
    """The table of a model, as Markdown."""
    lines = ["| quantity | reference | kind | ours | difference | verdict |", "| --- " * 6 + "|"]
    for name, source, both, difference in rows(stored(), SECTIONS[model]):
        theirs, ours = (shown(*both[one][:2]) for one in ("theirs", "ours")) if both else ("", "")
        verdict = "agrees" if abs(difference) <= BOUND else "**differs**"
        lines.append(f"| {name} | {theirs} | {source} | {ours} | {difference:+.1f} | {verdict} |")
    return "\n".join(lines)


def words():
    """The table of what publications say in words, as Markdown."""
    lines = ["| publication | words | bound | ours | verdict |", "| --- " * 5 + "|"]
    for *cells, holds in sayings(stored()):
        lines.append(f"| {' | '.join(cells)} | {'borne out' if holds else '**not borne out**'} |")
    return "\n".join(lines)


def draw(values, path=FIGURE):
    """The loop of polarization and rotation against the width of the zone of orientation."""
    table, middles = values[LOOP], [bin_middle(number) for number in range(BINS)]

    def panels(figure, places):
        for place, name in zip(places, ("polarization", "rotation"), strict=True):
            for way, color, said in (("up", "#0072b2", "growing"), ("down", "#d55e00", "shrinking")):
                found = [table[f"{name} {way} {number}"] for number in range(BINS)]
                means, errors, _ = zip(*(one["ours"] for one in found), strict=True)
                place.errorbar(middles, means, errors, color=color, marker="o", markersize=4, capsize=2, label=said)
                loop = [one["theirs"][0] for one in found]
                place.plot(middles, loop, "x", color="black", markersize=6, zorder=3)
            place.plot([], [], "x", color="black", markersize=6, label="plain loop")
            place.set_ylabel(name)
            place.set_xlabel("width of the zone (world units)")
            place.set_ylim(0, 1.04)
        places[-1].legend(frameon=False)
        figure.suptitle(TITLE)
        figure.supxlabel(f"mean and standard error of {SEEDS} runs", fontsize="small")

    settings = themed_style("white", "#222222", "#555555")
    save_panels(str(path), 2, panels, "python -m docs.programs.validation", settings, panel=(3.7, 2.6))
