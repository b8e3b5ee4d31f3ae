"""`benchcard runners`, against the real application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli import main
from app.commands.exits import OK
from tests.api.test_job_access import lease
from tests.commands.test_jobs import site

if TYPE_CHECKING:
    import pytest

    from tests.site import Site

__all__ = ["site"]  # the fixture


def test_runners_are_listed_drained_retired_and_taken_back(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    token = site.token("runner")
    assert lease(site, token).status_code == 200
    assert main(["runners", "list"]) == OK
    seen = f"last seen {site.clock.now():%Y-%m-%d %H:%M} UTC"
    assert capsys.readouterr().out == f"one\tfree\t{seen}\t\n"
    assert main(["runners", "retire", "one"]) != OK
    assert "scope `maintain`" in capsys.readouterr().err
    monkeypatch.setenv("BENCHCARD_TOKEN", site.token("maintain", name="Mia"))
    said = []
    for action in ("drain", "retire", "resume"):
        assert main(["runners", action, "one"]) == OK
        said.append(capsys.readouterr().out.split("\t")[1])
        assert lease(site, token, f"request-{action}").status_code == (403 if action == "retire" else 200)
    assert said == ["draining", "retired", "free"]
