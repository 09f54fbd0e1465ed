"""Templates: everything that is shown goes through here, and is escaped."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from headland.portal.assets import Assets
from headland.portal.words import age, megabytes, moment, number, plain, spaced, took

_TEMPLATES = Path(__file__).parent / "templates"

#: Stand in each page: nothing is painted before the style is there, which takes a browser as long to fetch as the page,
#: and whatever else it fetches meanwhile, it paints so much later.
STYLE, SCRIPT = ((_TEMPLATES / name).read_text("utf-8") for name in ("portal.css", "portal.js"))


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
            age=age, megabytes=megabytes, moment=moment, number=number, plain=plain, spaced=spaced, took=took
        )
        own = {"style": Markup(STYLE), "script": Markup(SCRIPT)}  # noqa: S704 - no one else's
        self._environment.globals.update(asset=assets.address, **own)

    def page(self, template: str, **values: Any) -> str:
        """A page, or a part of one."""
        return self._environment.get_template(template).render(now=datetime.now(UTC), **values)
