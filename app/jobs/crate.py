"""The RO-Crate 1.1 metadata of an evidence bundle: what each file is, for tools that know no Benchcard. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.results.bundle import Listed

METADATA = "ro-crate-metadata.json"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PROFILE = "https://w3id.org/ro/crate/1.1"
DESCRIPTIONS = {
    "README.md": "What each file is, and how to check them with and without Benchcard",
    "measurement.json": "Which measurement this is: kind, claim or card, when it was recorded, and its assumptions",
    "plan.json": "What was to be executed: servers with their flags, load, repeats",
    "report.json": "What was executed: machine, versions, command lines, and which trace is which run",
    "numbers.json": "Every number, computed from the traces",
    "claim.json": "The published claim that was measured again, as it was recorded then",
    "verdict.json": "What the measurement says of the claim, and by which rule",
    "log.txt": "The log of the attempt",
}
FORMATS = {
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
}


def metadata(about: dict[str, Any], files: Sequence[Listed]) -> dict[str, Any]:
    """The crate of a measurement with its files, all but the metadata itself and the manifest."""
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Benchcard measurement {about['id']}",
        "description": "A measurement of an LLM server with everything to check it: `benchcard verify` computes every "
        "number again from the traces.",
        "datePublished": about["created_at"],
        "identifier": about["id"],
        "hasPart": [{"@id": item.path} for item in files],
    }
    descriptor = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": PROFILE},
        "about": {"@id": "./"},
    }
    return {"@context": CONTEXT, "@graph": [descriptor, root, *map(_file, files)]}


def _file(item: Listed) -> dict[str, Any]:
    kind = next((kind for ending, kind in FORMATS.items() if item.path.endswith(ending)), "application/octet-stream")
    return {
        "@id": item.path,
        "@type": "File",
        "name": described(item.path),
        "contentSize": str(item.size),
        "encodingFormat": kind,
        "sha256": item.sha256,
    }


def described(path: str) -> str:
    """What a file of a bundle is, in a sentence."""
    if path.startswith("traces/"):
        return "The raw trace of one run: every request with the time of each event"
    if path.startswith("cards/"):
        return "One point of one side as a bench card"
    return DESCRIPTIONS[path]
