"""Figures of measured loads: every point can be seen, whatever its place."""

from __future__ import annotations

from app.web.line_plots import PLACES, Spot, sweep_figure
from app.web.plots import PAPER


def test_every_mark_has_another_colour_than_the_paper_and_a_shape_of_its_place() -> None:
    spots = [Spot("concurrency 1", "front", 480.0, 2500.0), Spot("concurrency 256", "dominated", 35.0, 45000.0)]
    drawn = sweep_figure("title", "x", "y", spots, [])["data"]
    assert [marks["marker"]["symbol"] for marks in drawn] == [shape for shape, _ in PLACES.values()]
    assert all(marks["marker"]["color"] != PAPER for marks in drawn)


def test_a_load_that_is_no_result_has_no_mark_and_is_named() -> None:
    spots = [Spot("concurrency 1", "front", 480.0, 2500.0), Spot("concurrency 64", "failed", None, None)]
    figure = sweep_figure("title", "x", "y", spots, [])
    assert [list(marks["text"]) for marks in figure["data"]] == [["concurrency 1"]]
    assert "concurrency 64" in figure["layout"]["annotations"][0]["text"]
