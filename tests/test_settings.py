"""Settings: only documented names count, an empty one is unset, and a wrong one is told under the name it came by."""

from __future__ import annotations

import re

import pytest

from app.cli import main
from app.errors import SettingError
from app.settings import ROOT, Settings, names, read_settings


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in Settings.model_fields:
        for name in names(field):
            monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["HOST", "DATA", "CATALOGUE", "DATABASE_URL", "host", "port", "data", "catalogue"])
def test_names_of_other_programs_are_not_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unset = read_settings()
    monkeypatch.setenv(name, "x86_64-conda-linux-gnu")
    assert read_settings() == unset


def test_an_empty_setting_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    unset = read_settings()
    for field in Settings.model_fields:
        for name in names(field):
            monkeypatch.setenv(name, "")
    assert read_settings() == unset
    assert read_settings().url() == "sqlite:///data/benchcard.db"


def test_the_longer_name_of_the_port_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "8001")
    assert read_settings().port == 8001
    monkeypatch.setenv("BENCHCARD_PORT", "8002")
    assert read_settings().port == 8002


@pytest.mark.parametrize(("name", "value"), [("PORT", "many"), ("PORT", "70000"), ("BENCHCARD_PORT", "-1")])
def test_a_wrong_setting_is_told_under_the_name_that_it_was_given_by(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, value)
    assert main(["catalogue", "check"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"benchcard: setting {name}: ")
    assert told.endswith(f"got `{value}`\n")


def test_a_wrong_setting_is_repeated_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "\x1b" + "9" * 5000)
    with pytest.raises(SettingError) as caught:
        read_settings()
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("::1", "http://[::1]:80"),
        ("box", "http://box:80"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(host: str, address: str) -> None:
    assert Settings(host=host, port=80).address() == address


def test_every_setting_is_documented() -> None:
    listed = set(re.findall(r"^\| `([A-Z_]+)`", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert listed == {name for field in Settings.model_fields for name in names(field)} - {"BENCHCARD_PORT"}


@pytest.mark.parametrize(
    ("host", "said", "two"),
    [
        ("127.0.0.1", "", False),
        ("127.0.0.7", "", False),
        ("::1", "", False),
        ("localhost", "", False),
        ("0.0.0.0", "", True),
        ("::", "", True),
        ("10.0.0.5", "", True),
        ("bench.example", "", True),
        ("0.0.0.0", "false", False),
        ("127.0.0.1", "true", True),
    ],
)
def test_an_approval_takes_two_people_where_others_can_reach_the_server(
    host: str, said: str, two: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHCARD_HOST", host)
    monkeypatch.setenv("BENCHCARD_SECOND_APPROVER", said)
    assert read_settings().two_people is two
