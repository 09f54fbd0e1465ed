"""Conditional requests (RFC 9110 section 13) on eTags, which this protocol writes without quotes."""

from dataclasses import dataclass

from headland.farm.errors import PreconditionError


@dataclass(frozen=True, slots=True)
class Conditions:
    """What `If-Match` and `If-None-Match` say; None where the header is absent, `*` for any."""

    match: frozenset[str] | None = None
    none_match: frozenset[str] | None = None

    @classmethod
    def of(cls, match: str | None, none_match: str | None) -> "Conditions":
        """From the headers."""
        if match is None and none_match is None:
            return NONE
        return cls(_tags(match), _tags(none_match))

    def unchanged(self, etag: str) -> bool:
        """Whether a reader who has these eTags has the document: 304."""
        return self.none_match is not None and _holds(self.none_match, etag)

    def check(self, etag: str | None) -> None:
        """Whether a write may go on where the document has `etag`, or is not there.

        Raises:
            PreconditionError: it may not.
        """
        self.check_match(etag)
        if self.none_match is not None and _holds(self.none_match, etag):
            raise PreconditionError("If-None-Match", etag)

    def check_match(self, etag: str | None) -> None:
        """The same by `If-Match` alone, which reads heed, too."""
        if self.match is not None and not _holds(self.match, etag):
            raise PreconditionError("If-Match", etag)


NONE = Conditions()


def _tags(header: str | None) -> frozenset[str] | None:
    if header is None:
        return None
    return frozenset(tag.strip().removeprefix("W/").strip('"') for tag in header.split(","))


def _holds(tags: frozenset[str], etag: str | None) -> bool:
    return etag is not None and ("*" in tags or etag in tags)
