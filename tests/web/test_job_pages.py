"""Jobs as people read them: the list, one job while it moves and once it is over, its log, what may be done."""

from __future__ import annotations

import hashlib
import html
import re
from typing import TYPE_CHECKING

import pytest

from app.web.job_log import MOST_GROWN, shown, whole_lines
from tests.jobs.factories import Queue, capabilities, plan
from tests.site import Site, open_site
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from app.protocol.outcome import Failure
    from tests.conftest import StillClock

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def page(site: Site, path: str, status: int = 200, headers: dict[str, str] | None = None) -> str:
    answer = site.get(path, headers=headers or {})
    assert answer.status_code == status, answer.text
    return answer.text


def text_of(markup: str) -> str:
    return read(markup).words()


def log_of(data: bytes) -> dict[str, object]:
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_an_empty_list_teaches_what_a_job_takes(site: Site) -> None:
    text = text_of(page(site, "/jobs"))
    assert "benchcard runner start" in text
    assert "Reproduce" in text


def test_a_job_stands_in_the_list_with_what_it_runs_and_who_asked(site: Site, queue: Queue) -> None:
    queue.submit(plan=plan(launch={"weights": "dummy"}))
    queue.later(200)
    text = text_of(page(site, "/jobs"))
    for said in ("waits for approval", "vLLM 0.33.0", "random weights, Qwen3-8B's shape", "Ana", "3 min ago", "1 job"):
        assert said in text


def test_the_list_is_filtered_by_state_and_what_is_no_state_is_told(site: Site, queue: Queue) -> None:
    queue.submit(plan=plan())
    queue.submit()
    assert "1 job" in text_of(page(site, "/jobs?state=queued"))
    assert "is no state of a job" in page(site, "/jobs?state=odd", 422)
    assert "No job matches" in page(site, "/jobs?state=failed")
    part = page(site, "/jobs?state=queued", headers=HTMX)
    assert "<html" not in part


def test_the_list_goes_on_page_by_page(site: Site, queue: Queue) -> None:
    for _ in range(51):
        queue.submit()
    first = page(site, "/jobs?kind=attach")
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following
    second = page(site, following[1].replace("&amp;", "&"))
    assert second.count("<tr>") == 2
    assert "Back to the first page" in second
    assert "belongs to another list" in page(site, "/jobs?cursor=x", 422)


def test_a_waiting_job_says_what_every_runner_lacks(site: Site, queue: Queue) -> None:
    queue.lease()
    queue.lease("two", capabilities=capabilities(attach=()))
    job = queue.submit()
    text = text_of(page(site, f"/jobs/{job}"))
    assert "one could do it" in text
    assert "its list of servers to measure does not name bench.test:9000" in text


def test_no_runner_at_all_is_said(site: Site, queue: Queue) -> None:
    assert "No runner has ever asked" in page(site, f"/jobs/{queue.submit()}")


