"""Pictures of the main pages: the tour in README, and what a test holds the pages against (`make pictures`).

A real server with the shipped catalogue is started on a free port, and Debian's Chromium takes each picture in light
colours. Beside them stands what they were taken with: another Chromium or another font draws other letters, so the test
compares only where both are the same.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from playwright.sync_api import sync_playwright

from bench.listening import listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parent / "pictures"
TAKEN_WITH = FOLDER / "taken-with.json"
SIZE = {"width": 1200, "height": 660}
QUALITY = 38  # of WebP: small, and letters stay letters
# A line as wide as the letters that this machine draws.
LETTERS = """() => {
  const line = document.createElement("span");
  line.textContent = "Published LLM-serving numbers, beside what they mean 0123456789";
  line.style.cssText = "position: absolute; white-space: nowrap";
  document.body.append(line);
  const wide = Math.round(line.getBoundingClientRect().width * 10) / 10;
  line.remove();
  return wide;
}"""


@dataclass(frozen=True)
class Shot:
    """One picture; `at` is scrolled to the top first, "" for the page's beginning."""

    name: str
    path: str
    at: str = ""


SHOTS = (
    Shot("table", "/"),
    Shot("claim", "/claims/sglang-v41-step-16"),
    Shot("compare", "/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16"),
    Shot("ladder", "/sources/sglang-deepseek-v41-flash-kernels", "#ladder"),
    Shot("measurement", "/measurements/mn3mn2cwp"),
    Shot("card", "/cards/new?claim=sglang-v41-step-16"),
)


def take(page: Page, shot: Shot) -> Image.Image:
    """The picture as Chromium draws it; `page` has a base address, SIZE and light colours."""
    page.goto(shot.path)
    if shot.at:
        page.locator(shot.at).evaluate("place => place.scrollIntoView()")
    page.wait_for_load_state("networkidle")  # a chart in sight is drawn by then
    return Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide"))).convert("RGB")


def small(picture: Image.Image) -> bytes:
    kept = io.BytesIO()
    picture.save(kept, "WEBP", quality=QUALITY, method=6)
    return kept.getvalue()


def taken_with(page: Page, browser: Browser) -> dict[str, Any]:
    """What decides how letters look, besides the page itself."""
    page.goto("/about")
    return {"chromium": int(browser.version.partition(".")[0]), "letters": page.evaluate(LETTERS)}


def main() -> None:
    """Write every picture of SHOTS, and with what they were taken."""
    chromium = os.environ.get("BENCHCARD_TEST_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        sys.exit("no Chromium here: install Debian's, or name one in BENCHCARD_TEST_CHROMIUM")
    FOLDER.mkdir(exist_ok=True)
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(base_url=address, viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
        for shot in SHOTS:
            kept = small(take(page, shot))
            (FOLDER / f"{shot.name}.webp").write_bytes(kept)
            print(f"{shot.name}: {len(kept) / 1000:.0f} KB")
        TAKEN_WITH.write_text(json.dumps(taken_with(page, browser)) + "\n")
        browser.close()


@contextmanager
def serving() -> Iterator[str]:
    """The address of `benchcard serve` on a new data folder; it ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "log"
        environment = {**os.environ, "PORT": "0", "BENCHCARD_DATA": str(Path(folder) / "data")}
        command = [str(Path(sys.executable).with_name("benchcard")), "serve"]
        with told.open("wb") as log:
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=log)
        try:
            yield listening(process, told)
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    main()
