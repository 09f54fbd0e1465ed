"""Templates: everything that is shown goes through here, and is escaped."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from headland.portal.assets import Assets
from headland.portal.words import age, moment, number, plain, spaced, took

_TEMPLATES = Path(__file__).parent / "templates"

#: Stands in each page: nothing is painted before it is there, and to fetch it takes a browser as long as the page.
STYLE = (_TEMPLATES / "portal.css").read_text()


class Rendering:
    """Makes pages from templates."""

    def __init__(self, assets: Assets) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters.update(
            age=age, moment=moment, number=number, plain=plain, spaced=spaced, took=took
        )
        self._environment.globals.update(asset=assets.address, style=Markup(STYLE))  # noqa: S704 - our own

    def page(self, template: str, **values: Any) -> str:
        """A page, or a part of one."""
        return self._environment.get_template(template).render(now=datetime.now(UTC), **values)
