"""The shipped weights that the memory-limit check reads."""

from __future__ import annotations

from decimal import Decimal

import pytest

from app.catalogue.models import load_models, weights
from app.errors import CatalogueError


def test_the_shipped_models_can_be_read() -> None:
    model = weights()["DeepSeek-V4.1-Flash"]
    assert (model.active_params_b, model.bytes_per_param) == (Decimal(16), Decimal("0.5"))


def test_every_problem_is_told_with_its_place() -> None:
    text = "- {id: A, active_params_b: 0, bytes_per_param: 1, source: s}\n- {id: B, bytes_per_param: one, source: s}\n"
    with pytest.raises(CatalogueError) as caught:
        load_models("models.yaml", text)
    found = [(problem.place.line, problem.path) for problem in caught.value.problems]
    assert found == [(1, "[0].active_params_b"), (2, "[1].active_params_b"), (2, "[1].bytes_per_param")]


def test_a_model_stands_once() -> None:
    line = "- {id: A, active_params_b: 1, bytes_per_param: 1, source: s}\n"
    with pytest.raises(CatalogueError, match="`A` stands twice"):
        load_models("models.yaml", line * 2)


@pytest.mark.parametrize("text", ["", "models: []", "- [1]", '- {id: "A\\0"}'])
def test_what_is_no_list_of_models_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError):
        load_models("models.yaml", text)


def test_a_problem_of_form_hides_no_other() -> None:
    text = "- {id: A, active_params_b: 1e99, bytes_per_param: 1, source: s}\n- {id: B}\n- {id: A, sauce: s}\n"
    text += "- {id: A, active_params_b: 1, bytes_per_param: 1, source: s}\n"
    with pytest.raises(CatalogueError) as caught:
        load_models("models.yaml", text)
    assert [problem.path for problem in caught.value.problems] == [
        "[0].active_params_b",
        *("[1].active_params_b", "[1].bytes_per_param", "[1].source"),
        *("[2].active_params_b", "[2].bytes_per_param", "[2].source", "[2].sauce"),
        "[3].id",
    ]
