"""Stored claims -> JSON, without taking them apart: they were validated when they were stored.

Reading and writing 50 claims anew for every answer would cost several times what finding them does (bench/README.md).
A test holds the result against the response model.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.claims.queries import Document, DocumentPage


def claim_json(document: Document) -> str:
    """The stored object with `engine` and `model` at its beginning."""
    engine, model, text = document
    return f'{{"engine":{json.dumps(engine)},"model":{json.dumps(model)},{text[1:]}'


def list_json(page: DocumentPage) -> str:
    items = ",".join(map(claim_json, page.items))
    return f'{{"items":[{items}],"total":{page.total},"next":{json.dumps(page.next)}}}'
