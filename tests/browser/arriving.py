"""How somebody arrives at the portal for the first time."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

PASSWORD = "hedge barley window lamp"


def set_up(page: "Page", link: str) -> None:
    """Choose a password by a set-up link, which signs one in."""
    page.goto(link)
    assert "#" not in page.url
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password once more").fill(PASSWORD)
    page.get_by_role("button", name="Set up and sign in").click()
    page.get_by_role("heading", name="Good to see you").wait_for()
