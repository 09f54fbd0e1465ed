"""The pages, a module each part of the portal."""

from headland.portal.pages import account, data, home, people, sign_in

PAGES = (*home.PAGES, *sign_in.PAGES, *account.PAGES, *people.PAGES, *data.PAGES)
