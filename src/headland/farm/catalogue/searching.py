"""How a family is searched: with a body that has the filters of its lists, and a geometry."""

from dataclasses import dataclass

from headland.farm.versions import Versions


@dataclass(frozen=True, slots=True)
class Search:
    """A search of a family's documents, by POST."""

    versions: Versions
    #: Last segment of its path; None for the lists' own paths.
    segment: str | None = None
    #: Whether a page's size and token are members of the body, too; the query may have them anyhow.
    paged_in_body: bool = False
    #: Whether a page has the address of the next one, beside its token.
    linked: bool = True
