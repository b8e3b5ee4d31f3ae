"""The card while an importer writes it: figures with their axes, what the file states, what is wrong with it. Pure.

Nothing is ever filled in here: a value that the file lacks, or that cannot be a measurement, stays out and says so.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.axes import AXES
from app.cards.completeness import questions
from app.cards.names import tool
from app.cards.schema import LARGEST, NUMBER, Card
from app.cards.short import CHOICES
from app.cards.text import LONGEST, LONGEST_NAME, NAMED
from app.language import F_, N_
from app.protocol.english import refusal
from app.results.importers.json_tree import LONGEST_NUMBER
from app.results.importers.json_tree import number as as_written
from app.results.importers.schema import Imported, Question, Warned

if TYPE_CHECKING:
    from collections.abc import Iterable

LEFT_OUT = F_("{said}; left out")
SMALLEST = Decimal(10) ** -15
DERIVED = Context(prec=12)  # digits of a number that is computed here
TRAP_OF_AXIS = {"tpot": "T4", "event_gap": "T14", "token_itl": "T14", "output_per_gpu": "T9", "decode_per_gpu": "T9"}
STATISTICS = {
    **{name: name for name in ("mean", "median", "min", "max", "std")},
    "avg": "mean",
    "p50": "median",
    "stddev": "std",
    "std_dev": "std",
}
PERCENTILE = re.compile(r"p(\d{1,3})(?:[.p](\d{1,3}))?", re.ASCII)
THOUSAND = Decimal(1000)


def statistic_of(name: str) -> str | None:
    """A tool's name of a statistic in the words of the card: `p99.9`, `p99p9` and guidellm's `p999` are P99.9."""
    match = PERCENTILE.fullmatch(name)
    if name in STATISTICS or not match:
        return STATISTICS.get(name)
    whole, part = match[1], match[2]
    if part is None and len(whole) == 3 and whole != "100":
        whole, part = whole[:2], whole[2]
    return f"P{int(whole)}" + (f".{part}" if part else "")


def _is_low(statistic: str) -> bool:
    return statistic in ("min", "median") or (statistic[0] == "P" and Decimal(statistic[1:]) <= 50)


def get(tree: Any, *path: str | int) -> Any:
    """The value at a path, or None where any step of it is missing or of another kind."""
    for step in path:
        if isinstance(tree, dict) or (isinstance(tree, list) and isinstance(step, int) and step < len(tree)):
            tree = tree.get(step) if isinstance(tree, dict) else tree[step]  # type: ignore[index]
        else:
            return None
    return tree


def number_in(value: Any) -> Decimal | None:
    """A number that is written as one, or as text that is one; NaN and infinity come through."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, str) and len(value) <= 60 and NUMBER.fullmatch(value.strip()):
        return as_written(value.strip())
    return None


def plain(value: Any) -> str | None:
    """Text without what cannot be shown, at the length that a card takes."""
    small = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < LONGEST_NUMBER
    text = f"{value:f}" if small else value  # 1e999999999 written out is a gigabyte
    if not isinstance(text, str):
        return None
    shown = "".join(char for char in unicodedata.normalize("NFC", text[:LONGEST]) if char.isprintable())
    return shown[:LONGEST].strip() or None


def one_choice(text: str) -> str:
    """Text that no card's reader takes for a list of choices (`a | b`)."""
    return CHOICES.sub(" / ", text)


def short(value: Decimal) -> str:
    """A number as it is said inside a sentence."""
    rounded = Context(prec=5).plus(value)
    return f"{rounded:f}".rstrip("0").rstrip(".") if "." in f"{rounded:f}" else f"{rounded:f}"


def in_tokens(value: Decimal) -> str:
    """A length in tokens as a card states it: to a hundredth of a token."""
    said = f"{value.quantize(Decimal('0.01')):f}" if abs(value) < LARGEST else short(value)
    return said.rstrip("0").rstrip(".")


def divide(value: Decimal, by: Decimal) -> Decimal:
    """A quotient to twelve digits, the mark of a number that no file wrote."""
    return DERIVED.divide(value, by)


