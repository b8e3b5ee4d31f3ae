"""No spelling that an engine's own parser would take leads to an option that is refused (test S1 of the plan).

Generated: every refused option of every version in the census, in every form, by the app's decision and by a runner's
own policy alone, which here takes every approval.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from app.protocol.policy.decide import decide
from tests.protocol.launches import CENSUSES, PIN, WIDEST, launch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.protocol.policy.census import Census, Option

FORMS = {"canonical", "underscore", "dashes", "equals", "space", "prefix", "dotted", "other", "negative", "upper"}


def spellings(option: Option, census: Census) -> Iterator[tuple[str, str]]:
    """(form, text as a flag's name)."""
    name = option.name
    yield "canonical", name
    yield "underscore", name.replace("-", "_")
    yield "negative", f"no-{name}"
    yield "upper", name.upper()
    for dashes in ("-", "--"):
        yield "dashes", dashes + name
    for text in (name, f"--{name}", name.replace("-", "_")):
        yield "equals", f"{text}=x"
        yield "space", f"{text} x"
        yield "dotted", f"{text}.key"
        yield "dotted", f"{text}.key=x"
    for other in option.others:
        yield from (("other", text) for text in (other, f"-{other}", f"--{other}", f"{other}=x", f"{other}.key"))
    for start in beginnings(name, census):
        yield from (("prefix", text) for text in (start, f"--{start}", start.replace("-", "_"), f"{start}=x"))


def beginnings(name: str, census: Census) -> list[str]:
    """Those of its beginnings that no other option has, nor is named by."""
    names = sorted(census.options)
    place = names.index(name)
    beside = (*names[max(0, place - 1) : place], *names[place + 1 : place + 2])
    starts = (name[:end] for end in range(1, len(name)))
    return [start for start in starts if start not in census.further and not any(o.startswith(start) for o in beside)]


def refused(census: Census, text: str, value: object) -> bool:
    """By both sides, each alone."""
    try:
        wanted = launch(census.engine, census.version, flags={text: value})
    except ValidationError:
        return True  # a launch of that name cannot even be made, by either side
    app = decide(wanted, census, {PIN}).level == "never"
    return app and bool(WIDEST.refusals(wanted, approved=True))


@pytest.mark.parametrize("name", CENSUSES)
def test_a_refused_option_is_refused_however_it_is_spelled(name: str) -> None:
    census = CENSUSES[name]
    assert census is not None
    tried: Counter[str] = Counter()
    through = []
    for option in census.options.values():
        if census.rules.flags.refusal(option.name) is None:
            continue
        for form, text in spellings(option, census):
            tried[form] += 1
            value = "x" if option.takes_value else True
            if not refused(census, text, value):
                through.append((form, text))
    assert not through
    assert set(tried) >= FORMS - {"other"}
    assert tried.total() > 2000


@pytest.mark.parametrize("name", ["vllm-0.32.0", "sglang-0.5.23"])
def test_an_allowed_option_is_taken_by_its_full_name_alone_and_the_name_is_told(name: str) -> None:
    census = CENSUSES[name]
    assert census is not None
    for option in list(census.options.values())[::8]:
        for form, text in spellings(option, census):
            if form in ("canonical", "upper"):
                continue
            assert census.flag(text, True).level == "never"
            assert census.canonical(text) == option.name, (form, text)
            assert f"write it as {option.name}," in census.spelling(text)


def test_what_is_like_nothing_is_told_the_nearest() -> None:
    census = CENSUSES["vllm-0.32.0"]
    assert census is not None
    assert census.spelling("max-model-length") == "vllm 0.32.0 has no such option; the nearest is max-model-len"
    assert census.spelling("zzz") == "vllm 0.32.0 has no such option"
