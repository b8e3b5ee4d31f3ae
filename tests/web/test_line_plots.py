"""Figures of measured loads and distributions: every point can be seen, whatever its place; axes say what they are."""

from __future__ import annotations

from app.web.line_plots import PLACES, Line, Series, Spot, curve_figure, sweep_figure, timeline_figure
from app.web.plots import PAPER
from app.web.run_charts import said_of_loads, sweep_series

NEAR = (Spot("1", "front", 480.0, 2500.0), Spot("8", "dominated", 300.0, 2400.0))


def series(*spots: Spot, name: str = "one", engine: str = "vllm", hollow: bool = False) -> Series:
    return Series(name, engine, spots, hollow=hollow)


def test_a_load_that_is_beaten_is_on_the_chart_with_a_small_mark() -> None:
    drawn = sweep_figure("title", "x", "y", [series(*NEAR)], [])["data"]
    assert [marks["text"] for marks in drawn] == [["1"], ["8"]]
    assert [marks["marker"]["size"] for marks in drawn] == [size for size, _, _ in PLACES.values()]
    assert all(marks["marker"]["color"] != PAPER for marks in drawn)
    assert ["no other load" in marks["name"] for marks in drawn] == [True, False]


def test_only_a_simulated_acceptance_makes_marks_hollow() -> None:
    drawn = sweep_figure("title", "x", "y", [series(*NEAR, hollow=True), series(*NEAR)], [])["data"]
    assert [marks["marker"]["color"] == PAPER for marks in drawn] == [True, True, False, False]
    assert all(marks["marker"]["line"]["color"] != PAPER for marks in drawn)


def test_several_series_are_told_apart_by_shape_and_by_their_engines_colour() -> None:
    of = [
        series(NEAR[0], name=name, engine=engine)
        for name, engine in (("a", "vllm"), ("b", "sglang"), ("c", "vllm"), ("d", "other"))
    ]
    drawn = sweep_figure("title", "x", "y", of, [])["data"]
    assert len({marks["marker"]["symbol"] for marks in drawn}) == 4
    colours = [marks["marker"]["color"] for marks in drawn]
    assert colours == ["var(--vllm)", "var(--sglang)", "var(--vllm)", "var(--other)"]
    assert [marks["name"].partition(",")[0] for marks in drawn] == ["a", "b", "c", "d"]


def test_a_load_that_is_no_result_has_no_mark_and_is_named() -> None:
    spots = [Spot("1", "front", 480.0, 2500.0), Spot("concurrency 64", "not_a_result", None, None)]
    figure = sweep_figure("title", "x", "y", [series(*spots)], [])
    assert [list(marks["text"]) for marks in figure["data"]] == [["1"]]
    assert "concurrency 64" in figure["layout"]["annotations"][0]["text"]


def test_loads_without_a_result_never_fill_the_chart() -> None:
    lost = [Spot(f"concurrency {load}", "not_a_result", None, None) for load in range(20)]
    notes = sweep_figure("title", "x", "y", [series(*NEAR, *lost)], [])["layout"]["annotations"]
    assert len(notes) == 7
    assert "14 more" in notes[-1]["text"]


def test_an_axis_is_logarithmic_only_where_values_lie_far_apart_and_says_so() -> None:
    near = sweep_figure("title", "x", "y", [series(*NEAR)], [])["layout"]
    assert near["xaxis"]["range"][0] == near["yaxis"]["range"][0] == 0
    far = sweep_figure("title", "x", "y", [series(*NEAR, Spot("64", "front", 30.0, 40000.0))], [])["layout"]
    assert (far["xaxis"]["type"], far["xaxis"]["title"]["text"]) == ("log", "x, logarithmic")
    low, high = (10**end for end in far["xaxis"]["range"])
    assert low < 30
    assert high > 480
    assert "100" in far["xaxis"]["ticktext"]


def test_a_curve_begins_at_no_share_and_bears_the_percentiles_that_are_quoted() -> None:
    line = Line("TTFT", [10.0, 20.0], [50.0, 100.0], marks=[("P50 10.0", 10.0, 50.0)])
    figure = curve_figure("title", "ms", [line], [])
    curve, marks = figure["data"]
    assert (curve["x"][0], curve["y"][0]) == (10.0, 0.0)
    assert (marks["text"], marks["x"], marks["y"]) == (["P50 10.0"], [10.0], [50.0])
    assert figure["layout"]["xaxis"]["range"][0] == 0


def test_two_curves_differ_by_their_dash() -> None:
    lines = [Line("a", [1.0, 2.0], [50.0, 100.0], "vllm"), Line("b", [1.0, 3.0], [50.0, 100.0], "vllm")]
    drawn = curve_figure("title", "ms", lines, [])["data"]
    assert len({line["line"]["dash"] for line in drawn}) == 2


def test_a_time_of_zero_has_a_place_on_every_axis() -> None:
    figure = curve_figure("title", "ms", [Line("gap", [0.0, 900.0], [50.0, 100.0])], [])
    assert "type" not in figure["layout"]["xaxis"]


def test_a_timeline_has_one_time_axis_below_both_lines() -> None:
    line = Line("requests", [0.0, 1.0], [2.0, 2.0])
    layout = timeline_figure("title", line, line, [])["layout"]
    assert layout["xaxis"]["anchor"] == "y2"
    assert layout["yaxis2"]["domain"][1] < layout["yaxis"]["domain"][0]


def test_a_mark_has_a_short_label_and_its_star_is_explained() -> None:
    def load(words: str) -> dict[str, object]:
        return {"load": words, "place": "front", "interactivity_p90_slow": 100.0, "throughput": 10.0}

    loads = ["concurrency 16", "concurrency 16, tokens counted at the end", "2.5 requests/s"]
    found = sweep_series("one", "vllm", [load(words) for words in loads], hollow=False)
    assert [spot.label for spot in found.spots] == ["16", "16*", "2.5 requests/s"]
    assert said_of_loads([found])[1] == "* tokens counted at the end of a request, not with each event."
    assert len(said_of_loads([sweep_series("one", "vllm", [load("concurrency 16")], hollow=False)])) == 1


def test_labels_of_close_marks_stand_apart() -> None:
    close = [Spot("16", "front", 401.8, 31500.0), Spot("16*", "dominated", 389.2, 31270.0)]
    far = [Spot("1", "front", 497.0, 2665.0), Spot("256", "dominated", 42.0, 49000.0)]
    drawn = sweep_figure("title", "x", "y", [series(*close, *far)], [])["data"]
    places = {
        label: place for trace in drawn for label, place in zip(trace["text"], trace["textposition"], strict=True)
    }
    assert places["16"] != places["16*"]
    assert places["1"] == places["256"] == "top center"
