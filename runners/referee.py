"""The server's own counters as referee: what they say of a run, beside what the client saw. Pure."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from app.language import F_, N_
from runners.engines.counters import accepted
from runners.load.verdict import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.protocol.engines.table import Quantity
    from runners.engines.counters import Counters
    from runners.load.metrics import Metrics
    from runners.load.verdict import Client, Limits

Json = dict[str, Any]
COUNTS: tuple[Quantity, ...] = ("generated_tokens", "prompt_tokens", "cached_tokens", "preemptions")
# Key -> (the server's histogram, the client's distribution, words, share and ms that are no disagreement). The server
# stamps before a token crosses its HTTP layer and the network, so a first token may reach the client somewhat later.
TIMES: dict[str, tuple[Quantity, str, str, float, float]] = {
    "ttft_ms": ("ttft_s", "ttft_ms", N_("TTFT"), 0.1, 5.0),
    "tpot_ms": ("tpot_s", "tpot_ms", N_("TPOT"), 0.05, 0.2),
    "e2e_ms": ("e2e_s", "e2e_ms", N_("end-to-end latency"), 0.05, 5.0),
}
MORE = F_("mean {said} is {number} ms at the client, {number_apart} ms more than at the server")
LESS = F_("mean {said} is {number} ms at the client, {number_apart} ms less than at the server")
OF_SOME = F_("{said}, by the {known} of {all} runs that have both")
COUNTED_SHARE = 0.005  # by which counts may differ and still be the same count


@dataclass(frozen=True, slots=True)
class Seen:
    """What the client saw of one run. Means in ms; None where a request failed or nothing is defined."""

    output_tokens: int
    input_tokens: int | None
    failed: int
    lag_ms: float
    means: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Told:
    """One run as the server's counters tell it, beside the client's view."""

    added: Counters
    seen: Seen


def seen(metrics: Metrics, client: Client) -> Seen:
    """The client's side of a run."""
    means: dict[str, float | None] = {}
    for name, (_, own, *_) in TIMES.items():
        found = getattr(metrics, own)
        means[name] = found.mean if found is not None and math.isfinite(found.mean) else None
    return Seen(metrics.output_tokens, metrics.input_tokens, metrics.failed, client.lag_p99_ms, means)


def judge(told: Told, limits: Limits, *, cold: bool) -> list[Reason]:
    """Why the run is no result by the server's counters. `cold`: nothing of its prompts was to be in the cache."""
    added, own = told.added, told.seen
    reasons = _count("generated_tokens", "generated", added, own.output_tokens, own)
    reasons += _count("prompt_tokens", "read as prompts", added, own.input_tokens, own)
    cached, prompt = added.value("cached_tokens"), added.value("prompt_tokens")
    if cold and cached and prompt and cached > limits.cached_share * prompt:
        message = f"{cached:.0f} of {prompt:.0f} prompt tokens came from the prefix cache by the server's own counters"
        reasons.append(Reason("warm_cache", f"{message}, and it was to be cold"))
    return reasons


def _count(quantity: Quantity, words: str, added: Counters, counted: int | None, own: Seen) -> list[Reason]:
    """Tokens of failed requests are known to nobody but the server, so that more of them are no disagreement then."""
    said = added.value(quantity)
    if said is None or counted is None or abs(said - counted) <= COUNTED_SHARE * max(said, counted):
        return []
    if own.failed and said > counted:
        return []
    rule = f"server_{quantity}"
    why = "other requests ran beside the run" if said > counted else "it did not see all of them"
    return [Reason(rule, f"by the server's own counters {said:.0f} tokens were {words}, not {counted}: {why}")]


def findings(runs: Sequence[Told]) -> list[str]:
    """Where the client's times and the server's disagree: in every run to the same side, beyond what is usual."""
    said = []
    for name, (quantity, *_) in TIMES.items():
        pairs = [(run.added.mean_ms(quantity), run.seen.means[name], run.seen.lag_ms) for run in runs]
        said.append(finding(name, pairs))
    return [text for text in said if text is not None]


