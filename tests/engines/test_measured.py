"""Both real engines, measured end to end on a CPU. Counts and verdicts are asserted, never speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.protocol.engines import ENGINES
from runners.engines.helptext import flags
from tests.engines import stories
from tests.engines.stories import DRAFTS, REQUESTS, SHAPE
from tests.runners.engines.texts import VERSIONS, help_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engines.stories import Story

    Tell = Callable[[str, str], Story]

TOKENS = REQUESTS * SHAPE.output_tokens
PROMPTS = REQUESTS * SHAPE.input_tokens
engines = pytest.mark.parametrize("engine", ENGINES)
kinds = pytest.mark.parametrize("kind", ["plain", "ngram"])


@engines
def test_the_kept_help_text_is_the_one_of_the_installed_version(engine: str) -> None:
    assert stories.installed(engine).flags(stories.SITES[engine]) == flags(help_of(engine))


@kinds
@engines
def test_client_and_server_count_the_same_tokens(engine: str, kind: str, story: Tell) -> None:
    found = story(engine, kind).cold
    assert (found["valid"], found["reasons"]) == (True, [])
    assert (found["requests"], found["failed"], found["counting"]) == (REQUESTS, 0, "token_ids")
    assert (found["output_tokens"], found["input_tokens"]) == (TOKENS, PROMPTS)
    beside = found["referee"]
    assert (beside["engine"], beside["generated_tokens"], beside["prompt_tokens"]) == (engine, TOKENS, PROMPTS)


@kinds
@engines
def test_a_cleared_cache_has_no_hits_and_a_warm_one_spoils_the_run(engine: str, kind: str, story: Tell) -> None:
    told = story(engine, kind)
    assert told.cold["referee"]["cached_tokens"] == told.cleared["referee"]["cached_tokens"] == 0
    assert told.cleared["valid"]
    assert (told.warm["valid"], told.warm["runs"][0]["rules"]) == (False, ["warm_cache"])
    assert told.warm["referee"]["cached_tokens"] >= PROMPTS // 4


def test_both_engines_say_the_same_tokens_with_and_without_speculation(story: Tell) -> None:
    """A processor may round two nearly equal choices apart for a request or two; a wrong kernel changes them all."""
    first, *others = [story(engine, kind).outputs for engine in ENGINES for kind in ("plain", "ngram")]
    assert None not in first
    for other in others:
        assert sum(one == same for one, same in zip(first, other, strict=True)) > REQUESTS // 2


@engines
def test_speculation_brings_several_tokens_in_one_event_and_is_accepted_in_part(engine: str, story: Tell) -> None:
    found = story(engine, "ngram").cold
    assert max(found["tokens_per_event"]) > 1
    assert sum(int(size) * number for size, number in found["tokens_per_event"].items()) == TOKENS
    accepted = found["referee"]["acceptance"]
    assert accepted["definition"] == engine
    assert 1 < accepted["length"] < 1 + DRAFTS
    if engine == "vllm":
        assert 0 < accepted["rate"] < 1
    else:  # SGLang counts no drafts: what its steps brought beside one token each was one
        assert 0 < TOKENS - REQUESTS - accepted["steps"] < DRAFTS * accepted["steps"]
    assert story(engine, "plain").cold["referee"]["acceptance"] is None


@kinds
@engines
def test_a_server_says_its_version_and_leaves_nothing(engine: str, kind: str, story: Tell) -> None:
    told = story(engine, kind)
    assert (told.known.version, bool(told.known.info)) == (VERSIONS[engine], True)
    assert (told.freed.survivors, told.freed.free) == ([], True)


@engines
def test_every_name_of_the_table_is_one_that_this_version_shows(engine: str, story: Tell) -> None:
    shown = story(engine, "ngram").counters
    missing = set(ENGINES[engine].metrics) - set(shown.values) - set(shown.histograms)
    assert missing == set()
