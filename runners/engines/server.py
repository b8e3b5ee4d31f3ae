"""One server of an engine, from start to proven end: started under the supervisor, ready when a completion is right."""

from __future__ import annotations

import secrets
import shutil
import socket
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from app.protocol.engines import options
from app.protocol.engines.recipe import RecipeError, deprecated, start
from runners import gpu
from runners.engines import control, environment, failures
from runners.engines.control import ANSWER_S, SILENT_S, HungError
from runners.process import Process, ProcessError
from runners.processes_below import used_s

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from app.protocol.engines.options import Flags
    from app.protocol.engines.recipe import Recipe
    from app.protocol.engines.start import Given, Start
    from app.protocol.engines.table import Engine
    from runners.engines.control import Flushed
    from runners.engines.counters import Counters
    from runners.engines.environment import Site
    from runners.engines.failures import Failure, Phase
    from runners.engines.install import Installed

READY_S = 900.0
STILL_S = 120.0  # that a server which starts may log nothing and compute nothing
STILL_CPU_S = 1.0  # of processor time in all that while is nothing
LOOK_S = 5.0  # between two looks at that
COMPLETION_S = 120.0  # for a server that answers beside its requests: the first one may have kernels made
LAST_WORDS_S = 10.0  # that a server whose answer failed gets to die of it
GRACE_S = 15.0
READY_PROMPT = (7, 11, 13, 17, 19)  # ids below those that measured prompts are made of
READY_TOKENS = 4
SHARED = Path("/dev/shm")  # noqa: S108 - the kernel's place for shared memory, only looked at


@dataclass(frozen=True, slots=True)
class Own:
    """What the runner alone decides about a server."""

    port: int
    api_key: str
    served_name: str


class LaunchError(Exception):
    """The server did not become ready, or died; with the last lines of its log."""

    def __init__(self, failure: Failure, lines: list[str]) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.lines = lines


@dataclass(frozen=True, slots=True)
class Known:
    """What a ready server says of itself."""

    version: str | None
    info: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Freed:
    """The proof of an end. `code` is what the server exited with, `gpu` None on a machine without one; `shared` are
    pieces of shared memory that appeared while it ran and are still there, perhaps of others."""

    code: int | None
    survivors: list[int]
    shared: list[str]
    gpu: gpu.Back | None

    @property
    def free(self) -> bool:
        return not self.survivors and (self.gpu is None or self.gpu.back)


