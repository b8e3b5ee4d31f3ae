"""The API against its own OpenAPI description: whatever a client may send, it answers as described."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from app.catalogue.folder import read_catalogue
from app.catalogue.store import load_into
from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.conftest import Client, StillClock, migrate
from tests.storage.test_load import source

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx
    from schemathesis import Case, CheckFunction
    from schemathesis.schemas import BaseSchema

# Names and places that only the catalogue of the day knows, and a sort that needs one axis: no schema can say them.
PATHS = [
    "/api/v1/claims",
    "/api/v1/claims.csv",
    "/api/v1/claims/{claim_id}",
    "/api/v1/claims/{claim_id}/citation",
    "/api/v1/sources",
    "/api/v1/sources/{source_id}",
    "/api/v1/axes",
    "/api/v1/compare",
    "/api/v1/compare/citation",
    "/api/v1/tools/workload",
    "/api/v1/tools/capacity",
    "/api/v1/tools/speculation",
    "/api/v1/cards",
    "/api/v1/cards/{card_id}.yaml",
    "/api/v1/cards/{card_id}",
    "/api/v1/cards/{card_id}/revisions",
    "/api/v1/imports/{sha256}",
    "/api/v1/imports/{sha256}/file",
    "/api/v1/jobs",
    "/api/v1/jobs/{job_id}",
    "/api/v1/jobs/{job_id}/log",
    "/api/v1/approvals",
    "/api/v1/runners",
    "/api/v1/measurements",
    "/api/v1/measurements/{measurement_id}",
    "/api/v1/measurements/{measurement_id}/best",
    "/api/v1/measurements/{measurement_id}/parts/{name}",
    "/api/v1/measurements/{measurement_id}/evidence",
    "/healthz",
]
# What one value of a tool's question says of another: which belong together, which contradict each other.
TOGETHER = "/api/v1/tools/"
# Elsewhere any text fits.
TYPED = {
    "/api/v1/claims",
    "/api/v1/claims.csv",
    "/api/v1/sources",
    "/api/v1/compare",
    "/api/v1/cards",
    "/api/v1/jobs",
}
KNOWN_TO_THE_CATALOGUE = {"engine", "model", "hardware", "source", "cursor", "sort"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("described")
    (folder / "one.yaml").write_text(source("one", "one-a", "one-b"))
    url = f"sqlite:///{folder / 'benchcard.db'}"
    migrate(url)
    database = Database(url)
    load_into(database, read_catalogue(folder), StillClock())
    database.close()
    client = Client(create_app(Settings(database_url=url)))
    yield client
    client.app.state.database.close()


@pytest.fixture(scope="module")
def described(served: Client) -> BaseSchema:
    return schemathesis.openapi.from_dict(served.app.openapi())


def excluded(answer: httpx.Response) -> list[CheckFunction]:
    """A 422 for what fits the schema is right where only the catalogue can know better; an empty value is as if it were
    not given, whatever its schema says; and `null` in an address is a text of four letters."""
    if answer.status_code == 200 and any(value in ("", "null") for _, value in answer.request.url.params.multi_items()):
        return [negative_data_rejection]
    if answer.status_code != 422:
        return []
    if answer.request.url.path.startswith(TOGETHER):
        return [positive_data_acceptance]
    fields = {detail["field"] for detail in answer.json()["error"]["details"]}
    return [positive_data_acceptance] if fields <= KNOWN_TO_THE_CATALOGUE else []


@pytest.mark.parametrize(
    ("path", "mode"),
    [(path, mode) for path in PATHS for mode in GenerationMode if mode is GenerationMode.POSITIVE or path in TYPED],
)
def test_every_answer_is_as_described(described: BaseSchema, served: Client, path: str, mode: GenerationMode) -> None:
    @given(described[path]["GET"].as_strategy(generation_mode=mode))
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(case: Case[Any]) -> None:
        asked = case.as_transport_kwargs(base_url="http://bench.test")
        answer = served.get(asked["url"], params=asked["params"], headers=asked["headers"])
        case.validate_response(answer, excluded_checks=excluded(answer))

    ask()


def test_every_address_that_can_be_read_is_tried(served: Client) -> None:
    assert [path for path, operations in served.app.openapi()["paths"].items() if "get" in operations] == PATHS


def test_the_checks_include_what_matters() -> None:
    names = {check.__name__ for check in schemathesis.checks.CHECKS.get_all()}
    assert not_a_server_error.__name__ in names
    assert {"response_schema_conformance", "negative_data_rejection", "positive_data_acceptance"} <= names
