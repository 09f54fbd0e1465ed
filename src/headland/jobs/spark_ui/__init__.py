"""Spark's own pages of a batch or session, for whoever may view it.

They come from Spark's History Server, which reads the event log in the run directory: of an application that is over,
and of one at work alike, so that no driver has to open a port for them. One History Server a home is started when
somebody wants to look, and ends when nobody does any more. A driver that has its own UI on is reached in the same way.
"""
