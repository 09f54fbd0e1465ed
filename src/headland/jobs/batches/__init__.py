"""Batches: one Spark application each, from submission to the end of its record."""
