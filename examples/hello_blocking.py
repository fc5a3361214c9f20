"""Add a job, work it and read its result, without an event loop.

    python examples/hello_blocking.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import sys
from threading import Thread

from toril import Job, Queue, Worker

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


def greet(job: Job) -> str:
    """Is called for every job, in a thread; what it returns is the job's result."""
    return f"hello, {job.data}"


worker = Worker("hello-blocking", greet, SERVER, concurrency=2)
# Usually a worker is a program of its own, and `worker.run()` its last line.
thread = Thread(target=worker.run)
thread.start()
with Queue("hello-blocking", SERVER) as queue:
    jobs = queue.add_many([("greet", name) for name in ("Ada", "Grace", "Barbara")])
    for job in jobs:
        print(job.result(timeout=10))
worker.close()
thread.join()

# Prints:
# hello, Ada
# hello, Grace
# hello, Barbara
