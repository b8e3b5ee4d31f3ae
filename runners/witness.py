"""What is done to the server around each run: its prefix cache emptied where that is asked for, its counters read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.protocol.engines import ENGINES
from runners import referee
from runners.engines import control
from runners.engines.counters import RestartedError, delta
from runners.load.verdict import Reason

if TYPE_CHECKING:
    from runners.engines.counters import Counters
    from runners.load.verdict import Limits
    from runners.referee import Seen, Told


@dataclass
class Witness:
    """For one server. `notes` grows with what a reader of the result should know."""

    root: str
    api_key: str | None
    metrics_url: str | None  # None looks where engines have them
    flush: bool
    notes: list[str] = field(default_factory=list)
    _before: Counters | None = None

    def look(self) -> None:
        """Whether there are counters. ControlError: none at the URL that was given for them."""
        try:
            self._before = self._scrape()
        except (control.ControlError, control.HungError) as error:  # a completion was answered just now: it is there
            if self.metrics_url is not None:
                raise
            self.notes.append(f"no referee: the server shows no counters of its own ({error})")

    def answers(self) -> bool:
        """Whether the server says anything at all (`control.answers`)."""
        return control.answers(self.root, self.api_key, self.metrics_url)

    def before_run(self) -> list[Reason]:
        """Empty the cache, read the counters; the reasons are of a cache that was not emptied."""
        reasons = self._empty() if self.flush else []
        if self._before is not None:
            self._before = self._scrape()
        return reasons

    def after_run(self, seen: Seen, limits: Limits, *, cold: bool) -> tuple[Told | None, list[Reason]]:
        """The run by the server's counters, and what they have against it."""
        added, reasons = self.added()
        if added is None:
            return None, reasons
        told = referee.Told(added, seen)
        return told, referee.judge(told, limits, cold=cold)

    def added(self) -> tuple[Counters | None, list[Reason]]:
        """What was added to the counters since `before_run`, or why that is not known; neither without counters."""
        if self._before is None:
            return None, []
        try:
            return delta(self._before, self._scrape()), []
        except control.ControlError as error:
            return None, [Reason("server_counters_gone", f"the server's counters could be read no more: {error}")]
        except RestartedError as error:
            return None, [Reason("server_restarted", f"the server began anew during the run: {error}")]

    def _scrape(self) -> Counters:
        with control.client(self.root, self.api_key) as http:
            return control.scrape_settled(http, self.metrics_url or "/metrics")

    def _empty(self) -> list[Reason]:
        engine = ENGINES[self._before.engine] if self._before else None
        with control.client(self.root, self.api_key) as http:
            said = control.flush(http, engine)
        if said.done is False:
            answer = said.answer[:200] or "no answer"
            return [
                Reason("cache_not_flushed", f"the prefix cache could not be emptied: status {said.status}, {answer}")
            ]
        if said.done is None and (note := "the server did not say whether it emptied its cache") not in self.notes:
            self.notes.append(note)
        return []
