"""Why did a session end? One sentence, for its log."""

import signal
from collections.abc import Sequence

from headland.jobs.batches.submission import Submission
from headland.jobs.controller.diagnosis import diagnose, out_of_memory

_SIGNALS = {each.value: each.name for each in signal.Signals}


def diagnosis(
    record: dict[str, object] | None, submission: Submission, output: Sequence[str], *, up: bool
) -> str:
    """Of a session that nobody had stopped. `record` is its runner's, `up` whether it had taken statements."""
    if record is None:
        return "The session's runner was killed or its machine went down."
    if record["problem"]:
        return str(record["problem"])
    number = record["signal"]
    if isinstance(number, int):
        return f"The session's host was stopped from outside by signal {signal.Signals(number).name}."
    code = record["exit_code"] if isinstance(record["exit_code"], int) else None
    if code is not None and code - 128 in _SIGNALS:
        return f"The session's JVM was stopped from outside by signal {_SIGNALS[code - 128]}."
    if up:
        return (
            f"The session's JVM has ended with exit code {code}. {out_of_memory(list(output)) or ''}".rstrip()
        )
    return f"The session's application did not start: {diagnose(submission, code, list(output))}"
