"""A typed client of the JSON API, for scripts and for the `benchcard` command.

    with Client("http://127.0.0.1:8000", token) as client:
        stored = client.submit_card(Path("card.yaml").read_text())

Every call raises ServerError where the server refuses or cannot be reached.
"""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx
from pydantic import BaseModel, ValidationError

from app.api.card_schema import CardChecked, CardDetail, CardList, CardListQuery, CardRevisions, CardStored
from app.api.errors import ErrorBody, ErrorDetail
from app.api.import_schema import CardsStored, ImportDetail, RecordImport
from app.api.job_schema import (
    JobDetail,
    JobList,
    JobListQuery,
    MeasurementDetail,
    RunnerItem,
    RunnerList,
    SubmitJob,
)
from app.api.schema import ApiClaim, ClaimList, ClaimListQuery
from app.compare.schema import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from app.cards.load import Syntax

Answer = TypeVar("Answer", bound=BaseModel)

TIMEOUT_S = 30.0
PAUSES_S = (0.2, 1.0)  # before the second and the third try
PASSING = {502, 503, 504}  # answers of a server that is just starting or stopping
MEDIA_TYPES = {"yaml": "application/yaml", "json": "application/json"}


class ServerError(Exception):
    """A refusal. `status` is 0 where the server could not be reached; `details` are the card's findings on a 422."""

    def __init__(self, status: int, code: str, message: str, details: tuple[ErrorDetail, ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.details = details


class Client:
    """One server. Reads and keyed writes are tried again where the connection breaks: the server does them once."""

    def __init__(
        self,
        server: str,
        token: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.address = server.rstrip("/")
        self._http = httpx.Client(base_url=self.address, headers=headers, timeout=TIMEOUT_S, transport=transport)
        self._pause = pause

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def claims(self, query: ClaimListQuery | None = None) -> ClaimList:
        """One page of claims, cards among them."""
        return self._read("/api/v1/claims", ClaimList, query)

    def every_claim(self, query: ClaimListQuery | None = None) -> Iterator[ApiClaim]:
        """All claims that the filter leaves, page after page."""
        wanted = query or ClaimListQuery(limit=500)
        while True:
            page = self.claims(wanted)
            yield from page.items
            if page.next is None:
                return
            wanted = wanted.model_copy(update={"cursor": page.next})

    def claim(self, claim_id: str) -> ApiClaim:
        return self._read(f"/api/v1/claims/{_segment(claim_id)}", ApiClaim)

    def compare(self, a: str, b: str) -> Comparison:
        """Whether two claims can be compared, with the reasons."""
        return _as(Comparison, self._ask("GET", "/api/v1/compare", params={"a": a, "b": b}))

    def cards(self, query: CardListQuery | None = None) -> CardList:
        """One page of cards, the newest first, plans and retracted ones too."""
        return self._read("/api/v1/cards", CardList, query)

    def card(self, card_id: str, revision: int | None = None) -> CardDetail:
        """A card in its newest revision or in an earlier one."""
        answer = self._ask("GET", f"/api/v1/cards/{_segment(card_id)}", params=_revision(revision))
        return _as(CardDetail, answer)

    def card_yaml(self, card_id: str, revision: int | None = None) -> str:
        """A card as people write it."""
        return self._ask("GET", f"/api/v1/cards/{_segment(card_id)}.yaml", params=_revision(revision)).text

    def card_revisions(self, card_id: str) -> CardRevisions:
        """Every revision of a card with what it changed."""
        return self._read(f"/api/v1/cards/{_segment(card_id)}/revisions", CardRevisions)

    def check_card(self, text: str | bytes, syntax: Syntax = "yaml") -> CardChecked:
        """What recording this card would say; needs no token."""
        return _as(CardChecked, self._send("POST", "/api/v1/cards/validate", text, syntax))

    def submit_card(self, text: str | bytes, syntax: Syntax = "yaml", key: str | None = None) -> CardStored:
        """Record a card. `key` makes a later call with the same text the same submission; each call has its own."""
        return _as(CardStored, self._send("POST", "/api/v1/cards", text, syntax, key=key or str(uuid4())))

    def revise_card(
        self, card_id: str, text: str | bytes, revision: int, note: str | None = None, syntax: Syntax = "yaml"
    ) -> CardStored:
        """Add a revision to a card whose newest is `revision`; status 409 where it is not."""
        params = _revision(revision) | ({"note": note} if note else {})
        answer = self._send("PUT", f"/api/v1/cards/{_segment(card_id)}", text, syntax, params=params)
        return _as(CardStored, answer)

    def retract_card(self, card_id: str, reason: str, key: str | None = None) -> CardDetail:
        """Take a card back; the record stays and says so."""
        body = json.dumps({"reason": reason})
        path = f"/api/v1/cards/{_segment(card_id)}/retract"
        return _as(CardDetail, self._send("POST", path, body, "json", key=key or str(uuid4())))

    def import_file(self, data: bytes, name: str, format: str = "auto") -> ImportDetail:
        """Send another tool's result file: it is kept, and read into cards that are not recorded yet."""
        headers = {"Content-Type": "application/octet-stream"}
        params = {"name": name, "format": format}
        return _as(ImportDetail, self._ask("POST", "/api/v1/imports", content=data, headers=headers, params=params))

    def record_import(self, sha256: str, choice: RecordImport, key: str | None = None) -> CardsStored:
        """Record cards of a file that was sent, with what the file does not say."""
        path = f"/api/v1/imports/{_segment(sha256)}/cards"
        return _as(CardsStored, self._send("POST", path, choice.model_dump_json(), "json", key=key or str(uuid4())))

    def import_bundle(self, data: bytes) -> tuple[MeasurementDetail, bool]:
        """Give a measurement from elsewhere, as `benchcard evidence` writes it: it is checked, and recorded unless its
        traces are on record already. Returns the measurement, and whether it is new."""
        headers = {"Content-Type": "application/zip"}
        answer = self._ask("POST", "/api/v1/measurements/import", content=data, headers=headers)
        return _as(MeasurementDetail, answer), answer.status_code == HTTPStatus.CREATED

    def jobs(self, query: JobListQuery | None = None) -> JobList:
        """One page of jobs, the newest first."""
        return self._read("/api/v1/jobs", JobList, query)

    def job(self, job_id: str) -> JobDetail:
        """A job with its plan and every attempt."""
        return self._read(f"/api/v1/jobs/{_segment(job_id)}", JobDetail)

    def submit_job(self, wanted: SubmitJob, key: str | None = None) -> JobDetail:
        """Ask for a measurement."""
        return self._change("/api/v1/jobs", wanted.model_dump_json(), key)

    def cancel_job(self, job_id: str, key: str | None = None) -> JobDetail:
        """End a job; where a runner has it, that one is told."""
        return self._change(f"/api/v1/jobs/{_segment(job_id)}/cancel", "{}", key)

    def approve_job(self, job_id: str, key: str | None = None) -> JobDetail:
        """Allow what a job would start; status 403 for one's own."""
        return self._change(f"/api/v1/jobs/{_segment(job_id)}/approve", "{}", key)

    def runners(self) -> RunnerList:
        """Every runner that was ever seen, and how it stands."""
        return self._read("/api/v1/runners", RunnerList)

    def change_runner(
        self, name: str, action: Literal["drain", "resume", "retire"], key: str | None = None
    ) -> RunnerItem:
        """Let a runner take no more, take again, or take it out of service; status 403 without the scope `maintain`."""
        path = f"/api/v1/runners/{_segment(name)}/{action}"
        return _as(RunnerItem, self._send("POST", path, "{}", "json", key=key or str(uuid4())))

    def job_log(self, job_id: str, offset: int = 0) -> Iterator[bytes]:
        """What the newest attempt has logged so far, piece after piece."""
        path, params = f"/api/v1/jobs/{_segment(job_id)}/log", {"offset": offset}
        while piece := (answer := self._ask("GET", path, params=params)).content:
            yield piece
            params = {"offset": params["offset"] + len(piece), "epoch": int(answer.headers["log-epoch"])}

    def _change(self, path: str, body: str, key: str | None) -> JobDetail:
        return _as(JobDetail, self._send("POST", path, body, "json", key=key or str(uuid4())))

    def _read(self, path: str, shape: type[Answer], query: BaseModel | None = None) -> Answer:
        params = query.model_dump(exclude_defaults=True) if query else {}
        return _as(shape, self._ask("GET", path, params=params))

    def _send(
        self,
        method: str,
        path: str,
        text: str | bytes,
        syntax: Syntax,
        *,
        key: str | None = None,
        params: dict[str, Any] | None = None,
    ) -> httpx.Response:
        headers = {"Content-Type": MEDIA_TYPES[syntax]} | ({"Idempotency-Key": key} if key else {})
        content = text.encode() if isinstance(text, str) else text
        return self._ask(method, path, content=content, headers=headers, params=params or {})

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer to one request. What may be done twice is tried again where it did not get through."""
        pauses = PAUSES_S if method != "PUT" else ()
        for pause in (*pauses, None):
            try:
                answer = self._http.request(method, path, **options)
            except httpx.TransportError as error:
                if pause is None:
                    message = f"{self._http.base_url} does not answer: {str(error) or type(error).__name__}"
                    raise ServerError(0, "unreachable", message) from error
            else:
                if answer.status_code not in PASSING or pause is None:
                    return _checked(answer)
            self._pause(pause)
        raise AssertionError


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    try:
        error = ErrorBody.model_validate_json(answer.content).error
    except ValidationError:
        message = f"status {answer.status_code} from {answer.url}, which is no answer of Benchcard"
        raise ServerError(answer.status_code, "unknown", message) from None
    raise ServerError(answer.status_code, error.code, error.message, tuple(error.details))


def _as(shape: type[Answer], answer: httpx.Response) -> Answer:
    try:
        return shape.model_validate_json(answer.content)
    except ValidationError as error:
        message = f"{answer.url} answered with another shape; is it a Benchcard server of this version?"
        raise ServerError(answer.status_code, "unknown", message) from error


def _revision(number: int | None) -> dict[str, Any]:
    return {} if number is None else {"revision": number}


def _segment(name: str) -> str:
    """An id as one part of an address, whatever it holds."""
    return quote(name, safe="", errors="replace")
