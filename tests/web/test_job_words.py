"""What a job's pages say in words of their own."""

from __future__ import annotations

import pytest

from app.language import speaking
from app.locale import languages
from app.web.job_words import minutes


@pytest.mark.parametrize(
    ("seconds", "said", "indonesian"),
    [
        (1400, "23 min 20 s", "23 menit 20 detik"),
        (1200.0, "20 min", "20 menit"),
        (59.6, "1 min", "1 menit"),
        (12.3, "12 s", "12 detik"),
        (0, "0 s", "0 detik"),
        (90000, "1,500 min", "1.500 menit"),
    ],
)
def test_a_duration_has_minutes_and_seconds_and_no_digit_more(seconds: float, said: str, indonesian: str) -> None:
    assert minutes(seconds) == said
    with speaking(languages()["id"]):
        assert minutes(seconds) == indonesian
