"""Follow what happens to a queue from a thread of its own, without an event loop.

    python examples/follow_events.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import sys
from threading import Thread

from toril import Job, Queue, QueueEvents, Worker
from toril.bullmq.queue_events import ActiveEvent, AddedEvent, CompletedEvent

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


def follow(events: QueueEvents) -> None:
    """Tell what happens until somebody closes the events."""
    for event in events:
        match event:
            case AddedEvent(job_id=job_id, name=name):
                print(f"job {job_id}: {name}")
            case ActiveEvent(job_id=job_id):
                print(f"job {job_id}: a worker has it")
            case CompletedEvent(job_id=job_id, result=result):
                print(f"job {job_id}: {result}")
                events.close()
            case _:
                pass


def handle(job: Job) -> str:
    """The work."""
    return f"to {job.data['to']}"


with QueueEvents("mail", SERVER) as events, Queue("mail", SERVER) as queue:
    following = Thread(target=follow, args=(events,))
    following.start()
    worker = Worker("mail", handle, SERVER)
    working = Thread(target=worker.run)
    working.start()
    queue.add("welcome", {"to": "ada@example.com"})
    following.join()
    worker.close()
    working.join()

# Prints:
# job 1: welcome
# job 1: a worker has it
# job 1: to ada@example.com
