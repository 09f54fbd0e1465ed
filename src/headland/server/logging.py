"""The service's log: one event a line on standard error, with fields."""

import logging
import sys
import time
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import msgspec
import structlog
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import ExceptionRenderer
from structlog.tracebacks import ExceptionDictTransformer

from headland.http.answered import Answered, timestamp
from headland.http.request_ids import REQUEST_ID
from headland.server.lines import LINES
from headland.settings import LogSettings

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

_encoder = msgspec.json.Encoder(enc_hook=repr)

#: As on the console, without what the variables of a traceback's frames held: some of that is secret.
_tracebacks = ExceptionRenderer(ExceptionDictTransformer(show_locals=False))

#: What granian is told of logging: its warnings, as plain lines. Requests are logged by our own middleware.
GRANIAN: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "generic": {"format": '{"event":"granian","level":"%(levelname)s","message":"%(message)s"}'}
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "generic", "stream": "ext://sys.stderr"}
    },
    "loggers": {"_granian": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
}


def configure_logging(settings: LogSettings, *, gathered: bool = False) -> None:
    """Set up structlog for this process. With `gathered`, lines about requests may wait some milliseconds for
    others; whoever ends the process flushes `LINES`.
    """
    console = _for_people(settings)
    LINES.gathers = gathered
    structlog.configure(
        processors=[_stamped, ConsoleRenderer(exception_formatter=plain_traceback)] if console else [_line],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.level]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr) if console else LINES,
        cache_logger_on_first_use=True,
    )


def request_lines(settings: LogSettings) -> Callable[[Sequence[Answered]], None] | None:
    """What writes many lines about requests at once, as JSON; None where they are to be logged one by one."""
    if _for_people(settings) or _LEVELS[settings.level] > logging.INFO:
        return None

    def write(told: Sequence[Answered]) -> None:
        # What was said while these were answered comes first.
        LINES.flush()
        LINES.write(_encoder.encode_lines(told))

    return write


def _for_people(settings: LogSettings) -> bool:
    return settings.format == "console" or (settings.format == "auto" and sys.stderr.isatty())


def _stamped(_logger: Any, level: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Level, time and request, in one step in place of three of structlog's."""
    if (request_id := REQUEST_ID.get()) is not None:
        entry["request_id"] = request_id
    entry["level"] = "error" if level == "exception" else level
    entry.setdefault("timestamp", timestamp(time.time()))
    return entry


def _line(logger: Any, level: str, entry: MutableMapping[str, Any]) -> bytes:
    """An entry as JSON; msgspec takes a tenth of the standard encoder's time."""
    if "exc_info" in entry:
        entry = _tracebacks(logger, level, entry)
    return _encoder.encode(_stamped(logger, level, entry))
