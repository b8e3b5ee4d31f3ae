"""A claim's conditions as an engine's own flags; a command line is read in app.jobs.command_line. Pure.

Names come from the engines' tables (runners.engines); what has no flag there is noted and left to the engine.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.cards import names
from app.cards.from_claim import parallelism
from app.jobs import simulated
from app.language import _, number
from app.protocol.engines import ENGINES
from app.protocol.engines.recipe import Speculation
from app.protocol.policy.decide import LOAD_FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from app.claims.schema import Acceptance, Conditions
    from app.jobs.command_line import Flag
    from app.jobs.notes import Notes
    from app.protocol.engines.table import Engine

SIZES = {"tp": "tensor_parallel", "pp": "pipeline_parallel", "dp": "data_parallel"}
DTYPES = {"bf16": "bfloat16", "fp16": "float16"}
KV_DTYPES = frozenset({"fp8", "fp8_e4m3", "fp8_e5m2"})
SELF_DRAFTING = frozenset({"mtp", "ngram", "dspark"})  # methods that need no second model
EAGER = {"vllm": "enforce-eager"}
FORCED = ("simulated", "synthetic")
EXPERTS: dict[str, tuple[str, bool]] = {"vllm": ("enable-expert-parallel", True), "sglang": ("ep-size", False)}
CPU_MEMORY = 0.4
TP_EP = re.compile(r"TP(\d+) \+ EP(\d+)")


def of_conditions(given: Conditions, acceptance: Acceptance, engine: str, notes: Notes) -> dict[str, Flag]:
    """The flags that make a server what the conditions say, as far as flags can."""
    table = ENGINES[engine]
    found: dict[str, Flag] = {}
    for setting, value in (*_sizes(given, notes), *_dtypes(given, notes)):
        found |= table.settings[setting](value)
    found |= _experts(given, engine, notes)
    found |= _execution(given, engine, notes)
    found |= _speculation(given, table, acceptance, notes)
    for item in given.approximations or ():
        notes.assume(
            _("{what}: left to the engine, no flag for it is known here").format(
                what=f"{item.name} {'on' if item.on else 'off'}"
            )
        )
    return found


def gpus_of(given: Conditions) -> int | None:
    """GPUs by the stated count, else by the sizes of the parallelism; 0 where a processor is stated, None where nothing
    says it."""
    if names.is_cpu(given.hardware.accelerator):
        return 0
    if given.hardware.count is not None:
        return given.hardware.count
    sizes = sizes_of(given)
    if not sizes:
        return None
    size = 1
    for name in ("tp", "pp", "pcp"):
        size *= sizes.get(name, 1)
    return max(size, sizes.get("dp", 1), sizes.get("ep", 1))


def sizes_of(given: Conditions) -> dict[str, int]:
    """tp, pp, dp, ep ... of the catalogue's spelling; empty where it is told in words."""
    together = TP_EP.fullmatch(given.parallelism or "")
    block = {"tp": together[1], "ep": together[2]} if together else parallelism(given.parallelism, given.model.id)
    return {name: int(size) for name, size in block.items() if size.isdigit()}


def forced_environment(acceptance: Acceptance, engine: str, notes: Notes) -> dict[str, str]:
    """The variables that force an acceptance length, where a claim was measured under one."""
    length = _forced_length(acceptance)
    if length is not None:
        return simulated.environment(engine, length)
    if acceptance.kind in FORCED:
        notes.lack(_("acceptance was {kind}, and the source states no length of it").format(kind=acceptance.kind))
    return {}


def _forced_length(acceptance: Acceptance) -> Decimal | None:
    """Tokens a step; None where none is forced, or to no stated length."""
    return acceptance.target or acceptance.length or acceptance.ceiling if acceptance.kind in FORCED else None


