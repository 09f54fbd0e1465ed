"""Outlines as people write them: GeoJSON in a form, and what is wrong with it in their words."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from headland.portal.inside import RefusedError

#: In what the farm service says of a geometry.
_PLACE = re.compile(r"\[(?P<longitude>-?[\d.e+-]+), (?P<latitude>-?[\d.e+-]+)\]")


class NoOutlineError(ValueError):
    """A text has no geometry; the message says why."""


class Wrong(NamedTuple):
    """What is wrong with an outline."""

    reason: str
    #: `longitude,latitude` of where that is, or "".
    place: str = ""


def geometry_in(text: str) -> dict[str, Any]:
    """The geometry of a GeoJSON text (RFC 7946): itself, or that of a feature, or of a collection's only feature.

    Raises:
        NoOutlineError: there is none.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        at = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NoOutlineError(f"This is no GeoJSON: it can't be read{at}.") from None
    if isinstance(found, dict) and found.get("type") == "FeatureCollection":
        features = found.get("features")
        if not isinstance(features, list) or len(features) != 1:
            raise NoOutlineError(
                "A collection must have just one feature here. To bring in many, import the file."
            )
        (found,) = features
    if isinstance(found, dict) and found.get("type") == "Feature":
        found = found.get("geometry")
    if not isinstance(found, dict) or found.get("type") not in {"Polygon", "MultiPolygon"}:
        raise NoOutlineError("An outline is a Polygon or a MultiPolygon.")
    return found


def written(geometry: Mapping[str, Any] | None) -> str:
    """A geometry as the form shows it: a line each position."""
    if not geometry:
        return ""
    return json.dumps(geometry, separators=(",", ":"), ensure_ascii=False).replace("],[", "],\n[")


def wrong_with(refused: RefusedError) -> Wrong | None:
    """What a refusal says of the outline; None where it is about something else."""
    field = refused.field or ""
    if not field.startswith("geometry"):
        return None
    reason = refused.message.removeprefix(f"{field}: ")
    found = _PLACE.search(reason)
    if found is None:
        return Wrong(_sentence(reason))
    longitude, latitude = found.groups()
    return Wrong(
        _sentence(_PLACE.sub(f"longitude {longitude}, latitude {latitude}", reason)),
        f"{longitude},{latitude}",
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
