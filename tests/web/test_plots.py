"""Charts say what a reader would otherwise miss: breaks, simulated points, kinds, caveats."""

from __future__ import annotations

import json

from app.catalogue.schema import StepKind
from app.web.plots import STEP_FILLS, Bar, Break, grouped_figure, ladder_figure

STEPS = [Bar("build", "first build", 35.2, "35.2"), Bar("fix", "layout fix", 117.8, "117.8")]
FORCED = [Bar("spec", "speculation", 558.24, "558.24 (simulated 5.5)", hollow=True)]


def test_every_kind_of_step_has_a_fill_that_no_other_of_its_colour_has() -> None:
    assert set(STEP_FILLS) == set(StepKind.__args__)  # type: ignore[attr-defined]
    assert len(set(STEP_FILLS.values())) == len(STEP_FILLS)


def test_a_break_is_a_labelled_gap_and_nothing_joins_the_bars() -> None:
    figure = ladder_figure("t", "tok/s", [*STEPS, *FORCED], [Break(2, "other workload")], [])
    places = [place for trace in figure["data"] for place in trace["y"]]
    assert places[1] - places[0] == 1
    assert places[2] - places[1] > 2
    (band,) = figure["layout"]["shapes"]
    assert places[1] < band["y0"] < band["y1"] < places[2]
    assert [note["text"] for note in figure["layout"]["annotations"]] == [
        "Break. Do not divide across it.",
        "other workload",
    ]
    assert {trace["type"] for trace in figure["data"]} == {"bar"}


def test_a_simulated_point_is_hollow_and_a_measured_one_is_not() -> None:
    figure = ladder_figure("t", "tok/s", [*STEPS, *FORCED], [], [])
    colours = {trace["name"]: trace["marker"]["color"] for trace in figure["data"]}
    assert colours["speculation"] == "var(--paper)"
    assert colours["layout fix"] != "var(--paper)"


def test_a_bar_begins_at_zero_and_its_number_stands_at_its_end() -> None:
    figure = ladder_figure("t", "tok/s", STEPS, [], [])
    assert figure["layout"]["xaxis"]["range"] == [0, 117.8]
    assert [trace["text"] for trace in figure["data"]] == [["35.2"], ["117.8"]]


def test_a_number_that_is_not_stated_has_no_bar_but_a_place() -> None:
    figure = grouped_figure("t", "ms", ["a"], [("x", [Bar("a", "", None, "not stated")])], [])
    (trace,) = figure["data"]
    assert trace["x"] == [None]
    assert trace["text"] == ["not stated"]


def test_rows_of_two_words_make_a_panel_for_each_second_word() -> None:
    bar = [Bar("off", "", 1.0, "1")]
    figure = grouped_figure("t", "ms", ["off"], [("TP4 1K", bar), ("DEP2 1K", bar), ("TP4 8K", bar)], [])
    assert [trace["y"] for trace in figure["data"]] == [["TP4", "DEP2"], ["TP4"]]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["1K", "8K"]
    assert "own scale from zero" in figure["caption"][0]
    assert [trace["showlegend"] for trace in figure["data"]] == [True, False]


def test_text_of_sources_is_no_markup_in_a_chart() -> None:
    hostile = '<b onload="x">&</b>'
    bars = [Bar(hostile, "fusion", 1.0, hostile)]
    drawn = [
        ladder_figure(hostile, hostile, [*bars, *bars], [Break(1, hostile)], [hostile]),
        grouped_figure(hostile, hostile, [hostile], [(hostile, bars)], [hostile]),
    ]
    assert "<b onload" not in json.dumps(drawn)
