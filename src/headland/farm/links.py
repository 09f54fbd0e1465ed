"""Addresses that are put into documents when they are answered."""

from typing import Any
from urllib.parse import urlencode

import msgspec

from headland.farm.catalogue import Family
from headland.farm.catalogue.shape import shape_of
from headland.farm.versions import Version


class Links:
    """Those of one family in one version."""

    def __init__(self, family: Family, version: Version) -> None:
        names = shape_of(family, version).names
        self._links = [(names[link.attribute], link) for link in family.links if link.attribute in names]
        self._version = version
        self._steps = [(parent.segment.of(version), names[parent.attribute]) for parent in family.parents]
        # Only the ids are read of a document: the rest of it is copied.
        wanted = ["id", *(name for _, name in self._steps)]
        self._ids = msgspec.json.Decoder(msgspec.defstruct("Ids", [(name, str) for name in wanted])).decode

    def __bool__(self) -> bool:
        return bool(self._links)

    def added(self, document: bytes, base: str) -> bytes:
        """The document with its addresses below `base`, the instance's own."""
        ids: Any = self._ids(document)
        above = "".join(f"/{segment}/{getattr(ids, name)}" for segment, name in self._steps)
        parts = [document[:-1]]
        for name, link in self._links:
            query = {key: text.replace("{id}", ids.id) for key, text in link.query.items()}
            address = f"{base}{above}/{link.segment}?{urlencode({'api-version': self._version, **query})}"
            parts.append(b',"%b":%b' % (name.encode(), msgspec.json.encode(address)))
        return b"".join([*parts, b"}"])
