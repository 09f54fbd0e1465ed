"""Rows of the control plane: plain functions that take a connection, a module a noun."""