def on_cpu(engine: str, notes: Notes) -> dict[str, Flag]:
    """What an engine needs besides to start on a machine that has other work too: vLLM's default is 92 % of the whole
    memory, also on a CPU, and more than is free is an error."""
    if engine != "vllm":
        return {}
    notes.assume(
        _("memory that the engine may take: {share} of the machine's, as it runs on the CPU").format(
            share=number(CPU_MEMORY, ".0%")
        )
    )
    return {"gpu-memory-utilization": CPU_MEMORY}


def weights_of(stated: str | None, flags: Mapping[str, Flag], notes: Notes) -> str | None:
    """What a launch's weights are: as its conditions state them, else random where its own flags load such."""
    given = flags.get(LOAD_FORMAT)
    if given is None:
        return stated
    if stated is not None and (stated == "dummy") != (given == "dummy"):
        notes.lack(
            _("--{load_format} {given} and weights stated as {stated} contradict each other").format(
                load_format=LOAD_FORMAT, given=given, stated=stated
            )
        )
    return "dummy" if given == "dummy" else stated


def _sizes(given: Conditions, notes: Notes) -> Iterator[tuple[str, Any]]:
    sizes = sizes_of(given)
    if given.parallelism and not sizes:
        notes.lack(_("parallelism `{parallelism}` is not that of one server").format(parallelism=given.parallelism))
    for name, size in sizes.items():
        if name in SIZES and size > 1:
            yield SIZES[name], size
        elif name in ("pcp", "dcp") and size > 1:
            notes.lack(_("no flag for {name} {size} is known here").format(name=name.upper(), size=size))
    if given.workload.prefix_cache == "off":
        yield "prefix_cache", False


def _dtypes(given: Conditions, notes: Notes) -> Iterator[tuple[str, Any]]:
    weights, kv = given.dtypes.weights, given.dtypes.kv
    if weights in DTYPES:
        yield "dtype", DTYPES[weights]
    elif weights is not None:
        notes.assume(_("weight type {weights}: that of the checkpoint, no flag sets it").format(weights=weights))
    if kv in KV_DTYPES:
        yield "kv_cache_dtype", kv
    elif kv is not None and kv != weights:
        notes.assume(_("KV cache type {kv}: left to the engine, no flag for it is known here").format(kv=kv))


def _experts(given: Conditions, engine: str, notes: Notes) -> dict[str, Flag]:
    size = sizes_of(given).get("ep", 1)
    if (given.parallelism or "").startswith(("DEP", "attention DP")) and engine == "sglang":
        notes.lack(
            _("parallelism `{parallelism}`: its flags differ from version to version of SGLang").format(
                parallelism=given.parallelism
            )
        )
    if size <= 1:
        return {}
    name, switch = EXPERTS[engine]
    return {name: True if switch else size}


def _execution(given: Conditions, engine: str, notes: Notes) -> dict[str, Flag]:
    if given.execution is None:
        return {}
    if given.execution == "eager" and engine in EAGER:
        return {EAGER[engine]: True}
    notes.assume(
        _("execution `{execution}`: left to the engine, no flag for it is known here").format(execution=given.execution)
    )
    return {}


def _speculation(given: Conditions, table: Engine, acceptance: Acceptance, notes: Notes) -> Mapping[str, Flag]:
    method, drafts = given.speculation.method, given.speculation.draft_tokens
    if method is None and acceptance.kind in ("measured", "simulated", "synthetic"):
        notes.lack(_("the source states no method of speculation"))
        return {}
    if method is None:
        notes.assume(_("speculation: off; the source states none"))
    if method in (None, "off"):
        return {}
    if method.casefold() not in SELF_DRAFTING:
        notes.lack(
            _("speculation by {method} needs a draft model, which the source does not name").format(method=method)
        )
    if drafts is None:
        notes.lack(_("the source states no number of draft tokens"))
        return {}
    length = _forced_length(acceptance)
    more = {} if length is None else simulated.speculation(table.name, length)
    return table.speculate(Speculation(method.casefold(), drafts, more))