def test_a_running_job_shows_phase_progress_note_and_asks_again(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.beat(job, epoch, done=3, total=9, note=HOSTILE)
    text = page(site, f"/jobs/{job}")
    assert "3 of 9" in text
    assert "measuring" in text
    assert HOSTILE not in text
    assert f'hx-get="/jobs/{job}?seen=running.{epoch}"' in text
    same = page(site, f"/jobs/{job}?seen=running.{epoch}", headers=HTMX)
    assert 'id="progress"' in same
    assert 'id="live"' not in same


@pytest.mark.parametrize("state", ["awaiting_approval", "queued"])
def test_a_page_looks_less_often_and_then_no_more_whether_a_waiting_job_has_moved(
    site: Site, queue: Queue, state: str
) -> None:
    job = queue.submit(plan=plan()) if state == "awaiting_approval" else queue.submit()
    shown, every, asked = page(site, f"/jobs/{job}"), [], 0
    while asks := re.search(r'hx-get="([^"]+)" hx-trigger="every (\d+)s"', shown):
        every.append(int(asks[2]))
        asked += 1
        assert html.unescape(asks[1]) == f"/jobs/{job}?seen={state}.0&asked={asked}"
        assert asked < 1000, "it asks for ever"
        asked = max(asked, 150) if every[-1] > 3 else max(asked, 38)
        shown = page(site, f"/jobs/{job}?seen={state}.0&asked={asked}", headers=HTMX)
    assert (every[0], every[-1]) == (3, 15)
    assert "looks no more by itself" in shown
    queue.cancel(job)
    assert "cancelled" in page(site, f"/jobs/{job}?seen={state}.0&asked=160", headers=HTMX)


def test_what_has_changed_comes_whole_and_asks_no_more_once_it_is_over(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.beat(job, epoch, done=3, total=9, note="point 2")
    queue.finish(job, epoch)
    answer = site.get(f"/jobs/{job}?seen=running.{epoch}", headers=HTMX)
    assert answer.headers["HX-Retarget"] == "#live"
    assert "succeeded" in answer.text
    assert "hx-trigger" not in answer.text
    assert 'hx-trigger="every' not in page(site, f"/jobs/{job}")
    for text in (answer.text, page(site, f"/jobs/{job}"), page(site, f"/jobs/{job}?seen=succeeded.{epoch}", 200, HTMX)):
        assert "measuring" not in text_of(text)
        assert "point 2" not in text


def test_a_job_that_is_over_says_its_outcome_and_no_phase(site: Site, queue: Queue) -> None:
    """The last heartbeat was sent before the end."""
    ends: list[tuple[Failure | None, int]] = [(None, 9), ("bad_flag", 3)]
    for failure, done in ends:
        queue.submit()
        job, epoch = queue.running()
        queue.beat(job, epoch, done=3, total=9, note="point 2")
        queue.finish(job, epoch, failure)
        said = site.get(f"/api/v1/jobs/{job}").json()
        assert [said[name] for name in ("phase", "note", "done", "total")] == [None, "", done, 9]


def test_a_cancel_that_a_runner_has_not_heard_of_yet_is_told(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.cancel(job)
    assert "Ana asked to cancel it" in page(site, f"/jobs/{job}?seen=running.{epoch}", headers=HTMX)


def test_a_failure_is_told_in_plain_words_with_what_can_be_done(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.finish(job, epoch, "out_of_memory")
    text = text_of(page(site, f"/jobs/{job}"))
    assert "memory was not enough" in text
    assert "Use more or larger GPUs" in text
    assert "out_of_memory" not in text
    assert "how the job ended" in text
    assert "the result" not in text


def test_an_attempt_that_lost_its_job_is_shown_as_evidence(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.log(job, epoch, 0, b"half\n")
    queue.later(100)
    again, second = queue.running(runner="two", boot_id="boot-two2")
    assert (again, second) == (job, 2)
    queue.finish(job, epoch, log=log_of(b"half\n"))
    text = text_of(page(site, f"/jobs/{job}"))
    assert "lost: the runner was not heard of in time" in text
    assert "evidence only" in text


def test_a_log_is_shown_from_its_end_and_goes_on_where_it_stopped(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.log(job, epoch, 0, f"first {HOSTILE}\nhal".encode())
    text = page(site, f"/jobs/{job}")
    assert "first &lt;script&gt;" in text
    assert HOSTILE not in text
    following = re.search(r'hx-get="(/jobs/\w+/log[^"]+)"', text)
    assert following
    queue.log(job, epoch, len(f"first {HOSTILE}\nhal"), b"f a line\n")
    part = page(site, following[1].replace("&amp;", "&"), headers=HTMX)
    assert part.startswith("half a line\n")
    assert "hx-trigger" in part
    queue.finish(job, epoch, log=log_of(f"first {HOSTILE}\nhalf a line\n".encode()))
    ended = page(site, following[1].replace("&amp;", "&"), headers=HTMX)
    assert "hx-trigger" not in ended


def test_a_log_that_grew_long_begins_with_its_end_again(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.log(job, epoch, 0, b"x" * 99 + b"\n")
    path = f"/jobs/{job}/log?epoch={epoch}&offset={MOST_GROWN + 2}&began=1"
    answer = site.get(path, headers=HTMX)
    assert answer.headers["HX-Retarget"] == "#log"


def test_a_log_is_read_in_pieces_without_scripts(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    line = b"y" * 1023 + b"\n"
    for place in range(200):
        queue.log(job, epoch, place * 1024, line)
    text = page(site, f"/jobs/{job}/log?epoch={epoch}")
    assert "Bytes 0 to 131,072 of 204,800" in text
    assert "What follows" in text
    assert "offset=131072" in text
    assert "is a whole number" in page(site, f"/jobs/{job}/log?offset=x", 422)
    assert "no attempt 9" in page(site, f"/jobs/{job}/log?epoch=9", 404)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[31mred\x1b[0m\n", "red\n"),
        (b"10%\r20%\r\n", "10%\n20%\n"),
        (b"\x1b]0;title\x07a\x00b\x7f", "ab"),
        ("a\u202eb".encode(), "ab"),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_orders_to_a_terminal_are_no_text(data: bytes, text: str) -> None:
    assert shown(data) == text


def test_a_piece_ends_with_a_line_or_with_a_whole_character() -> None:
    assert whole_lines(b"a\nb", ended=False) == b"a\n"
    assert whole_lines("aé".encode()[:2], ended=False) == b"a"
    assert whole_lines("a\U0001f600".encode()[:4], ended=False) == b"a"
    assert whole_lines("aé".encode(), ended=False) == "aé".encode()
    assert whole_lines(b"a\nb", ended=True) == b"a\nb"


def test_a_job_that_is_not_there_is_404_everywhere(site: Site) -> None:
    for path in ("/jobs/none", "/jobs/none/log", "/jobs/%00"):
        page(site, path, 404)
