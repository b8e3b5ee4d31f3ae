"""Bundles over the API: taken once every number follows from its traces, and given again byte for byte."""

from __future__ import annotations

import hashlib
import html
import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from app.catalogue.folder import read_catalogue
from app.catalogue.store import load_into
from app.claims.queries import Claims, parsed
from tests.jobs.bundles import bundle_bytes, files_of, with_another_log, written
from tests.jobs.runs import write_trace
from tests.site import Site, open_site
from tests.storage.test_load import source
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

    from app.db import Database
    from app.protocol.outcome import Report
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def send(site: Site, data: bytes) -> httpx.Response:
    return site.send("POST", "/api/v1/measurements/import", data, site.token(), Content_Type="application/zip")


def refused(site: Site, data: bytes) -> tuple[int, str, str]:
    answer = send(site, data)
    error = answer.json()["error"]
    assert site.get("/api/v1/measurements").json()["total"] == 0
    assert [file for file in (site.data / "files").rglob("*") if file.is_file()] == []
    return answer.status_code, error["details"][0]["field"], error["details"][0]["message"]


def test_a_bundle_is_taken_once_and_given_back_byte_for_byte(site: Site) -> None:
    first, again = send(site, bundle_bytes()), send(site, bundle_bytes())
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    made = first.json()
    assert (made["trust"], made["numbers"]["valid"], made["job_id"]) == ("verified from trace", True, None)
    assert made["claim_id"] is None  # no catalogue here has it
    given = site.get(f"/api/v1/measurements/{made['id']}/evidence")
    assert (given.content, given.headers["content-type"]) == (bundle_bytes(), "application/zip")


def kept(site: Site) -> list[str]:
    return [file.name for file in (site.data / "files").rglob("*") if file.is_file()]


def repacked(tmp_path: Path, **change: object) -> bytes:
    """The same traces in another bundle."""
    files = files_of(tmp_path, with_claim=False)
    about = files["measurement.json"]
    assert isinstance(about, bytes)
    files["measurement.json"] = json.dumps(json.loads(about) | change).encode()
    files["log.txt"] = b"another log\n"
    return written(tmp_path, files, "again.zip").read_bytes()


def test_the_same_traces_packed_again_are_the_known_measurement(site: Site, tmp_path: Path) -> None:
    first = send(site, bundle_bytes())
    there = kept(site)
    again = send(site, repacked(tmp_path, id="mother", created_by="somebody else"))
    assert (again.status_code, again.json()) == (200, first.json())
    assert site.get("/api/v1/measurements").json()["total"] == 1
    assert kept(site) == there


