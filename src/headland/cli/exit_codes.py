"""Exit codes, and what each means: the reference for scripts, and the end of `headland --help`."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended. Scripts rely on the numbers: they never change their meaning."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> "ExitCode":
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    OK = 0, "Done; a batch waited for ended in success."
    FAILED = 1, "The service refused or failed, a batch ended dead, or code in a session failed."
    USAGE = 2, "The command line or its configuration is wrong."
    KILLED = 3, "A batch waited for ended killed, or a statement cancelled."
    NOT_FOUND = 4, "What was named is not there."
    DENIED = 5, "Not authenticated, or not allowed."
    UNREACHABLE = 6, "The service can't be reached, or its certificate is not trusted."
    TIMED_OUT = 7, "Waiting took longer than --timeout."
    INTERRUPTED = 130, "Interrupted from the keyboard."
