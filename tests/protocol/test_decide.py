"""A launch is as free as its least free part, and every part is told."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.policy import census
from app.protocol.policy.advisories import ADVISORIES, Advisory, advisories, number
from app.protocol.policy.decide import Decision, decide
from tests.protocol.launches import COMMIT, PIN, launch


def decided(*models: str, **given: Any) -> Decision:
    wanted = launch(**given)
    return decide(wanted, census.of(wanted.engine, wanted.version), models or (PIN,))


def test_a_plain_launch_of_a_listed_model_runs_at_once_and_every_part_is_listed() -> None:
    found = decided(flags={"max-num-seqs": 16, "enforce-eager": True}, env={"OMP_NUM_THREADS": "1"})
    assert found.level == "allow"
    assert [(item.kind, item.name, item.value, item.reason) for item in found.items] == [
        ("version", "vllm", "0.32.0", ""),
        ("model", "model", PIN, ""),
        ("weights", "weights", "real", ""),
        ("flag", "max-num-seqs", 16, ""),
        ("flag", "enforce-eager", True, ""),
        ("env", "OMP_NUM_THREADS", "1", ""),
    ]


def test_the_worst_part_decides_and_each_has_its_own_reason() -> None:
    found = decided(flags={"trust-remote-code": True, "enable-lora": True, "max-num-seqs": 1}, env={"LD_PRELOAD": "x"})
    levels = {item.name: item.level for item in found.items}
    assert (found.level, levels["trust-remote-code"], levels["enable-lora"]) == ("never", "never", "approve")
    assert (levels["max-num-seqs"], levels["LD_PRELOAD"]) == ("allow", "never")
    assert found.against("never") == [
        "trust-remote-code: It runs code of a model's repository.",
        "LD_PRELOAD: It makes the system's loader or C library load or do something else.",
    ]
    assert found.against("approve") == ["enable-lora: It loads or serves adapters."]


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ({}, "allow"),
        ({"model": "other/tiny"}, "approve"),
        ({"revision": None}, "approve"),
        ({"revision": COMMIT[::-1]}, "approve"),
        ({"weights": "dummy"}, "allow"),
        ({"weights": "dummy", "flags": {"load-format": "dummy"}}, "allow"),
        ({"weights": "dummy", "flags": {"load-format": "auto"}}, "never"),
        ({"weights": "real", "flags": {"load-format": "dummy"}}, "never"),
        ({"weights": "real", "flags": {"load-format": "safetensors"}}, "allow"),
    ],
)
def test_models_run_unasked_by_their_commit_and_random_weights_where_the_launch_says_so(
    given: dict[str, Any], level: str
) -> None:
    assert decided(**given).level == level


@pytest.mark.parametrize(
    "given",
    [
        {"flags": {"tokenizer-revision": "{KEY}"}},
        {"flags": {"speculative-config": {"method": "ngram", "model": "x{PORT}"}}},
        {"env": {"OMP_NUM_THREADS": "{SCRATCH}"}},
    ],
)
def test_what_looks_like_a_place_of_the_runner_s_own_never_runs(given: dict[str, Any]) -> None:
    (told,) = decided(**given).against("never")
    assert "so is written what the runner puts in itself" in told


@pytest.mark.parametrize(
    ("engine", "version", "told"),
    [
        ("vllm", "0.33.1", "have not been sorted"),
        ("vllm", "0.17.9", "CVE-2026-27893"),
        ("vllm", "0.13.0", "CVE-2026-22807"),
        ("vllm", "0.9.0", "CVE-2025-66448"),
        ("sglang", "0.5.10", "CVE-2026-"),
        ("sglang", "0.4.0", "CVE-2026-5760"),
    ],
)
def test_a_version_without_a_census_or_with_code_that_runs_unasked_never_starts(
    engine: str, version: str, told: str
) -> None:
    found = decided(engine=engine, version=version)
    assert found.level == "never"
    names = [item.reference for item in advisories(engine, version)]
    assert any(told in text for text in (*found.against("never"), *names))


def test_an_advisory_refuses_a_version_though_its_census_is_there() -> None:
    new = census.of("vllm", "0.32.0")
    assert decide(launch(version="0.17.9"), new, (PIN,)).against("never") == [
        "vllm: CVE-2026-27893: code of a model's repository runs although trust_remote_code is off "
        "(fixed in vllm 0.18.0); CVE-2026-53923: a GGUF file overflows a GPU buffer (fixed in vllm 0.23.1)"
    ]
    assert decide(launch(version="0.20.0"), new, (PIN,)).against("approve") == [
        "vllm: CVE-2026-53923: a GGUF file overflows a GPU buffer (fixed in vllm 0.23.1)"
    ]


def test_a_refused_version_names_every_weakness_with_the_first_version_without_it_and_the_worst_first() -> None:
    (reason,) = decided(version="0.12").against("never")
    for item in ADVISORIES:
        named = f"{item.reference}: {item.text} (fixed in vllm {item.below})"
        assert (named in reason) is (item in advisories("vllm", "0.12"))
    assert [part[:14] for part in reason.split("; ")] == [
        "vllm: CVE-2026", "CVE-2026-22778", "CVE-2026-27893", "the options of", "CVE-2026-24779", "CVE-2026-53923",
    ]  # fmt: skip


@pytest.mark.parametrize("item", ADVISORIES, ids=lambda item: item.reference)
def test_each_weakness_refuses_its_versions_up_to_the_first_that_is_fixed(item: Advisory) -> None:
    assert item in advisories(item.engine, item.since)
    assert (item.below or "no version") in item.told
    if item.below:
        assert item not in advisories(item.engine, item.below)
        assert item not in advisories(item.engine, item.below.removesuffix(".0"))


def test_an_advisory_of_a_flag_refuses_the_flag_and_nothing_else() -> None:
    assert decided(engine="sglang", version="0.5.23").level == "allow"
    (reason,) = decided(engine="sglang", version="0.5.23", flags={"enable-custom-logit-processor": True}).against(
        "never"
    )
    assert reason.startswith("enable-custom-logit-processor: CVE-2026-7304: ")
    assert "(fixed in no version that is known here); It " in reason
    bound = [item for item in ADVISORIES if item.flags]
    for item in bound:
        rules = census.rules(item.engine).flags
        assert all(rules.refusal(flag) for flag in item.flags), "refused in every version, whatever the advisory says"


@pytest.mark.parametrize(("version", "told"), [("0.17.9", True), ("0.18.0", False), ("0.10.0", False)])
def test_a_version_has_the_advisories_that_name_it(version: str, told: bool) -> None:
    assert ("CVE-2026-27893" in [item.reference for item in advisories("vllm", version)]) is told


def test_versions_are_compared_as_numbers() -> None:
    assert number("0.32.0+cpu") == number("0.32") < number("0.32.1")
    assert number("0.9.2") < number("0.10.0rc1")
    with pytest.raises(ValueError, match="begins with numbers"):
        number("latest")
