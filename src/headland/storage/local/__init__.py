"""Accounts that are folders of this machine: a folder each container, a file each blob."""