def finding(name: str, pairs: Sequence[tuple[float | None, float | None, float]]) -> str | None:
    """The same of one of TIMES: each run's mean by the server, by the client, and that one's lag, in ms. None where
    they agree. A run without one of its means, such as one with a failed request, is left out, which is told."""
    _, _, words, share, slack_ms = TIMES[name]
    known = [(server, own, lag) for server, own, lag in pairs if server is not None and own is not None]
    if not known:
        return None
    beyond = [own - server for server, own, lag in known if abs(own - server) > share * server + slack_ms + lag]
    if len(beyond) < len(known) or min(beyond) < 0 < max(beyond):
        return None
    server, own = median(pair[0] for pair in known), median(pair[1] for pair in known)
    form = MORE if own > server else LESS
    text = form.format(said=words, number=f"{own:.4g}", number_apart=f"{abs(own - server):.3g}")
    return text if len(known) == len(pairs) else OF_SOME.format(said=text, known=len(known), all=len(pairs))


def as_json(added: Counters) -> Json:
    """What a run added to the server's counters; null is not stated. Times are means in ms."""
    spoken = accepted(added)
    counts = {name: added.value(name) for name in COUNTS}
    return {
        "engine": added.engine,
        **{name: None if value is None else int(value) for name, value in counts.items()},
        **{name: added.mean_ms(quantity) for name, (quantity, *_) in TIMES.items()},
        "event_gap_ms": added.mean_ms("itl_s"),
        "acceptance": asdict(spoken) if spoken else None,
    }


def over_runs(runs: Sequence[Told]) -> Json | None:
    """All runs: counts are sums, times medians of the means, with the client's beside them; None without counters."""
    if not runs:
        return None
    each = [as_json(run.added) for run in runs]
    values: Json = {"engine": each[0]["engine"]}
    values |= {name: _all([run[name] for run in each], sum) for name in COUNTS}
    values |= {name: _all([run[name] for run in each], median) for name in (*TIMES, "event_gap_ms")}
    values["acceptance"] = each[0]["acceptance"] if len(each) == 1 else [run["acceptance"] for run in each]
    client: Json = {
        "output_tokens": sum(run.seen.output_tokens for run in runs),
        "input_tokens": _all([run.seen.input_tokens for run in runs], sum),
    }
    client |= {name: _all([run.seen.means[name] for run in runs], median) for name in TIMES}
    return {**values, "client": client, "findings": findings(runs)}


def withheld(found: Json | None) -> Json | None:
    """What is left of it for a run that is no result: its counts, and nothing measured."""
    if found is None:
        return None
    kept = ("engine", *COUNTS)
    return {name: value if name in kept else None for name, value in found.items()}


def _all(values: list[Any], of: Any) -> Any:
    return None if None in values else of(values)


def as_text(found: Json | None) -> list[str]:
    """The same for people."""
    if found is None:
        return []
    own = found["client"]
    lines = [
        "",
        f"  the server's own counters ({found['engine']}), with the client's number in brackets:",
        f"    {_said(found['generated_tokens'])} tokens generated ({own['output_tokens']}), "
        f"{_said(found['prompt_tokens'])} of prompts ({_said(own['input_tokens'])}), "
        f"{_said(found['cached_tokens'])} of them from the prefix cache",
    ]
    for name, (_, _, words, *_) in TIMES.items():
        if found[name] is not None:
            beside = "" if own[name] is None else f" ({own[name]:.4g})"
            lines.append(f"    mean {words} {found[name]:.4g}{beside} ms")
    spoken = found["acceptance"]
    for item in spoken if isinstance(spoken, list) else [spoken]:
        if item is not None:
            rate = "" if item["rate"] is None else f", rate {item['rate']:.3g}"
            lines.append(f"    acceptance length by {item['definition']}'s definition {item['length']:.4g}{rate}")
    return [*lines, *(f"    finding: {finding}" for finding in found["findings"])]


def _said(value: int | None) -> str:
    return "not stated" if value is None else str(value)
