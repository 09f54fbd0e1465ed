"""Addresses of the pages of farm data."""

from urllib.parse import quote, urlencode

from headland.portal.farm_kinds import Kind

FARM = "/portal/farm"

#: Below the portal's prefix.
INSTANCE_PATTERN = "/farm/{instance}"
PARTY_PATTERN = f"{INSTANCE_PATTERN}/parties/{{party}}"


def path_to(instance: str, party: str = "", kind: Kind | None = None, id_: str = "") -> str:
    """The page of an instance; of a party in it; of the party's documents of a kind; or of one of those."""
    steps = [instance, *(("parties", party) if party else ()), *((kind.segment,) if kind else ())]
    return "/".join([FARM, *(quote(step, safe="") for step in [*steps, *((id_,) if id_ else ())])])


def tiles_path(instance: str, **narrowed: str) -> str:
    """Where a map finds what it draws; the names are the API's own."""
    address = f"{path_to(instance)}/tiles"
    return f"{address}?{urlencode(narrowed)}" if narrowed else address


def trail_to(instance: str, party: str = "", kind: Kind | None = None) -> list[tuple[str, str]]:
    """Links from the choice of an instance down to a list."""
    trail = [("Farm data", FARM), (instance, path_to(instance))]
    if party:
        trail.append((party, path_to(instance, party)))
    if kind is not None:
        trail.append((kind.many, path_to(instance, party, kind)))
    return trail
