"""dbt with dbt-spark-livy: builds a project, in the arguments of dbt itself.

dbt-spark-livy asks for dbt 1.3, and both have defaults in dataclasses that Python 3.11 refuses for being mutable,
though nothing mutates them: Python's older rule is put back before they are imported. Of the two nothing is changed
but how long they sleep between two looks at a statement.
"""

import dataclasses
import sys
from typing import Any

_strict = dataclasses._get_field


def _as_before_3_11(cls: type, name: str, kind: Any, keyword_only: bool) -> Any:
    default = getattr(cls, name, None)
    if isinstance(default, dataclasses.Field):
        default = default.default
    own = type(default)
    if own.__hash__ is None and own not in {list, dict, set}:
        own.__hash__ = object.__hash__  # type: ignore[method-assign]
    return _strict(cls, name, kind, keyword_only)


dataclasses._get_field = _as_before_3_11

from dbt.adapters.spark_livy import livysession  # noqa: E402
from dbt.main import main  # noqa: E402

livysession.DEFAULT_POLL_WAIT = 0.1
main(sys.argv[1:])
