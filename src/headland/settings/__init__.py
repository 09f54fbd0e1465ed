"""Every setting of Headland, where it comes from, and where its files live."""

from headland.settings.home import Home
from headland.settings.load import SettingsError, load_settings
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

__all__ = [
    "AccountSettings",
    "ControlSettings",
    "DatabaseSettings",
    "DeployMode",
    "Home",
    "IdentitySettings",
    "JobsSettings",
    "LogSettings",
    "QueueSettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "StorageSettings",
    "TlsSettings",
    "load_settings",
]
