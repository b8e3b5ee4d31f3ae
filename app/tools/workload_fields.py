"""What the workload tool asks for. Pure data."""

from __future__ import annotations

from app.language import N_
from app.tools.asked import Field

_SHAPE, _LOAD, _RATES = N_("Medians of your requests"), N_("Sessions and load"), N_("Your own rates, if you know them")

FIELDS = (
    Field(
        "input_tokens",
        N_("Input tokens"),
        "count",
        N_("Of one request, the whole history with it."),
        "142000",
        "tokens",
        needed=True,
        group=_SHAPE,
    ),
    Field(
        "output_tokens",
        N_("Output tokens"),
        "count",
        N_("Of one request, reasoning with it."),
        "444",
        "tokens",
        needed=True,
        group=_SHAPE,
    ),
    Field(
        "prefix_hit_rate",
        N_("Prefix-hit rate"),
        "percent",
        N_("Share of the input that the prefix cache already holds."),
        "96",
        "%",
        group=_SHAPE,
    ),
    Field(
        "turns",
        N_("Turns of a session"),
        "count",
        N_("Requests that go on from one another."),
        "43",
        "turns",
        group=_LOAD,
    ),
    Field("concurrency", N_("Concurrency"), "count", N_("Requests that are held at once."), "64", group=_LOAD),
    Field(
        "gpu_prefill_rate",
        N_("Prefill of one GPU at full load"),
        "number",
        N_("With the next one."),
        "26156",
        "tok/s/GPU",
        group=_RATES,
    ),
    Field("gpu_decode_rate", N_("Decode of one GPU at full load"), "number", "", "13386", "tok/s/GPU", group=_RATES),
    Field(
        "one_prefill_rate",
        N_("Prefill of one request alone"),
        "number",
        N_("Prompt tokens / TTFT. With the next one."),
        "31436",
        "tok/s",
        group=_RATES,
    ),
    Field(
        "one_decode_rate",
        N_("Decode of one request alone"),
        "number",
        N_("1,000 / TPOT in ms."),
        "159",
        "tok/s",
        group=_RATES,
    ),
)
PAIRS = (("gpu_prefill_rate", "gpu_decode_rate"), ("one_prefill_rate", "one_decode_rate"))
