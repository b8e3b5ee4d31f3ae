"""The tools through the API."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from app.api.tools_schema import CapacityQuery, SpeculationQuery, WorkloadQuery
from app.main import create_app, prepare
from app.settings import Settings
from app.tools import capacity, speculation, workload_fields
from tests.cards.factories import sound
from tests.conftest import Client, StillClock
from tests.site import open_site
from tests.tools.factories import AGENTX, LOGGED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from app.db import Database


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    settings = Settings(data=tmp_path_factory.mktemp("tools"))
    prepare(settings, StillClock())
    client = Client(create_app(settings))
    yield client
    client.app.state.database.close()


@pytest.mark.parametrize(
    ("query", "fields", "besides"),
    [
        (WorkloadQuery, workload_fields.FIELDS, set()),
        (CapacityQuery, capacity.FIELDS, set()),
        (SpeculationQuery, speculation.FIELDS, {"claim"}),
    ],
)
def test_the_api_takes_what_the_page_takes(
    query: type[BaseModel], fields: tuple[object, ...], besides: set[str]
) -> None:
    assert {*query.model_fields} - besides == {field.name for field in fields}  # type: ignore[attr-defined]


def test_numbers_are_text_as_everywhere(site: Client) -> None:
    answer = site.get("/api/v1/tools/capacity", params=LOGGED).json()
    found = {item["key"]: item["value"] for item in answer["figures"]}
    assert found["kv_room_gib"] == "11.12"
    assert found["sequences"] == "11"
    assert answer["given"] == LOGGED


def test_a_workload_names_the_claims_near_it(site: Client) -> None:
    answer = site.get("/api/v1/tools/workload", params=AGENTX).json()
    assert answer["near"][0]["id"] == "vllm-agentx-dsv4pro-83k"
    assert answer["near"][0]["stated"][0] == {
        "dimension": "input_tokens",
        "text": "median 142000",
        "times": "1",
        "points": None,
    }
    counts = answer["compared"]
    assert counts.pop("looked_at") == sum(counts.values())


def test_a_claim_fills_the_parameters_that_are_not_given(site: Client) -> None:
    answer = site.get("/api/v1/tools/speculation?claim=sglang-v41-step-15&rate=400").json()
    assert answer["given"]["rate"] == "400"
    assert answer["given"]["off_rate"] == "223.50"


@pytest.mark.parametrize(
    ("path", "status", "fields"),
    [
        ("workload?input_tokens=4K&output_tokens=0", 422, {"input_tokens", "output_tokens"}),
        ("workload?input_tokens=1", 422, {"output_tokens"}),
        ("workload?input_tokens=1&output_tokens=1&turn=2", 422, {"turn"}),
        ("speculation?rate=100", 422, {"counted"}),
        ("speculation?claim=vllm-v41-5x", 422, {"claim"}),
        ("speculation?claim=vllm-v41-5y", 404, {"id"}),
    ],
)
def test_what_cannot_be_taken_is_named(site: Client, path: str, status: int, fields: set[str]) -> None:
    answer = site.get(f"/api/v1/tools/{path}")
    assert answer.status_code == status
    assert {detail["field"] for detail in answer.json()["error"]["details"]} == fields


def test_a_card_is_a_neighbour_as_any_claim_is(database: Database, clock: StillClock) -> None:
    with contextmanager(open_site)(database, clock) as opened:
        card = sound(workload="{input_tokens: 777, output_tokens: 33, turns: 5}")
        recorded = opened.recorded(card, opened.token())
        answer = opened.get("/api/v1/tools/workload?input_tokens=777&output_tokens=33&turns=5").json()
    assert [(item["id"], item["compared"]) for item in answer["near"]] == [(recorded, 3)]


def test_the_workloads_are_read_once_a_state_of_the_catalogue(site: Client) -> None:
    reading = site.app.state.catalogue
    assert reading.workloads() is reading.workloads()
    assert len(reading.workloads()) == len(reading.index())
