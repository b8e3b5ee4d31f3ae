"""A claim that repeats another with the same code and script may not state other conditions for it."""

from __future__ import annotations

import json
from typing import Any

from app.catalogue.load import load_catalogue
from app.errors import CatalogueError
from tests.catalogue.test_rows import entry, source


def problems(*claims: dict[str, Any]) -> list[str]:
    """Of files with one claim each."""
    sources = [source([claim], id=f"post-{number}") for number, claim in enumerate(claims)]
    try:
        load_catalogue([(f"{item.id}.yaml", json.dumps(item.model_dump(mode="json"))) for item in sources])
    except CatalogueError as error:
        return [problem.message for problem in error.problems]
    return []


def again(name: str = "again", **conditions: Any) -> dict[str, Any]:
    repeated = entry(name, repeats="one")
    return {**repeated, "conditions": {**repeated["conditions"], **conditions}}


def test_a_repetition_that_states_the_same_is_sound() -> None:
    assert problems(entry("one"), again()) == []


def test_the_machine_may_be_another_and_the_script_may_not() -> None:
    assert problems(entry("one"), again(hardware={"accelerator": "B300", "cpu_binding": "NUMA-bound"})) == []
    (found,) = problems(entry("one"), again(parallelism="DEP2"))
    assert found.startswith("repeats `one` by the same script, but parallelism is `DEP2`")


def test_two_repetitions_may_not_contradict_each_other() -> None:
    silent = entry("one")
    silent["conditions"] = {**silent["conditions"], "execution": None}
    (found,) = problems(silent, again(execution="eager"), again("third", execution="CUDA graph"))
    assert "execution is `CUDA graph` and again says `eager`" in found


def test_a_repetition_is_on_the_axis_of_what_it_repeats() -> None:
    (found,) = problems(entry("one"), {**again(), "axis": "tpot", "unit": "ms"})
    assert found == "`one` is on the axis decode_rate"