def test_whoever_has_the_bundle_is_sent_no_byte_of_it(site: Site) -> None:
    path = f"/api/v1/measurements/{send(site, bundle_bytes()).json()['id']}/evidence"
    first, second = site.get(path), site.get(path)
    mark = first.headers["etag"]
    assert mark == second.headers["etag"] == f'"{hashlib.sha256(bundle_bytes()).hexdigest()}"'
    for known in (mark, f'"other", {mark}', f"W/{mark}", "*"):
        again = site.get(path, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", mark)
    assert site.get(path, headers={"If-None-Match": '"other"'}).content == bundle_bytes()
    part = site.get(path, headers={"Range": "bytes=0-3", "If-Range": mark})
    assert (part.status_code, part.content) == (206, b"PK\x03\x04")


def test_some_traces_of_a_known_measurement_are_no_other_one(site: Site, tmp_path: Path) -> None:
    known = send(site, bundle_bytes()).json()["id"]
    there = kept(site)
    fewer = files_of(tmp_path, with_claim=False, change=without_its_last_run)
    del fewer["traces/a-0-3.parquet"]
    answer = send(site, written(tmp_path, fewer).read_bytes())
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    assert f"2 of its 2 traces are those of the measurement {known}, which has 3" in answer.json()["error"]["message"]
    assert site.get("/api/v1/measurements").json()["total"] == 1
    assert kept(site) == there


def test_a_number_that_its_traces_do_not_give_is_refused(site: Site, tmp_path: Path) -> None:
    files = files_of(tmp_path)
    write_trace(tmp_path / "other.parquet", 4, 2, 20.0, 3.0)
    files["traces/a-0-1.parquet"] = tmp_path / "other.parquet"
    status, field, message = refused(site, written(tmp_path, files).read_bytes())
    assert (status, field) == (422, "numbers.json")
    assert "its report and traces say" in message


def test_another_byte_is_refused_with_its_place(site: Site) -> None:
    assert refused(site, with_another_log(bundle_bytes()))[:2] == (422, "log.txt")


@pytest.mark.parametrize("data", [b"", b"no zip", bundle_bytes()[:-30], bundle_bytes()[100:5000]])
def test_what_is_no_bundle_is_refused(site: Site, data: bytes) -> None:
    assert refused(site, data)[0] == 422


def test_a_name_that_leads_out_of_the_folder_is_refused(site: Site) -> None:
    made = io.BytesIO(bundle_bytes())
    with zipfile.ZipFile(made, "a") as bundle:
        bundle.writestr("../../outside", b"x")
    assert refused(site, made.getvalue()) == (422, "../../outside", "has no place in a bundle")


def test_the_evidence_of_no_measurement_is_404(site: Site) -> None:
    assert site.get("/api/v1/measurements/m0/evidence").status_code == 404


def invalid(report: Report) -> Report:
    runs = tuple(run.model_copy(update={"reasons": ("lagging_client: late",)}) for run in report.runs)
    return report.model_copy(update={"runs": runs})


def without_its_last_run(report: Report) -> Report:
    return report.model_copy(update={"runs": report.runs[:-1]})


def test_an_imported_measurement_without_a_valid_run_reads_as_what_it_is(site: Site, tmp_path: Path) -> None:
    made = send(site, written(tmp_path, files_of(tmp_path, with_claim=False, change=invalid)).read_bytes()).json()
    assert (made["status"], made["numbers"]["valid"]) == ("no_result", False)
    assert site.get("/api/v1/measurements").json()["items"][0]["status"] == "no_result"
    listed, page = (site.get(path).text for path in ("/measurements", f"/measurements/{made['id']}"))
    assert 'class="state w-no_result">no result<' in listed
    assert "No run of it is a result" in page
    assert "no result" in site.get(f"/measurements/{made['id']}/badge.svg").text


def test_an_imported_measurement_says_what_was_checked_and_what_was_not(site: Site) -> None:
    made = send(site, bundle_bytes()).json()
    assert made["checked"][0].startswith("every file: its size and its SHA-256")
    page = html.unescape(site.get(f"/measurements/{made['id']}").text)
    assert "README.md, where there is one: its words; no number stands in it" in made["on_trust"]
    for text in (*made["checked"], *made["on_trust"], "Taken on trust"):
        assert text in page


def test_a_bundle_of_a_claim_that_is_here_keeps_its_claim_and_verdict_and_the_claim_says_so(
    database: Database, clock: StillClock, tmp_path: Path
) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "one.yaml").write_text(source("one", "a"))
    load_into(database, read_catalogue(folder), clock)
    for site in open_site(database, clock):
        claim = site.get("/api/v1/claims").json()["items"][0]["id"]
        row = parsed(Claims(database).present([claim])[claim].text)
        files = files_of(tmp_path, claim=row, change=invalid)
        made = send(site, written(tmp_path, files).read_bytes()).json()
        assert (made["claim_id"], made["status"]) == (claim, "inconclusive")
        assert f"/claims/{claim}" in site.get(f"/measurements/{made['id']}").text
        said = site.get(f"/api/v1/claims/{claim}").json()["reproduction"]
        assert (said["status"], said["imported"], said["measurement"]) == ("inconclusive", True, made["id"])
        assert [item["id"] for item in site.get("/api/v1/claims?status=inconclusive").json()["items"]] == [claim]
        for page in ("/", f"/claims/{claim}"):
            words = read(site.get(page).text).words()
            assert "elsewhere, inconclusive (imported, verified from trace)" in words
            assert "never tried" not in words
        assert read(site.get(f"/claims/{claim}").text).all("a", href=f"/measurements/{made['id']}")
        badge = site.get(f"/claims/{claim}/badge.svg").text
        assert "measured elsewhere: inconclusive, verified from trace" in badge
        assert "measured again" not in badge
