"""What one token of a model reads from memory: the shipped list, read once. Pure but for the reading."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from app.claims.schema import Fact, Number, Text
from app.errors import CatalogueError
from app.yaml_tree import explain, parse

FILE = Path(__file__).with_name("models.yaml")
Positive = Annotated[Number, Field(gt=0)]


class ModelWeights(Fact):
    """Active parameters in billions (all of them in a dense model) and the size of each as served."""

    id: Text  # as the catalogue spells it
    active_params_b: Positive
    bytes_per_param: Positive
    source: Text


class ModelFile(Fact):
    models: tuple[ModelWeights, ...]


def load_models(name: str, text: str) -> dict[str, ModelWeights]:
    """The models by id. Raises CatalogueError with every problem and its place."""
    document = parse(text, name)
    try:
        found = ModelFile.model_validate({"models": document.data})
    except ValidationError as error:
        for path, message in explain(error, ModelFile):
            document.problem(path[1:], message)
        raise CatalogueError(document.problems) from error
    known: dict[str, ModelWeights] = {}
    for index, model in enumerate(found.models):
        if model.id in known:
            document.problem((index, "id"), f"`{model.id}` stands twice; keep one")
        known[model.id] = model
    if document.problems:
        raise CatalogueError(document.problems)
    return known


@cache
def weights() -> dict[str, ModelWeights]:
    """The shipped models by id."""
    return load_models(FILE.name, FILE.read_text())
