"""Jobs, runners and measurements in a real browser: live and silent once over, by keyboard, without scripts."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from app.accounts.store import add_token
from app.accounts.tokens import new_token
from app.cards.store import Writer
from app.db import Database
from app.jobs.logs import Logs
from app.jobs.measurements import record
from app.protocol.outcome import REPORT
from app.results.files import Files
from tests.browser.test_pages_in_browser import SQUEEZED, serious
from tests.conftest import StillClock
from tests.jobs.factories import RANDOM, Queue
from tests.jobs.factories import plan as waiting_plan
from tests.jobs.prepared import prepare
from tests.jobs.runs import attempt
from tests.jobs.runs import plan as measured_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from app.settings import Settings
    from tests.browser.conftest import Tab

pytestmark = pytest.mark.xdist_group("browser")

POLL_MS = 3100
HOSTILE = "<img src=x onerror=alert(1)>"
PINNED = {"version": "0.32.0", "weights": "dummy", "flags": {"max-model-len": 4096}}


@pytest.fixture
def queue(settings: Settings, address: str, clock: StillClock) -> Iterator[Queue]:
    database = Database(settings.url())
    yield Queue(database, clock, Logs(settings.data / "logs"))
    database.close()


@pytest.fixture
def maintainer(queue: Queue) -> Callable[[Page], None]:
    """Sign a page's browser in as a maintainer."""

    def sign_in(page: Page) -> None:
        token = new_token(RANDOM)
        queue.database.write(lambda session: add_token(session, token, "May", ("maintain",), queue.clock.now()))
        page.goto("/sign-in")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/")

    return sign_in


def running(queue: Queue, name: str) -> tuple[str, int]:
    """A job that a runner of this name has begun."""
    wanted = queue.submit()
    while True:
        job, epoch = queue.running(runner=name, boot_id=f"boot-{name}")
        if job == wanted:
            return job, epoch


