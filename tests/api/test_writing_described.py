"""The writing routes against their own description: whatever is sent, the answer is one that is described."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from app.api.card_body import EXAMPLE, card_schema
from app.cards.load import read_card
from app.cards.schema import Card
from app.db import Database
from tests.api.test_job_access import SCOPES as JOB_SCOPES
from tests.cards.factories import SOUND
from tests.conftest import StillClock, migrate
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemathesis import Case, CheckFunction
    from schemathesis.schemas import BaseSchema

WRITES = [
    ("POST", "/api/v1/cards"),
    ("POST", "/api/v1/cards/validate"),
    ("PUT", "/api/v1/cards/{card_id}"),
    ("POST", "/api/v1/cards/{card_id}/retract"),
    ("POST", "/api/v1/imports"),
    ("POST", "/api/v1/imports/{sha256}/cards"),
    ("POST", "/api/v1/measurements/import"),
    *JOB_SCOPES,
]
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]  # to shrink a whole card takes minutes and tells no more
# The rules of a card are more than its schema can say, and YAML may say what JSON's schema does not know.
NOT_OF_THE_SCHEMA: list[CheckFunction] = [positive_data_acceptance, negative_data_rejection]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    url = f"sqlite:///{tmp_path_factory.mktemp('writes') / 'benchcard.db'}"
    migrate(url)
    database = Database(url)
    yield from open_site(database, StillClock())
    database.close()


@pytest.fixture(scope="module")
def described(site: Site) -> BaseSchema:
    return schemathesis.openapi.from_dict(site.client.app.openapi())


def as_bytes(data: object) -> bytes:
    return data if isinstance(data, bytes) else str("" if data is None else data).encode("utf-8", "replace")


@pytest.mark.parametrize(("method", "path"), WRITES)
@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("known", [True, False])
def test_every_answer_to_a_write_is_as_described(
    described: BaseSchema, site: Site, method: str, path: str, mode: GenerationMode, known: bool
) -> None:
    token = site.token()
    card = site.recorded(SOUND, token)

    @given(described[path][method].as_strategy(generation_mode=mode))
    @settings(
        max_examples=8 if (method, path) in JOB_SCOPES else 25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=PHASES,
    )
    def ask(case: Case[Any]) -> None:
        if "card_id" in (case.path_parameters or {}) and known:
            case.path_parameters["card_id"] = card
        asked = case.as_transport_kwargs(base_url="http://bench.test")
        headers = {**asked["headers"], "Authorization": f"Bearer {token}"} if known else asked["headers"]
        if "json" in asked:  # escaped: half a surrogate pair can be sent so, and httpx itself would not
            body, headers = json.dumps(asked["json"]).encode(), {"content-type": "application/json", **headers}
        else:
            body = as_bytes(asked.get("data"))
        answer = site.client.request(method, asked["url"], params=asked["params"], headers=headers, content=body)
        put_in_here = [ignored_auth] if known else []  # which takes the token for one that was made up
        case.validate_response(answer, excluded_checks=NOT_OF_THE_SCHEMA + put_in_here)

    ask()


def test_every_address_that_can_be_written_to_is_tried(site: Site) -> None:
    paths = site.client.app.openapi()["paths"]
    found = [(method.upper(), path) for path, operations in paths.items() for method in operations if method != "get"]
    assert sorted(found) == sorted(WRITES)


def test_the_example_is_a_card() -> None:
    assert read_card(EXAMPLE).errors == ()


def test_the_description_knows_every_key_and_the_short_forms() -> None:
    properties = card_schema()["properties"]
    assert set(Card.model_fields) | {"kv_dtype", "quality_checked"} == set(properties)
    assert {"type": "string", "description": "short form"} in properties["hardware"]["anyOf"]
    assert "$ref" not in str(card_schema())
