"""Named Python environments of jobs: what a requirements file names, installed once, for batches and sessions.

Words: an *environment* is a name that callers choose; its *content* is a folder of installed packages, called by the
digest of what was resolved. Two names may have the same content, and a content stays while an unfinished job needs it.
"""
