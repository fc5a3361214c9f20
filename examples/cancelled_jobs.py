"""Cancel jobs that wait and jobs that run, and stop those that take too long.

    python examples/cancelled_jobs.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys
import threading

from toril import AsyncJob, AsyncQueue, AsyncWorker, Job
from toril.core.errors import JobFailedError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"

rendering = asyncio.Event()


async def render(_: AsyncJob) -> None:
    """Clean up when it is told to stop."""
    rendering.set()
    try:
        await asyncio.sleep(3600)
    finally:
        print("render: put the half-made film away")


def shrink(job: Job) -> None:
    """Look whether to stop: nobody can stop a thread from outside."""
    while not job.stopping:
        threading.Event().wait(0.01)
    print("shrink: stopped because of a", job.stopping.value)


async def ended(job: AsyncJob) -> None:
    """Wait for the end of a job, and tell its reason."""
    try:
        await job.result(timeout=10)
    except JobFailedError as error:
        print(f"{job.name}: {error.reason}")


async def main() -> None:
    """Cancel a film and its sequel, then give pictures half a second."""
    async with AsyncQueue("films", SERVER) as films, AsyncWorker("films", render, SERVER):
        film, sequel = await films.add_many([("film", {}), ("sequel", {})])
        await rendering.wait()
        print("the sequel is", (await sequel.cancel()).value)
        print("who runs the film is", (await film.cancel()).value)
        await ended(film)

    async with (
        AsyncQueue("pictures", SERVER) as pictures,
        AsyncWorker("pictures", shrink, SERVER, timeout=0.5),
    ):
        await ended(await pictures.add("picture", attempts=1))


asyncio.run(main())

# Prints:
# the sequel is removed
# who runs the film is told
# render: put the half-made film away
# film: cancelled
# shrink: stopped because of a timeout
# picture: the handler did not end within 0.5 s
