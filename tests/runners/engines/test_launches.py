"""What the policy allows, an engine is started with: every allowed option becomes one argument of its version's own."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.policy import census, values
from app.protocol.policy.decide import decide
from runners.engines import ENGINES
from runners.engines.helptext import flags
from runners.engines.recipe import Own, command, of_launch
from tests.protocol.launches import COMMIT, PIN, launch
from tests.runners.engines.texts import VERSIONS, help_of

OWN = Own(4711, "secret", "benchcard-nonce")
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
    known = flags(help_of(engine))
    tried = 0
    for name, rule in found.rules.flags.allow.items():
        option = found.options.get(name)
        value = example(name, rule, option.choices) if option else None
        if value is None or name == "load-format":  # an older version's, or one that needs approval; see below
            continue
        wanted = launch(engine, VERSIONS[engine], flags={name: value})
        assert decide(wanted, found, (PIN,)).level == "allow", name
        argv = command(ENGINES[engine], of_launch(wanted, wanted.model), OWN, known, "cuda").argv
        told = [item for item in argv if item == f"--{name}" or item.startswith(f"--{name}=")]
        assert (name, len(told)) == (name, 1)
        tried += 1
    assert tried > 80


@pytest.mark.parametrize("engine", ENGINES)
def test_a_launch_names_its_commit_and_random_weights_are_an_argument(engine: str) -> None:
    known = flags(help_of(engine))
    real, random = (launch(engine, VERSIONS[engine], weights=weights) for weights in ("real", "dummy"))
    argv = command(ENGINES[engine], of_launch(real, real.model), OWN, known, "cuda").argv
    assert f"--revision={COMMIT}" in argv
    assert not [item for item in argv if item.startswith("--load-format")]
    argv = command(ENGINES[engine], of_launch(random, "/stored/tiny"), OWN, known, "cuda").argv
    assert "--load-format=dummy" in argv
    assert "/stored/tiny" in " ".join(argv)
    assert not [item for item in argv if item.startswith("--revision")]  # a folder has no commits


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
