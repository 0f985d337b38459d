"""Comparisons as one page: that of the first scenario, with the pages of the others in frames that follow it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from boidsgen.errors import ScenarioError, UsageError
from boidsgen.output.formats import spoken
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.setup import State
from boidsgen.webpage.document import numbered
from boidsgen.webpage.writer import filled, page_data, script_of, style_of

MEASURES = ("groups", "mean_speed", "nearest_neighbor_distance", "polarization", "rotation")
"""Measures that pages compute."""


def comparison_text(
    shown: Sequence[tuple[Scenario, Iterable[State] | None]],
    labels: Sequence[str],
    held: Sequence[Collection[str]],
    columns: int,
    measure: str | None,
    text: str,
    name: str,
) -> str:
    """The page of a comparison.

    Args:
        shown: scenarios row by row, with the states of saved runs; the sliders are those of the first.
        labels: above each.
        held: dotted keys in which each differs by intention, which no slider changes there.
        columns: scenarios in a row.
        measure: whose value is shown beside each label at first.
        text: to embed.
        name: of what is saved on the page, without extension.

    Raises:
        ScenarioError: some make live pages and others recorded ones.
        UsageError: pages do not compute this measure.
    """
    if measure not in {None, *MEASURES}:
        raise UsageError(f"--measure {measure}: a page shows {spoken(MEASURES)}")
    pages = [page_data(scenario, states, name) for scenario, states in shown]
    refused = [(label, data["notice"]) for label, (data, _) in zip(labels, pages, strict=True) if data["recording"]]
    if refused and len(refused) < len(pages):
        label, notice = refused[0]
        raise ScenarioError([f'{label}: {notice} The others are live; compare them with output.page = "recorded".'])
    (lead, recording), *_ = pages
    seeds = min(len(data["document"].get("starts", [])) for data, _ in pages)
    shared, cells, styles = (script_of("page"), style_of(lead["look"])), list[dict[str, Any]](), list[str]()
    for label, keys, (data, recorded) in zip(labels, held, pages, strict=True):
        if "starts" in data["document"]:
            data["document"]["starts"] = data["document"]["starts"][:seeds]
        data["keys"] = dict.fromkeys(map(numbered, keys), "")
        if lead["spare"] and data["spare"]:
            data["keys"] |= {f"{kind}.{lead['spare'][kind]}.": f"{kind}.{own}." for kind, own in data["spare"].items()}
        page = "" if data is lead else filled(data, recorded, "")
        for part in shared:  # the page around it has them
            page = page.replace(part, "", 1)
        wide, high = data["look"]["size"]
        cells.append({"label": label, "ratio": wide / high, "page": page})
        styles.append(style_of(data["look"]))
    first, *others = cells
    lead["measure"] = measure or lead["measure"]
    lead["beside"] = {**first, "columns": columns, "cells": others}
    return filled(lead, recording, text, styles)
