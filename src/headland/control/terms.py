"""The terms that a subscription accepts before instances are made in it: a text with a version."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from headland.control.errors import TermsNotAcceptedError
from headland.control.rows import subscriptions
from headland.settings import ControlSettings

#: As the marketplace's agreements call them.
PUBLISHER: Final = "headland"
OFFER: Final = "farmbeats"
PLAN: Final = "terms"

_DEFAULT: Final = """\
Terms of this Headland deployment

1. The data that you store in an instance stays yours. Whoever operates this deployment keeps it for you, and
   uses it for nothing but to serve it to you and to those whom you give a role.
2. You may take all of it out at any time, through the public interface.
3. Deleting an instance deletes all data in it. There is no way back but your own copies.
4. You answer for the right to store what you store, and for those to whom you give a role.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms in force."""

    version: str
    text: str

    @classmethod
    def of(cls, settings: ControlSettings) -> "Terms":
        """Those that the settings name.

        Raises:
            OSError: their file can't be read.
            UnicodeDecodeError: it is not UTF-8.
        """
        text = Path(settings.terms_file).read_text("utf-8") if settings.terms_file else _DEFAULT
        return cls(settings.terms_version or hashlib.sha256(text.encode()).hexdigest()[:12], text)

    def check(self, connection: Connection, subscription_id: str) -> None:
        """Return if the subscription has accepted them as they are now.

        Raises:
            TermsNotAcceptedError: it has not.
        """
        if subscriptions.accepted(connection, subscription_id, self.version) is None:
            raise TermsNotAcceptedError(subscription_id, self.version)
