"""Interactive sessions as Apache Livy serves them: code goes in statement by statement, outputs come back.

| part | what it is |
| --- | --- |
| this package | the rules and rows of sessions, and how they look over HTTP |
| `host` | a process a session, under a runner: keeps the journal of statements, owns JVM and interpreters |
| `interpreter` | a process a language and session: runs code |

The service hands a statement to the host through a socket in the run directory. Once it is in the journal it is
acknowledged; the service may come and go, the host runs it once and keeps its output.
"""
