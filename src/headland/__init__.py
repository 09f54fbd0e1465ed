"""Headland: a self-hosted farm data platform."""
