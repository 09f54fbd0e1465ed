"""Read settings: `headland.toml` in the home, then `HEADLAND_<SECTION>_<NAME>` variables."""

import ipaddress
import os
import tomllib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from headland.settings.home import Home
from headland.settings.model import Settings

#: Variables that tell where a home is and how the CLI reaches a service, and so are no settings.
NOT_SETTINGS = frozenset(
    {
        "HEADLAND_HOME",
        "HEADLAND_URL",
        "HEADLAND_TENANT",
        "HEADLAND_CLIENT_ID",
        "HEADLAND_CLIENT_SECRET",
        "HEADLAND_CA",
    }
)

#: Hosts on which nobody else can listen in.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class SettingsError(Exception):
    """A setting is wrong: the message names it, where it was given, and what is the matter."""


def load_settings(home: Home, environment: Mapping[str, str] | None = None) -> Settings:
    """Settings of a home; a variable goes before the file, the file before the default.

    Raises:
        SettingsError: the file can't be read, or a name or value in it or in a variable is wrong.
    """
    environment = os.environ if environment is None else environment
    values = _read_file(home)
    origins: dict[str, str] = {}
    for variable, text in sorted(environment.items()):
        if not variable.startswith("HEADLAND_") or variable in NOT_SETTINGS:
            continue
        section, name = _split_variable(variable)
        values.setdefault(section, {})[name] = _parse_variable(section, name, text)
        origins[f"{section}.{name}"] = variable
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(_explain(str(error), origins, home)) from None
    _check_together(settings)
    return settings


def _read_file(home: Home) -> dict[str, Any]:
    try:
        text = home.settings_file.read_bytes().decode()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{home.settings_file} can't be read: {error}") from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{home.settings_file} is not valid TOML: {error}") from error


def _split_variable(variable: str) -> tuple[str, str]:
    section, _, name = variable.removeprefix("HEADLAND_").lower().partition("_")
    sections = {item.name: item.type for item in msgspec.structs.fields(Settings)}
    if section not in sections:
        raise SettingsError(f"{variable} names no setting: there is no section '{section}'")
    if name not in {item.name for item in msgspec.structs.fields(sections[section])}:
        raise SettingsError(f"{variable} names no setting: '{section}' has no '{name}'")
    return section, name


def _parse_variable(section: str, name: str, text: str) -> Any:
    """Lists are separated by commas, tables and lists of tables are JSON; all else is left to the conversion."""
    kind = {item.name: item.type for item in msgspec.structs.fields(Settings)}[section]
    wanted = msgspec.inspect.type_info({item.name: item.type for item in msgspec.structs.fields(kind)}[name])
    while isinstance(wanted, msgspec.inspect.Metadata):
        wanted = wanted.type
    tables = isinstance(wanted, msgspec.inspect.DictType) or (
        isinstance(wanted, msgspec.inspect.VarTupleType)
        and isinstance(wanted.item_type, msgspec.inspect.StructType)
    )
    if isinstance(wanted, msgspec.inspect.VarTupleType) and not tables:
        return [part.strip() for part in text.split(",") if part.strip()]
    if tables:
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise SettingsError(f"HEADLAND_{section}_{name}".upper() + f" is not JSON: {error}") from error
    return text


def _explain(problem: str, origins: Mapping[str, str], home: Home) -> str:
    reason, _, path = problem.partition(" - at `$.")
    name = path.removesuffix("`")
    if not name:
        return f"{home.settings_file}: {reason}"
    origin = next((variable for key, variable in origins.items() if name.startswith(key)), None)
    return f"{origin or home.settings_file}: {name}: {reason}"


def _check_together(settings: Settings) -> None:
    if (settings.tls.certificate is None) != (settings.tls.key is None):
        raise SettingsError("tls.certificate and tls.key must be set together")
    identity = settings.identity
    if identity.key_lifetime and identity.key_lifetime <= identity.key_overlap:
        raise SettingsError("identity.key_lifetime must be longer than identity.key_overlap, or 0")
    _check_issuers(settings)
    _check_providers(settings)
    server = settings.server
    for number, network in enumerate(server.trusted_proxies):
        try:
            ipaddress.ip_network(network, strict=False)
        except ValueError:
            raise SettingsError(
                f"server.trusted_proxies[{number}] is no address or network: '{network}'"
            ) from None
    if server.port == server.private_port and server.host == server.private_host:
        raise SettingsError(f"server.port and server.private_port are both {server.port} on {server.host}")
    _check_lifetimes(settings)


def _check_lifetimes(settings: Settings) -> None:
    identity, public = settings.identity, settings.server.public_url
    own = (public, f"{public}/livy")
    known = {name.rstrip("/") for name in (*own, *identity.cluster_access_urls, *identity.resources)}
    for identifier in identity.token_lifetimes:
        if identifier.rstrip("/") not in known:
            raise SettingsError(
                f"identity.token_lifetimes names '{identifier}', which is no resource: add it to identity.resources"
            )


def _check_issuers(settings: Settings) -> None:
    names = [issuer.issuer for issuer in settings.security.issuers]
    for number, name in enumerate(names):
        parts = urlsplit(name)
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise SettingsError(f"security.issuers[{number}].issuer must be an https address: '{name}'")
        if name in names[:number]:
            raise SettingsError(f"security.issuers[{number}].issuer is there twice: '{name}'")


def _check_providers(settings: Settings) -> None:
    known = {issuer.issuer for issuer in settings.security.issuers}
    for number, provider in enumerate(settings.portal.providers):
        if provider.issuer not in known:
            raise SettingsError(
                f"portal.providers[{number}].issuer must be one of security.issuers: '{provider.issuer}'"
            )
