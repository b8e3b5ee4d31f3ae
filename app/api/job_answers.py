"""Records of jobs -> the API's shapes. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from app.api.job_schema import Attempt, JobDetail, JobItem, JobList, LaunchToApprove, MeasurementItem, MeasurementList
from app.replay.store import Reply

if TYPE_CHECKING:
    from app.jobs.rows import JobDetail as Job
    from app.jobs.rows import JobPage, MeasurementPage


def listed(page: JobPage) -> JobList:
    return JobList(items=[JobItem.model_validate(row) for row in page.items], total=page.total, next=page.next)


def detailed(job: Job) -> JobDetail:
    return JobDetail.model_validate(
        {
            **asdict(job.row),
            "plan": job.plan,
            "assumptions": job.assumptions,
            "needs": job.needs,
            "launches": [LaunchToApprove.model_validate(item) for item in job.launches],
            "tries": [Attempt.model_validate(item) for item in job.attempts],
            "measurement_id": job.measurement_id,
            "lacking": job.lacking,
        }
    )


def stored(job: Job, status: int = 200) -> Reply:
    """The answer to a write, as it is kept for retries."""
    return Reply(status, detailed(job).model_dump_json(), f"/api/v1/jobs/{job.row.id}" if status == 201 else None)


def measurements(page: MeasurementPage) -> MeasurementList:
    items = [MeasurementItem.model_validate(row) for row in page.items]
    return MeasurementList(items=items, total=page.total, next=page.next)
