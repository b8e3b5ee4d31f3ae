"""Two revisions of a card differ field by field, in words."""

from __future__ import annotations

import pytest

from app.cards.diff import Change, diff
from tests.cards.factories import card, sound


def test_a_card_does_not_differ_from_itself() -> None:
    assert diff(card(), card()) == ()


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        ({"result": "{value: 224, unit: tok/s}"}, [Change("result.value", "223.50", "224")]),
        ({"result": "{value: 223.5, unit: tok/s}"}, [Change("result.value", "223.50", "223.5")]),
        (
            {"model": "{id: meta-llama/Llama-3.1-8B, revision: abc, weights: dummy}"},
            [Change("model.weights", "real", "random numbers")],
        ),
        ({"note": "warm room"}, [Change("note", None, "warm room")]),
        ({"quality": None}, [Change("quality.checked", "true", None), Change("quality.how", "GSM8K", None)]),
        (
            {"approximations": "replay on, other off"},
            [Change("approximations", "none", "replay on, other off")],
        ),
        (
            {"launch": "{argv: [vllm, serve, 'a b'], env: {X: '1'}}"},
            [
                Change("launch.argv", "vllm serve m", "vllm serve 'a b'"),
                Change("launch.env.X", None, "1"),
            ],
        ),
        (
            {"also": "[{axis: ttft, statistic: median, value: 41.2, unit: ms}]"},
            [Change("also", None, "TTFT, time to first token: median 41.2 ms")],
        ),
        ({"excludes": "full prefill"}, [Change("excludes", None, "full prefill")]),
    ],
)
def test_every_field_that_changed_is_named_with_both_values(
    lines: dict[str, str | None], changes: list[Change]
) -> None:
    assert list(diff(card(), card(sound(**lines)))) == changes
    assert [Change(item.field, item.after, item.before) for item in changes] == list(diff(card(sound(**lines)), card()))


def test_changes_come_in_the_order_of_the_card() -> None:
    new = card(sound(note="n", engine="sglang", parallelism="TP2", title="t"))
    assert [change.field for change in diff(card(), new)] == [
        "title",
        "engine.name",
        "engine.version",
        "parallelism.tp",
        "note",
    ]
