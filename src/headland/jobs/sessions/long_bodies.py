"""Take a long body apart, as a process of its own with the standard library only: `… long_bodies <file> <member>`.

A statement of tens of megabytes is handed on as the piece of JSON that it is; nothing in the service reads it, so that
nobody waits for it. What else the body says is printed.
"""

import codecs
import json
import re
import sys
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

#: A string as JSON has it, or as much as is one of what is none: so that no byte is looked at twice.
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+("?)')
_COLON = re.compile(rb"\s*+:\s*+")

#: Strings of a body that are looked at.
_LOOKED_AT = 64

#: Longest rest of a body, in bytes.
_REST = 65_536

#: Bytes that are checked at once.
_PIECE = 1 << 20


class BadBodyError(Exception):
    """A body is not what it is to be. The message is for whoever sent it."""


def take_apart(file: Path, member: str, longest: int = _REST) -> dict[str, Any]:
    """The JSON object in a file but for a text in it, whose place an empty one takes. The text, as the JSON that it is,
    stands in a file of that name with `.piece` behind it. For the process that does it: takes a second or two.

    Raises:
        BadBodyError: it is no such object.
    """
    with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as body:
        begin, end = _place(body, member.encode())
        if len(body) - (end - begin) > longest:
            raise BadBodyError(
                f"{member}: a text is expected; without it the body has more than {longest} bytes"
            )
        try:
            rest = json.loads(body[:begin] + (b'""' if end > begin else b"") + body[end:])
            _check(body, begin, end)
        except (ValueError, RecursionError) as error:
            raise BadBodyError(f"the body is not JSON: {error}") from None
        if not isinstance(rest, dict):
            raise BadBodyError("the body is no JSON object")
        with piece_of(file).open("xb") as written:
            for at in range(begin, end, _PIECE):
                written.write(body[at : min(at + _PIECE, end)])
    return rest


def _place(body: mmap, member: bytes) -> tuple[int, int]:
    """Where the member's text begins and ends; nowhere where there is none."""
    for match in islice(_STRING.finditer(body), _LOOKED_AT):
        named = match.end() - match.start() == len(member) + 2 and match[0][1:-1] == member
        if named and (colon := _COLON.match(body, match.end())):
            text = _STRING.match(body, colon.end())
            return text.span() if text is not None and text[1] else (0, 0)
    return 0, 0


def _check(body: mmap, begin: int, end: int) -> None:
    """Raises ValueError where that is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(begin, end, _PIECE):
        stop = min(at + _PIECE, end)
        decoder.decode(body[at:stop], final=stop == end)


def piece_of(file: Path) -> Path:
    """Where the text of a body in `file` is."""
    return file.with_name(file.name + ".piece")


if __name__ == "__main__":
    try:
        told = take_apart(Path(sys.argv[1]), sys.argv[2])
    except BadBodyError as problem:
        sys.exit(str(problem))
    sys.stdout.write(json.dumps(told))
