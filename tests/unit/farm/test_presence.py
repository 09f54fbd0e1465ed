"""Who is receiving files, and whether they live."""

import os
import subprocess
import sys
from pathlib import Path

from headland.farm.attachments.presence import Presence

#: A process that shows itself, says its name, and stays.
OTHER = """
import sys, time
from pathlib import Path
from headland.farm.attachments.presence import Presence
print(Presence(Path(sys.argv[1])).name, flush=True)
time.sleep(600)
"""


def test_a_process_is_seen_to_live_until_it_does_not(tmp_path: Path) -> None:
    folder = tmp_path / "receiving"
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, str(folder)], stdout=subprocess.PIPE, text=True, env=os.environ
    ) as other:
        assert other.stdout is not None
        name = other.stdout.readline().strip()
        seen = Presence(folder)
        assert seen.lives(name)
        assert seen.lives(name)
        other.kill()
        other.wait()
    assert not seen.lives(name)
    assert not seen.lives(name)
    assert list(folder.iterdir()) == []


def test_one_lives_for_oneself(tmp_path: Path) -> None:
    one, two = Presence(tmp_path), Presence(tmp_path)
    assert one.name == one.name != two.name
    assert one.lives(one.name)
    assert not one.lives("nobody")
