"""Result files through the API: kept, read, completed by answers, recorded."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app.results import apart, intake
from tests.importers.factories import DATA, FIXTURES
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock

IMPORTS = "/api/v1/imports"
GUIDELLM = DATA / "guidellm_sweep.json"
RESULTS = [path for path in FIXTURES if path.stem != "genai_bench_experiment_metadata"]  # a setting, no measurement
VLLM = DATA / "vllm_ngram_detailed.json"
ANSWERS = {
    "engine.name": "vllm",
    "engine.version": "0.33.0",
    "model.id": "Qwen/Qwen3-0.6B",
    "hardware.accelerator": "H200",
    "hardware.count": "1",
    "parallelism.tp": "TP1",
    "speculation.method": "off",
    "workload.input_tokens": "64",
    "workload.output_tokens": "32",
}


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def send(site: Site, path: Path, token: str | None, query: str = "") -> httpx.Response:
    named = f"{IMPORTS}?name={path.name}{query}"
    return site.send("POST", named, path.read_bytes(), token, Content_Type="application/octet-stream")


def record(site: Site, sha256: str, body: dict[str, Any], token: str | None, **headers: str) -> httpx.Response:
    headers = {"Content_Type": "application/json", **headers}
    return site.send("POST", f"{IMPORTS}/{sha256}/cards", json.dumps(body), token, **headers)


def missing_of(site: Site, read: dict[str, Any]) -> dict[str, str]:
    """Those of ANSWERS that some card asks for."""
    asked = {question["field"] for card in read["cards"] for question in card["questions"]}
    return {field: text for field, text in ANSWERS.items() if field in asked}


def kept(site: Site) -> list[str]:
    return [path.name for path in (site.data / "files").rglob("*") if path.is_file()]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_file_is_kept_and_read(site: Site, path: Path) -> None:
    answer = send(site, path, site.token())
    assert answer.status_code == 201, answer.text
    read = answer.json()
    assert read["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (read["name"], read["size"]) == (path.name, path.stat().st_size)
    assert read["cards"]
    assert all(card["headline"] and card["axis"] and read["sha256"] in card["yaml"] for card in read["cards"])
    assert site.get(f"{IMPORTS}/{read['sha256']}").json() == read
    file = site.get(f"{IMPORTS}/{read['sha256']}/file")
    assert file.content == path.read_bytes()
    assert file.headers["content-disposition"] == f'attachment; filename="{path.name}"'
    assert file.headers["content-type"] == "application/octet-stream"
    known = {"If-None-Match": file.headers["etag"]}
    assert site.get(f"{IMPORTS}/{read['sha256']}/file", headers=known).status_code == 304


def test_a_file_sent_twice_is_one_import(site: Site) -> None:
    ana, ben = site.token(), site.token(name="Ben")
    first, again = send(site, VLLM, ana), send(site, VLLM, ben)
    assert first.json() == again.json()
    assert kept(site) == [first.json()["sha256"]]


def test_a_second_sender_changes_nothing_in_what_the_first_one_s_file_says(site: Site) -> None:
    """Some importers read the file's name, so another name would give another card."""
    data = (DATA / "inference_perf_summary_lifecycle_metrics.json").read_bytes()
    first = site.send("POST", f"{IMPORTS}?name=ours.json", data, site.token()).json()
    for query in ("?name=theirs.json", "?name=theirs.csv", "?name=theirs.json&format=inference-perf"):
        again = site.send("POST", f"{IMPORTS}{query}", data, site.token(name="Ben"))
        assert (again.status_code, again.json()) == (201, first)
    assert "ours.json" in first["cards"][0]["yaml"]
    assert site.get(f"{IMPORTS}/{first['sha256']}").json() == first


def test_every_measurement_of_a_file_becomes_a_card_with_what_was_answered(site: Site) -> None:
    token = site.token()
    read = send(site, GUIDELLM, token).json()
    answer = record(site, read["sha256"], {"answers": missing_of(site, read)}, token)
    assert answer.status_code == 201, answer.text
    assert answer.json()["total"] == len(read["cards"]) > 1
    for stored in answer.json()["items"]:
        card = site.get(f"/api/v1/cards/{stored['id']}").json()["card"]
        assert card["engine"]["version"] == "0.33.0"
        assert card["hardware"] == {"accelerator": "H200", "count": 1}
        assert card["raw"][0]["sha256"] == read["sha256"]
    assert site.get("/api/v1/claims").json()["total"] == len(read["cards"])
    made = [item["id"] for item in answer.json()["items"]]
    assert [card["recorded"] for card in site.get(f"{IMPORTS}/{read['sha256']}").json()["cards"]] == [
        [card_id] for card_id in made
    ]


def test_what_the_importer_warned_of_is_a_caveat_of_the_recorded_card(site: Site) -> None:
    token = site.token()
    read = send(site, GUIDELLM, token).json()
    warned = read["cards"][0]["warnings"][0]
    stored = record(site, read["sha256"], {"parts": [1], "answers": missing_of(site, read)}, token).json()["items"][0]
    assert {"rule": f"I-{warned['trap']}", "severity": "warning"}.items() <= {
        key: value
        for found in stored["findings"]
        if found["message"] == warned["message"]
        for key, value in found.items()
    }.items()
    claim = site.get(f"/api/v1/claims/{stored['id']}").json()
    message = warned["message"].rstrip(".").casefold()  # a caveat begins with a capital letter
    assert any(message in caveat["text"].casefold() for caveat in claim["caveats"])


def test_chosen_parts_are_recorded_alone(site: Site) -> None:
    token = site.token()
    read = send(site, GUIDELLM, token).json()
    assert record(site, read["sha256"], {"parts": [2], "answers": missing_of(site, read)}, token).json()["total"] == 1


