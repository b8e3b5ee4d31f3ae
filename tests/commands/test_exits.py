"""One table of exit statuses for the whole command, and it is the one in the README."""

from __future__ import annotations

import re

from app.commands import exits
from app.settings import ROOT
from runners.commands import NOT_VALID


def test_the_readme_repeats_the_table() -> None:
    rows = re.findall(r"^\| (\d) \| (.*) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert {int(status): meaning for status, meaning in rows} == exits.TABLE


def test_a_measured_run_that_is_not_valid_has_the_status_of_no_result() -> None:
    assert NOT_VALID == exits.SERVER
    assert "not valid" in exits.TABLE[NOT_VALID]
