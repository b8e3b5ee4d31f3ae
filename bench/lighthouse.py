"""Lighthouse 12.2.3 on the main pages, mobile and desktop: `make lighthouse`. Not part of CI: it needs npm.

Lighthouse is fetched once into bench/.lighthouse. A busy machine makes performance read too low; the other categories
do not depend on it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench.pictures import SHOTS, serving

VERSION = "12.2.3"
HOME = Path(__file__).parent / ".lighthouse"
CATEGORIES = ("performance", "accessibility", "best-practices")
PAGES = ("table", "claim", "compare", "measurement")
WANTED = 95


def main() -> None:
    """Print the three scores of every page. Exit status 1 where one is below WANTED."""
    chromium = shutil.which("chromium")
    if not chromium or not shutil.which("npm"):
        sys.exit("needs npm and Debian's Chromium")
    program = HOME / "node_modules" / ".bin" / "lighthouse"
    if not program.exists():
        subprocess.run(["npm", "install", "--silent", "--prefix", HOME, f"lighthouse@{VERSION}"], check=True)
    low = False
    with serving() as address:
        for shot in (shot for shot in SHOTS if shot.name in PAGES):
            for form in ("mobile", "desktop"):
                scores = measured(program, f"{address}{shot.path}", form, chromium)
                low = low or min(scores) < WANTED
                print(
                    f"{shot.name:12} {form:8}",
                    *(f"{name} {score}" for name, score in zip(CATEGORIES, scores, strict=True)),
                )
    sys.exit(1 if low else 0)


def measured(program: Path, url: str, form: str, chromium: str) -> list[int]:
    """The scores from 0 to 100, in the order of CATEGORIES."""
    asked = [str(program), url, "--quiet", "--output=json", f"--only-categories={','.join(CATEGORIES)}"]
    asked += ["--chrome-flags=--headless=new --no-sandbox --disable-gpu"]
    asked += ["--preset=desktop"] if form == "desktop" else []
    told = subprocess.run(
        asked, env={**os.environ, "CHROME_PATH": chromium}, capture_output=True, check=True, timeout=300
    )
    found = json.loads(told.stdout)["categories"]
    return [round(100 * found[name]["score"]) for name in CATEGORIES]


if __name__ == "__main__":
    main()
