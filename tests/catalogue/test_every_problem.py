"""A broken catalogue: every problem of every file in one answer, each once and at its place, and no false alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.catalogue.folder import SOURCES, read_catalogue
from app.catalogue.load import load_catalogue
from app.errors import CatalogueError, SettingError
from tests.catalogue.test_load import CLAIM, HEAD, problems

if TYPE_CHECKING:
    from pathlib import Path

OTHER = HEAD.replace("a-post", "b-post")


def of_folder(folder: Path) -> list[str]:
    with pytest.raises(CatalogueError) as caught:
        read_catalogue(folder)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def written(folder: Path, **texts: str | bytes) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_a_file_that_is_no_text_hides_no_problem_of_the_others(tmp_path: Path) -> None:
    text = "claims:\n" + CLAIM
    folder = written(
        tmp_path,
        a=HEAD.replace("type: blog", "type: blob") + text,
        b="id: b\ntitle: é\xff\n".encode("latin-1").replace(b"\xe9", "é".encode()),
        c=(OTHER + text).replace("axis: decode_rate", "axis: decode_rat").replace("id: a-claim", "id: c-claim"),
    )
    found = of_folder(folder)
    assert [line.split(": ")[0] for line in found] == ["a.yaml:7:7", "b.yaml:2:9", "c.yaml:19:11"]
    assert "this byte is not UTF-8" in found[1]


def test_a_problem_of_form_hides_no_problem_of_meaning_in_the_same_file() -> None:
    first = CLAIM.replace("axis: decode_rate", "axis: decode_rat")
    second = CLAIM.replace("a-claim", "b-claim").replace("locator: table 1", "round: r9\n    locator: table 1")
    text = HEAD.replace("type: blog", "type: blob") + "claims:\n" + first + second
    assert [line.split(": ")[1] for line in problems(text)] == ["type", "claims[0].axis", "claims[1].round"]


def test_a_problem_of_form_hides_no_problem_of_meaning_in_the_same_claim() -> None:
    claim = CLAIM.replace("axis: decode_rate", "axis: decode_rat").replace("scope: end_to_end", "scope: all")
    claim = claim.replace("acceptance: {kind: none}", "acceptance: {kind: none}\n    supersedes: nothing")
    found = problems(HEAD + "claims:\n" + claim)
    assert [line.split(": ")[1] for line in found] == ["claims[0].axis", "claims[0].scope", "claims[0].supersedes"]


def test_what_a_broken_value_was_needed_for_is_not_told_too() -> None:
    claim = CLAIM.replace("value: 223.50", "value: many").replace("kind: absolute", "kind: ratoi")
    found = problems(HEAD + "claims:\n" + claim)
    assert [line.split(": ")[1] for line in found] == ["claims[0].value", "claims[0].kind"]
    (line,) = problems(HEAD + "claims:\n" + CLAIM.replace("value: 223.50", "valeu: 223.50"))
    assert "did you mean `value`" in line


@pytest.mark.parametrize(
    "broken",
    [
        OTHER.replace("type: blog", "type: blob") + "claims:\n" + CLAIM.replace("a-claim", "b-claim"),
        OTHER + "claims:\n" + CLAIM.replace("a-claim", "b-claim").replace("scope: end_to_end", "scope: all"),
        OTHER + "claims:\n" + CLAIM.replace("a-claim", "b-claim") + "x: [\n",
        OTHER + "claims:\n" + CLAIM.replace("a-claim", "b-claim") + "x: \x07\n",
    ],
)
def test_a_claim_of_a_broken_file_is_there_all_the_same(broken: str) -> None:
    claim = CLAIM.replace("locator:", "supersedes: b-claim\n    repeats: gone\n    locator:")
    found = problems(HEAD + "claims:\n" + claim, ("b.yaml", broken))
    assert len([line for line in found if line.startswith("b.yaml")]) == 1
    assert [line.split(": ", 1)[1] for line in found if line.startswith("a.yaml")] == [
        "claims[0].repeats: `gone` is no claim of the catalogue"
    ]


def test_claims_of_a_file_that_cannot_be_read_are_not_missed(tmp_path: Path) -> None:
    claim = CLAIM.replace("locator:", "repeats: b-claim\n    locator:")
    (written(tmp_path, a=HEAD + "claims:\n" + claim) / "b.yaml").mkdir()
    (line,) = of_folder(tmp_path)
    assert line == "b.yaml:1:1: is a folder; only files may be named *.yaml here"


def test_a_link_to_nothing_is_a_problem_of_its_own(tmp_path: Path) -> None:
    (written(tmp_path, a=HEAD.replace("type: blog", "type: blob") + "claims: []\n") / "b.yaml").symlink_to("nowhere")
    first, second = of_folder(tmp_path)
    assert first.startswith("a.yaml:7:7: type:")
    assert second == "b.yaml:1:1: is a link to nothing; mend it or remove it"


@pytest.mark.parametrize("made", [False, True])
def test_a_folder_without_a_catalogue_is_refused(tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "sorces"
    if made:
        folder.mkdir()
    with pytest.raises(SettingError, match=r"BENCHCARD_CATALOGUE.*sorces.*would be withdrawn") as caught:
        read_catalogue(folder)
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="is no folder"):
        read_catalogue(written(tmp_path, a="id: a\n") / "a.yaml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("groups: [{claims: abc}]\n", "a.yaml:13:19: groups[0].claims: is a list"),
        ("groups: [{claims: {a: b}}]\n", "a.yaml:13:19: groups[0].claims: is a list"),
        ("groups: {a: b}\n", "a.yaml:13:9: groups: is a list"),
        ("groups: ''\n", "a.yaml:13:9: groups: is a list"),
        ("groups: [abc]\n", "a.yaml:13:10: groups[0]: is a mapping"),
        ("groups: [{shared: {kind: ratio}}]\n", "a.yaml:13:10: groups[0].claims: is missing"),
        ("groups: [{shard: {kind: ratio}, claims: []}]\n", "a.yaml:13:18: groups[0].shard: is not a known key"),
        ("claims: {a: b}\n", "a.yaml:13:9: claims: is a list"),
        ("claims: abc\n", "a.yaml:13:9: claims: is a list"),
        ("claims: [abc]\n", "a.yaml:13:10: claims[0]: is a mapping"),
    ],
)
def test_a_group_of_the_wrong_shape_is_told_once_at_its_place(text: str, told: str) -> None:
    (line,) = problems(HEAD + text)
    assert line.startswith(told)


def test_shared_fields_that_are_a_list_are_told() -> None:
    claims = "".join(f"    {line}\n" for line in CLAIM.splitlines())
    (line,) = problems(HEAD + "groups:\n  - shared: [a]\n    claims:\n" + claims)
    assert line.startswith("a.yaml:14:13: groups[0].shared: is a mapping")


def test_a_wrong_shared_field_is_told_once_for_all_its_claims() -> None:
    claim = CLAIM.replace("    kind: absolute\n", "")
    both = "".join(f"    {line}\n" for line in (claim + claim.replace("a-claim", "b-claim")).splitlines())
    (line,) = problems(HEAD + "groups:\n  - shared:\n      kind: absolut\n    claims:\n" + both)
    assert line.startswith("a.yaml:15:13: claims[0].kind:")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("https://example.org/a-post", "javascript:alert(1)"), "a.yaml:3:6: url: is no address of the web"),
        (("https://example.org/a-post", "https://"), "a.yaml:3:6: url: is no address of the web"),
        (("https://example.org/a-post", "https://[::1"), "a.yaml:3:6: url: is no address of the web"),
        (("https://example.org/a-post", "//example.org"), "a.yaml:3:6: url: is no address of the web"),
        (("https://example.org/a-post", "https://example.org/a b"), "a.yaml:3:6: url: is no address of the web"),
        (("https://example.org/a-post", "data:text/html,x"), "a.yaml:3:6: url: is no address of the web"),
        (("type: blog", "more_urls: ['javascript:x']\ntype: blog"), "a.yaml:7:13: more_urls[0]: is no address"),
        (("2026-10-07", "banana"), "a.yaml:8:7: date: is no date"),
        (("2026-10-07", "2026-99-99"), "a.yaml:8:7: date: is no date"),
        (("2026-10-07", "20261007"), "a.yaml:8:7: date: is no date"),
        (("2026-10-07", "2026-13"), "a.yaml:8:7: date: is no date"),
        (("retrieved: 2026-11-29", "retrieved: 86400"), "a.yaml:10:12: retrieved: is no date"),
        (("last_checked: 2026-11-29", "last_checked: 2026-11-31"), "a.yaml:11:15: last_checked: is no date"),
        (("One number.", '"One\\0"'), "a.yaml:12:10: summary: holds the control character U+0000"),
        (("One number.", '"One\\e[31m"'), "a.yaml:12:10: summary: holds the control character U+001B"),
        (("One number.", "x" * 30_000), "a.yaml:12:10: summary: has 30000 characters"),
        (("id: M", '"\\e": M'), "a.yaml:24:32: claims[0].conditions.model.\\x1b: holds the control character U+001B"),
        (("223.50", "1e999999"), "a.yaml:16:12: claims[0].value: is larger than anything measured here"),
        (("223.50", "-1e999999"), "a.yaml:16:12: claims[0].value: is larger than anything measured here"),
        (("223.50", "1e-999999"), "a.yaml:16:12: claims[0].value: is smaller than anything measured here"),
        (("223.50", "0e999999999"), "a.yaml:16:12: claims[0].value: is no number"),
        (("223.50", "1e99999999999999999999"), "a.yaml:16:12: claims[0].value: "),
        (("223.50", "٣"), "a.yaml:16:12: claims[0].value: is no number"),
        (("223.50", "9" * 9000), "a.yaml:16:12: claims[0].value: is larger"),
        (("223.50", "1_000"), "a.yaml:16:12: claims[0].value: is no number"),
        (("223.50", "1." + "1" * 60), "a.yaml:16:12: claims[0].value: has 61 digits"),
        (
            ("{id: M}", "{id: M}, hardware: {count: 99999999999999999999}"),
            "a.yaml:24:52: claims[0].conditions.hardware",
        ),
        (("kind: none}\n    cond", "kind: none, value: 1e400}\n    cond"), "a.yaml:23:35: claims[0].baseline.value"),
    ],
)
def test_what_would_do_harm_later_is_refused_at_its_place(change: tuple[str, str], told: str) -> None:
    text = HEAD + "claims:\n" + CLAIM
    assert change[0] in text
    (line,) = problems(text.replace(change[0], change[1], 1))
    assert line.startswith(told)
    assert len(line) < 300
    assert line.isprintable()


@pytest.mark.parametrize("date", ["2026", "2026-07", "2026-10-07"])
def test_a_date_may_lack_its_day_or_month(date: str) -> None:
    (loaded,) = load_catalogue([("a.yaml", HEAD.replace("2026-10-07", date) + "claims:\n" + CLAIM)])
    assert loaded.source.date == date


@pytest.mark.parametrize("place", ["type: {}", "axis: {}", "unit: {}", "id: a-{}", "retrieved: {}", "round: {}"])
def test_a_long_value_is_repeated_in_part(place: str) -> None:
    long = place.format("y" * 5_000)
    key = place.split(":", maxsplit=1)[0]
    text = HEAD + "claims:\n" + CLAIM.replace("locator:", "round: r\n    locator:")
    lines = [long if line.startswith(f"{key}:") else line for line in text.splitlines()]
    if key in ("axis", "unit", "round"):
        lines = [f"    {long}" if line.startswith(f"    {key}:") else line for line in lines]
    found = problems("\n".join(lines) + "\n")
    assert all(len(line) < 400 for line in found)


def test_the_shipped_catalogue_with_its_lists_has_no_problem() -> None:
    assert len(read_catalogue(SOURCES)) > 20
