"""Jobs of Livy's own client libraries (`livy.md` section 7.6): those of its Python library are run as statements are.

What a job of the Java library does is code of Livy's that would have to be in the driver, so that those are refused.
"""

import base64
import binascii
import json

from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import JSON_UTF8, json_answer, streamed_answer
from headland.http.operations import Answer, Handler, Operation
from headland.jobs.batches.access import Caller
from headland.jobs.batches.requests import check_json
from headland.jobs.batches.wire import Message
from headland.jobs.guarding import DO_AS, REQUESTED_BY, guarding
from headland.jobs.sessions.errors import NoJobError, NotServedError
from headland.jobs.sessions.host.journal import JOBS
from headland.jobs.sessions.incoming import CodeReader
from headland.jobs.sessions.kinds import NAMES
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statement_routes import number_in, session_of
from headland.jobs.sessions.statements import Statements
from headland.jobs.sessions.wire import JobRequest, JobStatus
from headland.security import Guard

_ITEM = "/sessions/{session_id}"


def object_operations(
    sessions: Sessions, statements: Statements, guard: Guard, *, requested_by: bool, max_body: int
) -> list[Operation]:
    """The operations on jobs, for one listener."""
    guarded = guarding(guard, sessions.access, requested_by=requested_by)
    reader = CodeReader(max_body, sessions.settings.max_statement)

    def submitting(name: str) -> Handler:
        @guarded
        async def submit(request: Request, caller: Caller) -> Response:
            check_json(request)
            row = statements.taking(session_of(request), caller)
            place = sessions.folder(row).new_upload()
            async with reader.read(request, place, "job", JobRequest) as (wanted, job):
                _check(wanted, job)
                number, _ = await statements.submit(row, job, "pyspark", JOBS)
            return json_answer(JobStatus(number, "SENT", None, None), 201)

        submit.__name__ = name
        return submit

    @guarded
    async def get_job(request: Request, caller: Caller) -> Response:
        number = number_in(request)
        return await streamed_answer(await statements.get(session_of(request), number, caller, JOBS))

    @guarded
    async def cancel_job(request: Request, caller: Caller) -> Response:
        await statements.cancel(session_of(request), number_in(request), caller, JOBS)
        return Response(status_code=200, media_type=JSON_UTF8)

    posted = [REQUESTED_BY, DO_AS] if requested_by else [DO_AS]
    refused = {
        500: Answer("The session is not up; `msg` names its state.", Message),
        501: Answer("A job of Livy's Java library; those are not served.", Message),
    }
    return [
        *(
            Operation(
                "POST",
                f"{_ITEM}/{path}",
                submitting(name),
                "Run a job of Livy's Python client library, when what was sent before has ended.",
                {201: Answer("The job, in state `SENT`.", JobStatus), **refused},
                JobRequest,
                parameters=posted,
            )
            for path, name in (("submit-job", "submit_job"), ("run-job", "run_job"))
        ),
        Operation(
            "GET",
            f"{_ITEM}/jobs/{{number}}",
            get_job,
            "Look at a job of Livy's client library.",
            {200: Answer("The job.", JobStatus)},
            parameters=[DO_AS],
        ),
        Operation(
            "POST",
            f"{_ITEM}/jobs/{{number}}/cancel",
            cancel_job,
            "Stop a job of Livy's client library, its Spark jobs included.",
            {200: Answer("It is being stopped, if there was anything to stop.")},
            parameters=posted,
        ),
    ]


def _check(wanted: JobRequest, job: object) -> None:
    """Return if a job may be one that can be run; of a long one that is seen when it is.

    Raises:
        NotServedError: it is one of another library.
        NoJobError: it is none.
    """
    if NAMES.get((wanted.job_type or "spark").lower()) != "pyspark":
        raise NotServedError(
            "jobType: objects of Livy's Java client library are not served here, only `pyspark` jobs of its Python "
            "library; send code as a statement: POST /sessions/{id}/statements."
        )
    if isinstance(job, bytes):
        if not wanted.job:
            raise NoJobError
        try:
            base64.b64decode(json.loads(job), validate=True)
        except (binascii.Error, ValueError):
            raise NoJobError("job is not base64.") from None
