"""What is said in the language spoken: words, counts, numbers, days, and what is kept of them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from app.language import ENGLISH, Language, _, as_number, day, kept, listed, moment, number, speaking, spoken
from app.locale import languages, negotiated
from app.protocol.english import counted, measured
from app.web.render import ENVIRONMENT


@pytest.fixture
def indonesian() -> Language:
    return languages()["id"]


def test_nobody_speaks_another_language_than_english_without_being_asked(indonesian: Language) -> None:
    with speaking(indonesian):
        assert spoken() is indonesian
        assert _("Claims") == "Klaim"
    assert spoken() is ENGLISH
    assert _("Claims") == "Claims"
    assert not _("")


@pytest.mark.parametrize(
    ("value", "form", "said"),
    [
        (Decimal("1234.50"), ",", "1.234,50"),
        (1234567, ",", "1.234.567"),
        (0.25, ".2f", "0,25"),
    ],
)
def test_numbers_take_the_marks_of_the_language(
    indonesian: Language, value: float | Decimal, form: str, said: str
) -> None:
    assert number(value, form) == format(value, form)
    with speaking(indonesian):
        assert number(value, form) == said
        assert as_number(format(value, form)) == said


def test_measured_numbers_counts_lists_and_days_follow(indonesian: Language) -> None:
    at = dt.datetime(2026, 11, 30, 9, 5, tzinfo=dt.UTC)
    english = [measured(1234.56), counted(1200, "claim"), listed(["a", "b", "c"]), day(at.date()), moment(at)]
    assert english == ["1,234.6", "1,200 claims", "a, b and c", "2026-11-30", "2026-11-30 09:05 UTC"]
    with speaking(indonesian):
        said = [measured(1234.56), counted(1200, "claim"), listed(["a", "b", "c"]), day(at.date()), moment(at)]
    assert said == ["1.234,6", "1.200 klaim", "a, b dan c", "30 Nov 2026", "30 Nov 2026 09.05 UTC"]


def test_what_is_kept_is_kept_for_its_language_alone(indonesian: Language) -> None:
    made = []

    @kept(10)
    def count(many: int) -> str:
        made.append(many)
        return counted(many, "claim")

    said = [count(2), count(2)]
    with speaking(indonesian):
        said += [count(2), count(2)]
    assert [*said, count(2)] == ["2 claims", "2 claims", "2 klaim", "2 klaim", "2 claims"]
    assert made == [2, 2]


@pytest.mark.parametrize(
    ("preferred", "code"),
    [(["id-id", "en"], "id"), (["fr", "id"], "id"), (["en-gb", "id"], "en"), (["xx", "*", ""], "en"), ([], "en")],
)
def test_the_first_known_language_is_taken(preferred: list[str], code: str) -> None:
    assert negotiated(preferred).code == code


def test_a_value_in_a_translated_text_is_escaped() -> None:
    text = '{% trans name=name %}<b>Signed in as</b> {{ name }}{% endtrans %} {{ _("of %(x)s", x=name) }}'
    shown = ENVIRONMENT.from_string(text).render(name="<i>")
    assert shown == "<b>Signed in as</b> &lt;i&gt; of &lt;i&gt;"
