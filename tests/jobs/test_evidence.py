"""A bundle travels: the same measurement is the same bytes, and what is changed in it is found offline."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from app.cards.load import read_bytes
from app.jobs.evidence import check
from app.results import bundle
from app.results.bundle import BundleError
from tests.jobs.bundles import files_of, with_crate, written
from tests.jobs.runs import plan, write_trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.protocol.plan import Plan


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes | Path]:
    return files_of(tmp_path)


def checked(tmp_path: Path, source: Path) -> tuple[str, ...]:
    return check(source, tmp_path / "unpacked").differences


def changed(source: Path, change: Callable[[dict[str, bytes]], None], *, manifest: bool = True) -> Path:
    """The bundle with other contents, with a manifest that fits them where told so."""
    with zipfile.ZipFile(source) as opened:
        content = {name: opened.read(name) for name in opened.namelist()}
    change(content)
    if manifest:
        of_crate = {name: data for name, data in content.items() if name != "MANIFEST"}
        content = dict(with_crate(of_crate))  # type: ignore[arg-type]
        lines = [
            f"{hashlib.sha256(data).hexdigest()}  {len(data)}  {name}\n"
            for name, data in sorted(content.items())
            if name != "MANIFEST"
        ]
        content["MANIFEST"] = "".join(lines).encode()
    with zipfile.ZipFile(source, "w") as made:
        for name, data in content.items():
            made.writestr(name, data)
    return source


def problems(tmp_path: Path, source: Path, **limits: Any) -> list[tuple[str, str]]:
    with pytest.raises(BundleError) as raised:
        check(source, tmp_path / "unpacked", **limits)
    return [(item.path, item.message) for item in raised.value.problems]


@pytest.mark.parametrize("of", [plan(), plan(sides=2), plan(points=(1, 2)), plan(gpus=0)])
def test_a_bundle_verifies_on_a_machine_that_has_nothing_else(tmp_path: Path, of: Plan) -> None:
    assert checked(tmp_path, written(tmp_path, files_of(tmp_path, of))) == ()


def test_the_same_measurement_is_the_same_bytes(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    one, two = written(tmp_path, files, "one.zip"), written(tmp_path, dict(reversed(files.items())), "two.zip")
    assert one.read_bytes() == two.read_bytes()


def test_what_is_not_compressed_already_is(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    with zipfile.ZipFile(written(tmp_path, files)) as opened:
        kinds = {item.filename: item.compress_type for item in opened.infolist()}
    stored = {name for name, kind in kinds.items() if kind == zipfile.ZIP_STORED}
    assert stored == {name for name in kinds if name.endswith(".parquet")}
    assert {kinds[name] for name in kinds.keys() - stored} == {zipfile.ZIP_DEFLATED}


def test_the_layout_is_the_documented_one(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    with zipfile.ZipFile(written(tmp_path, files)) as opened:
        names = opened.namelist()
        crate = json.loads(opened.read("ro-crate-metadata.json"))
        card = opened.read("cards/a-0.yaml")
    assert names == [
        "MANIFEST", "README.md", "cards/a-0.yaml", "claim.json", "log.txt", "measurement.json", "numbers.json",
        "plan.json",
        "report.json", "ro-crate-metadata.json", "traces/a-0-1.parquet", "traces/a-0-2.parquet",
        "traces/a-0-3.parquet", "verdict.json",
    ]  # fmt: skip
    listed = {item["@id"] for item in crate["@graph"]}
    assert listed == {"./", *names} - {"MANIFEST"}
    assert read_bytes(card, "card", "yaml").card is not None
    assert yaml.safe_load(card)["result"]["unit"] == "ms"


def test_a_number_that_was_changed_is_found_although_its_hash_is_right(
    tmp_path: Path, files: dict[str, bytes | Path]
) -> None:
    def faster(content: dict[str, bytes]) -> None:
        said = json.loads(content["numbers.json"])
        said["sets"][0]["tpot_ms"]["median"] = 5.0
        content["numbers.json"] = json.dumps(said).encode()

    (difference, *others) = checked(tmp_path, changed(written(tmp_path, files), faster))
    assert others == []
    assert difference.startswith("numbers.sets[0].tpot_ms.median: the bundle says 5.0, its report and traces say 10.0")


def test_a_verdict_that_was_changed_is_found(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    def better(content: dict[str, bytes]) -> None:
        content["verdict.json"] = content["verdict.json"].replace(b'"within"', b'"above"')

    found = checked(tmp_path, changed(written(tmp_path, files), better))
    assert 'verdict.status: the bundle says "above", its report and traces say "within"' in found


def test_the_assumptions_travel_and_the_verdict_is_checked_with_them(
    tmp_path: Path, files: dict[str, bytes | Path]
) -> None:
    found = check(written(tmp_path, files), tmp_path / "whole")
    assert found.measurement.assumptions == ("prompts: uniform random token ids; the source states none",)

    def fewer(content: dict[str, bytes]) -> None:
        content["measurement.json"] = json.dumps(json.loads(content["measurement.json"]) | {"assumptions": []}).encode()

    assert any(
        text.startswith("verdict.assumptions") for text in checked(tmp_path, changed(written(tmp_path, files), fewer))
    )


def test_a_bundle_from_before_assumptions_were_kept_verifies(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    def older(content: dict[str, bytes]) -> None:
        for name in ("measurement.json", "verdict.json"):
            said = json.loads(content[name])
            del said["assumptions"]
            content[name] = json.dumps(said).encode()

    assert checked(tmp_path, changed(written(tmp_path, files), older)) == ()


def test_a_bundle_from_before_failures_were_told_apart_verifies(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    def before(content: dict[str, bytes]) -> None:
        numbers = json.loads(content["numbers.json"])
        for run in numbers["sets"][0]["runs"]:
            del run["failures"]
        content["numbers.json"] = json.dumps(numbers).encode()

    def one_left(content: dict[str, bytes]) -> None:
        numbers = json.loads(content["numbers.json"])
        numbers["sets"][0]["runs"][0]["failures"] = [{"kind": "timeout", "count": 1, "first": ""}]
        content["numbers.json"] = json.dumps(numbers).encode()

    assert checked(tmp_path, changed(written(tmp_path, files), before)) == ()
    (tmp_path / "two").mkdir()
    told = checked(tmp_path / "two", changed(written(tmp_path, files), one_left))
    assert [text.partition(":")[0] for text in told] == ["numbers.sets[0].runs[0].failures"]


@pytest.mark.parametrize("given", [None, "all", [1], {}, ["x"] * 101])
def test_assumptions_that_are_no_sentences_are_told(
    tmp_path: Path, files: dict[str, bytes | Path], given: object
) -> None:
    about = json.loads(bytes(files["measurement.json"]))
    files["measurement.json"] = json.dumps(about | {"assumptions": given}).encode()
    told = problems(tmp_path, written(tmp_path, files))
    assert {(path, "assumptions" in message) for path, message in told} == {("measurement.json", True)}


def test_a_trace_that_was_changed_is_found(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    write_trace(tmp_path / "other.parquet", 4, 2, 20.0, 3.0)

    def swapped(content: dict[str, bytes]) -> None:
        content["traces/a-0-2.parquet"] = (tmp_path / "other.parquet").read_bytes()

    source = written(tmp_path, files)
    assert any(".runs[1].tpot_ms" in item for item in checked(tmp_path, changed(source, swapped)))


def test_a_trace_that_no_run_has_is_named(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    files["traces/more.parquet"] = b"?"
    assert checked(tmp_path, written(tmp_path, files)) == ("traces/more.parquet: no run of the report has this trace",)


def test_a_byte_that_was_changed_is_refused_with_its_place(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    def other(content: dict[str, bytes]) -> None:
        content["log.txt"] = content["log.txt"].replace(b"a line", b"A line")

    found = problems(tmp_path, changed(written(tmp_path, files), other, manifest=False))
    assert found == [("log.txt", "its bytes are not those of the manifest (SHA-256 differs)")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../outside.txt", "has no place in a bundle"),
        ("/etc/passwd", "has no place in a bundle"),
        ("traces/../../x", "has no place in a bundle"),
        ("traces\\x", "has no place in a bundle"),
        ("C:/x", "has no place in a bundle"),
        ("traces/", "has no place in a bundle"),
        ("cards/a-0.yaml/x", "has no place in a bundle"),
        ("traces/x\n", "has no place in a bundle"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_and_nothing_is_written(
    tmp_path: Path, files: dict[str, bytes | Path], name: str, said: str
) -> None:
    source = changed(written(tmp_path, files), lambda content: content.update({name: b"x"}), manifest=False)
    ((_, message),) = problems(tmp_path, source)
    assert message == said
    assert not (tmp_path / "unpacked").exists()


def test_a_file_that_is_missing_or_not_listed_is_refused(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    source = changed(written(tmp_path, files), lambda content: content.pop("plan.json"), manifest=False)  # type: ignore[arg-type]
    assert problems(tmp_path, source) == [("plan.json", "is missing")]
    source = changed(source, lambda content: content.update({"plan.json": b"{}", "traces/z": b""}), manifest=False)
    assert ("traces/z", "is not in the manifest") in problems(tmp_path, source)


def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    files["traces/zeros.parquet"] = b"\0" * (30 << 20)
    source = written(tmp_path, files)
    with zipfile.ZipFile(source) as opened:
        content = {name: opened.read(name) for name in opened.namelist()}
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in content.items():
            made.writestr(name, data)
    assert source.stat().st_size < 1 << 20
    ((_, message),) = problems(tmp_path, source, most_bytes=20 << 20)
    assert message == "it unpacks to 32 MB; at most 21 MB are read"


def test_a_bomb_that_lies_about_its_size_stops_at_it(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    files["traces/zeros.parquet"] = b"\0" * 1024
    source = written(tmp_path, files)
    with zipfile.ZipFile(source) as opened:
        content = {name: opened.read(name) for name in opened.namelist()}
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in content.items():
            made.writestr(name, b"\0" * (8 << 20) if name == "traces/zeros.parquet" else data)
        made.getinfo("traces/zeros.parquet").file_size = 1024
    ((path, _),) = problems(tmp_path, source)
    assert path == "traces/zeros.parquet"
    assert (tmp_path / "unpacked" / path).stat().st_size <= 1024


@pytest.mark.parametrize("keep", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_a_bundle_that_was_cut_off_is_no_bundle(tmp_path: Path, files: dict[str, bytes | Path], keep: float) -> None:
    source = written(tmp_path, files)
    whole = source.read_bytes()
    source.write_bytes(whole[: int(len(whole) * keep)])
    assert problems(tmp_path, source)[0][1].startswith("this is no whole zip file")


@pytest.mark.parametrize("name", ["plan.json", "report.json", "numbers.json", "claim.json", "measurement.json"])
@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 5000, b'{"format": 1e999}'])
def test_a_file_that_is_not_what_it_should_be_is_named(
    tmp_path: Path, files: dict[str, bytes | Path], name: str, data: bytes
) -> None:
    files[name] = data
    source = written(tmp_path, files)
    assert {path for path, _ in problems(tmp_path, source)} == {name}


def test_a_corrupt_trace_in_a_bundle_is_a_reason_and_no_error(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    files["traces/a-0-1.parquet"] = b"PAR1 broken"
    found = check(written(tmp_path, files), tmp_path / "unpacked")
    assert any("trace_unreadable" in reason for reason in found.numbers["reasons"])
    assert found.differences


ABOUT = "measurement.json"


@pytest.mark.parametrize(
    ("name", "said"),
    [("numbers.json", b'"valid": "no", "valid": true, "'), ("report.json", b'"format": 2, "format": 1, "'),
     ("plan.json", b'"kind": "sweep", "kind": "point", "'), (ABOUT, b'"id": "m2", "id": "m1", "'),
     ("claim.json", b'"id": "x", "id": "y", "'), ("verdict.json", b'"status": "above", "status": "within", "'),
     ("ro-crate-metadata.json", b'"@graph": [], "@graph": [], "')],
)  # fmt: skip
def test_a_key_that_stands_twice_is_refused_whichever_reader_would_take_which(
    tmp_path: Path, files: dict[str, bytes | Path], name: str, said: bytes
) -> None:
    source = written(tmp_path, files)

    def twice(content: dict[str, bytes]) -> None:
        text = with_crate(dict(content))[name]
        content[name] = bytes(text).replace(b'"', said, 1)

    (path, message), *_ = problems(tmp_path, rewritten(source, twice))
    assert path == name
    assert "stands twice; keep one" in message


def rewritten(source: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """With a manifest that fits, and the crate left as it is."""
    with zipfile.ZipFile(source) as opened:
        content = {name: opened.read(name) for name in opened.namelist() if name != "MANIFEST"}
    change(content)
    bundle.write(source, content)
    return source


@pytest.mark.parametrize(
    "number", [b"1" + b"0" * 400, b"1" + b"0" * 5000, b"1e400", b"NaN", b"-Infinity", b'"\\ud800"']
)
def test_what_no_number_or_text_is_is_told_and_no_error(
    tmp_path: Path, files: dict[str, bytes | Path], number: bytes
) -> None:
    def odd(content: dict[str, bytes]) -> None:
        content["numbers.json"] = content["numbers.json"].replace(b'"format": 2', b'"format": ' + number)

    source = changed(written(tmp_path, files), odd)
    try:
        assert checked(tmp_path, source)[0].startswith("numbers.format: the bundle says 10000000")
    except BundleError as error:
        assert error.problems[0].path == "numbers.json"


def test_a_verdict_without_its_claim_is_none(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    del files["claim.json"]
    found = checked(tmp_path, written(tmp_path, files))
    assert "verdict.json: there is no claim.json that it could be a verdict on" in found


def test_a_card_that_says_more_than_the_traces_is_found(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    card = bytes(files["cards/a-0.yaml"])
    files["cards/a-0.yaml"] = card.replace(b"value: 10.02", b"value: 1.02")
    files["cards/a-7.yaml"] = card
    found = checked(tmp_path, written(tmp_path, files))
    assert found == (
        "cards/a-7.yaml: the plan has no such point",
        'cards/a-0.yaml.result.value: the bundle says "1.02", its report and traces say "10.02"',
    )


@pytest.mark.parametrize("data", [b"", b"result: {value: 99999999}", b"- x", b"a: 1\na: 2", b"&a [*a]", b"\xff"])
def test_a_card_that_is_none_is_told(tmp_path: Path, files: dict[str, bytes | Path], data: bytes) -> None:
    files["cards/a-0.yaml"] = data
    found = checked(tmp_path, written(tmp_path, files))
    assert found
    assert all(item.startswith("cards/a-0.yaml") for item in found)


@pytest.mark.parametrize("name", ["cards/a-0.yaml", "ro-crate-metadata.json"])
def test_what_follows_from_the_rest_may_not_be_missing(
    tmp_path: Path, files: dict[str, bytes | Path], name: str
) -> None:
    del files[name]
    assert checked(tmp_path, written(tmp_path, files)) == (f"{name}: is missing",)


def test_a_crate_that_tells_of_other_files_is_found(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    source = written(tmp_path, files)

    def other(content: dict[str, bytes]) -> None:
        crate = content["ro-crate-metadata.json"]
        content["ro-crate-metadata.json"] = crate.replace(b"The log of the attempt", b"The log of another attempt")

    (found,) = checked(tmp_path, rewritten(source, other))
    assert 'the bundle says "The log of another attempt"' in found


@pytest.mark.parametrize(
    ("change", "said"),
    [({"kind": "ab"}, "measurement.kind"), ({"claim_id": "another"}, "claim.json: it is the claim"),
     ({"claim_id": None}, "claim.json: it is the claim")],
    ids=["kind", "claim", "none"],
)  # fmt: skip
def test_what_the_bundle_says_of_itself_must_be_what_it_holds(
    tmp_path: Path, files: dict[str, bytes | Path], change: dict[str, Any], said: str
) -> None:
    about = json.loads(bytes(files[ABOUT]))
    files[ABOUT] = json.dumps(about | change).encode()
    assert any(item.startswith(said) for item in checked(tmp_path, written(tmp_path, files)))


@pytest.mark.parametrize(
    "change", [{"more": 1}, {"created_at": "yesterday"}, {"id": 5}, {"created_by": "a\u001b[31mb"}]
)
def test_what_a_bundle_says_of_itself_is_read_strictly(
    tmp_path: Path, files: dict[str, bytes | Path], change: dict[str, Any]
) -> None:
    about = json.loads(bytes(files[ABOUT]))
    files[ABOUT] = json.dumps(about | change).encode()
    assert {path for path, _ in problems(tmp_path, written(tmp_path, files))} == {ABOUT}


def test_what_nobody_can_compute_again_is_listed(tmp_path: Path, files: dict[str, bytes | Path]) -> None:
    found = check(written(tmp_path, files), tmp_path / "unpacked")
    assert [text.partition(":")[0] for text in found.on_trust] == [
        "traces", "report.json", "plan.json and the assumptions", "measurement.json", "claim.json", "log.txt",
        "README.md",
    ]  # fmt: skip
