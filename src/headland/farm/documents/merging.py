"""JSON Merge Patch (RFC 7396)."""

from typing import Any


def merged(target: object, patch: object) -> Any:
    """`target` with `patch` applied: null removes a member, objects merge, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value) if isinstance(value, dict) else value
    return result
