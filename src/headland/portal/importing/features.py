"""What a file has: outlines with what is said of each."""

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

#: Outlines of a file. More are brought in over the API, by lines.
MOST_FEATURES = 5_000
#: Bytes of what a file unfolds to.
MOST_UNFOLDED = 64 << 20

_LONGEST_VALUE = 200


class UnreadableFileError(ValueError):
    """A file can't be taken; the message says why, to people."""


class Feature(Struct, frozen=True):
    """An outline, as GeoJSON (RFC 7946) has it."""

    geometry: dict[str, Any] | None
    #: Texts, by their names in the file.
    properties: dict[str, str]


def feature_of(geometry: Any, properties: Mapping[str, Any]) -> Feature:
    """Of what stands in a file. Properties that are no plain values are left out."""
    plain = {
        str(name)[:_LONGEST_VALUE]: str(value)[:_LONGEST_VALUE]
        for name, value in properties.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip()
    }
    return Feature(geometry if isinstance(geometry, dict) else None, plain)


def check_number(number: int) -> None:
    """
    Raises:
        UnreadableFileError: a file has so many features that it is not taken.
    """
    if number > MOST_FEATURES:
        raise UnreadableFileError(
            f"The file has more than {MOST_FEATURES} outlines. Bring them in over the API, by lines of JSON."
        )
    if number == 0:
        raise UnreadableFileError("There is no outline in the file.")


def packed(features: Sequence[Feature]) -> str:
    """Features as a text that a form can carry from one step to the next."""
    return base64.urlsafe_b64encode(zlib.compress(msgspec.json.encode(features), 6)).decode()


def unpacked(text: str) -> list[Feature]:
    """
    Raises:
        UnreadableFileError: it is no such text.
    """
    try:
        decoder = zlib.decompressobj()
        content = decoder.decompress(base64.urlsafe_b64decode(text), MOST_UNFOLDED)
        features = msgspec.json.decode(content, type=list[Feature])
    except (binascii.Error, ValueError, zlib.error, msgspec.MsgspecError):
        raise UnreadableFileError("What the file had was lost on the way. Choose it once more.") from None
    check_number(len(features))
    return features
