"""Every setting of Headland, where it comes from, and where its files live."""

from headland.settings.home import Home
from headland.settings.load import LOOPBACK, SettingsError, load_settings
from headland.settings.model import (
    AccountSettings,
    ControlSettings,
    DatabaseSettings,
    DeployMode,
    IdentitySettings,
    JobsSettings,
    LogSettings,
    QueueSettings,
    ServerSettings,
    Settings,
    StorageSettings,
    TlsSettings,
)
from headland.settings.security import IssuerSettings, SecuritySettings

__all__ = [
    "LOOPBACK",
    "AccountSettings",
    "ControlSettings",
    "DatabaseSettings",
    "DeployMode",
    "Home",
    "IdentitySettings",
    "IssuerSettings",
    "JobsSettings",
    "LogSettings",
    "QueueSettings",
    "SecuritySettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "StorageSettings",
    "TlsSettings",
    "load_settings",
]
