"""A page that everybody wants and that is slow to make: made once, and again when it changes.

    python examples/cached_pages.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril.toolkit import AsyncCache

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"

articles = {7: "Hello"}
made: list[str] = []


async def main() -> None:
    """A hundred readers, one change, a hundred readers."""
    async with AsyncCache[str]("pages", SERVER, ttl=60) as pages:

        @pages.cached("article:{number}")
        async def page(number: int) -> str:
            title = articles[number]
            await asyncio.sleep(0.1)  # a slow template
            made.append(title)
            return f"<h1>{title}</h1>"

        @pages.writes("title:{number}")
        async def change_title(number: int, title: str) -> str:
            async with pages.invalidating(page.key(number)):
                articles[number] = title
            return title

        seen = await asyncio.gather(*(page(7) for _ in range(100)))
        print(set(seen), made)

        await change_title(7, "Good bye")
        seen = await asyncio.gather(*(page(7) for _ in range(100)))
        print(set(seen), made)


asyncio.run(main())

# Prints:
# {'<h1>Hello</h1>'} ['Hello']
# {'<h1>Good bye</h1>'} ['Hello', 'Good bye']