def test_of_a_file_all_asked_for_or_nothing_is_recorded(site: Site) -> None:
    token = site.token()
    read = send(site, GUIDELLM, token).json()
    answer = record(site, read["sha256"], {"answers": {"hardware.count": "many"}}, token)
    assert answer.status_code == 422
    error = answer.json()["error"]
    fields = {detail["field"] for detail in error["details"]}
    assert {"hardware.count"} <= fields
    assert site.get("/api/v1/cards").json()["total"] == 0


def test_a_retry_of_recording_makes_no_second_cards(site: Site) -> None:
    token = site.token()
    read = send(site, VLLM, token).json()
    body = {"answers": missing_of(site, read)}
    first, again = (record(site, read["sha256"], body, token, Idempotency_Key="k") for _ in range(2))
    assert (first.status_code, first.text) == (again.status_code, again.text)
    assert again.headers["idempotent-replayed"] == "true"
    assert site.get("/api/v1/cards").json()["total"] == first.json()["total"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"{}", "not a result of any tool known here"),
        (b'{"a": 1', "line 1"),
        ('{"a": 1}'.encode("utf-16"), "UTF-16"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary"),
        (b"[" * 100_000, ""),
        (b'{"date": "x", "backend": "vllm", "model_id"', ""),
    ],
)
def test_what_is_no_result_is_refused_with_its_place_and_not_kept(site: Site, data: bytes, said: str) -> None:
    answer = site.send("POST", IMPORTS, data, site.token(), Content_Type="application/octet-stream")
    assert answer.status_code == 422, answer.text[:300]
    details = answer.json()["error"]["details"]
    assert details
    told = " ".join(f"{detail['message']} line {detail.get('line')}" for detail in details)
    assert said in told
    assert kept(site) == []
    assert site.get(f"{IMPORTS}/{hashlib.sha256(data).hexdigest()}").status_code == 404


def test_another_tool_than_the_one_named_is_refused(site: Site) -> None:
    answer = send(site, VLLM, site.token(), "&format=guidellm")
    assert answer.status_code == 422
    assert "no result of guidellm" in answer.json()["error"]["message"]


def test_a_large_file_is_read_apart_and_gives_the_same(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    token = site.token()
    small = send(site, VLLM, token).json()
    monkeypatch.setattr(apart, "SMALL", 10)
    assert send(site, VLLM, token).json() == small


def test_a_file_that_needs_too_much_memory_is_refused_and_not_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "MOST_MEMORY", 48 * 1024**2)
    large = json.dumps({**json.loads(VLLM.read_bytes()), "generated_texts": ["x" * 20_000_000]})
    answer = site.send("POST", IMPORTS, large, site.token())
    assert answer.status_code == 422
    assert "memory" in answer.json()["error"]["message"]
    assert kept(site) == []


def test_a_file_above_the_limit_is_413_even_where_it_does_not_say_so(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "MOST_BYTES", 1024**2)

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(10_000):
            yield b" " * 65_536

    headers = {"Authorization": f"Bearer {site.token()}"}
    answer = site.client.request("POST", IMPORTS, content=endless(), headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"
    assert kept(site) == []


def test_strangers_may_read_but_not_send(site: Site) -> None:
    assert send(site, VLLM, None).status_code == 401
    read = send(site, VLLM, site.token()).json()
    assert record(site, read["sha256"], {}, None).status_code == 401
    assert record(site, read["sha256"], {}, site.token("runner")).status_code == 403
    assert site.get(f"{IMPORTS}/{read['sha256']}").status_code == 200


@pytest.mark.parametrize("digest", ["0" * 64, "x", "..%2f..%2fbenchcard.db", "%00", "A" * 64])
def test_a_digest_that_names_nothing_is_404(site: Site, digest: str) -> None:
    for path in (f"{IMPORTS}/{digest}", f"{IMPORTS}/{digest}/file"):
        assert site.get(path).status_code == 404
    assert (
        site.send("POST", f"{IMPORTS}/{digest}/cards", "{}", site.token(), Content_Type="application/json").status_code
        == 404
    )


@pytest.mark.parametrize(
    "body",
    [
        '{"parts": ["x"]}',
        '{"parts": [1.5]}',
        '{"parts": [true]}',
        '{"part": [1]}',
        '{"answers": {"a b": "c"}}',
        "[]",
        "{",
    ],
)
def test_a_wrong_choice_is_422_with_its_place(site: Site, body: str) -> None:
    token = site.token()
    read = send(site, VLLM, token).json()
    answer = site.send("POST", f"{IMPORTS}/{read['sha256']}/cards", body, token, Content_Type="application/json")
    assert answer.status_code == 422
    assert all(detail["line"] and detail["column"] for detail in answer.json()["error"]["details"])


def test_a_file_name_is_shown_without_folders_and_control_characters(site: Site) -> None:
    answer = site.send("POST", f"{IMPORTS}?name=..%2F..%2Fa%3Cb%3E.json", VLLM.read_bytes(), site.token())
    assert answer.json()["name"] == "a<b>.json"
    assert site.send("POST", f"{IMPORTS}?name=a%00b", VLLM.read_bytes(), site.token()).status_code == 422


def test_files_sent_at_once_are_all_kept(site: Site) -> None:
    token = site.token()

    async def all_at_once() -> list[httpx.Response]:
        transport = httpx.ASGITransport(site.client.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test") as client:
            headers = {"Authorization": f"Bearer {token}"}
            return await asyncio.gather(
                *(client.post(IMPORTS, content=path.read_bytes(), headers=headers) for path in RESULTS * 2)
            )

    assert {answer.status_code for answer in asyncio.run(all_at_once())} == {201}
    assert len(kept(site)) == len(RESULTS)
