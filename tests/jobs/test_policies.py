"""A runner is given what its own policy takes, and what it refuses all the same is another's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import ConflictError, ForbiddenError
from app.jobs.ends import MOST_REFUSALS
from app.jobs.fleet import UP_FOR
from app.jobs.matching import lacks, needs_of
from app.jobs.queries import job_detail
from app.jobs.sweeping import put_back
from app.protocol.exact import digest
from app.protocol.lease import EngineHere
from app.protocol.outcome import REFUSALS
from app.protocol.policy.local import LocalPolicy
from tests.jobs.factories import ANA, BO, LAUNCH, MAY, capabilities, plan

if TYPE_CHECKING:
    from app.cards.store import Writer
    from app.protocol.lease import Capabilities
    from app.protocol.outcome import Refusal
    from tests.jobs.factories import Queue

PIN = f"{LAUNCH.model}@{'a' * 40}"
PINNED: dict[str, Any] = {"revision": "a" * 40}
LISTS = capabilities(models=(PIN,))


def lacking(queue: Queue, job: str) -> dict[str, list[str]]:
    with queue.database.read() as session:
        return job_detail(session, job, queue.clock.now()).lacking


def stated(policy: LocalPolicy) -> Capabilities:
    """What a runner with everything says of that policy."""
    engines = tuple(
        EngineHere(name="vllm", version=version, device="cuda")
        for version in ("0.32.0", "0.33.0")
        if policy.starts("vllm", version)
    )
    said = {name: getattr(policy, name) for name in ("models", "approved", "denied_flags", "max_gpus", "wall_s")}
    return capabilities(gpus=capabilities().gpus * 8, engines=engines, **said)


POLICIES = st.builds(
    LocalPolicy,
    engines=st.sampled_from([None, ("vllm==0.33.0",), ("vllm==0.32.0",)]),
    models=st.sampled_from([(), (PIN,)]),
    approved=st.booleans(),
    denied_flags=st.sampled_from([(), ("enforce-eager",)]),
    max_gpus=st.sampled_from([None, 0, 1, 8]),
    wall_s=st.sampled_from([600.0, 7200.0]),
)
LAUNCHES = st.fixed_dictionaries(
    {
        "version": st.sampled_from(["0.32.0", "0.33.0"]),
        "revision": st.sampled_from([None, "a" * 40, "b" * 40]),
        "gpus": st.sampled_from([1, 2]),
        "flags": st.sampled_from([{}, {"enforce-eager": True}, {"enable-lora": True}, {"max-model-len": 64}]),
    }
)


@given(policy=POLICIES, launch=LAUNCHES, approved=st.booleans())
def test_what_a_runner_is_offered_is_what_its_policy_starts(
    policy: LocalPolicy, launch: dict[str, Any], approved: bool
) -> None:
    wanted = plan(launch=launch)
    needs = needs_of(wanted)
    digests = [digest(side.launch) for side in wanted.sides if side.launch] if approved else []
    refused = [text for text in policy.plan_refusals(wanted, digests) if "loads or serves adapters" not in text]
    if "enable-lora" not in launch["flags"]:  # that one nobody asks for: the app refuses it
        assert bool(lacks(needs, stated(policy), approved=approved)) == bool(refused)


def test_a_model_that_one_runner_lists_is_no_leave_for_another(queue: Queue) -> None:
    queue.lease("lister", "boot-lists", capabilities=LISTS)
    job = queue.submit(plan=plan(launch=PINNED))
    assert queue.job(job).state == "queued"
    assert queue.lease("other", "boot-other").assignment is None
    assert "nobody has approved" in lacking(queue, job)["other"][0]
    assert queue.taken(runner="lister", boot_id="boot-lists", capabilities=LISTS)[0] == job


def test_the_gate_is_lifted_only_by_a_runner_that_can_do_the_job(queue: Queue) -> None:
    queue.lease("lister", "boot-lists", capabilities=capabilities(models=(PIN,), engines=()))
    assert queue.job(queue.submit(plan=plan(launch=PINNED))).state == "awaiting_approval"


def test_a_job_waits_for_approval_again_once_the_only_runner_that_lists_its_model_stops_listing_it(
    queue: Queue,
) -> None:
    job = queue.submit(plan=plan(launch=PINNED))
    assert queue.job(job).state == "awaiting_approval"
    queue.submit(priority=1)  # which keeps it busy
    queue.lease("lister", "boot-lists", capabilities=LISTS)
    assert queue.job(job).state == "queued"
    queue.lease("lister", "boot-lists")
    assert queue.job(job).state == "awaiting_approval"


@pytest.mark.parametrize("says", [{"draining": True}, {"quarantine": "its GPU is held by something else"}])
def test_a_runner_that_takes_nothing_starts_nothing_unasked(queue: Queue, says: dict[str, Any]) -> None:
    queue.lease("lister", "boot-lists", capabilities=LISTS)
    assert queue.job(queue.submit(plan=plan(launch=PINNED))).state == "queued"
    queue.taken(runner="lister", boot_id="boot-lists", capabilities=LISTS)
    queue.lease("other", "boot-other", capabilities=LISTS, **says)
    queue.later(UP_FOR.total_seconds() + 1)
    queue.lease("other", "boot-other", capabilities=LISTS, **says)
    assert queue.job(queue.submit(plan=plan(launch=PINNED))).state == "awaiting_approval"


def test_a_job_waits_for_approval_while_the_runner_that_lists_its_model_is_away(queue: Queue) -> None:
    queue.lease("lister", "boot-lists", capabilities=LISTS)
    job = queue.submit(plan=plan(launch=PINNED))
    queue.later(UP_FOR.total_seconds())
    put_back(queue.database, queue.clock.now(), second=False)
    assert queue.job(job).state == "queued"
    queue.later(1)
    put_back(queue.database, queue.clock.now(), second=False)
    assert queue.job(job).state == "awaiting_approval"
    assert queue.job(queue.submit(plan=plan(launch=PINNED))).state == "awaiting_approval"
    assert lacking(queue, job)["lister"][-1].startswith("it was last seen ")
    assert queue.taken(runner="lister", boot_id="boot-lists", capabilities=LISTS)[0] == job


def test_a_runner_at_work_is_up_for_as_long_as_its_job_is_heard_of(queue: Queue) -> None:
    queue.submit()
    at_work, epoch = queue.running(runner="lister", boot_id="boot-lists", capabilities=LISTS)
    for _ in range(3):
        queue.later(60)
        queue.beat(at_work, epoch)
    assert queue.job(queue.submit(plan=plan(launch=PINNED))).state == "queued"


def test_a_job_for_a_listing_runner_may_be_approved_for_the_others(queue: Queue) -> None:
    queue.lease("lister", "boot-lists", capabilities=LISTS)
    job = queue.submit(plan=plan(launch=PINNED))
    queue.approve(job)
    with pytest.raises(ConflictError):
        queue.approve(job)
    assert queue.taken(runner="other", boot_id="boot-other")[0] == job


def test_a_runner_that_takes_nothing_approved_is_not_offered_it(queue: Queue) -> None:
    job = queue.submit(plan=plan())
    queue.approve(job)
    assert queue.lease(capabilities=capabilities(approved=False)).assignment is None
    assert "its owner lets nothing run that needs approval" in lacking(queue, job)["one"][0]
    assert queue.taken()[0] == job


@pytest.mark.parametrize(
    ("says", "why"),
    [({"denied_flags": ("max-model-len",)}, "--max-model-len"), ({"max_gpus": 0}, "gives at most 0 GPUs")],
)
def test_a_runner_is_not_offered_what_it_says_that_it_refuses(queue: Queue, says: dict[str, Any], why: str) -> None:
    job = queue.submit(plan=plan(launch={"flags": {"max-model-len": 64}}))
    queue.approve(job)
    assert queue.lease(capabilities=capabilities(**says)).assignment is None
    assert why in lacking(queue, job)["one"][0]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_job_that_a_runner_refuses_goes_back_and_not_to_that_process_again(queue: Queue, refusal: Refusal) -> None:
    job = queue.submit()
    taken, epoch = queue.running()
    assert queue.finish(taken, epoch, refusal) == "queued"
    stored = queue.job(job)
    assert (stored.state, stored.attempts, stored.failure) == ("queued", 0, None)
    assert queue.attempts(job)[0].failure == refusal
    assert queue.lease().assignment is None
    assert "it was given this job and gave it back" in lacking(queue, job)["one"][0]
    assert queue.taken(boot_id="boot-new") == (job, 2), "a new process may have another policy"


def test_a_job_that_is_refused_again_and_again_fails_at_last(queue: Queue) -> None:
    job = queue.submit()
    for number in range(MOST_REFUSALS):
        refusal = REFUSALS[number % len(REFUSALS)]
        assert queue.finish(*queue.running(boot_id=f"boot-{number:04d}"), refusal) == "queued"
    assert queue.finish(*queue.running(boot_id="boot-last"), "not_allowed") == "failed"
    assert queue.job(job).failure == "not_allowed"


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refused_job_is_offered_to_the_others(queue: Queue, refusal: Refusal) -> None:
    job = queue.submit()
    queue.finish(*queue.running(), refusal)
    assert queue.taken(runner="two", boot_id="boot-two") == (job, 2)


def test_a_refusal_of_a_job_that_is_cancelled_ends_it(queue: Queue) -> None:
    job = queue.submit()
    taken, epoch = queue.running()
    queue.cancel(job)
    assert queue.finish(taken, epoch, "not_allowed") == "cancelled"


def test_a_process_that_has_not_begun_its_job_is_given_the_same_again(queue: Queue) -> None:
    queue.submit()
    queue.submit()
    assert queue.taken() == queue.taken()


def test_a_process_at_work_is_given_no_second_job(queue: Queue) -> None:
    first, second = queue.submit(), queue.submit()
    job, epoch = queue.running()
    with pytest.raises(ConflictError, match=first):
        queue.lease()
    queue.finish(job, epoch)
    assert queue.taken()[0] == second


NAMESAKE = MAY.__class__(MAY.name.upper(), "bcr_other", maintains=True)


@pytest.mark.parametrize("own", [MAY, NAMESAKE])
def test_an_approval_never_releases_a_job_of_whoever_gave_it(queue: Queue, own: Writer) -> None:
    queue.second = True
    mine, theirs = queue.submit(by=own, plan=plan()), queue.submit(by=ANA, plan=plan())
    queue.approve(theirs, MAY)
    assert [queue.job(job).state for job in (mine, theirs)] == ["awaiting_approval", "queued"]
    assert queue.job(queue.submit(by=own, plan=plan())).state == "awaiting_approval"
    with pytest.raises(ForbiddenError):
        queue.approve(mine, MAY)
    assert queue.taken()[0] == theirs
    queue.approve(mine, BO.__class__(BO.name, BO.owner, maintains=True))
    assert queue.taken(runner="two", boot_id="boot-two")[0] == mine


def test_an_own_approval_from_before_two_people_were_wanted_counts_no_more(queue: Queue) -> None:
    job = queue.submit(by=MAY, plan=plan())
    queue.approve(job, MAY, second=False)
    queue.second = True
    assert queue.lease().assignment is None
    assert queue.job(job).state == "awaiting_approval"


def test_a_job_of_several_tools_is_for_a_runner_that_has_them() -> None:
    held = plan().model_copy(update={"kind": "agreement", "tools": ("vllm_bench",)})
    needs = needs_of(held)
    assert lacks(needs, capabilities(), approved=True) == [
        "its configuration names no Python for vllm_bench (site.tools)"
    ]
    assert lacks(needs, capabilities(tools=("vllm_bench", "sglang_bench")), approved=True) == []
