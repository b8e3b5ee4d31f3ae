"""How the API's description tells what a card may look like: the card's own schema, with the short forms beside it."""

from __future__ import annotations

from typing import Any

from app.api.card_schema import Retract
from app.cards.schema import Card
from app.cards.short import FORMS, MOVED

Schema = dict[str, Any]

EXAMPLE = """\
engine: vllm 0.33.0
model: Qwen/Qwen3-8B
hardware: 1x H200
parallelism: TP1
workload: {input_tokens: 1024, output_tokens: 1024, concurrency: 1}
metric: decode tokens/s
result: {value: 153.20, unit: tok/s}
"""


def inlined(model: type[Any]) -> Schema:
    """A model's JSON schema without references, so that it may stand anywhere in the API's description."""
    schema = model.model_json_schema()
    parts = schema.pop("$defs", {})

    def whole(node: Any) -> Any:
        if isinstance(node, list):
            return [whole(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return whole(parts[node["$ref"].rpartition("/")[2]])
        return {key: whole(value) for key, value in node.items()}

    result: Schema = whole(schema)
    return result


def card_schema() -> Schema:
    """A card as JSON: every block in full or, where people have one, in its short form."""
    schema = inlined(Card)
    for key in FORMS:
        full = schema["properties"][key]
        full["anyOf"] = [*full["anyOf"], {"type": "string", "description": "short form"}]
    for key, (block, part) in MOVED.items():
        schema["properties"][key] = {"type": "string", "description": f"short for `{block}.{part}`"}
    return schema


CARD_BODY: Schema = {
    "requestBody": {
        "required": True,
        "description": "One card, at most 256 KB. Both media types hold the same keys and may use the short forms.",
        "content": {
            "application/yaml": {"schema": {"type": "string"}, "example": EXAMPLE},
            "application/json": {"schema": card_schema()},
        },
    }
}
RETRACT_BODY: Schema = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": inlined(Retract)}}}
}
