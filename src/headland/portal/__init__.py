"""The portal: pages for people, in which they do what programs do by the APIs, with the same rights."""

from headland.portal.application import PREFIX, portal_app, portal_entrance

__all__ = ["PREFIX", "portal_app", "portal_entrance"]
