"""The axis registry: the only list of what a number can measure. Pure data.

An axis is a metric definition. Two numbers may be set against each other only on one axis in one version.
"""

from app.axes.interactivity import INTERACTIVITY
from app.axes.latency import LATENCY
from app.axes.phases import PHASES
from app.axes.registry import (
    CAPACITY,
    KERNEL,
    PREFILL,
    SERVING,
    TOOLS,
    VERSIONING,
    Axis,
    Direction,
    Meaning,
    ToolName,
    Unit,
)
from app.axes.speculation_and_memory import SPECULATION_AND_MEMORY
from app.axes.throughput import THROUGHPUT
from app.axes.waits import WAITS

AXES: dict[str, Axis] = {
    axis.key: axis for axis in (*LATENCY, *WAITS, *THROUGHPUT, *INTERACTIVITY, *PHASES, *SPECULATION_AND_MEMORY)
}

__all__ = [
    "AXES",
    "CAPACITY",
    "KERNEL",
    "PREFILL",
    "SERVING",
    "TOOLS",
    "VERSIONING",
    "Axis",
    "Direction",
    "Meaning",
    "ToolName",
    "Unit",
]
