"""Isolation: what others' geometries may make expensive is done in processes of its own, with limits of memory and
time, and not in those that answer requests.

A *task* is a question, with all that it is about. A *worker* is a process that answers one after the other, and ends
itself where one takes too much. *Workers* has some of them, and lets callers take turns.
"""