@dataclass
class Draft:
    """`tool` is the tool's name in app.axes.TOOLS, or None where the registry does not know it."""

    tool: str | None
    where: str
    card: dict[str, Any] = field(default_factory=dict)
    figures: dict[tuple[str, str | None], dict[str, Any]] = field(default_factory=dict)
    warnings: list[Warned] = field(default_factory=list)

    def warn(self, trap: str, where: str, message: str) -> None:
        warned = Warned(trap=trap, field=(plain(where) or "")[:LONGEST_NAME], message=message)
        if warned not in self.warnings:
            self.warnings.append(warned)

    def put(self, path: str, value: Any) -> None:
        """State a field of the card, as `workload.concurrency`; what is None stays not stated."""
        block, _, part = path.partition(".")
        if isinstance(value, str):
            text = plain(value) or ""
            text = text if block == "note" else one_choice(text)
            value = text[:LONGEST_NAME].strip() if block in NAMED else text
        if value is None or value == "":
            return
        if part:
            self.card.setdefault(block, {})[part] = value
        else:
            self.card[block] = value

    def number(self, tree: Any, *path: str | int) -> Decimal | None:
        """A finite number of a believable size, or None; what is there and is neither is reported."""
        value = get(tree, *path)
        name = ".".join(str(step) for step in path)
        if value == "\x7f":
            value = Decimal("NaN")
        found = number_in(value)
        if found is None:
            if value is not None and not isinstance(value, dict | list):
                self.warn("refused", name, F_("is no number; left out"))
            return None
        if not found.is_finite():
            self.warn("not-finite", name, F_("is NaN or infinite in the file; left out"))
            return None
        if found.copy_abs() > LARGEST or (found and found.copy_abs() < SMALLEST):
            self.warn("out-of-range", name, F_("is beyond anything measured here; left out"))
            return None
        return found

    def count(self, tree: Any, *path: str | int) -> int | None:
        found = self.number(tree, *path)
        if found is not None and (found != int(found) or found < 0):
            name = ".".join(str(step) for step in path)
            self.warn(
                "refused", name, F_("is {number_found}, which is no count; left out").format(number_found=short(found))
            )
            return None
        return None if found is None else int(found)

    def figure(self, axis: str, statistic: str | None, value: Decimal | None, unit: str, source: str = "") -> None:
        """A number on an axis. Where the registry says that the tool's number differs, its note comes along."""
        if value is None or (axis, statistic) in self.figures:
            return
        if value < 0:
            self.warn(
                "refused",
                source or axis,
                F_("is {number_value}; a time or rate is not negative; left out").format(number_value=short(value)),
            )
            return
        self.figures[axis, statistic] = {"axis": axis, "statistic": statistic, "value": value, "unit": unit}
        for said in AXES[axis].tools:
            message = f"{said.name}: {said.note}"
            known = any(warned.message == message for warned in self.warnings)
            if said.tool == self.tool and said.meaning == "differs" and not known:
                self.warn(TRAP_OF_AXIS.get(axis, "definition"), source or axis, message)

    def rate(self, axis: str, value: Decimal | None, unit: str, source: str, *, served: bool = True) -> None:
        """One number of the whole run. 0 in a run that served requests is a missing value (T8)."""
        if value == 0 and served:
            self.warn("T8", source, F_("is 0 although requests were served: missing, not zero"))
            return
        self.figure(axis, None, value, unit, source)

    def times(self, axis: str, found: dict[str, Decimal], source: str, factor: Decimal = Decimal(1)) -> None:
        """A distribution of times by the tool's statistic names, in ms after `factor`."""
        zeros = []
        gaps = axis in ("event_gap", "token_itl") and found.get("mean", found.get("avg", Decimal(0))) > 0
        for name, value in found.items():
            statistic = statistic_of(name)
            if statistic is None:
                continue
            bunched = gaps and _is_low(statistic)  # events that arrive together leave gaps of 0
            if value == 0 and statistic != "std" and not bunched:
                zeros.append(statistic)
                continue
            self.figure(axis, statistic, value * factor, "ms", source)
        if zeros:
            self.warn(
                "T8",
                source,
                F_("{zeros} is 0: no request takes no time; missing, not zero").format(zeros=", ".join(zeros)),
            )

    def rates(self, axis: str, found: dict[str, Decimal], unit: str, source: str) -> None:
        """A distribution of rates per request: its upper percentiles are the fast tail (T5)."""
        for name, value in found.items():
            statistic = statistic_of(name)
            if statistic is None or statistic == "std":
                continue
            if statistic[0] == "P":
                statistic += " slow tail" if _is_low(statistic) else " fast tail"
            self.figure(axis, statistic, value, unit, source)

    def finish(self, main: Iterable[str], raw: dict[str, str]) -> Imported | None:
        """The card, its first figure on the first of the `main` axes that the file has; None without any figure."""
        order = [key for axis in main for key in self.figures if key[0] == axis]
        order += [key for key in self.figures if key not in order]
        if not order:
            return None
        first = self.figures[order[0]]
        self.put("metric.axis", first["axis"])
        self.card["result"] = {"value": first["value"], "unit": first["unit"], **self.card.get("result", {})}
        if first["statistic"]:
            self.card["note"] = f"{self.card.get('note', '')} The result is the {first['statistic']}.".strip()
        self.card["also"] = [figure for key, figure in self.figures.items() if key != order[0]] or None
        self.card["raw"] = [raw]
        self.put("runs.tool", tool(self.tool))
        card = self._validated()
        if card is None or card.result is None:
            return None
        asked = [Question(field=need.field, question=need.question) for need in questions(card)]
        spec = card.speculation
        if spec and spec.method != "off" and spec.acceptance is None:
            asked.append(Question(field="speculation.acceptance", question=N_("Was acceptance measured or simulated?")))
        return Imported(card=card, where=self.where, questions=tuple(asked), warnings=tuple(self.warnings))

    def _validated(self) -> Card | None:
        """The card without the fields that the schema refuses, each of them reported."""
        for _ in range(20):
            try:
                return Card.model_validate(self.card)
            except ValidationError as error:
                for item in error.errors(include_url=False, include_input=False):
                    self._drop(tuple(item["loc"]), refusal(item))
        return None

    def _drop(self, path: tuple[int | str, ...], message: str) -> None:
        if path[0] in ("also", "raw", "approximations") and len(path) > 1:
            path = path[:2]
        holder: Any = self.card
        for step in path[:-1]:
            inner = get(holder, step)
            if not isinstance(inner, dict | list):
                break
            holder = inner
        last = path[-1]
        if isinstance(holder, dict):
            holder.pop(last, None)
        elif isinstance(holder, list) and isinstance(last, int) and last < len(holder):
            holder.pop(last)
        self.warn("refused", ".".join(str(step) for step in path), LEFT_OUT.format(said=message))


def date_in(text: Any) -> dt.date | None:
    """The day of `20260213-075258`, `2026-09-17T12:00:00` or seconds since 1970, read as UTC."""
    if isinstance(text, Decimal) and text.is_finite() and 0 < text < Decimal(10) ** 11:
        return dt.datetime.fromtimestamp(int(text), dt.UTC).date()
    if not isinstance(text, str):
        return None
    match = re.match(r"(\d{4})-?(\d{2})-?(\d{2})", text)
    try:
        return dt.date(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None
