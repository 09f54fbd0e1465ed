"""The controller's part in sessions: takes them on, has each started once, and brings rows in line with what happened.

As with batches, what is wanted stands in the rows and what is the case in the run directories; each step looks at
both and does the next thing.
"""
