"""All settings by section, a module each: type, default, unit, and one line of why.

The texts there are the reference: `docs/settings.md` is generated from them, and a test holds the two
together. What has no default, or an empty one, has an example.
"""

from msgspec import Struct, field

from headland.settings.control import ControlSettings
from headland.settings.database import DatabaseSettings
from headland.settings.farm import FarmSettings
from headland.settings.identity import IdentitySettings
from headland.settings.jobs import JobsSettings
from headland.settings.log import LogSettings
from headland.settings.portal import PortalSettings
from headland.settings.security import SecuritySettings
from headland.settings.server import ServerSettings
from headland.settings.storage import StorageSettings
from headland.settings.tls import TlsSettings


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings, by section."""

    server: ServerSettings = field(default_factory=ServerSettings)
    tls: TlsSettings = field(default_factory=TlsSettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    security: SecuritySettings = field(default_factory=SecuritySettings)
    control: ControlSettings = field(default_factory=ControlSettings)
    farm: FarmSettings = field(default_factory=FarmSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    jobs: JobsSettings = field(default_factory=JobsSettings)
    portal: PortalSettings = field(default_factory=PortalSettings)
    log: LogSettings = field(default_factory=LogSettings)
