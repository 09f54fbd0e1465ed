"""The program that runs a session's code: standard library and PySpark only, in whatever Python was chosen for it.

It reads messages from the host on a socket of its own; its standard output is the session's log.
"""
