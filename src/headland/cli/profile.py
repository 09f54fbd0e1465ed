"""Which service commands talk to, and as whom: variables first, then the profile that `login` stored."""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import platformdirs

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.files import write_private
from headland.settings import Home

#: Of a service that was never told where to listen.
DEFAULT_URL = "https://localhost:8443"


@dataclass(frozen=True, slots=True)
class Profile:
    """An address and the credentials for it."""

    #: Public base (`https://…`), or the private listener (`http://…`); without trailing slash.
    url: str
    tenant: str | None = None
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    #: PEM file of the CA to trust; None trusts what the system trusts, and the local CA if there is one.
    ca: Path | None = None

    @property
    def private(self) -> bool:
        """Whether it names the private listener, which serves jobs alone and without a prefix."""
        return self.url.startswith("http://")

    @property
    def scope(self) -> str:
        """The scope of tokens for this deployment."""
        return f"{self.url}/.default"


def profile_file() -> Path:
    """Where `login` keeps the profile."""
    return platformdirs.user_config_path("headland") / "profile.toml"


def default_url() -> str:
    """Where nothing is said: the service that was started last on this machine's home."""
    try:
        return Home.default().address.read_text("utf-8") or DEFAULT_URL
    except (OSError, UnicodeDecodeError):
        return DEFAULT_URL


def current_profile(environment: Mapping[str, str] | None = None) -> Profile:
    """The profile that commands use.

    Stored credentials are for the stored address alone: a variable that names another service must not
    make this program hand them to it. Likewise a stored secret is its own client's alone.

    Raises:
        CliError: an address is malformed, or the stored profile can't be read.
    """
    variables = os.environ if environment is None else environment
    stored = read_profile() or Profile(default_url())
    url = checked_url(variables.get("HEADLAND_URL") or stored.url)
    if url != stored.url:
        stored = Profile(url)
    client_id = variables.get("HEADLAND_CLIENT_ID") or stored.client_id
    if client_id != stored.client_id:
        stored = replace(stored, client_secret=None)
    ca = variables.get("HEADLAND_CA")
    return Profile(
        url,
        variables.get("HEADLAND_TENANT") or stored.tenant,
        client_id,
        variables.get("HEADLAND_CLIENT_SECRET") or stored.client_secret,
        Path(ca) if ca else stored.ca,
    )


def checked_url(url: str) -> str:
    """`url` without trailing slash.

    Raises:
        CliError: it is no address of a service.
    """
    scheme, separator, rest = url.partition("://")
    if scheme not in {"https", "http"} or not separator or not rest.strip("/") or set(rest) & set("?#@ "):
        raise CliError(f"'{url}' is no service's address", f"one looks like {DEFAULT_URL}", ExitCode.USAGE)
    return url.rstrip("/")


def require_public(profile: Profile, what: str) -> None:
    """Return if `profile` names a public base.

    Raises:
        CliError: it names a private listener, where there is no `what`.
    """
    if profile.private:
        raise CliError(
            f"{profile.url} is a private listener, which serves jobs alone and no {what}",
            "name the public base (https://…) in HEADLAND_URL",
            ExitCode.USAGE,
        )


def read_profile() -> Profile | None:
    """The stored profile, if there is one.

    Raises:
        CliError: there is one, and it can't be read.
    """
    path = profile_file()
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise CliError(
            f"the profile {path} can't be read ({error})", "`headland login` makes it anew", ExitCode.USAGE
        ) from None
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    return Profile(
        texts.get("url") or default_url(),
        texts.get("tenant"),
        texts.get("client_id"),
        texts.get("client_secret"),
        Path(texts["ca"]) if "ca" in texts else None,
    )


def store_profile(profile: Profile) -> Path:
    """Keep `profile` for the commands to come; where it is kept.

    Raises:
        CliError: the configuration folder can't be written.
    """
    path = profile_file()
    values = {
        "url": profile.url,
        "tenant": profile.tenant,
        "client_id": profile.client_id,
        "client_secret": profile.client_secret,
        "ca": str(profile.ca) if profile.ca else None,
    }
    try:
        write_private(path, "".join(f"{k} = {_toml(v)}\n" for k, v in values.items() if v is not None))
    except OSError as error:
        raise CliError(
            f"the profile can't be written to {path} ({error.strerror})",
            "make the folder writable, or set the HEADLAND_* variables instead",
        ) from None
    return path


def forget_profile() -> bool:
    """Remove the stored profile; whether there was one."""
    try:
        profile_file().unlink()
    except FileNotFoundError:
        return False
    return True


def _toml(text: str) -> str:
    # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
