"""A lock for a few lines that never wait, which a fork finds open whoever held it."""

import threading

from toril.core.process import process_id


class ForkLock:
    """What `with` needs of a lock.

    A thread that holds it while another one forks is not there in the fork, to let go of it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = process_id()

    def __enter__(self) -> None:
        pid = process_id()
        if self._pid != pid:
            # The first thread of a fork is alone when it begins.
            self._lock, self._pid = threading.Lock(), pid
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
