"""Access tokens on disk, so that a script of many commands asks for one token and not for many."""

import contextlib
import hashlib
import json
from pathlib import Path

import platformdirs

from headland.cli.files import write_private
from headland.cli.profile import Profile

#: Seconds before its end from which a token is not handed out any more: a command may run for a while.
MARGIN = 300


class TokenCache:
    """A file a token. A cache that can't be read or written is a cache without tokens, and no fault."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or platformdirs.user_cache_path("headland") / "tokens"

    def get(self, profile: Profile, scope: str, now: float) -> str | None:
        """A token of `scope` that is good for another five minutes at least."""
        try:
            kept = json.loads(self._file(profile, scope).read_text("utf-8"))
            token, expires = kept["access_token"], kept["expires_at"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if not isinstance(token, str) or not isinstance(expires, int | float):
            return None
        return token if now < expires - MARGIN else None

    def put(self, profile: Profile, scope: str, token: str, expires_at: float) -> None:
        """Keep `token`, which ends at `expires_at` (seconds since the epoch)."""
        with contextlib.suppress(OSError):
            write_private(
                self._file(profile, scope), json.dumps({"access_token": token, "expires_at": expires_at})
            )

    def drop(self, profile: Profile, scope: str) -> None:
        """Forget a token that the service does not take."""
        with contextlib.suppress(OSError):
            self._file(profile, scope).unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget every token."""
        for file in self._folder.glob("*.json"):
            file.unlink(missing_ok=True)

    def _file(self, profile: Profile, scope: str) -> Path:
        # With the secret: a wrong one must not work for as long as a token of the right one does.
        key = json.dumps([profile.url, profile.tenant, profile.client_id, profile.client_secret, scope])
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
