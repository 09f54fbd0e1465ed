"""The host of one session: standard library only, started by the session's runner in its run directory.

| file | written by | what it says |
| --- | --- | --- |
| `session.json` | controller | JVM and interpreters to start, limits; complete before a runner is started |
| `journal` | host | statements and what came of them (see `journal.py`) |
| `ready.json` | host | the first interpreter is there: application id and where its UI is |
| `tmp/gateway` | JVM | port and secret of its gateway |

It listens on a socket whose path `session.json` names, and ends with its JVM.
"""
