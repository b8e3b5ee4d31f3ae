"""The load client: it records while a run is on and counts afterwards. One file a step, in the order of the data:
schedule, prompts and wire (what is sent), connect and drive (the run), stream, sse and count (what came back),
trace, metrics and tools (what it says)."""
