"""KV cache memory -> how many sequences fit. Pure; Decimals, whole tokens and sequences rounded down.

Room for the KV cache:
- vLLM: memory x gpu-memory-utilization - weights - everything else that is not KV (its start-up log prints these four).
- SGLang: free memory before loading x mem-fraction-static - weights; activations and graphs live in what the fraction
  leaves (profile_max_num_token of its model runner).
Bytes per token of context over all layers:
- grouped-query attention: 2 (K and V) x layers x KV heads x head dimension x bytes an element. Tensor parallelism
  splits the KV heads, and copies them where there are fewer heads than GPUs: max(1, heads / TP) on each (vLLM's
  get_num_kv_heads).
- latent attention (MLA): layers x latent width x bytes an element, the latent width being the compressed KV and the
  decoupled RoPE key (DeepSeek-V2 report, arXiv 2405.04434, section 2.1). Every GPU of a TP group keeps all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from app.language import N_, _
from app.protocol.english import named
from app.tools.asked import Field, read, refused
from app.tools.numbers import GIB, about, figure, gib, plain
from app.tools.schema import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.tools.asked import Given
    from app.tools.schema import Figure

SHAPES = (
    ("gqa", N_("from K and V heads (GQA)")),
    ("mla", N_("from a latent (MLA)")),
    ("entered", N_("as a number")),
)
ENGINES = (
    ("vllm", "vLLM: --gpu-memory-utilization"),
    ("sglang", "SGLang: --mem-fraction-static"),
)
NEEDED_BY_SHAPE = {
    "entered": ("bytes_per_token",),
    "gqa": ("layers", "kv_heads", "head_dim", "element_bytes"),
    "mla": ("layers", "latent_dim", "element_bytes"),
}
NEARLY_ALL = Decimal("0.98")
_MEMORY, _KV, _LOAD = N_("Memory of one GPU"), N_("KV cache of one token"), N_("Sequences")

FIELDS = (
    Field(
        "engine",
        N_("Engine and its flag"),
        "choice",
        N_("They share the memory out differently."),
        choices=ENGINES,
        needed=True,
        group=_MEMORY,
    ),
    Field(
        "memory",
        N_("Memory of one GPU"),
        "size",
        N_("vLLM: the total that it reports. SGLang: what is free before loading."),
        "139.8 GiB",
        needed=True,
        group=_MEMORY,
    ),
    Field(
        "share",
        N_("Value of the flag"),
        "share",
        N_("The engine’s share of that memory."),
        "0.9",
        needed=True,
        group=_MEMORY,
    ),
    Field(
        "weights",
        N_("Weights on one GPU"),
        "size",
        N_("All weights / the GPUs that split them; the start-up log has it."),
        "15.0 GiB",
        needed=True,
        group=_MEMORY,
    ),
    Field(
        "overhead",
        N_("Activations, CUDA graphs, other"),
        "size",
        N_("What else the engine holds on one GPU; the start-up log has it. 0 GiB for none."),
        "2.5 GiB",
        needed=True,
        group=_MEMORY,
    ),
    Field("kv", N_("How a token’s bytes are given"), "choice", "", choices=SHAPES, needed=True, group=_KV),
    Field(
        "bytes_per_token",
        N_("KV bytes per token"),
        "number",
        N_("Over all layers, as stored."),
        "890",
        "bytes",
        group=_KV,
    ),
    Field(
        "layers",
        N_("Layers with a KV cache"),
        "count",
        N_("Those of a sliding window or a fixed state do not grow."),
        "32",
        group=_KV,
    ),
    Field(
        "kv_heads",
        N_("KV heads"),
        "count",
        N_("What TP splits. Beside a number of bytes: empty if it splits nothing."),
        "8",
        group=_KV,
    ),
    Field("head_dim", N_("Head dimension"), "count", "", "128", group=_KV),
    Field("latent_dim", N_("Latent width"), "count", N_("MLA: kv_lora_rank + qk_rope_head_dim."), "576", group=_KV),
    Field(
        "element_bytes",
        N_("Bytes an element"),
        "number",
        N_("2 for bf16, 1 for fp8; scales add to it."),
        "2",
        "bytes",
        group=_KV,
    ),
    Field(
        "context",
        N_("Context of one sequence"),
        "count",
        N_("Prompt and reply together, at its longest."),
        "8192",
        "tokens",
        needed=True,
        group=_LOAD,
    ),
    Field(
        "tp",
        N_("Tensor parallel size"),
        "count",
        N_("Of attention. With data-parallel attention each GPU keeps its own sequences: then 1."),
        "1",
        "GPUs",
        needed=True,
        group=_LOAD,
    ),
)
ASSUMES = (
    N_(
        "Every sequence holds its whole context, and none shares a prefix with another. A shared prefix is "
        "stored once, so more would fit; padding, scales, block or page rounding and a drafter’s own cache "
        "are not in it, so fewer would."
    ),
    N_(
        "Every layer counted keeps every token. Layers with a sliding window, linear attention or a Mamba "
        "state keep a fixed amount a sequence instead: leave them out of the layers and put their state under "
        "“other”."
    ),
    N_("One pipeline stage: with PP, enter the layers and weights of the stage that has the least room."),
)


@dataclass(frozen=True)
class Token:
    """Bytes that one token keeps: in the whole model, and on each GPU of the TP group."""

    whole: Decimal
    on_gpu: Decimal
    whole_text: str
    on_gpu_text: str

    @property
    def split(self) -> bool:
        return self.on_gpu < self.whole


def capacity(typed: Mapping[str, str]) -> Answer:
    """How many sequences fit. Raises InvalidInputError with every problem and how to mend it."""
    given = read(FIELDS, typed)
    _complete(given)
    token = _token(given)
    room = kv_room(given)
    context, tp = given.numbers["context"], given.numbers["tp"]
    tokens = room // token.on_gpu if room > 0 else room * 0
    sequences = tokens // context
    return Answer(
        tool="capacity",
        given={field.name: typed[field.name].strip() for field in FIELDS if typed.get(field.name, "").strip()},
        verdict=_verdict(given, token, room, sequences),
        figures=tuple(_figures(given, token, room, tokens)),
        warnings=tuple(_warnings(given, token, room)),
        assumes=tuple(map(_, ASSUMES)),
        card=_card(typed, tokens, tp),
    )


def kv_token(given: Given) -> Token:
    """The bytes of one token by the formula that was chosen."""
    numbers, tp = given.numbers, given.numbers["tp"]
    shape, heads = given.words["kv"], given.number("kv_heads")
    if shape == "mla":
        layers, latent, size = numbers["layers"], numbers["latent_dim"], numbers["element_bytes"]
        whole = layers * latent * size
        text = _("{layers} layers x {latent} x {size} bytes").format(
            layers=plain(layers), latent=plain(latent), size=plain(size)
        )
        return Token(whole, whole, text, _("the latent is kept whole on every GPU"))
    if shape == "entered":
        whole, text = numbers["bytes_per_token"], _("as entered")
    else:
        layers, dim, size = numbers["layers"], numbers["head_dim"], numbers["element_bytes"]
        whole = 2 * layers * numbers["kv_heads"] * dim * size
        text = _("2 (K and V) x {layers} layers x {kv_heads} heads x {dim} x {size} bytes").format(
            layers=plain(layers), kv_heads=plain(numbers["kv_heads"]), dim=plain(dim), size=plain(size)
        )
    if heads is None:
        return Token(whole, whole, text, _("not split: every GPU keeps all of it"))
    kept = max(heads / tp, Decimal(1))
    said = _("{whole} bytes x max(1, {heads} heads / TP {tp}) / {heads} heads").format(
        whole=plain(whole), heads=plain(heads), tp=plain(tp)
    )
    return Token(whole, whole * kept / heads, text, said)


def kv_room(given: Given) -> Decimal:
    """Bytes that one GPU has for the KV cache; negative where what else is there does not fit."""
    numbers = given.numbers
    room = numbers["memory"] * numbers["share"] - numbers["weights"]
    return room - numbers["overhead"] if given.words["engine"] == "vllm" else room


def _token(given: Given) -> Token:
    heads, tp = given.number("kv_heads"), given.numbers["tp"]
    if given.words["kv"] != "mla" and heads is not None and heads % tp and tp % heads:
        text = _("{heads} KV heads cannot be shared evenly by TP {tp}; engines refuse to start so").format(
            heads=plain(heads), tp=plain(tp)
        )
        raise refused([("tp", text)])
    return kv_token(given)


def _complete(given: Given) -> None:
    """What the chosen formula needs besides."""
    labels = {field.name: field for field in FIELDS}
    shape = given.words["kv"]
    lacking = [name for name in NEEDED_BY_SHAPE[shape] if name not in given.numbers]
    if lacking:
        said = _(dict(SHAPES)[shape])
        texts = {
            name: _("{label}: needed for “{said}”; for example {example}").format(
                label=_(labels[name].label), said=said, example=labels[name].example
            )
            for name in lacking
        }
        raise refused(texts.items())


def _verdict(given: Given, token: Token, room: Decimal, sequences: Decimal) -> str:
    context, tp = given.numbers["context"], given.numbers["tp"]
    each = _("of {context} tokens").format(context=plain(context))
    if room <= 0:
        return _("Nothing is left for the KV cache: the rest needs {room} more on each GPU than it may have.").format(
            room=gib(-room)
        )
    if sequences == 0:
        lacks = gib(context * token.on_gpu - room)
        short = (
            _("Not one sequence {each} fits: {lacks} are lacking on the GPU.")
            if tp == 1
            else _("Not one sequence {each} fits: {lacks} are lacking on each GPU.")
        )
        return short.format(each=each, lacks=lacks)
    noun = named(sequences, "sequence")
    if tp == 1:
        return _("{sequences} {noun} {each} fit on one GPU at once.").format(
            sequences=plain(sequences), noun=noun, each=each
        )
    per_gpu = about(sequences / tp, 4)
    return _("{sequences} {noun} {each} fit on {tp} GPUs at once, {per_gpu} per GPU.").format(
        sequences=plain(sequences), noun=noun, each=each, tp=plain(tp), per_gpu=per_gpu
    )


def _figures(given: Given, token: Token, room: Decimal, tokens: Decimal) -> Iterator[Figure]:
    numbers, context, tp = given.numbers, given.numbers["context"], given.numbers["tp"]
    budget = numbers["memory"] * numbers["share"]
    text = f"{gib(numbers['memory'])} x {plain(numbers['share'])}"
    yield figure("budget_gib", _("Memory that the flag gives"), budget / GIB, "GiB", text)
    text = _("{budget} - {weights} weights").format(budget=gib(budget), weights=gib(numbers["weights"]))
    if given.words["engine"] == "vllm":
        text += _(" - {overhead} other").format(overhead=gib(numbers["overhead"]))
    yield figure("kv_room_gib", _("Room for the KV cache on one GPU"), room / GIB, "GiB", text)
    yield figure("bytes_per_token", _("KV cache of one token, whole model"), token.whole, "bytes", token.whole_text)
    if tp > 1:
        yield figure("bytes_on_gpu", _("KV cache of one token on each GPU"), token.on_gpu, "bytes", token.on_gpu_text)
    text = _("{context} tokens x {whole} bytes").format(context=plain(context), whole=about(token.whole, 6))
    yield figure("sequence_gib", _("KV cache of one sequence, whole model"), token.whole * context / GIB, "GiB", text)
    if room <= 0:
        return
    text = _("{room} / {on_gpu} bytes, rounded down").format(room=gib(room), on_gpu=about(token.on_gpu, 6))
    where = _("one GPU") if tp == 1 else _("the {tp} GPUs").format(tp=plain(tp))
    yield figure("tokens", _("Tokens that fit on {where}").format(where=where), tokens, "tokens", text)
    yield figure(
        "concurrency",
        _("Contexts that fit, to the fraction"),
        tokens / context,
        "x",
        _("{tokens} tokens / {context} tokens").format(tokens=plain(tokens), context=plain(context)),
    )
    sequences = tokens // context
    yield figure(
        "sequences",
        _("Whole sequences on {where}").format(where=where),
        sequences,
        "sequences",
        _("of that, the whole ones"),
    )
    if tp > 1:
        text = _("{sequences} sequences / {tp} GPUs").format(sequences=plain(sequences), tp=plain(tp))
        yield figure("sequences_per_gpu", _("Sequences per GPU"), sequences / tp, "sequences/GPU", text)


def _warnings(given: Given, token: Token, room: Decimal) -> Iterator[str]:
    numbers, tp = given.numbers, given.numbers["tp"]
    left = numbers["memory"] * (1 - numbers["share"])
    if given.words["engine"] == "sglang" and numbers["overhead"] > left:
        yield (
            _(
                "SGLang leaves {left} outside the fraction for activations and CUDA graphs, and {overhead} "
                "are stated: it would run out of memory. Lower the fraction."
            ).format(left=gib(left), overhead=gib(numbers["overhead"]))
        )
    if tp > 1 and not token.split:
        yield (
            _(
                "Each of the {tp} GPUs keeps the same {on_gpu} bytes of every token: TP buys room only by "
                "splitting the weights. Data-parallel attention would keep different sequences on each."
            ).format(tp=plain(tp), on_gpu=about(token.on_gpu, 6))
        )
    elif tp > 1 and token.on_gpu * tp > token.whole:
        yield (
            _("There are fewer KV heads than GPUs, so each head is kept {on_gpu} times.").format(
                on_gpu=about(token.on_gpu * tp / token.whole)
            )
        )
    if given.words["kv"] == "entered" and numbers["bytes_per_token"] == 890:
        yield (
            _(
                "890 bytes is DeepSeek-V4.1-Flash’s logical size, (288 + 68) x (3/2 + 1). SGLang’s post warns "
                "that what it allocates differs, so this is the most that could fit."
            )
        )
    if room > 0 and numbers["share"] > NEARLY_ALL:
        yield _(
            "A share above 0.98 leaves less than 2 % for the driver, NCCL and fragmentation; engines rarely start so."
        )


def _card(typed: Mapping[str, str], tokens: Decimal, tp: Decimal) -> str:
    """The conditions of a measurement of this capacity; the computed number goes into the note, being no result."""
    filled = {
        "hardware.count": f"{tp:f}",
        "parallelism": f"TP{tp:f}",
        "workload.input_tokens": typed.get("context", "").strip(),
        "metric.axis": "kv_capacity",
        "note": f"Computed, not measured: {tokens:,f} tokens of KV cache. The engine's log has the real number.",
    }
    return f"/cards/new?{urlencode(filled)}"
