"""The `benchcard` command as people and scripts run it: what it prints, and its exit status."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from app.accounts.queries import Accounts
from app.cli import main
from app.clock import SystemClock
from app.commands.accounts import first_sign_in
from app.commands.exits import OK, USAGE
from app.db import Database
from app.settings import Settings
from tests.cards.factories import SOUND, sound
from tests.compare.factories import row
from tests.conftest import migrate
from tests.importers.factories import DATA
from tests.live import live
from tests.site import Site, open_site
from tests.storage.stored import store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import StillClock

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def site(tmp_path: Path, clock: StillClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with two claims; commands find it and a token in the environment."""
    url = f"sqlite:///{tmp_path / 'benchcard.db'}"
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path))
    migrate(url)
    database = Database(url)
    store(database, [row(id="a", rank=1), row(id="b", rank=2, value="200"), row(id="c", axis="tpot", unit="ms")])
    for opened in open_site(database, clock):
        with live(opened.client.app) as address:
            monkeypatch.setenv("BENCHCARD_SERVER", address)
            monkeypatch.setenv("BENCHCARD_TOKEN", opened.token())
            yield opened
    database.close()


def file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_check_prints_every_finding_at_its_place(tmp_path: Path, capsys: Capture) -> None:
    good = file(tmp_path, "good.yaml", SOUND)
    bad = file(tmp_path, "bad.yaml", "hardwre: 3\nruns: {count: true}\n")
    assert main(["card", "check", good]) == 0
    assert capsys.readouterr().out == f"{good}: no errors, 0 warnings, 100 % complete\n"
    assert main(["card", "check", bad, good]) == 1
    assert capsys.readouterr().out.splitlines()[:2] == [
        f"{bad}:1:10: error E-form: hardwre: is not a known key; did you mean `hardware`?",
        f"{bad}:2:15: error E-form: runs.count: not a number (write it with a decimal point and no thousands "
        "separators), got `true`",
    ]


def test_check_lets_a_card_with_warnings_pass(tmp_path: Path, capsys: Capture) -> None:
    path = file(tmp_path, "card.yaml", sound(runs="1"))
    assert main(["card", "check", path]) == 0
    assert f"{path}:13:7: warning W-one-run: runs.count: one run has no spread" in capsys.readouterr().out


