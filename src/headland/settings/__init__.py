"""Every setting of Headland, where it comes from, and where its files live."""

from headland.settings.control import ControlSettings
from headland.settings.database import DatabaseSettings
from headland.settings.farm import FarmSettings
from headland.settings.home import Home
from headland.settings.identity import IdentitySettings
from headland.settings.jobs import DeployMode, JobsSettings, QueueSettings
from headland.settings.load import LOOPBACK, SettingsError, load_settings
from headland.settings.log import LogSettings
from headland.settings.model import Settings
from headland.settings.portal import PortalSettings, ProviderSettings
from headland.settings.resources import FARM_RESOURCE
from headland.settings.security import IssuerSettings, SecuritySettings
from headland.settings.server import ServerSettings, http_authority
from headland.settings.storage import AccountSettings, StorageSettings
from headland.settings.tls import TlsSettings

__all__ = [
    "FARM_RESOURCE",
    "LOOPBACK",
    "AccountSettings",
    "ControlSettings",
    "DatabaseSettings",
    "DeployMode",
    "FarmSettings",
    "Home",
    "IdentitySettings",
    "IssuerSettings",
    "JobsSettings",
    "LogSettings",
    "PortalSettings",
    "ProviderSettings",
    "QueueSettings",
    "SecuritySettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "StorageSettings",
    "TlsSettings",
    "http_authority",
    "load_settings",
]
