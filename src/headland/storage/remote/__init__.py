"""Accounts in a remote object store, through obstore. Imported where such an account is used, and not before."""

from headland.storage.remote.account import RemoteAccount

__all__ = ["RemoteAccount"]
