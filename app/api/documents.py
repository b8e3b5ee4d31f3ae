"""Stored claims -> JSON, without taking them apart: they were validated when they were stored.

Reading and writing 50 claims anew for every answer would cost several times what finding them does (bench/README.md).
A test holds the result against the response model.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.jobs.here import here

if TYPE_CHECKING:
    from app.claims.queries import Document, DocumentPage
    from app.jobs.here import Fleet


def claim_json(document: Document, fleet: Fleet) -> str:
    """The stored object with `engine`, `model` and `here` at its beginning."""
    engine, model, text = document
    said = here(text, fleet)
    first = {"engine": engine, "model": model, "here": {"status": said.status, "text": said.text}}
    return f"{json.dumps(first)[:-1]},{text[1:]}"


def list_json(page: DocumentPage, fleet: Fleet) -> str:
    items = ",".join(claim_json(item, fleet) for item in page.items)
    return f'{{"items":[{items}],"total":{page.total},"next":{json.dumps(page.next)}}}'