def test_check_reads_json_by_json_s_rules(tmp_path: Path, capsys: Capture) -> None:
    assert main(["card", "check", file(tmp_path, "card.json", '{"note": NaN}')]) == 1
    assert "is no JSON value" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_is_wrong_usage(tmp_path: Path, capsys: Capture) -> None:
    assert main(["card", "check", str(tmp_path / "nothing.yaml")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_an_unknown_option_is_wrong_usage(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["card", "check"])
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_cards_are_submitted_and_got_back(site: Site, tmp_path: Path, capsys: Capture) -> None:
    one, two = file(tmp_path, "one.yaml", SOUND), file(tmp_path, "two.yaml", sound(runs="1"))
    assert main(["card", "submit", one, two]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1] == f"{two}:13:7: warning W-one-run: runs.count: one run has no spread"
    made = printed[0].split()[1]
    assert main(["card", "get", made]) == 0
    as_yaml = capsys.readouterr().out
    assert main(["card", "get", made, "--yaml"]) == 0
    assert capsys.readouterr().out == as_yaml
    assert as_yaml.startswith("engine:\n  name: vllm\n")
    assert main(["card", "get", made, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == made


def test_a_card_with_errors_is_not_recorded_and_the_next_one_is(site: Site, tmp_path: Path, capsys: Capture) -> None:
    bad, good = file(tmp_path, "bad.yaml", sound(repeats="aa")), file(tmp_path, "good.yaml", SOUND)
    assert main(["card", "submit", bad, good]) == 1
    printed = capsys.readouterr().out
    assert "error E-repeats: repeats: there is no claim `aa`" in printed
    assert site.get("/api/v1/cards").json()["total"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["card", "get", "nothing"],
        ["card", "get", "nothing", "--json"],
        ["compare", "a", "nothing"],
        ["claims", "--axis", "nothing"],
        ["claims", "--engine", "nobody"],
    ],
)
def test_an_id_or_a_value_that_names_nothing_is_the_answer_no(
    site: Site, arguments: list[str], capsys: Capture
) -> None:
    assert main(arguments) == 1
    assert capsys.readouterr().err.startswith("benchcard: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["card", "submit", "--token", "bcr_wrong", "FILE"],
        ["claims", "--server", "http://127.0.0.1:1"],
        ["card", "get", "nothing", "--server", "SERVER/not-here"],
    ],
)
def test_a_server_that_refuses_or_is_not_there_is_3(
    site: Site, tmp_path: Path, arguments: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.client.PAUSES_S", ())
    path = file(tmp_path, "card.yaml", SOUND)
    given = {"FILE": path, "SERVER/not-here": f"{os.environ['BENCHCARD_SERVER']}/not-here"}
    assert main([given.get(item, item) for item in arguments]) == 3
    assert capsys.readouterr().err.startswith("benchcard: ")


def test_claims_are_listed_for_people_and_for_scripts(site: Site, capsys: Capture) -> None:
    assert main(["claims", "--axis", "decode_rate", "--sort=-value"]) == 0
    assert [line.split("\t")[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["b", "200 tok/s"],
        ["a", "100 tok/s"],
    ]
    assert main(["claims", "--axis", "tpot", "--axis", "decode_rate", "--limit", "1", "--json"]) == 0
    page = json.loads(capsys.readouterr().out)
    assert (page["total"], len(page["items"]), page["next"] is None) == (3, 1, False)


@pytest.mark.parametrize("option", ["--limit=0", "--sort=best", "--kind=odd"])
def test_a_question_that_cannot_be_asked_is_wrong_usage(site: Site, option: str, capsys: Capture) -> None:
    assert main(["claims", option]) == 2
    assert "benchcard claims: --" in capsys.readouterr().err


def test_compare_says_the_verdict_first_and_tells_it_by_its_status(site: Site, capsys: Capture) -> None:
    assert main(["compare", "a", "b"]) == 0
    assert capsys.readouterr().out.startswith("comparable\n")
    assert main(["compare", "a", "c"]) == 1
    assert capsys.readouterr().out.startswith("not comparable\nThese two cannot be ranked")
    assert main(["compare", "a", "c", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "not_comparable"


def test_a_token_is_made_listed_and_revoked(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path / "new"))
    assert main(["token", "create", "--scope", "submit", "--scope", "runner", "--name", "Ana's script"]) == 0
    token = capsys.readouterr().out.strip()
    database = Database(Settings().url())
    accounts = Accounts(database, SystemClock())
    actor = accounts.of_token(token)
    assert actor is not None
    assert (actor.name, actor.scopes) == ("Ana's script", frozenset({"submit", "runner"}))
    assert main(["token", "list"]) == 0
    assert capsys.readouterr().out.startswith(f"{actor.id}\tAna's script\tsubmit runner\tmade ")
    assert main(["token", "revoke", actor.id]) == 0
    assert accounts.of_token(token) is None
    assert main(["token", "revoke", "nothing"]) == 1
    database.close()


@pytest.mark.parametrize("arguments", [["--scope", "all"], [], ["--scope", "submit", "--name", "\n"]])
def test_a_token_has_a_scope_and_a_printable_name(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["token", "create", *arguments])
    assert ended.value.code == 2


@pytest.mark.parametrize("command", [["token", "create", "--scope", "submit"], ["sign-in"]])
def test_where_two_people_are_wanted_nobody_is_given_a_name_that_others_have(
    command: list[str], site: Site, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHCARD_HOST", "10.0.0.5")
    assert main(command) == USAGE
    assert "everybody of one name counts as one person" in capsys.readouterr().err
    assert main([*command, "--name", "Ana"]) == OK
    monkeypatch.setenv("BENCHCARD_SECOND_APPROVER", "false")
    assert main(command) == OK


def test_a_runner_is_nobody_who_approves(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHCARD_SECOND_APPROVER", "true")
    assert main(["token", "create", "--scope", "runner"]) == OK


def test_sign_in_prints_a_link_that_works(site: Site, capsys: Capture) -> None:
    assert main(["sign-in", "--name", "Ana"]) == 0
    link = capsys.readouterr().out.split("link=")[1].split()[0]
    assert site.client.request("POST", "/sign-in", content=f"link={link}").status_code in (303, 401)


def test_a_first_start_has_a_link_and_a_later_one_none(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path)
    migrate(settings.url())
    first = first_sign_in(settings, "http://127.0.0.1:8123")
    assert first is not None
    assert first.startswith("http://127.0.0.1:8123/sign-in?link=")
    assert first_sign_in(settings, "") not in (None, first)
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path))
    assert main(["token", "create", "--scope", "maintain"]) == 0
    assert first_sign_in(settings, "") is None


def test_import_tells_what_a_file_holds_and_what_it_lacks(capsys: Capture) -> None:
    path = str(DATA / "vllm_ngram_detailed.json")
    assert main(["import", path]) == 0
    said = capsys.readouterr().out
    assert f"{path}: vllm bench serve, 1 measurement\n" in said
    assert "121.596 tok/s output_throughput" in said
    assert "mind T20: max_output_tokens_per_s" in said
    assert "engine.version: Which exact engine version or commit?" in said
    assert main(["import", path, "--set", "engine.version=0.33.0"]) == 0
    assert "engine.version" not in capsys.readouterr().out
    assert main(["import", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cards"][0]["axis"] == "output_throughput"


def test_import_refuses_what_is_no_result_and_answers_that_fit_nowhere(tmp_path: Path, capsys: Capture) -> None:
    path = file(tmp_path, "x.json", '{"a": \n 1')
    assert main(["import", path]) == 1
    assert f"{path}:2:" in capsys.readouterr().err
    good = str(DATA / "vllm_ngram_detailed.json")
    assert main(["import", good, "--set", "engine.versoin=1"]) == 1
    assert "--set engine.versoin: is not a known key; did you mean `version`?" in capsys.readouterr().err
    assert main(["import", str(tmp_path / "nothing")]) == 2
    assert "No such file" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["import", good, "--set", "engine.version"])
    assert "is not FIELD=VALUE" in capsys.readouterr().err


def test_import_records_every_measurement_on_the_server(site: Site, capsys: Capture, tmp_path: Path) -> None:
    path = str(DATA / "guidellm_sweep.json")
    said = {"engine": "vllm 0.33.0", "hardware": "1x H200", "workload.concurrency": "3", "speculation.method": "off"}
    sets = [part for field, text in said.items() for part in ("--set", f"{field}={text}")]
    assert main(["import", path, "--record", *sets]) == 1
    assert capsys.readouterr().err == f"{path}: workload.concurrency: the file itself states this; leave it out\n"
    del sets[4:6]
    assert main(["import", path, "--record", *sets]) == 0
    cards = site.get("/api/v1/cards").json()["items"]
    assert capsys.readouterr().out.count(" recorded, ") == len(cards) > 1
    assert {card["hardware"] for card in cards} == {"H200"}
    assert main(["import", file(tmp_path, "x.json", "{}"), "--record"]) == 1
    assert "not a result of any tool known here" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["foo", "http://", "http://[::1", "http://a:port", "ftp://a", "http://\x1b"])
def test_an_address_that_is_none_is_wrong_usage(address: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["claims", "--server", address]) == 2
    assert capsys.readouterr().err.startswith("benchcard: --server: `")
    monkeypatch.setenv("BENCHCARD_SERVER", address)
    assert main(["claims"]) == 2
    assert capsys.readouterr().err.startswith("benchcard: BENCHCARD_SERVER: `")


@pytest.mark.parametrize("token", ["bcr_é", "bcr_a\nb", "bcr_a b"])
def test_a_token_that_is_none_is_wrong_usage_and_not_repeated(
    token: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHCARD_TOKEN", token)
    assert main(["claims", "--server", "http://127.0.0.1:1"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("benchcard: BENCHCARD_TOKEN is no token")
    assert token not in told
