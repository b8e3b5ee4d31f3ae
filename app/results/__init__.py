"""Results: what came out of a measurement, ours or another tool's."""
