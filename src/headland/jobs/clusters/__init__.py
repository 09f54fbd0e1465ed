"""Kinds of cluster: how a submission becomes a program that can be started. So far, Spark on this node."""
