"""One side of a report as a claim: what was really run, in the words of the catalogue. Pure.

Only what the report shows is said: a fact that an engine chose by itself stays not stated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.cards import names
from app.cards.schema import Parallelism
from app.claims import schema as claims
from app.jobs import simulated
from app.jobs.flags import sizes_of
from app.jobs.matching import chip
from app.jobs.plans import RANDOM_IDS, length

if TYPE_CHECKING:
    from app.protocol.launch import Launch
    from app.protocol.outcome import Report
    from app.protocol.plan import Plan, Point, SideName

SIZES = {
    "vllm": {
        "tensor-parallel-size": "tp", "pipeline-parallel-size": "pp", "data-parallel-size": "dp",
        "decode-context-parallel-size": "dcp", "prefill-context-parallel-size": "pcp",
    },
    "sglang": {"tp-size": "tp", "pp-size": "pp", "dp-size": "dp", "ep-size": "ep"},
}  # fmt: skip
DTYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16"}
CACHE_OFF = {"vllm": ("enable-prefix-caching", False), "sglang": ("disable-radix-cache", True)}
CLIENT = "Benchcard"
MOST = 10**6  # GPUs, replicas or drafted tokens: what is more is none
LONGEST = 200  # characters of a name


def as_claim(claim: claims.Claim, report: Report, side: SideName, point: int) -> claims.Claim:
    """The claim with the conditions of that side at that point in the place of its own, and nothing else changed."""
    conditions, acceptance = conditions_of(report, side, point, claim.conditions)
    return claim.model_copy(update={"conditions": conditions, "acceptance": acceptance})


def conditions_of(
    report: Report, side: SideName, point: int, stated: claims.Conditions
) -> tuple[claims.Conditions, claims.Acceptance]:
    """What was run there; in the spelling of `stated` where that means the same."""
    plan = report.plan
    launch = next((item.launch for item in plan.sides if item.name == side), None)
    acceptance = claims.Acceptance(kind="not_stated")
    work, load = _workload(plan, launch, stated.workload), _load(plan.points[point])
    conditions = claims.Conditions(workload=work, load=load, client=CLIENT)
    if launch is not None:
        conditions = conditions.model_copy(update=_of_launch(launch, report, side, stated))
        if conditions.speculation.method == "off":
            acceptance = claims.Acceptance(kind="none")
        elif simulated.is_simulated(launch):
            acceptance = claims.Acceptance(kind="simulated", target=simulated.length(launch))
        else:
            acceptance = claims.Acceptance(kind="measured")
    return conditions, acceptance


def _of_launch(launch: Launch, report: Report, side: SideName, stated: claims.Conditions) -> dict[str, Any]:
    told = next((item for item in report.sides if item.side == side), None)
    version = _line(told.engine_version.partition("+")[0]) if told and told.engine_version else None
    gpu = report.machine.gpus[0].name if report.machine.gpus else None
    hardware = claims.Hardware(accelerator=_line(chip(gpu) if gpu else None), count=launch.gpus or None)
    return {
        "engine": claims.Engine(name=names.engine(launch.engine), version=version or launch.version.partition("+")[0]),
        "model": claims.Model(id=names.model(launch.model), revision=launch.revision, weights=launch.weights),
        "hardware": hardware if launch.gpus else _of_cpu(report.machine.processor, stated.hardware),
        "parallelism": _layout(launch, stated),
        "dtypes": claims.Dtypes(weights=_dtype(launch), kv=_kv(launch)),
        "speculation": _speculation(launch),
        "execution": "eager" if launch.flags.get("enforce-eager") is True else None,
    }


def _of_cpu(processor: str, stated: claims.Hardware) -> claims.Hardware:
    """A processor, in the spelling of `stated` where that means the same; no GPU is counted then."""
    if stated.accelerator and names.is_cpu(stated.accelerator) and names.same_cpu(stated.accelerator, processor):
        return claims.Hardware(accelerator=stated.accelerator, count=stated.count)
    return claims.Hardware(accelerator=_line(processor))


def _layout(launch: Launch, given: claims.Conditions) -> str | None:
    """The sizes in the claim's own spelling where it means the same ("TP8 + EP8" is "attention TP8, MoE EP8")."""
    sizes = sizes_of_launch(launch)
    stated = sizes_of(given)
    if stated and all(sizes.get(name, 1) == stated.get(name, 1) for name in {*sizes, *stated}):
        return given.parallelism
    return names.parallelism(Parallelism.model_validate({"tp": 1, **sizes}), names.model(launch.model))


def sizes_of_launch(launch: Launch) -> dict[str, int]:
    """tp, pp, dp, ep ... as the flags set them; what none sets is 1, and what is no size of anything is not stated."""
    sizes = {
        size: value
        for flag, size in SIZES[launch.engine].items()
        if (value := _whole(launch.flags.get(flag))) is not None
    }
    if launch.flags.get("enable-expert-parallel") is True:
        sizes["ep"] = min(sizes.get("tp", 1) * sizes.get("dp", 1), MOST)
    return sizes


def _whole(value: object) -> int | None:
    return value if type(value) is int and 1 <= value <= MOST else None


def _line(text: str | None) -> str | None:
    """None for what is no name of anything."""
    bare = " ".join((text or "").split())
    return bare if 0 < len(bare) <= LONGEST else None


def _dtype(launch: Launch) -> str | None:
    quantised = launch.flags.get("quantization")
    given = _line(str(quantised or launch.flags.get("dtype") or "auto"))
    return None if given in (None, "auto") else DTYPES.get(str(given), given)


def _kv(launch: Launch) -> str | None:
    given = _line(str(launch.flags.get("kv-cache-dtype") or "auto"))
    if given == "auto":  # that of the model, where the launch says it
        return None if launch.flags.get("quantization") else _dtype(launch)
    return DTYPES.get(str(given), given)


def _speculation(launch: Launch) -> claims.Speculation:
    config = launch.flags.get("speculative-config")
    if isinstance(config, dict):
        method, drafts = config.get("method"), config.get("num_speculative_tokens")
    elif (algorithm := launch.flags.get("speculative-algorithm")) is not None:
        counted = _whole(launch.flags.get("speculative-num-draft-tokens"))
        method, drafts = algorithm, counted - 1 if counted is not None else None  # it counts the tree's root
    else:
        return claims.Speculation(method="off")
    named = _line(method) if isinstance(method, str) else None
    return claims.Speculation(method=names.method(named), draft_tokens=_whole(drafts))


def _workload(plan: Plan, launch: Launch | None, stated: claims.Workload) -> claims.Workload:
    work = plan.workload
    flag, off = CACHE_OFF[launch.engine] if launch else ("", True)
    cache = "off" if launch and launch.flags.get(flag) is off else work.prefix_cache
    return claims.Workload(
        name=None,
        input_tokens=_as_stated(work.input_tokens, stated.input_tokens),
        output_tokens=_as_stated(work.output_tokens, stated.output_tokens),
        dataset=RANDOM_IDS,
        seed=str(work.seed),
        temperature="0",
        ignore_eos=True,
        prefix_cache=cache,
        turns=str(work.turns),
    )


def _as_stated(tokens: int, stated: str | None) -> str:
    """In the source's own spelling where it means the same: 8192 is its "8K"."""
    return stated if stated is not None and length(stated) == tokens else str(tokens)


def _load(point: Point) -> claims.Load:
    rate = None if point.rate is None else f"{point.rate:g}"
    return claims.Load(concurrency=None if point.concurrency is None else str(point.concurrency), rate=rate)
