"""A program in the place of Java: a real process that is quick to start and stops at gates until it is let on.

The last argument of a batch that it runs names a folder. What it leaves there is seen without asking Headland.
"""

import os
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

FIRST_LINE = "the first line"
LAST_LINE = "the last line"

#: It passes the gate `start`, leaves its mark, starts a child that stays and one that wants to be forgotten,
#: passes the gate `end`, and ends. Asked for anything else than a batch of ours, it does nothing.
_JAVA = f"""#!/bin/sh
folder=$(tail -n 1 "${{1#@}}" 2>/dev/null | tr -d '"')
# A session's JVM ends when its standard input does.
[ "$folder" != pyspark-shell ] || {{ while read -r _; do :; done; exit 0; }}
[ -d "$folder" ] || exit 0
pass() {{ [ ! -p "$folder/$1" ] || read -r _ < "$folder/$1"; }}
pass start
echo "run $$" >> "$folder/mark"
sleep 600 &
setsid sleep 600 &
echo '{FIRST_LINE}'
pass end
echo '{LAST_LINE}'
exit 0
"""

#: In the place of a session's Python. It makes no application until there is the file `up-` with its run key; a
#: statement is a folder's name, in which it leaves its mark and passes the gate `end`.
_PYTHON = """#!{python} -S
import json, os, socket, sys, threading, time
host = socket.socket(fileno=int(sys.argv[-1]))
def exactly(size):
    data = b""
    while len(data) < size:
        part = host.recv(size - len(data))
        if not part: os._exit(0)
        data += part
    return data
def receive():
    message = json.loads(exactly(int.from_bytes(exactly(4), "big")))
    if "body" in message: message["code"] = json.loads(exactly(message["body"]))
    return message
def send(**message):
    body = json.dumps(message).encode()
    host.sendall(len(body).to_bytes(4, "big") + body)
def run(task):
    with open(task["code"] + "/mark", "a") as mark: mark.write("run\\n")
    if os.path.exists(task["code"] + "/end"):
        with open(task["code"] + "/end") as gate: gate.readline()
    shown = dict(status="ok", execution_count=task["id"], data={{"text/plain": "through"}})
    send(event="ended", list=task["list"], id=task["id"], output=shown)
receive()
while not os.path.exists("{folder}/up-" + os.environ["HEADLAND_RUN"]): time.sleep(0.02)
send(event="ready", app_id="tiny", ui_url=None)
while True:
    asked = receive()
    if asked["do"] == "run": threading.Thread(target=run, args=(asked,), daemon=True).start()
    elif asked["do"] == "progress": send(event="answer", call=asked["call"], value=0.5)
"""

START, END = "start", "end"


def install(folder: Path) -> Path:
    """A Java home below `folder` whose Java is the tiny program."""
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(_JAVA)
    java.chmod(0o755)
    return java.parent.parent


def install_python(folder: Path) -> Path:
    """The tiny program below `folder` that takes the place of a session's Python."""
    python = folder / "tiny-python"
    python.write_text(_PYTHON.format(python=sys.executable, folder=folder))
    python.chmod(0o755)
    return python


def let_up(folder: Path, run_key: str) -> None:
    """Let the session of a run key have its application, now or when it gets there."""
    (folder / f"up-{run_key}").touch()


def archive(file: Path) -> None:
    """Write an application archive, by its form: the tiny program does without."""
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("org/example/Main.class", b"")


@dataclass
class Gates:
    """The folder of one run of the tiny program."""

    folder: Path
    _opened: list[int] = field(default_factory=list)

    @classmethod
    def make(cls, folder: Path, *closed: str) -> "Gates":
        folder.mkdir()
        for gate in closed:
            os.mkfifo(folder / gate)
        return cls(folder)

    def open(self, *gates: str) -> None:
        """Let the program pass, now or when it gets there. Open gates stay open."""
        for gate in gates:
            if (self.folder / gate).is_fifo():
                # Both ends, so that neither this nor the program's own opening waits for the other.
                self._opened.append(os.open(self.folder / gate, os.O_RDWR | os.O_CLOEXEC))
                os.write(self._opened[-1], b"go\n")

    def close(self) -> None:
        for descriptor in self._opened:
            os.close(descriptor)
        self._opened.clear()

    @property
    def runs(self) -> int:
        """How often the program has run."""
        try:
            return (self.folder / "mark").read_text().count("run")
        except FileNotFoundError:
            return 0
