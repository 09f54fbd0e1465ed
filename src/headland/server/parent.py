"""Follow the parent: a listener or controller whose `serve` was killed must not go on alone."""

import os
import threading
import time

#: Seconds between looks.
LOOK = 0.5


def follow_parent() -> None:
    """End this process, without farewell, soon after its parent has ended.

    Nothing is lost by it: all that was acknowledged is on disk, and jobs have runners of their own.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(1)

    threading.Thread(target=watch, name="follow-parent", daemon=True).start()
