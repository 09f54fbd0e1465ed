"""Gives runners tokens for their jobs: what answers on the Unix socket in the home.

A runner is known by a key that it has made itself, of which `runner.json` has the digest. `runner/token_endpoint.py`
has the form of questions and answers. Where the database is away nothing is answered: the runner asks again.
"""

import hashlib
import hmac
import os
import re
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl

import msgspec
import structlog

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.identity import find_job
from headland.jobs.wakeup import bind_private
from headland.security import Principal
from headland.settings import Home

#: The version of the protocol: App Service's second one.
API_VERSION = "2019-08-01"

#: Bytes of a question.
LONGEST_QUESTION = 32_768

#: Bytes of a runner's record.
_LONGEST_RECORD = 4096

#: Questions answered at once. A signature takes a millisecond, and the controller has other things to do.
_THREADS = 2

#: Seconds that a runner may take to ask.
_ASKING = 5.0

_log = structlog.get_logger("headland.jobs.tokens")


class TokenRefusedError(Exception):
    """There is no such token. `error` is OAuth's word for the reason."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error
        self.message = message


class TokenAnswer(msgspec.Struct, frozen=True):
    """A token, as App Service answers: numbers are texts there."""

    access_token: str
    #: Seconds since 1970.
    expires_on: str
    not_before: str
    resource: str
    client_id: str
    token_type: str = "Bearer"  # noqa: S105 - the kind of token


class TokenProblem(msgspec.Struct, frozen=True, rename={"status_code": "statusCode"}):
    """Why there is none: in App Service's form, and in that of the metadata service of virtual machines."""

    status_code: int
    message: str
    error: str
    error_description: str


#: A token for a submitter, a job and a resource; raises TokenRefusedError, or DatabaseUnavailableError.
Issue = Callable[[Principal, str, str], TokenAnswer]


class _Question(msgspec.Struct, frozen=True):
    run: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    key: Annotated[str, msgspec.Meta(max_length=128)]
    #: As the job sent it.
    query: str


class _Answer(msgspec.Struct, frozen=True):
    status: int
    body: str


class TokenBroker:
    """Answers the runners of one home, until the process ends."""

    def __init__(self, database: Database, home: Home, issue: Issue) -> None:
        self._database = database
        self._home = home
        self._issue = issue
        self._pool = ThreadPoolExecutor(_THREADS, "tokens")

    def start(self) -> None:
        """Listen, in threads."""
        listener = bind_private(self._home.token_socket, socket.SOCK_STREAM)
        listener.listen(128)
        threading.Thread(target=self._accept, args=(listener,), name="tokens", daemon=True).start()

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a question; None where it has to be asked again later."""
        try:
            question = msgspec.json.decode(line, type=_Question)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _problem(400, "invalid_request", "The question is malformed.")
        try:
            token = self._token(question)
        except TokenRefusedError as error:
            return _problem(400, error.error, error.message)
        except DatabaseUnavailableError as error:
            _log.warning("job_token.delayed", reason=str(error))
            return None
        return msgspec.json.encode(_Answer(200, msgspec.json.encode(token).decode())) + b"\n"

    def _token(self, question: _Question) -> TokenAnswer:
        if not self._is_runner(question):
            raise TokenRefusedError("unauthorized_client", "Whoever asks is not the job's runner.")
        job = self._database.read(lambda connection: find_job(connection, question.run))
        if job is None:
            raise TokenRefusedError("invalid_request", "There is no job: it has not begun, or has ended.")
        if job.submitter is None:
            raise TokenRefusedError(
                "unauthorized_client", "The job was submitted by nobody in particular, and acts for nobody."
            )
        asked = _parameters(question.query)
        return self._issue(job.submitter, job.name, _resource(asked, job.submitter))

    def _is_runner(self, question: _Question) -> bool:
        for folder in (self._home.batches, self._home.sessions):
            known = _key_digest(folder / question.run / "runner.json")
            if known is not None:
                shown = hashlib.sha256(question.key.encode()).hexdigest()
                return hmac.compare_digest(shown, known)
        return False

    def _accept(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            self._pool.submit(self._attend, connection)

    def _attend(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.settimeout(_ASKING)
                said = b""
                while not said.endswith(b"\n"):
                    piece = connection.recv(LONGEST_QUESTION)
                    said += piece
                    if not piece or len(said) > LONGEST_QUESTION:
                        return
                if (answer := self.answer(said)) is not None:
                    connection.sendall(answer)
            except OSError:
                return  # the runner has gone
            except Exception:  # noqa: BLE001 - one question's trouble must not be every job's
                _log.exception("job_token.failed")


def _key_digest(record: Path) -> str | None:
    """What a runner's record says; None where there is none. No link is followed."""
    try:
        descriptor = os.open(record, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        text = opened.read(_LONGEST_RECORD)
    try:
        said = msgspec.json.decode(text, type=_Introduction).token_key
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return said if re.fullmatch("[0-9a-f]{64}", said) else None


class _Introduction(msgspec.Struct, frozen=True):
    token_key: str = ""


def _parameters(query: str) -> dict[str, str]:
    asked: dict[str, str] = {}
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=20)
    except ValueError:
        raise TokenRefusedError("invalid_request", "The query is malformed.") from None
    for name, value in pairs:
        if name in asked:
            raise TokenRefusedError("invalid_request", f"{name[:80]}: stands there twice.")
        asked[name] = value
    return asked


def _resource(asked: dict[str, str], submitter: Principal) -> str:
    """The resource that is asked for, by a query that may ask for it."""
    if asked.get("api-version") != API_VERSION:
        raise TokenRefusedError("invalid_request", f"api-version: must be {API_VERSION}.")
    # A job has one identity. Clients that are told to take a certain one name it by one of these.
    known = {
        "client_id": submitter.client_id,
        "object_id": submitter.object_id,
        "principal_id": submitter.object_id,
        "mi_res_id": "",
        "msi_res_id": "",
    }
    for name, identity in known.items():
        if asked.get(name) and asked[name].lower() != identity.lower():
            raise TokenRefusedError(
                "invalid_request",
                f"{name}: Identity not found. The job acts for '{submitter.client_id}' and nobody else.",
            )
    if not asked.get("resource"):
        raise TokenRefusedError("invalid_request", "resource: is missing.")
    return asked["resource"]


def _problem(status: int, error: str, message: str) -> bytes:
    problem = TokenProblem(status, message, error, message)
    return msgspec.json.encode(_Answer(status, msgspec.json.encode(problem).decode())) + b"\n"
