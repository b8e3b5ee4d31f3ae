"""The field's words: the one list. A word that names an axis is defined there and nowhere again. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.axes.registry import TOOLS
from app.language import N_


@dataclass(frozen=True)
class Term:
    """`spellings` as texts write it, the first is how the glossary heads it; `axis` where it names one, which then
    defines it. `source`: where the meaning was taken from."""

    key: str
    spellings: tuple[str, ...]
    says: str
    unit: str = ""
    source: str = ""
    axis: str = ""


OURS = N_("Benchcard's own use of the word")
VLLM, SGLANG = TOOLS["vllm bench"], TOOLS["sglang bench_serving"]
DOCUMENTED = N_("documentation of {vllm} and {sglang}")
TERMS: tuple[Term, ...] = (
    Term(
        "ttft", ("TTFT",), N_("Time to first token: how long a user waits until an answer begins."), "ms", axis="ttft"
    ),
    Term("tpot", ("TPOT",), N_("Time per output token after the first one."), "ms", axis="tpot"),
    Term("itl", ("ITL", "token ITL"), N_("Inter-token latency: the time between two tokens."), "ms", axis="token_itl"),
    Term("event-gap", ("event gap",), N_("The time between two stream events."), "ms", axis="event_gap"),
    Term("e2el", ("E2EL", "end-to-end latency"), N_("The whole time of a request."), "ms", axis="e2e_latency"),
    Term("decode-rate", ("decode rate",), N_("How fast one stream writes."), "tok/s", axis="decode_rate"),
    Term(
        "tok-s",
        ("tok/s",),
        N_(
            "Tokens per second. Of one stream, one user or the whole server: the axis says which, and whether input "
            "tokens are counted too."
        ),
        "tok/s",
        OURS,
    ),
    Term(
        "tok-s-gpu",
        ("tok/s/GPU", "per GPU"),
        N_(
            "Tokens per second of a deployment, divided by its GPUs. With or without input tokens: the two differ many "
            "times."
        ),
        "tok/s/GPU",
        axis="output_per_gpu",
    ),
    Term(
        "interactivity",
        ("P90 interactivity", "interactivity"),
        N_("How fast the answer grows for one user."),
        "tok/s/user",
        axis="interactivity_p90_slow",
    ),
    Term(
        "goodput",
        ("goodput",),
        N_("Requests per second that kept every limit asked of them (such as a TTFT and a TPOT), and no others."),
        "req/s",
        f"vllm bench serve --goodput, {VLLM}",
    ),
    Term(
        "acceptance-length",
        ("acceptance length", "accept length"),
        N_("How many tokens one verify step of speculation gives on average."),
        "tokens/step",
        axis="acceptance_length_vllm",
    ),
    Term(
        "acceptance-rate",
        ("acceptance rate",),
        N_("The share of drafted tokens that were kept."),
        "%",
        axis="acceptance_rate",
    ),
    Term(
        "speculation",
        ("speculative decoding", "speculation"),
        N_(
            "A cheap draft proposes several tokens and the model checks them in one step. It gives the same text "
            "faster where drafts are accepted; with simulated acceptance the speed is chosen, and the text means "
            "nothing."
        ),
        "",
        DOCUMENTED,
    ),
    Term(
        "mtp", ("MTP",), N_("Multi-token prediction: heads of the model itself draft the next tokens."), "", DOCUMENTED
    ),
    Term(
        "prefill",
        ("prefill",),
        N_("Reading the prompt: all its tokens at once, before the first answer token."),
        "",
        DOCUMENTED,
    ),
    Term("decode", ("decode",), N_("Writing the answer, one step after the other."), "", DOCUMENTED),
    Term(
        "prefix-cache",
        ("prefix cache",),
        N_(
            "Keeps the KV entries of beginnings that requests share, so that they are not computed again. A warm one "
            "makes TTFT small and counts tokens that nobody computed."
        ),
        "",
        DOCUMENTED,
    ),
    Term(
        "kv-cache",
        ("KV cache",),
        N_("Keys and values of all tokens so far, kept in GPU memory; it bounds how many sequences run at once."),
        "GiB",
        DOCUMENTED,
    ),
    Term(
        "tp",
        ("TP",),
        N_("Tensor parallelism: each layer is split over so many GPUs (TP4: over four)."),
        "GPUs",
        DOCUMENTED,
    ),
    Term(
        "pp",
        ("PP",),
        N_("Pipeline parallelism: layers are dealt out over GPUs, one group after the other."),
        "GPUs",
        DOCUMENTED,
    ),
    Term("dp", ("DP",), N_("Data parallelism: whole copies, each with requests of its own."), "copies", DOCUMENTED),
    Term(
        "ep",
        ("EP",),
        N_("Expert parallelism: the experts of a mixture-of-experts model are dealt out over GPUs."),
        "GPUs",
        DOCUMENTED,
    ),
    Term(
        "dep",
        ("DEP",),
        N_("Attention data-parallel, experts expert-parallel, on the same GPUs (DEP2: on two)."),
        "GPUs",
        OURS,
    ),
    Term("moe", ("MoE",), N_("Mixture of experts: of each layer only a few experts work on a token."), "", DOCUMENTED),
    Term(
        "p90",
        ("P90", "P99", "p90", "p99"),
        N_(
            "The value that 90 (99) of 100 stay below. Of a time that is the slow side; of a speed it is the fast one, "
            "unless it is taken the other way round, and the axis says which."
        ),
        "",
        OURS,
    ),
    Term(
        "concurrency",
        ("concurrency",),
        N_("Requests under way at once: when one ends, the next is sent."),
        "requests",
        f"vllm bench serve --max-concurrency, {VLLM}",
    ),
    Term(
        "open-loop",
        ("open loop",),
        N_("Requests are sent at a rate, whether or not the server keeps up."),
        "req/s",
        OURS,
    ),
    Term(
        "bootstrap",
        ("bootstrap interval", "95 % interval"),
        N_("The repeats are drawn again and again with replacement; 95 of 100 medians of such draws lie within it."),
        "",
        "Efron and Tibshirani, An Introduction to the Bootstrap",
    ),
    Term(
        "random-weights",
        ("random weights",),
        N_(
            "The model's shape with random numbers: its speed may be read with care, its text and every acceptance "
            "mean nothing."
        ),
        "",
        OURS,
    ),
)
BY_KEY = {term.key: term for term in TERMS}
