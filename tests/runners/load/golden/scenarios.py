"""The streams on which other tools' own code was run: name -> how it was asked, and what the server wrote when."""

from __future__ import annotations

from dataclasses import dataclass

from tests.runners.load.script import DONE, TOKEN, TTFT, N, Write, base, delta, event, piece, stream, usage


@dataclass(frozen=True)
class Scenario:
    """Requests sent at 0 and what they were answered; plain streams, as a server sends them to any tool."""

    requests: list[list[Write]]
    chat: bool = False
    asked: int = N

    @property
    def seconds(self) -> float:
        return max(at for writes in self.requests for at, _ in writes) / 1000


def plain(sizes: list[int], gap: float, first: float = TTFT) -> list[Write]:
    return stream(sizes, gap, first=first, ids=False)


def late(writes: list[Write], by: float) -> list[Write]:
    at, done = writes[-1]
    return [*writes[:-1], (at + by, done)]


def changed(writes: list[Write], old: bytes, new: bytes) -> list[Write]:
    return [(at, data.replace(old, new)) for at, data in writes]


def apart(writes: list[Write]) -> list[Write]:
    """Every write at a time of its own, as reads of a socket have."""
    return [(at + place / 100, data) for place, (at, data) in enumerate(writes)]


def said(field: str = "content", number: int = N, first: float = TTFT) -> list[Write]:
    """A chat reply, one token a chunk."""
    return [(first + i * TOKEN, delta("length" if i == number - 1 else None, **{field: "x"})) for i in range(number)]


def ended(writes: list[Write], tokens: int) -> list[Write]:
    at = writes[-1][0]
    return [*writes, (at, usage(tokens)), (at, DONE)]


def riding() -> list[Write]:
    end = TTFT + (N - 1) * TOKEN
    last = (end, piece(so_far=N, finish="length"))
    return [*[(TTFT + i * TOKEN, piece()) for i in range(N - 1)], last, (end, DONE)]


BROKEN = event({"error": {"message": "gone", "code": 500}})
ROLE = (5.0, delta(role="assistant", content=""))
SEVERAL = [plain([1] * N, gap, first) for gap, first in ((10, 200), (12, 150), (30, 90), (8, 400), (11, 10))]

SCENARIOS: dict[str, Scenario] = {
    "base": Scenario([base(ids=False)]),
    "several requests": Scenario(SEVERAL),
    "several lengths": Scenario([plain([1] * n, 10, 50) for n in (5, 31, 60, 2, 17)]),
    "three tokens an event": Scenario([plain([1] + [3] * 10, 30)]),
    "four tokens first": Scenario([plain([4] + [3] * 9, 30)]),
    "empty chunk first": Scenario([[(50, piece(0, text="")), *base(ids=False)]]),
    "usage on the last chunk": Scenario([riding()]),
    "late done": Scenario([late(base(ids=False), 300)]),
    "crlf": Scenario([apart(changed(base(ids=False), b"\n", b"\r\n"))]),
    "crlf in one write": Scenario([[(TTFT, b"".join(data for _, data in changed(base(ids=False), b"\n", b"\r\n")))]]),
    "no space": Scenario([changed(base(ids=False), b"data: ", b"data:")]),
    "comments": Scenario([changed(base(ids=False), b"data: ", b": ping\n\ndata: ")]),
    "comments within": Scenario([changed(base(ids=False), b"data: ", b": ping\ndata: ")]),
    "named events": Scenario([changed(base(ids=False), b"data: {", b"event: message\ndata: {")]),
    "error in data": Scenario([[*base(ids=False)[:5], (260, BROKEN), (260, DONE)], base(ids=False)]),
    "error named": Scenario([[*base(ids=False)[:5], (260, b"event: error\n" + BROKEN), (260, DONE)], base(ids=False)]),
    "error first": Scenario([[(60, BROKEN), (60, DONE)], base(ids=False)]),
    "no done": Scenario([base(ids=False)[:5]]),
    "early stop": Scenario([[*base(ids=False)[:4], (240, piece(finish="stop")), (240, usage(5)), (240, DONE)]]),
    "done alone": Scenario([[(200, DONE)], base(ids=False)]),
    "empty texts": Scenario([ended([(TTFT + i * TOKEN, piece(text="")) for i in range(N)], N)]),
    "one token": Scenario([plain([1], 10)], asked=1),
    "chat": Scenario([ended([ROLE, *said()], N)], chat=True),
    "chat several": Scenario([ended([ROLE, *said(first=at)], N) for at in (200, 90, 300, 30)], chat=True),
    "chat late done": Scenario([late(ended([ROLE, *said()], N), 300)], chat=True),
    "chat reasoning": Scenario([ended([ROLE, *said("reasoning", 20, 100), *said(number=5, first=300)], 25)], chat=True),
    "chat reasoning_content": Scenario(
        [ended([ROLE, *said("reasoning_content", 20, 100), *said(number=5, first=300)], 25)], chat=True
    ),
    "chat error": Scenario([[ROLE, *said()[:5], (260.0, BROKEN), (260.0, DONE)], ended(said(), N)], chat=True),
    "chat comments": Scenario([changed(ended([ROLE, *said()], N), b"data: ", b": ping\n\ndata: ")], chat=True),
    "chat no space": Scenario([changed(ended([ROLE, *said()], N), b"data: ", b"data:")], chat=True),
}
