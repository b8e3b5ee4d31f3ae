"""The short forms that people type in a card, expanded before validation. Pure: tree in, tree out, places kept.

`4x GB300`, `TP4`, `DEP2`, `TP8/EP8`, `speculation: dspark`, `runs: 6`, `kv_dtype: fp8`, `quality_checked: yes`,
`metric: decode tokens/s`. A field that still lists its choices, as a template prints them (`vllm | sglang`), counts as
not stated and leaves a finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.yaml_tree import path_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.yaml_tree import Document, Path, Place

CHOICES = re.compile(r"\s\|\s")
RELEASE = re.compile(r"v?\d+(\.\d+){1,3}[A-Za-z0-9.+-]{0,30}")
HARDWARE = re.compile(r"(?P<count>\d+)\s*[xX×*]\s*(?P<accelerator>\S.*)")
AXIS_WORDS = {  # the metric as people write it -> axis key
    "decode tokens/s": "decode_rate",
    "decode tok/s": "decode_rate",
    "ttft": "ttft",
    "tpot": "tpot",
    "tpgs": "total_per_gpu",
    "output tok/s": "output_throughput",
    "output tok/s/gpu": "output_per_gpu",
    "total tok/s/gpu": "total_per_gpu",
}
P90_LIMIT = re.compile(
    r"^(?P<what>.+?) at p90 interactivity (?:above|>) (?P<limit>\d+(?:\.\d+)?) tok/s(?:/user)?$", re.I | re.A
)


@dataclass(frozen=True)
class OpenChoice:
    """A field that still lists its choices; `block` is the card's top-level key that it belongs to."""

    field: str
    block: str
    text: str
    place: Place


def expand(document: Document) -> list[OpenChoice]:
    """Rewrite the document's tree in place; returns the fields whose choice is still open."""
    tree = document.data
    still_open = [
        OpenChoice(path_text(path), MOVED.get(str(path[0]), (str(path[0]), ""))[0], text, document.place(path))
        for path, text in _take_open_choices(tree, ())
    ]
    for key, form in FORMS.items():
        if isinstance(tree.get(key), str):
            tree[key] = form(tree[key])
    for key in MOVED.keys() & tree.keys():
        _move(document, key)
    return still_open


def _move(document: Document, key: str) -> None:
    """Put the value of a short key where it belongs. Said twice, it is a problem; beside a block that is none, the
    block is."""
    tree, (target, part) = document.data, MOVED[key]
    value, block = tree.pop(key), tree.get(target)
    if isinstance(block, dict) and part in block:
        document.problem((key,), F_("says the same as `{field}`; keep one").format(field=f"{target}.{part}"))
    elif value is not None and (block is None or isinstance(block, dict)):
        tree[target] = {**(block or {}), part: value}
        _move_place(document, (key,), (target, part))


def _take_open_choices(tree: Any, path: Path) -> list[tuple[Path, str]]:
    """Empty each value that still lists its choices, and say what stood there; commands and notes may hold a bar."""
    found: list[tuple[Path, str]] = []
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        if not path and key in ("launch", "note"):
            continue
        if isinstance(value, str) and CHOICES.search(value):
            found.append(((*path, key), value))
            tree[key] = None
        else:
            found += _take_open_choices(value, (*path, key))
    return found


def _move_place(document: Document, origin: Path, target: Path) -> None:
    if origin in document.places:
        document.places[target] = document.places.pop(origin)


def engine(text: str) -> dict[str, str]:
    """`vllm`, `vllm 0.33.0`, `vllm@0.33.0`, `sglang@835c390`."""
    name, separator, rest = " ".join(text.replace("==", " ").split()).partition("@")
    if separator and not RELEASE.fullmatch(rest.strip()):
        return {"name": name.strip(), "commit": rest.strip()}
    name, _, version = f"{name.strip()} {rest.strip().removeprefix('v')}".strip().partition(" ")
    return {"name": name, "version": version} if version else {"name": name}


def hardware(text: str) -> dict[str, str]:
    """`4x GB300` or `GB300`."""
    match = HARDWARE.fullmatch(text.strip())
    return match.groupdict() if match else {"accelerator": text}


def parallelism(text: str) -> dict[str, str]:
    """`TP4`, `EP4`, `DEP2` (attention data-parallel 2, experts split 2), `TP8/EP8`, `TP4 PP2`."""
    sizes: dict[str, str] = {}
    for part in re.split(r"[\s/+,]+", text.strip()):
        match = re.fullmatch(r"(TP|PP|DP|EP|PCP|DCP|DEP)(\d+)", part, re.IGNORECASE)
        if not match:
            return {"note": text}
        kind, size = match[1].lower(), match[2]
        sizes |= {"dp": size, "ep": size, "dp_attention": "true"} if kind == "dep" else {kind: size}
    return sizes


def speculation(text: str) -> dict[str, str]:
    return {"method": "off" if text.strip().lower() in {"off", "none", "no"} else text.strip()}


def approximations(text: str) -> list[dict[str, str]]:
    """`none`, or `name on, other-name off`."""
    if text.strip().lower() in {"none", "off", "no"}:
        return []
    listed = []
    for item in text.split(","):
        name, _, state = item.strip().rpartition(" ")
        known = name and state.lower() in {"on", "off"}
        listed.append({"name": name, "on": state.lower()} if known else {"name": item.strip(), "on": "on"})
    return listed


def metric(text: str) -> dict[str, str]:
    """`decode tokens/s`, an axis key, or `TPGS at P90 interactivity above 50 tok/s`."""
    limited = P90_LIMIT.match(text.strip())
    if limited:
        return {"axis": _axis(limited["what"]), "constraint": f"p90_interactivity > {limited['limit']} tok/s"}
    return {"axis": _axis(text)}


def _axis(text: str) -> str:
    return AXIS_WORDS.get(re.sub(r"\s+", " ", text.strip().lower()), text.strip())


MOVED: dict[str, tuple[str, str]] = {"kv_dtype": ("dtypes", "kv"), "quality_checked": ("quality", "checked")}
FORMS: dict[str, Callable[[str], Any]] = {
    "engine": engine,
    "model": lambda text: {"id": text},
    "hardware": hardware,
    "parallelism": parallelism,
    "speculation": speculation,
    "approximations": approximations,
    "runs": lambda text: {"count": text},
    "metric": metric,
    "excludes": lambda text: [] if text.strip().lower() in {"none", "nothing"} else [text],
    "quality": lambda text: {"checked": text},
}
