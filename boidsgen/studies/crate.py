"""A sweep as an RO-Crate: `ro-crate-metadata.json`, which describes its files for repositories of data.

The directory is the crate. Every output has its size and SHA-256; one action made them all from `study.toml`, with
the programs of the manifest. It needs the extra `crate`. https://w3id.org/ro/crate
"""

import json
from collections.abc import Mapping
from itertools import chain
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any

from boidsgen.output.publish import open_file
from boidsgen.records import optional_package
from boidsgen.studies.manifest import CRATE, LINES, RUN_DONE, SPREADSHEET, STUDY, hash_output
from boidsgen.studies.reports import PAGE

if TYPE_CHECKING:
    from boidsgen.studies.sweep import Study

_CONTENT = {
    STUDY: "The scenario and everything that makes its runs",
    LINES: "Parameters, results, checksums and versions of each run, as JSON lines",
    SPREADSHEET: "The same as a table",
    PAGE: "The same as a page",
}
_TYPES = {".toml": "application/toml", ".jsonl": "application/jsonl"}  # that not every system knows


def write_crate(study: "Study") -> None:
    """Describe all files of a study that has been closed; UsageError if the library of crates is not installed."""
    crate = optional_package("rocrate.rocrate", "--crate").ROCrate()
    title = study.plan.base.title or study.plan.source.stem
    crate.name = title
    rows = [row for row in study.rows() if row["status"] == RUN_DONE]

    def described(name: str, about: str, known: Mapping[str, Any]) -> Any:  # noqa: ANN401  an entity of the library
        path, told = study.directory / name, {"name": name, "description": about}
        if path.is_dir():  # pictures of all frames
            return crate.add_dataset(path, name, properties=told)
        measured = known if "sha256" in known else hash_output(path)
        kind = guess_type(name)[0] or _TYPES.get(path.suffix, "application/octet-stream")
        about_file = {"sha256": measured["sha256"], "contentSize": str(measured["bytes"]), "encodingFormat": kind}
        return crate.add_file(path, name, properties=told | about_file)

    there = {name: about for name, about in _CONTENT.items() if (study.directory / name).exists()}
    parts = {name: described(name, about, {}) for name, about in there.items()}
    made = [
        described(name, f"{what} of the run {row['run']}", known)
        for row in rows
        for name, what, known in ((row["file"], "Output", row), (row.get("series"), "Measures of every frame", {}))
        if name
    ]
    versions = dict.fromkeys(chain.from_iterable(row["versions"].split(", ") for row in rows))
    programs = [
        crate.add_jsonld({"@id": f"#{one}", "@type": "SoftwareApplication", "name": name, "version": number})
        for one, (name, _, number) in ((text.replace(" ", "-"), text.partition(" ")) for text in versions)
    ]
    action = {"@id": "#sweep", "@type": "CreateAction", "name": f"{len(rows)} runs of {title}"}
    done = crate.add_jsonld(action)
    done["instrument"], done["object"] = programs, parts.pop(STUDY)
    done["result"] = [*parts.values(), *made]
    crate.root_dataset["mentions"] = done
    crate.description = f"A sweep by boidsgen: {action['name']}."
    with open_file(str(study.directory / CRATE)) as file:
        file.write(json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False).encode())