@pytest.fixture(scope="session")
def measurement(settings: Settings, address: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a sweep's measurement, made of real traces."""
    return f"/measurements/{swept(settings, tmp_path_factory.mktemp('traces'))}"


@pytest.fixture(scope="session")
def beside(settings: Settings, measurement: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of two sweeps side by side."""
    ids = (measurement.rpartition("/")[2], swept(settings, tmp_path_factory.mktemp("others")))
    return f"/measurements/compare?ids={','.join(ids)}"


def swept(settings: Settings, folder: Path) -> str:
    """The id of a sweep's measurement."""
    database = Database(settings.url())
    queue = Queue(database, StillClock(), Logs(settings.data / "logs"))
    of = measured_plan(points=(1, 2, 4), version="0.32.0", revision="0" * 40)
    job = queue.submit(plan=of)
    if queue.job(job).state == "awaiting_approval":
        queue.approve(job)
    row = queue.job(job)
    report, traces = attempt(folder, of)
    parts = {name: keep(settings, file.read_bytes()) for name, file in traces.items()}
    parts[REPORT] = keep(settings, report.model_dump_json().encode())
    found = prepare(database, Files(settings.data / "files"), job, parts)
    made = database.write(lambda session: record(session, found, row.id, 1, "Ana", queue.clock.now(), RANDOM))
    database.close()
    return made


def keep(settings: Settings, data: bytes) -> str:
    with Files(settings.data / "files").arriving(1 << 30) as arriving:
        arriving.write(data)
        return arriving.keep().sha256


def asked(tab: Tab, path: str) -> int:
    return sum(1 for url in tab.seen.requests if path in url)


def test_a_job_is_live_and_asks_no_more_once_it_is_over(open_page: Callable[..., Tab], queue: Queue) -> None:
    job, epoch = running(queue, "live")
    queue.beat(job, epoch, done=3, total=9, note=HOSTILE)
    queue.log(job, epoch, 0, b"first line\n")
    tab = open_page("/runners")
    page = tab.page
    page.clock.install()
    page.goto(f"/jobs/{job}")
    expect(page.locator("#progress")).to_contain_text("3 of 9")
    expect(page.locator("#log")).to_contain_text("first line")
    page.evaluate("window.kept = document.getElementById('log').firstChild")
    queue.beat(job, epoch, done=5, total=9)
    queue.log(job, epoch, len(b"first line\n"), f"second {HOSTILE}\n".encode())
    page.clock.run_for(POLL_MS)
    expect(page.locator("#progress")).to_contain_text("5 of 9")
    expect(page.locator("#log")).to_contain_text("second")
    assert page.locator("#log").text_content() == f"first line\nsecond {HOSTILE}\n"
    assert page.evaluate("window.kept === document.getElementById('log').firstChild")
    queue.cancel(job, Writer("Ana", "bcr_ana"))
    queue.finish(job, epoch, state="cancelled", log=queue_log(queue, job, epoch))
    page.clock.run_for(POLL_MS)
    expect(page.locator("#live .stands")).to_contain_text("cancelled")
    expect(page.locator("#state-said")).to_have_text("cancelled")
    before = asked(tab, f"/jobs/{job}")
    page.clock.run_for(10 * POLL_MS)
    page.wait_for_load_state("networkidle")
    assert asked(tab, f"/jobs/{job}") == before
    assert tab.seen.console == []


def test_ages_count_on_while_a_page_stays_open(open_page: Callable[..., Tab], queue: Queue) -> None:
    job, epoch = running(queue, "ages")
    page = open_page("/jobs").page
    page.clock.install(time=queue.clock.now())
    page.goto(f"/jobs/{job}")
    began = page.locator("#live .stands time")
    expect(began).to_have_text(re.compile(r"^\d s ago$"))
    page.clock.run_for(200_000)
    expect(began).to_have_text("3 min ago")
    queue.finish(job, epoch)
    page.clock.run_for(POLL_MS)
    expect(page.locator("#live .stands")).to_contain_text("succeeded")


def test_a_log_shows_its_end_and_stays_where_its_reader_scrolled(open_page: Callable[..., Tab], queue: Queue) -> None:
    job, epoch = running(queue, "long")
    lines = b"".join(b"line %d\n" % number for number in range(400))
    queue.log(job, epoch, 0, lines)
    page = open_page("/jobs").page
    page.clock.install()
    page.goto(f"/jobs/{job}")
    end = "(log => log.scrollHeight - log.scrollTop - log.clientHeight)(document.getElementById('log'))"
    assert page.evaluate(end) < 8
    queue.log(job, epoch, len(lines), b"one more\n" * 20)
    page.clock.run_for(POLL_MS)
    expect(page.locator("#log")).to_contain_text("one more")
    assert page.evaluate(end) < 8
    page.locator("#log").evaluate("log => { log.scrollTop = 100; }")
    page.wait_for_function("() => document.getElementById('log').scrollTop === 100")
    queue.log(job, epoch, len(lines) + 180, b"last\n")
    page.clock.run_for(POLL_MS)
    expect(page.locator("#log")).to_contain_text("last")
    assert page.evaluate("document.getElementById('log').scrollTop") == 100
    queue.finish(job, epoch, log=queue_log(queue, job, epoch))
    page.clock.run_for(POLL_MS)
    expect(page.locator("#live .stands")).to_contain_text("succeeded")
    assert page.evaluate("document.getElementById('log').scrollTop") == 100


def queue_log(queue: Queue, job: str, epoch: int) -> dict[str, object]:
    data = queue.logs.path(job, epoch).read_bytes()
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_a_job_is_cancelled_by_keyboard(
    open_page: Callable[..., Tab], queue: Queue, maintainer: Callable[[Page], None]
) -> None:
    job, _ = running(queue, "keys")
    page = open_page("/sign-in").page
    maintainer(page)
    page.goto(f"/jobs/{job}")
    page.locator("#cancel").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/cancel")
    page.get_by_role("button", name="Cancel this job").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/jobs/{job}")
    expect(page.locator("#progress")).to_contain_text("May asked to cancel it")


def test_everything_works_without_scripts(
    open_page: Callable[..., Tab], queue: Queue, maintainer: Callable[[Page], None]
) -> None:
    job, epoch = running(queue, "plain")
    queue.beat(job, epoch, done=1, total=4)
    queue.log(job, epoch, 0, b"a line\n")
    page = open_page(f"/jobs/{job}", scripts=False).page
    expect(page.locator("#progress")).to_contain_text("1 of 4")
    expect(page.locator("#log")).to_have_text("a line")
    queue.beat(job, epoch, done=2, total=4)
    page.get_by_role("link", name="Look again").click()
    expect(page.locator("#progress")).to_contain_text("2 of 4")
    page.get_by_role("link", name="See the whole log").click()
    expect(page.locator("pre.log")).to_have_text("a line")
    maintainer(page)
    page.goto(f"/jobs/{job}")
    page.get_by_role("link", name="Cancel this job").click()
    page.get_by_role("button", name="Cancel this job").click()
    expect(page.locator("#progress")).to_contain_text("asked to cancel it")


def test_exactly_what_is_shown_is_approved(
    open_page: Callable[..., Tab], queue: Queue, maintainer: Callable[[Page], None]
) -> None:
    job = queue.submit(plan=waiting_plan(launch=PINNED))
    page = open_page("/sign-in").page
    maintainer(page)
    page.goto(f"/jobs/{job}")
    page.get_by_role("link", name="What has to be approved").click()
    expect(page.locator("main")).to_contain_text("--port={PORT}")
    page.get_by_role("button", name="Approve exactly this").click()
    page.wait_for_url(f"**/jobs/{job}")
    expect(page.locator(".stands")).to_contain_text("waits for a runner")


def test_every_chart_is_drawn_with_its_caveats(open_page: Callable[..., Tab], measurement: str) -> None:
    tab = open_page(measurement)
    tab.page.keyboard.press("Tab")  # a reader is there
    for chart in ("ttft", "tpot", "event_gap", "timeline", "sweep"):
        drawn = tab.page.locator(f"#chart-{chart} .main-svg").first
        expect(drawn).to_be_visible()
        expect(tab.page.locator(f"#chart-{chart}")).to_contain_text("Random weights")
    tab.page.get_by_text("The same numbers as a table").first.click()
    expect(tab.page.locator("table.data").first).to_be_visible()
    assert tab.seen.console == []


def test_on_a_phone_every_number_and_reason_of_a_measurement_is_in_sight(
    open_page: Callable[..., Tab], measurement: str
) -> None:
    page = open_page(measurement, width=360).page
    for cell in page.locator(".numbers td, .runs td").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 360


PATHS = (
    "/jobs",
    "/runners",
    "/measurements",
    "JOB",
    "JOB/approval",
    "JOB/cancel",
    "JOB/log",
    "DEAD",
    "MEASUREMENT",
    "BESIDE",
)
CLAIM = "/claims/gpustack-gptoss20b-h100-random"
CHOSEN = "version=0.32.0&model=tiny&weights=dummy&gpus=0&input_tokens=64&output_tokens=16&concurrency=2"
DECIDES = re.compile("Approve exactly this|Ask for this measurement")


@pytest.mark.parametrize("path", PATHS)
def test_these_pages_are_accessible_silent_and_fit_every_width(
    open_page: Callable[..., Tab], queue: Queue, address: str, measurement: str, beside: str, path: str
) -> None:
    if path.startswith("JOB"):
        path = path.replace("JOB", f"/jobs/{queue.submit(plan=waiting_plan(launch=PINNED))}")
    elif path == "DEAD":
        job, epoch = running(queue, "dead")
        queue.log(job, epoch, 0, b"out of memory\n")
        queue.finish(job, epoch, "out_of_memory", log=queue_log(queue, job, epoch))
        path = f"/jobs/{job}"
    sound(open_page({"MEASUREMENT": measurement, "BESIDE": beside}.get(path, path)), address)


@pytest.mark.parametrize("path", ["JOB/approval", f"{CLAIM}/reproduce?{CHOSEN}", f"{CLAIM}/reproduce"])
def test_so_are_those_on_which_a_maintainer_decides(
    open_page: Callable[..., Tab], queue: Queue, address: str, maintainer: Callable[[Page], None], path: str
) -> None:
    tab = open_page("/sign-in")
    maintainer(tab.page)
    tab.seen.console.clear()  # of the sign-in page
    unapproved = {**PINNED, "flags": {"max-model-len": 8192}}
    tab.page.goto(path.replace("JOB", f"/jobs/{queue.submit(plan=waiting_plan(launch=unapproved))}"))
    tab.page.wait_for_load_state("networkidle")
    expect(
        tab.page.get_by_role("button", name="Show what would run" if path.endswith("reproduce") else DECIDES)
    ).to_be_visible()
    sound(tab, address)


def sound(tab: Tab, address: str) -> None:
    """In both schemes and at every width."""
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme)
        assert serious(tab) == []
    for width in (1440, 1024, 390, 360):
        tab.page.set_viewport_size({"width": width, "height": 900})
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, width
        assert tab.page.evaluate(SQUEEZED) == []
    assert serious(tab) == []
    assert tab.seen.console == []
    assert [url for url in tab.seen.requests if not url.startswith((address, "data:", "blob:"))] == []