class Server:
    """`with Server(...) as server:` starts it; `wait_ready` must follow. It listens on the loopback interface alone."""

    def __init__(self, installed: Installed, recipe: Recipe, folder: Path, site: Site, echo: str = "") -> None:
        """RecipeError, InstallError and GpuError come before anything is started; ProcessError when it cannot be.
        With `echo`, what it prints also goes to this process's standard error, each line under that word."""
        self.installed = installed
        self.engine = installed.engine
        self.log_file = folder / "server.log"
        self.own = Own(_free_port(), secrets.token_urlsafe(24), f"benchcard-{secrets.token_hex(6)}")
        known = installed.flags(site)
        made, self.notes = _made(installed, recipe, known), deprecated(recipe, known)
        self._gpus = site.gpus
        self._gpu_before = gpu.used_mib(self._gpus)
        self._shared_before = _shared(self.engine)
        self._scratch = Path(tempfile.mkdtemp(prefix="benchcard-"))  # short: engines put sockets there
        given = environment.given(site, installed.python.parent, self._scratch) | _own(self.own, recipe)
        self.argv, self.env = made.arguments(given), made.variables(given)
        self._http = control.client(self.url, self.own.api_key)
        try:
            self.process = Process(self.argv, self.env, self.log_file, folder, echo)
        except ProcessError:
            self._tidy()
            raise
        self._freed: Freed | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.own.port}"

    def __enter__(self) -> Server:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.stop()

    def wait_ready(self, limit_s: float = READY_S) -> Known:
        """Until a completion of exactly the asked tokens came from this very server. LaunchError: it never did.
        HungError: it stands still."""
        until = time.monotonic() + limit_s
        stillness = Stillness(self._signs, time.monotonic)
        while not self._healthy():
            if not self.process.running(wait_s=0.25) or time.monotonic() >= until:
                raise self.failure("starting")
            if stillness.too_long():
                raise HungError(
                    f"it was not ready, and in {STILL_S:g} s it logged nothing and used less than {STILL_CPU_S:g} s of "
                    "processor"
                )
        self.check()
        return self._known()

    def check(self, phase: Phase = "first_request") -> None:
        """One real completion. LaunchError: it is wrong, or the server has died of it. HungError: it has no answer."""
        wrong = self._completed()
        if wrong is not None:
            self.process.running(wait_s=LAST_WORDS_S)
            failure = self.failure(phase)
            raise LaunchError(failures.with_answer(failure.failure, wrong), failure.lines)

    def failure(self, phase: Phase) -> LaunchError:
        """What the exit code and the log say now."""
        lines = self.process.last_lines(200)
        return LaunchError(failures.classify(phase, self.process.code, lines), lines[-40:])

    def flush(self) -> Flushed:
        """Empty the prefix cache, and read the answer."""
        return control.flush(self._http, self.engine)

    def scrape(self) -> Counters:
        """The server's counters when they no longer change. ControlError: it shows none."""
        return control.scrape_settled(self._http)

    def stop(self, grace_s: float = GRACE_S) -> Freed:
        """End it, and prove that all it held is free; once stopped, the same answer again. ProcessError and GpuError:
        nothing can be proven."""
        if self._freed is None:
            try:
                stopped = self.process.stop(grace_s)
            finally:
                self._tidy()
            left = sorted(_shared(self.engine) - self._shared_before)
            self._freed = Freed(
                stopped.code, stopped.survivors, left, gpu.given_back(self._gpu_before, gpus=self._gpus)
            )
        return self._freed

    def _tidy(self) -> None:
        self._http.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _healthy(self) -> bool:
        with suppress(httpx.HTTPError):
            return self._http.get(self.engine.health, timeout=5).status_code == 200
        return False

    def _signs(self) -> tuple[int, float]:
        """What moves while a server works: bytes of its log, seconds of processor time of all its processes."""
        return self.log_file.stat().st_size, sum(used_s(self.process.supervisor).values())

    def _completed(self) -> str | None:
        """As `_complete`. A server that says nothing at all is not waited for; another one may be slow."""
        try:
            return self._complete(SILENT_S)
        except httpx.TimeoutException:
            if not control.answers(self.url, self.own.api_key):
                raise HungError(
                    f"a completion had no answer within {SILENT_S:g} s, and neither its counters nor its health within "
                    f"{ANSWER_S:g} s"
                ) from None
        try:
            return self._complete(COMPLETION_S)
        except httpx.TimeoutException:
            raise HungError(
                f"a completion of {READY_TOKENS} tokens had no answer within {COMPLETION_S:g} s, although the server "
                "answers beside it"
            ) from None

    def _complete(self, limit_s: float) -> str | None:
        """None for a right answer, else what is wrong with it. The name in it is one that only this server has."""
        body = {
            "model": self.own.served_name,
            "prompt": list(READY_PROMPT),
            "max_tokens": READY_TOKENS,
            "ignore_eos": True,
            "temperature": 0,
        }
        try:
            said = self._http.post("/v1/completions", json=body, timeout=limit_s)
            usage = said.json()["usage"] if said.status_code == 200 else None
        except httpx.TimeoutException:
            raise
        except (httpx.HTTPError, ValueError, KeyError) as error:
            return f"{type(error).__name__}: {error}"
        if usage is None:
            return f"status {said.status_code}: {said.text[:300]}"
        counted = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
        wanted = (len(READY_PROMPT), READY_TOKENS)
        return None if counted == wanted else f"tokens in and out are {counted} instead of {wanted}"

    def _known(self) -> Known:
        info = self._json(self.engine.info)
        versions = (info if path == self.engine.info else self._json(path) for path in self.engine.version)
        version = next((said["version"] for said in versions if said and "version" in said), None)
        return Known(version, info)

    def _json(self, path: str) -> dict[str, Any] | None:
        with suppress(httpx.HTTPError, ValueError):
            said = self._http.get(path)
            found = said.json() if said.status_code == 200 else None
            return found if isinstance(found, dict) else None
        return None


class Stillness:
    """Of a server that starts. `signs` are a log's size and seconds of processor time, `clock` tells seconds."""

    def __init__(self, signs: Callable[[], tuple[int, float]], clock: Callable[[], float]) -> None:
        self._signs, self._clock = signs, clock
        self._seen, self._since = signs(), clock()
        self._looked = self._since

    def too_long(self) -> bool:
        """Whether nothing has moved for STILL_S."""
        now = self._clock()
        if now - self._looked < LOOK_S:
            return False
        self._looked = now
        log, used = self._signs()
        if log != self._seen[0] or abs(used - self._seen[1]) >= STILL_CPU_S:  # it is less where a process has ended
            self._seen, self._since = (log, used), now
        return now - self._since >= STILL_S


def _made(installed: Installed, recipe: Recipe, known: Flags) -> Start:
    """As the census of the version has it, which is what an approval shows. RecipeError where the engine that is
    installed here would be started otherwise."""
    here = start(recipe, known, installed.device)
    counted = options.counted(recipe.engine, recipe.version)
    if counted is not None and start(recipe, counted, installed.device) != here:
        raise RecipeError(
            [
                f"{recipe.engine} {recipe.version} as it is installed here has other options than the census of that "
                "version, so it would be started otherwise than approvals show it; install it again"
            ]
        )
    return here


def _own(own: Own, recipe: Recipe) -> Given:
    """A folder has no commits, so none is named of one."""
    found: Given = {"PORT": str(own.port), "KEY": own.api_key, "NAME": own.served_name, "MODEL": recipe.model}
    return found | ({} if Path(recipe.model).is_absolute() else {"CACHED": ""})


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _shared(engine: Engine) -> set[str]:
    return {path.name for name in engine.shared_memory for path in SHARED.glob(f"{name}*")}
