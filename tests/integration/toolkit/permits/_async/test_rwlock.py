"""Many hold a read-write lock to read, or one to write."""

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.core.errors import BadInputError
from toril.core.script import Script
from toril.toolkit import AsyncRWLock, LeaseLostError, LockTimeoutError, Occupancy
from toril.toolkit.permits.operations.give_back import GIVE_BACK
from toril.toolkit.permits.operations.renew import RENEW
from toril.toolkit.permits.operations.take import TAKE

KEY = "toril:rw:{page}"


async def test_readers_share_it_and_keep_writers_out(every_server: ValkeyServer) -> None:
    page = AsyncRWLock("page", every_server.url)

    async with page.read() as one, page.read() as other:
        assert one.token != other.token
        assert await page.info() == Occupancy(2, 0, is_writing=False)
        assert await page.acquire_write(0) is None
    async with page.write(0) as lease:
        lease.check()
    await page.close()


async def test_a_writer_keeps_everybody_out(every_server: ValkeyServer) -> None:
    page = AsyncRWLock("page", every_server.url, wait=0.05)

    async with page.write():
        assert await page.info() == Occupancy(1, 0, is_writing=True)
        assert await page.acquire_read() is None
        assert await page.acquire_write() is None
        with pytest.raises(LockTimeoutError, match="reader 'page'"):
            async with page.read():
                pytest.fail("somebody writes")
        with pytest.raises(LockTimeoutError, match="writer 'page'"):
            async with page.write():
                pytest.fail("somebody writes")
    lease = await page.acquire_read()
    assert lease is not None
    await lease.release()
    await page.close()


async def test_the_fence_of_a_writer_is_greater_than_all_before(redis_url: str) -> None:
    page = AsyncRWLock("page", redis_url)
    fences = []
    for _ in range(5):
        async with page.read() as reader:
            fences.append(reader.fence)
        async with page.write() as writer:
            fences.append(writer.fence)

    assert sorted(set(fences)) == fences
    await page.close()


async def test_a_lease_to_write_that_is_lost_leaves_the_block_by_an_error(
    redis_url: str, redis_client: redis.Redis
) -> None:
    page = AsyncRWLock("page", redis_url, ttl=0.3)
    with pytest.raises(LeaseLostError, match="writer 'page'"):  # noqa: PT012 - the block's end raises
        async with page.write() as lease:
            redis_client.delete(KEY)
            await lease.lost.wait(5)
    await page.close()


@pytest.mark.parametrize("script", [TAKE, RENEW, GIVE_BACK])
async def test_a_lost_reply_leaves_nobody_inside(proxy: Proxy, script: Script) -> None:
    page = AsyncRWLock("page", proxy.url)
    async with page.read() as lease:
        await lease.extend(30)
    for _ in range(3):
        proxy.cut_after(script.sha.encode())
        async with page.write(0) as lease:
            await lease.extend(30)
        assert await page.info() == Occupancy(0, 0, is_writing=False)

    assert proxy.cuts == 3
    await page.close()


@pytest.mark.parametrize(
    ("options", "field"),
    [({"prefer": "nobody"}, "prefer"), ({"fair": True}, "fair"), ({"permits": 3}, "permits")],
)
async def test_an_option_that_makes_no_sense_is_named(
    options: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInputError, match=f"^{field}: "):
        AsyncRWLock("page", "redis://127.0.0.1:1", **options)  # type: ignore[arg-type]
