"""What people do with jobs and runners on pages: who may, and what is told to those who may not."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING

import pytest

from app.cards.store import Writer
from app.jobs.logs import Logs
from app.jobs.store import revoke
from app.protocol.exact import canonical, digest
from tests.cards.factories import sound
from tests.jobs.factories import MAY, Queue, allow_all, capabilities, plan
from tests.site import Site, open_site
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from app.db import Database
    from tests.conftest import StillClock

# Every form of these pages, with the scope that it asks for.
SCOPES = {
    "/jobs/{job_id}/cancel": "submit",
    "/jobs/{job_id}/approval": "maintain",
    "/claims/{claim_id}/reproduce": "submit",
    "/cards/{card_id}/reproduce": "submit",
    "/runners/{name}/drain": "maintain",
    "/runners/{name}/retire": "maintain",
}


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


@pytest.fixture
def of_several(database: Database, clock: StillClock) -> Iterator[Site]:
    """An installation that wants two people for an approval."""
    yield from open_site(database, clock, second_approver=True)


def cookie(site: Site, *scopes: str, name: str = "Ana") -> tuple[dict[str, str], Writer]:
    """The header of a browser that signed in with a token of these scopes, and who that is."""
    token = site.token(*scopes, name=name)
    answer = site.client.request("POST", "/sign-in", content=f"token={token}")
    actor = site.client.app.state.accounts.of_token(token)
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}, Writer.of(actor)


def by_link(site: Site) -> dict[str, str]:
    """The header of a browser that signed in by the link that a first start prints."""
    answer = site.client.request("POST", "/sign-in", content=f"link={site.link()}")
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


def post(
    site: Site, path: str, headers: dict[str, str] | None = None, form: dict[str, str] | None = None, **fields: str
) -> httpx.Response:
    return site.client.request("POST", path, headers=headers or {}, data={**(form or {}), **fields})


def test_cancelling_asks_for_the_owner_or_a_maintainer(site: Site, queue: Queue) -> None:
    own, ana = cookie(site, "submit")
    other, _ = cookie(site, "submit")
    job = queue.submit(by=ana)
    assert "Sign in" in site.get(f"/jobs/{job}/cancel").text
    assert post(site, f"/jobs/{job}/cancel").status_code == 401
    assert post(site, f"/jobs/{job}/cancel", cookie(site, "runner")[0]).status_code == 403
    refused = post(site, f"/jobs/{job}/cancel", other)
    assert refused.status_code == 403
    assert "belongs to Ana" in refused.text
    assert "only they or a maintainer" in site.get(f"/jobs/{job}/cancel", headers=other).text
    assert queue.job(job).state == "queued"
    done = post(site, f"/jobs/{job}/cancel", own)
    assert (done.status_code, done.headers["location"]) == (303, f"/jobs/{job}")
    assert queue.job(job).state == "cancelled"
    assert "over already" in site.get(f"/jobs/{job}/cancel", headers=own).text


def test_a_maintainer_cancels_what_a_runner_has_and_is_told_what_is_lost(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.beat(job, epoch, done=2, total=9)
    may, _ = cookie(site, "maintain")
    assert "2 of 9 steps are done" in site.get(f"/jobs/{job}/cancel", headers=may).text
    assert f'href="/jobs/{job}/cancel"' in site.get(f"/jobs/{job}", headers=may).text
    assert f'href="/jobs/{job}/cancel"' not in site.get(f"/jobs/{job}").text
    assert post(site, f"/jobs/{job}/cancel", may).status_code == 303
    assert queue.job(job).cancelled_by == "Ana"


def test_a_job_that_ended_otherwise_cannot_be_cancelled(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.finish(job, epoch)
    answer = post(site, f"/jobs/{job}/cancel", cookie(site, "maintain")[0])
    assert answer.status_code == 409
    assert "can no longer cancel" in answer.text


def test_a_maintainer_lets_a_runner_take_no_more_and_take_again(site: Site, queue: Queue) -> None:
    queue.lease()
    may, _ = cookie(site, "maintain")
    assert "Drain" not in site.get("/runners").text
    assert "Drain" in site.get("/runners", headers=may).text
    assert post(site, "/runners/one/drain", on="1").status_code == 401
    assert post(site, "/runners/one/drain", cookie(site, "submit")[0], on="1").status_code == 403
    assert not queue.runner().drain_asked
    assert post(site, "/runners/one/drain", may, on="1").status_code == 303
    shown = site.get("/runners", headers=may).text
    assert "takes no more" in shown
    assert "Let it take jobs again" in shown
    post(site, "/runners/one/drain", may, on="0")
    assert not queue.runner().drain_asked
    assert post(site, "/runners/none/drain", may, on="1").status_code == 404


def form_of(html: str, action: str) -> dict[str, str]:
    """The hidden fields of a page's form."""
    (form,) = [item for item in read(html).all("form", action=action) if item.attributes.get("method") == "post"]
    return {item.attributes["name"]: item.attributes["value"] for item in form.all("input", type="hidden")}


