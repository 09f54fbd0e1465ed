"""Headland: a self-hosted farm data platform."""

__version__ = "0.1.0"
