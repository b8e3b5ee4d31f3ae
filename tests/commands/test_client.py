"""The typed client: every call against the real application, and what it does when the line breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from app.api.card_schema import CardListQuery
from app.api.import_schema import RecordImport
from app.api.schema import ClaimListQuery
from app.cards.export import to_yaml
from app.claims.schema import Engine
from app.cli import main
from app.client import PAUSES_S, Client, ServerError
from tests.cards.factories import SOUND, card, sound
from tests.compare.factories import row
from tests.importers.factories import DATA
from tests.jobs.bundles import bundle_bytes, with_another_log
from tests.live import live
from tests.site import Site, open_site
from tests.storage.stored import store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    store(database, [row(id="a", rank=1), row(id="b", rank=2, value="200")])
    yield from open_site(database, clock)


@pytest.fixture
def client(site: Site) -> Iterator[Client]:
    with live(site.client.app) as address, Client(f"{address}/", site.token()) as opened:
        yield opened


def test_a_card_is_recorded_revised_read_and_taken_back(client: Client) -> None:
    made = client.submit_card(SOUND)
    assert client.card(made.id).card == card()
    assert client.card_yaml(made.id) == to_yaml(card())
    changed = client.revise_card(made.id, sound(note="n"), made.revision, "why")
    assert (changed.revision, client.card(made.id, 1).card.note) == (2, None)
    assert [item.note for item in client.card_revisions(made.id).items] == [None, "why"]
    assert client.retract_card(made.id, "wrong").state == "retracted"
    assert [item.id for item in client.cards(CardListQuery(state=["retracted"])).items] == [made.id]


def test_a_card_is_checked_in_both_syntaxes(client: Client) -> None:
    assert client.check_card(SOUND).completeness == 100
    as_json = card().model_dump_json(exclude_none=True)
    assert client.check_card(as_json.encode(), "json").yaml == to_yaml(card())


def test_a_result_file_is_sent_and_its_cards_recorded(client: Client) -> None:
    path = DATA / "vllm_ngram_detailed.json"
    read = client.import_file(path.read_bytes(), path.name)
    assert (read.name, read.tool, len(read.cards)) == (path.name, "vllm bench serve", 1)
    choice = RecordImport(parts=(1,), answers={"engine": "vllm 0.33.0", "hardware": "1x H200"})
    stored = client.record_import(read.sha256, choice)
    assert client.card(stored.items[0].id).card.engine == Engine(name="vllm", version="0.33.0")


def test_claims_are_read_and_compared(client: Client) -> None:
    assert [claim.id for claim in client.claims(ClaimListQuery(limit=1)).items] == ["a"]
    assert [claim.id for claim in client.every_claim(ClaimListQuery(limit=1))] == ["a", "b"]
    assert [claim.id for claim in client.every_claim()] == ["a", "b"]
    assert str(client.claim("a").value) == "100"
    assert client.compare("a", "b").verdict == "comparable"


def test_one_key_is_one_submission(client: Client) -> None:
    assert client.submit_card(SOUND, key="k") == client.submit_card(SOUND, key="k")
    assert client.submit_card(SOUND).id != client.submit_card(SOUND).id


def test_a_refusal_carries_status_code_and_findings(client: Client) -> None:
    with pytest.raises(ServerError) as refused:
        client.submit_card(sound(metric="speed"))
    assert (refused.value.status, refused.value.code) == (422, "card_invalid")
    assert [(item.rule, item.line) for item in refused.value.details] == [("E-axis", 13)]


@pytest.mark.parametrize("name", ["nothing", "a/b", "../claims", "?x", "%2e", "é", "a b"])
def test_an_id_stays_one_part_of_the_address(client: Client, name: str) -> None:
    with pytest.raises(ServerError) as refused:
        client.card(name)
    assert refused.value.status == 404


class Line(httpx.BaseTransport):
    """Answers in the order given; an exception is a line that breaks."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.keys: list[str | None] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def through(line: Line, work: Callable[[Client], object]) -> list[float]:
    """The pauses that the client made."""
    pauses: list[float] = []
    with Client("http://bench.test", transport=line, pause=pauses.append) as client:
        work(client)
    return pauses


def stored() -> httpx.Response:
    body = '{"id": "c", "revision": 1, "url": "/", "findings": [], "completeness": 1, "questions": []}'
    return httpx.Response(201, text=body)


def test_a_broken_line_is_tried_again_under_the_same_key() -> None:
    line = Line(httpx.ConnectError("refused"), httpx.Response(503), stored())
    assert through(line, lambda client: client.submit_card(SOUND)) == list(PAUSES_S)
    assert len(set(line.keys)) == 1
    assert line.keys[0]


def test_a_line_that_stays_broken_is_told() -> None:
    line = Line(*(httpx.ReadTimeout("") for _ in range(3)))
    with pytest.raises(ServerError, match=r"bench\.test does not answer: ReadTimeout") as told:
        through(line, lambda client: client.claim("a"))
    assert told.value.status == 0


def test_an_edit_is_not_tried_again() -> None:
    line = Line(httpx.ReadError("broken"), stored())
    with pytest.raises(ServerError):
        through(line, lambda client: client.revise_card("c", SOUND, 1))
    assert len(line.answers) == 1


@pytest.mark.parametrize(
    "answer",
    [httpx.Response(500, text="<html>"), httpx.Response(200, text="[]"), httpx.Response(404, json={"detail": "x"})],
)
def test_what_is_no_answer_of_benchcard_is_told(answer: httpx.Response) -> None:
    answer.request = httpx.Request("GET", "http://bench.test")
    with pytest.raises(ServerError) as told:
        through(Line(answer), lambda client: client.claim("a"))
    assert told.value.code == "unknown"


def test_a_bundle_is_given_to_a_server_by_the_command(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, token = tmp_path / "m1.zip", site.token()
    file.write_bytes(bundle_bytes())
    with live(site.client.app) as address:
        to = ["--server", address, "--token", token]
        assert main(["evidence", "import", str(file), *to]) == 0
        assert "verified from trace: different setup" in capsys.readouterr().out
        assert main(["evidence", "import", str(file), *to]) == 0
        assert "its traces are on record already, nothing was recorded" in capsys.readouterr().out
        file.write_bytes(with_another_log(bundle_bytes()))
        assert main(["evidence", "import", str(file), *to]) == 1
        assert "m1.zip: its bytes are not those of the manifest" in capsys.readouterr().err
        assert main(["evidence", "import", str(tmp_path / "none.zip"), *to]) == 2
