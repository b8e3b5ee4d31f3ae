"""What one token of a model reads from memory: the shipped list, read once. Pure but for the reading."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from app.catalogue.numbers import odd_numbers
from app.catalogue.texts import read_list
from app.claims.schema import Fact, Number, Text
from app.errors import CatalogueError

if TYPE_CHECKING:
    from app.yaml_tree import Document

FILE = Path(__file__).with_name("models.yaml")
Positive = Annotated[Number, Field(gt=0)]


class KvShape(Fact):
    """What the KV cache of grouped-query attention is made of, for a model in which every layer keeps every token."""

    layers: int = Field(ge=1)
    kv_heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)


class ModelWeights(Fact):
    """Active parameters in billions (all of them in a dense model) and the size of each as served."""

    id: Text  # as the catalogue spells it
    active_params_b: Positive
    bytes_per_param: Positive
    source: Text
    kv: KvShape | None = None


def read_models(name: str, text: str) -> tuple[Document, dict[str, ModelWeights]]:
    """The sound models by id; the document carries every problem and its place."""
    document, listed = read_list(name, text, ModelWeights)
    known: dict[str, ModelWeights] = {}
    for index, model in listed.items():
        for path, message in odd_numbers(model, document.data[index]):
            document.problem((index, *path), message)
        if model.id in known:
            document.problem((index, "id"), f"`{model.id}` stands twice; keep one")
        known[model.id] = model
    return document, known


def load_models(name: str, text: str) -> dict[str, ModelWeights]:
    """The models by id. Raises CatalogueError with every problem and its place."""
    document, known = read_models(name, text)
    if document.problems:
        raise CatalogueError(sorted(document.problems))
    return known


@cache
def weights() -> dict[str, ModelWeights]:
    """The shipped models by id."""
    return load_models(FILE.name, FILE.read_text(encoding="utf-8"))
