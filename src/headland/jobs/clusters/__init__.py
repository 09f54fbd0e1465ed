"""Kinds of cluster: how a submission becomes a program that can be started, and who knows how it does."""
