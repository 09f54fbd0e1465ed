"""What `yarn-site.xml` tells of a cluster: where its resource managers and its log server are.

A submission needs the file anyway; so nothing has to be said twice.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# The file is the operator's own, like the settings that name it.
from xml.etree import ElementTree

_VARIABLE = re.compile(r"\$\{([^}$\s]+)\}")


class YarnSiteError(ValueError):
    """The folder has no yarn-site.xml that can be read, or none that names a resource manager."""


@dataclass(frozen=True, slots=True)
class YarnSite:
    """Addresses of web services, without a slash at the end."""

    resource_managers: tuple[str, ...]
    #: Where aggregated logs are read: `…/ws/v1/history` or `…/ws/v1/applicationhistory`.
    log_server: str | None

    @classmethod
    def read(cls, folder: Path) -> "YarnSite":
        """By the properties that Hadoop documents in yarn-default.xml.

        Raises:
            YarnSiteError: as said.
        """
        file = folder / "yarn-site.xml"
        try:
            root = ElementTree.parse(file).getroot()  # noqa: S314
        except (OSError, ElementTree.ParseError) as error:
            raise YarnSiteError(f"{file}: {error}") from error
        conf = {
            (item.findtext("name") or "").strip(): (item.findtext("value") or "").strip()
            for item in root.iter("property")
        }
        secure = conf.get("yarn.http.policy") == "HTTPS_ONLY"
        log_server = _value(conf, "yarn.log.server.web-service.url")
        return cls(
            tuple(f"http{'s' if secure else ''}://{address}" for address in _managers(conf, file, secure)),
            log_server.rstrip("/") if log_server else None,
        )


def _managers(conf: Mapping[str, str], file: Path, secure: bool) -> list[str]:
    ids = [""]
    if _value(conf, "yarn.resourcemanager.ha.enabled") == "true":
        names = _value(conf, "yarn.resourcemanager.ha.rm-ids") or ""
        ids = [f".{name.strip()}" for name in names.split(",") if name.strip()]
    key, port = ("webapp.https.address", 8090) if secure else ("webapp.address", 8088)
    found = []
    for suffix in ids:
        address = _value(conf, f"yarn.resourcemanager.{key}{suffix}")
        host = _value(conf, f"yarn.resourcemanager.hostname{suffix}")
        if not address and not host:
            raise YarnSiteError(
                f"{file} has neither yarn.resourcemanager.{key}{suffix} nor a hostname for it"
            )
        found.append(address or f"{host}:{port}")
    if not found:
        raise YarnSiteError(f"{file} names no yarn.resourcemanager.ha.rm-ids")
    return found


def _value(conf: Mapping[str, str], key: str) -> str | None:
    """A value with `${other}` replaced, as Hadoop does, where the other is in the same file."""
    value = conf.get(key)
    for _ in range(20):
        replaced = _VARIABLE.sub(lambda found: conf.get(found[1], found[0]), value or "")
        if replaced == value:
            break
        value = replaced
    return value or None
