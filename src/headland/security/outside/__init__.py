"""Issuers elsewhere: OpenID Connect providers whose tokens the services take, as the settings say."""

from headland.security.outside.documents import IssuerUnavailableError
from headland.security.outside.issuer import OutsideIssuer

__all__ = ["IssuerUnavailableError", "OutsideIssuer"]
