"""What the file states stands; what a person adds goes where the file is silent; every problem is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.cards.schema import Hardware
from app.results.answers import answered, states
from app.results.importers import Imported, ImportReport, Warned
from app.results.recording import read_chosen
from tests.cards.factories import SOUND, card

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.cards.load import ReadCard
    from app.cards.schema import Card


def imported(text: str = SOUND, **changes: Any) -> Imported:
    return Imported(card=card(text).model_copy(update=changes), where="", warnings=())


def card_of(read: ReadCard) -> Card:
    assert read.card is not None, read.findings
    return read.card


def unchecked(read: ReadCard) -> ReadCard:
    return read


def report(*parts: Imported) -> ImportReport:
    return ImportReport(format="guidellm", imported=parts)


def test_an_answer_fills_only_what_the_file_does_not_state() -> None:
    one = imported(engine=None, note="as measured")
    found = card_of(answered(one, {"engine.name": "vllm", "engine.version": "0.33.0", "note": "other"}))
    assert found.engine is not None
    assert (found.engine.name, found.engine.version) == ("vllm", "0.33.0")
    assert found.note == "as measured"


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("parallelism.tp", "4", {"tp": 4}),
        ("parallelism.tp", "TP4", {"tp": 4}),
        ("parallelism.tp", "DEP2", {"dp": 2, "ep": 2, "dp_attention": True}),
        ("parallelism.tp", "by hand", {"note": "by hand"}),
    ],
)
def test_parallelism_may_be_answered_as_people_write_it(field: str, text: str, expected: dict[str, Any]) -> None:
    read = answered(imported(parallelism=None, hardware=None), {field: text, "hardware": "4x H200"})
    found = card_of(read)
    assert found.parallelism is not None
    assert found.parallelism.model_dump(exclude_none=True) == expected
    assert found.hardware is not None
    assert found.hardware.count == 4


def test_a_command_line_is_cut_as_a_shell_would() -> None:
    found = card_of(answered(imported(launch=None), {"launch.argv": "vllm serve m --dtype 'b f'"}))
    assert found.launch is not None
    assert found.launch.argv == ("vllm", "serve", "m", "--dtype", "b f")
    wrong = answered(imported(launch=None), {"launch.argv": "vllm 'serve"}).errors
    assert [(error.field, error.message) for error in wrong] == [
        ("launch.argv", "is no command line: no closing quotation")
    ]


def test_an_empty_answer_says_nothing() -> None:
    found = card_of(answered(imported(note=None), {"note": "  "}))
    assert found.note is None


def test_digits_of_the_file_stay_as_they_were_written() -> None:
    result = card_of(answered(imported(), {"note": "x"})).result
    assert result is not None
    assert str(result.value) == "223.50"


def test_what_the_importer_warned_of_stays_with_the_card() -> None:
    warned = Warned(trap="T4", field="tpot", message="counts the first token")
    one = imported().model_copy(update={"warnings": (warned,)})
    found = [finding for finding in answered(one, {}).findings if finding.rule == "I-T4"]
    assert [(finding.severity, finding.field, finding.message) for finding in found] == [
        ("warning", "tpot", "counts the first token")
    ]


def test_a_field_of_the_file_is_known_as_stated() -> None:
    one = imported(engine=None)
    assert not states(one, "engine.name", "vllm")
    assert states(one, "metric.axis", "ttft")
    assert not states(one, "nonsense.x", "y")


def test_a_short_form_fills_the_parts_that_the_file_lacks() -> None:
    one = imported(hardware=Hardware(count=4), parallelism=None)
    assert not states(one, "hardware", "4x H200")
    found = card_of(answered(one, {"hardware": "2x H200", "parallelism": "TP4"}))
    assert found.hardware == Hardware(accelerator="H200", count=4), "what the file states stands"
    assert states(imported(), "hardware", "2x H200")


def read_all(parts: tuple[Imported, ...], answers: Mapping[str, str], chosen: tuple[int, ...] = ()) -> Any:
    return read_chosen(report(*parts), chosen, answers, unchecked)


def test_without_a_choice_all_parts_are_read() -> None:
    assert len(read_all((imported(), imported()), {}).cards) == 2
    assert len(read_all((imported(), imported()), {}, (2,)).cards) == 1
    assert len(read_all((imported(), imported()), {}, (2, 2)).cards) == 1


def test_a_part_that_is_not_there_is_named() -> None:
    errors = read_all((imported(), imported()), {}, (0, 2, 7)).errors
    assert [error.message for error in errors] == ["the file has the parts 1 to 2, no 0, 7"]


def test_an_error_of_every_card_is_told_once_and_another_with_its_part() -> None:
    both = read_all((imported(hardware=None), imported(hardware=None)), {"runs.count": "many"}).errors
    assert [error.field for error in both].count("runs.count") <= 1
    one = read_all((imported(), imported(hardware=None)), {}).errors
    assert [(error.field, error.message.startswith("part 2: ")) for error in one] == [("hardware", True)]


def test_an_answer_that_no_card_takes_is_refused() -> None:
    errors = read_all((imported(), imported()), {"metric.axis": "ttft"}).errors
    assert [(error.rule, error.field) for error in errors] == [("E-answer", "metric.axis")]
    partly = read_all((imported(), imported(note=None)), {"note": "n"}).errors
    assert partly == ()


def test_an_answer_to_no_field_is_refused_with_the_nearest() -> None:
    errors = read_all((imported(),), {"engine.versoin": "1"}).errors
    assert [error.field for error in errors] == ["engine.versoin"]
    assert "version" in errors[0].message
