"""What the policy allows, an engine is started with: every allowed option becomes one argument of its version's own."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.engines import ENGINES
from app.protocol.exact import started
from app.protocol.policy import census, values
from app.protocol.policy.decide import decide
from runners.engines.helptext import flags
from tests.protocol.launches import COMMIT, PIN, launch
from tests.runners.engines.texts import VERSIONS, help_of

TEXTS = {"attention-backend": "FLASH_ATTN", "mamba-backend": "triton", "speculative-draft-attention-backend": "fa3"}


def example(name: str, rule: values.Rule, choices: tuple[str, ...]) -> Any:
    """A value that the rule lets through at once."""
    found: Any = None  # needs approval
    match rule:
        case values.Switch():
            found = True
        case values.Range():
            found = int(rule.high) if rule.whole else rule.high
        case values.Choice():
            found = choices[0]
        case values.OneOf():
            found = rule.allowed[0]
        case values.Pattern():
            found = TEXTS[name]
        case values.Keys():
            found = {}
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_every_allowed_option_becomes_an_argument(engine: str) -> None:
    found = census.of(engine, VERSIONS[engine])
    assert found is not None
    tried = 0
    for name, rule in found.rules.flags.allow.items():
        option = found.options.get(name)
        value = example(name, rule, option.choices) if option else None
        if value is None or name == "load-format":  # an older version's, or one that needs approval; see below
            continue
        wanted = launch(engine, VERSIONS[engine], flags={name: value})
        assert decide(wanted, found, (PIN,)).level == "allow", name
        argv = [word.text for word in started(wanted).argv]
        told = [item for item in argv if item == f"--{name}" or item.startswith(f"--{name}=")]
        assert (name, len(told)) == (name, 1)
        tried += 1
    assert tried > 80


@pytest.mark.parametrize("engine", ENGINES)
def test_a_launch_names_its_commit_and_random_weights_are_an_argument(engine: str) -> None:
    real, random = (launch(engine, VERSIONS[engine], weights=weights) for weights in ("real", "dummy"))
    (commit,) = [word for word in started(real).argv if word.text.startswith("--revision")]
    assert (commit.text, commit.only_with) == (f"--revision={COMMIT}", "CACHED")  # a folder has no commits
    assert not [word for word in started(real).argv if word.text.startswith("--load-format")]
    assert "--load-format=dummy" in [word.text for word in started(random).argv]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_census_of_a_version_is_what_its_help_says(engine: str) -> None:
    found = census.of(engine, VERSIONS[engine])
    assert found is not None
    known = {flag.name: flag for flag in flags(help_of(engine)).values()}
    assert found.options.keys() == known.keys()
    for name, option in found.options.items():
        flag = known[name]
        assert (option.takes_value, option.choices) == (flag.takes_value, flag.choices)
        assert option.others == (*flag.names[1:], *flag.short)