def test_an_approval_shows_every_byte_and_what_the_policy_says(
    site: Site, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_all(monkeypatch)  # asked for when the policy knew less
    flags = {"max-model-len": 4096, "trust-remote-code": True, "nonsense": 1}
    launch = {"version": "0.32.0", "flags": flags, "env": {"LD_PRELOAD": "/x.so"}, "weights": "dummy"}
    wanted = plan(launch=launch)
    job = queue.submit(plan=wanted)
    text = html.unescape(site.get(f"/jobs/{job}/approval").text)
    assert wanted.sides[0].launch is not None
    assert canonical(wanted.sides[0].launch) in text
    assert digest(wanted.sides[0].launch) in text
    assert "--max-model-len" in text
    assert "no commit of its repository is named" in text
    assert "vllm 0.32.0 has no such option" in text
    assert "Random weights" in text


def test_a_job_that_only_a_listing_runner_takes_says_so_and_may_be_approved(site: Site, queue: Queue) -> None:
    launch = {"version": "0.32.0", "model": "org/M", "revision": "a" * 40, "env": {"VLLM_CPU_KVCACHE_SPACE": "1"}}
    job = queue.submit(plan=plan(launch={**launch, "gpus": 0}))
    path = f"/jobs/{job}/approval"
    assert "waits until a maintainer has read" in site.get(path).text
    engines = ({"name": "vllm", "version": "0.32.0", "device": "cpu"},)
    has = capabilities(models=(f"org/M@{'a' * 40}",), engines=engines)
    queue.submit(priority=1)  # which keeps the runner busy
    queue.lease(capabilities=has)
    assert queue.job(job).state == "queued"
    assert "whose own list names its model" in site.get(path).text
    assert "nobody has approved it" in site.get(f"/jobs/{job}").text
    may, _ = cookie(site, "maintain")
    fields = form_of(site.get(path, headers=may).text, path)
    assert post(site, path, may, form=fields, to="approve").status_code == 303
    assert "needs no approval any more" in site.get(path).text


def test_a_sound_launch_shows_its_command_with_placeholders(site: Site, queue: Queue) -> None:
    launch = {"version": "0.32.0", "flags": {"max-model-len": 4096}, "weights": "dummy"}
    job = queue.submit(plan=plan(launch=launch))
    (command,) = read(site.get(f"/jobs/{job}/approval").text).all("pre", aria_label="Command of Server")
    lines = command.text.splitlines()
    assert "--max-model-len=4096" in lines
    assert "--port={PORT}" in lines
    assert "--load-format=dummy" in lines
    assert "--api-key={KEY}" in lines


def test_whoever_signed_in_by_the_first_link_asks_and_approves_alone(site: Site, queue: Queue) -> None:
    me = by_link(site)
    of = f"/cards/{site.recorded(BARE, site.token(name='Owner'))}/reproduce"
    asked = post(site, of, me, form_of(site.client.get(of, headers=me, params=CHOICES).text, of))
    page = asked.headers["location"]
    assumed = site.get(f"/api/v1{page}").json()["assumptions"]
    assert "input tokens: 64 was chosen; the source states none" in assumed
    path = f"{page}/approval"
    assert f'href="{path}"' in site.get(page, headers=me).text
    shown = site.get(path, headers=me).text
    assert "You asked for this job yourself" in shown
    assert "another maintainer" not in shown
    assert post(site, path, me, form_of(shown, path), digests="0" * 64, to="approve").status_code == 422
    assert post(site, path, me, form_of(shown, path), to="approve").status_code == 303
    assert queue.job(page.rpartition("/")[2]).state == "queued"
    assert "who asked for it too, so nobody else read it: on " in site.get(path).text
    assert "a maintainer may approve a job of their own" in site.get("/about").text


def test_where_two_people_are_wanted_the_page_says_why_it_refuses(of_several: Site, clock: StillClock) -> None:
    site = of_several
    queue = Queue(site.database, clock, Logs(site.data / "logs"))
    own, asker = cookie(site, "maintain")
    job = queue.submit(plan=plan(), by=asker)
    path = f"/jobs/{job}/approval"
    shown = site.get(path, headers=own).text
    assert "Nobody approves a job of their own" in shown
    assert "BENCHCARD_SECOND_APPROVER" in shown
    assert "Approve exactly this" not in shown
    namesake, _ = cookie(site, "maintain")
    unlike = site.get(path, headers=namesake).text
    assert "Approve exactly this" not in unlike
    assert "Ana asked for it. You are signed in as Ana." in unlike
    assert "are both named `Ana`, which counts as one person" in html.unescape(unlike)
    assert "sign in under a name of your own" in unlike
    may, _ = cookie(site, "maintain", name="Bo")
    fields = form_of(site.get(path, headers=may).text, path)
    assert post(site, path, own, form=fields, to="approve").status_code == 403
    assert post(site, path, namesake, form=fields, to="approve").status_code == 403
    assert post(site, path, may, form=fields, to="approve").status_code == 303
    assert "Approved by Bo for a job that Ana asked for, on " in site.get(path).text
    assert "it takes two people: nobody approves a job of their own" in site.get("/about").text


def test_a_maintainer_approves_only_what_was_shown(site: Site, queue: Queue) -> None:
    may, _ = cookie(site, "maintain")
    job = queue.submit(plan=plan())
    path = f"/jobs/{job}/approval"
    shown = site.get(path, headers=may).text
    fields = form_of(shown, path)
    assert "You asked for this job yourself" not in shown
    assert "Approve exactly this" not in site.get(path).text
    assert post(site, path, form=fields, to="approve").status_code == 401
    assert post(site, path, cookie(site, "submit")[0], form=fields, to="approve").status_code == 403
    assert post(site, path, may, to="approve", digests="0" * 64).status_code == 422
    assert post(site, path, may, fields, to="perhaps").status_code == 422
    assert queue.job(job).state == "awaiting_approval"
    assert post(site, path, may, form=fields, to="approve").status_code == 303
    assert queue.job(job).state == "queued"
    assert "Approved by Ana" in site.get(path).text


def test_a_maintainer_refuses_by_cancelling(site: Site, queue: Queue) -> None:
    may, _ = cookie(site, "maintain")
    job = queue.submit(plan=plan())
    path = f"/jobs/{job}/approval"
    assert post(site, path, may, form_of(site.get(path, headers=may).text, path), to="refuse").status_code == 303
    assert queue.job(job).state == "cancelled"


def test_an_approval_shows_what_has_changed_since_the_last_one(site: Site, queue: Queue) -> None:
    first = queue.submit(plan=plan(launch={"flags": {"max-model-len": 4096}}))
    assert "was approved before: read all of it" in site.get(f"/jobs/{first}/approval").text
    queue.approve(first)
    second = queue.submit(plan=plan(launch={"flags": {"max-model-len": 8192}}))
    page = read(site.get(f"/jobs/{second}/approval").text)
    assert [item.words() for item in page.all("del")] == ["- --max-model-len=4096"]
    assert [item.words() for item in page.all("ins")] == ["+ --max-model-len=8192"]
    assert "took back" not in page.words()
    given = site.client.app.state.jobs.approvals()[0].id
    queue.database.write(lambda session: revoke(session, given, MAY, site.clock.now(), second=True))
    said = read(site.get(f"/jobs/{second}/approval").text).words()
    assert f", which {MAY.name} took back on {site.clock.now():%Y-%m-%d}:" in said


BARE = sound(workload="{concurrency: 1}")
CHOICES = {
    "version": "0.32.0", "model": "org/M", "weights": "dummy", "gpus": "0", "input_tokens": "64",
    "output_tokens": "16", "concurrency": "2", "accelerator": "any",
}  # fmt: skip


def test_what_is_missing_for_a_reproduction_is_listed_and_can_be_chosen(site: Site) -> None:
    own, _ = cookie(site, "submit")
    path = f"/cards/{site.recorded(BARE, site.token(name='Owner'))}/reproduce"
    bare = site.get(path, headers=own).text
    assert "Not attemptable as it stands" in bare
    assert "Ask for this measurement" not in bare
    chosen = site.client.get(path, headers=own, params=CHOICES).text
    assert "Ask for this measurement" in chosen
    assert "Assumed" in chosen
    assert "Random weights" in chosen
    odd = site.client.get(path, headers=own, params={**CHOICES, "gpus": "many"})
    assert odd.status_code == 422
    assert "Number of GPUs: “many” a whole number is expected, in digits only. 0 for the CPU" in odd.text
    (form,) = read(odd.text).all("form", method="get")
    assert form.attributes["action"].endswith("#outcome")
    assert read(odd.text).one(id="outcome").attributes["tabindex"] == "-1"
    assert 'value="many"' in odd.text


def obstacles_on(site: Site, path: str) -> list[str]:
    (told,) = [
        item
        for item in read(site.get(path).text).all("section")
        if item.attributes.get("aria-labelledby") == "stopped-h"
    ]
    return [item.words() for item in told.all("li")]


def test_the_page_of_asking_lists_obstacles_in_the_order_in_which_the_claim_names_the_first(
    site: Site, queue: Queue
) -> None:
    claim = site.recorded(BARE, site.token(name="Owner"))
    queue.lease()
    here = site.get(f"/api/v1/claims/{claim}").json()["here"]
    told = obstacles_on(site, f"/cards/{claim}/reproduce")
    assert here["status"] == "lacks"
    assert here["text"].startswith("no input length is stated")
    assert told[0].startswith("The source states no input length")
    assert here["text"].endswith(f"and {len(told) - 1} more")
    assert told[-1].startswith("Needs ")


def test_what_can_be_chosen_says_where_and_what_cannot_is_not_promised(site: Site) -> None:
    bare = site.recorded(BARE, site.token(name="Owner"))
    page = read(site.get(f"/cards/{bare}/reproduce").text)
    (link,) = page.all("a", href="#c-input_tokens")
    assert link.words() == "choose: Input tokens"
    assert page.all("input", id="c-input_tokens")
    assert "can be chosen below" in page.words()
    own = site.recorded(sound(engine="{name: Own engine, version: 1.0.0}"), site.token(name="Owner 2"))
    words = read(site.get(f"/cards/{own}/reproduce").text).words()
    assert "None of this can be chosen here" in words
    assert "can be chosen below" not in words


def test_a_reproduction_is_asked_for_once_by_who_may(site: Site, queue: Queue) -> None:
    own, _ = cookie(site, "submit")
    of = site.recorded(BARE, site.token(name="Owner"))
    path = f"/cards/{of}/reproduce"
    shown = site.client.get(path, headers=own, params=CHOICES).text
    fields = form_of(shown, path)
    assert post(site, path, form=fields).status_code == 401
    assert post(site, path, cookie(site, "runner")[0], fields).status_code == 403
    first, again = post(site, path, own, fields), post(site, path, own, fields)
    assert (first.status_code, first.headers["location"]) == (303, again.headers["location"])
    job = queue.job(first.headers["location"].rpartition("/")[2])
    assert (job.card_id, job.requested_by) == (of, "Ana")
    assert post(site, path, own, fields, seed="x").status_code == 422
    assert post(site, path, own, seed="1").status_code == 409
    assert f"/cards/{of}" in site.get("/jobs").text
    assert site.get("/cards/none/reproduce").status_code == 404


def test_where_only_a_release_is_missing_one_is_proposed_and_one_press_asks_for_the_job(
    site: Site, queue: Queue
) -> None:
    own, _ = cookie(site, "submit")
    path = f"/cards/{site.recorded(sound(engine='{name: vLLM}'), site.token(name='Owner'))}/reproduce"
    shown = site.get(path, headers=own).text
    assert "Release 0.33.0 is proposed" in shown
    job = queue.job(post(site, path, own, form_of(shown, path)).headers["location"].rpartition("/")[2])
    assert json.loads(job.plan)["sides"][0]["launch"]["version"] == "0.33.0"
    assert "engine version: 0.33.0 was chosen; the source states none" in job.assumptions
    other = site.client.get(path, headers=own, params={"version": "0.32.0"}).text
    assert "is proposed" not in other


def test_whether_a_claim_can_be_tried_here_follows_the_runners_that_register(site: Site, queue: Queue) -> None:
    claim = site.recorded(sound(), site.token(name="Owner"))

    def shown() -> tuple[str, str, str]:
        """On its page, in its row, in the API's list."""
        (row,) = [
            item
            for item in read(site.get("/").text).all("tr")
            if item.all("a", href=f"/claims/{claim}") and item.all("input")
        ]
        (item,) = site.get("/api/v1/claims").json()["items"]
        assert item["here"] == site.get(f"/api/v1/claims/{claim}").json()["here"]
        return read(site.get(f"/claims/{claim}").text).words(), row.words(), item["here"]["status"]

    page, row, status = shown()
    assert "No runner is in service here" in page
    assert "runner" not in row
    assert status == "no_runner"
    queue.lease()
    page, row, status = shown()
    assert "Needs 4x H200" in page
    assert "here: needs 4x H200" in row
    assert status == "not_here"


def test_a_launch_that_waits_for_approval_leads_there(site: Site, queue: Queue) -> None:
    job = queue.submit(plan=plan())
    assert f"/jobs/{job}/approval" in site.get(f"/jobs/{job}").text
