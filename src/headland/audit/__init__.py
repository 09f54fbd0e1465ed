"""The audit trail: every administrative change, with who made it, in entries that nobody can edit unnoticed."""

from headland.audit.app import AUDIT_API, audit_app
from headland.audit.changes import Change, difference
from headland.audit.records import Actor, Entry
from headland.audit.trail import actor_of, generation, record

__all__ = [
    "AUDIT_API",
    "Actor",
    "Change",
    "Entry",
    "actor_of",
    "audit_app",
    "difference",
    "generation",
    "record",
]
