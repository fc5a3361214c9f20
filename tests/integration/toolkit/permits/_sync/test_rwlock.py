"""Many hold a read-write lock to read, or one to write."""  # generated from _async/test_rwlock.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.core.errors import BadInputError
from toril.core.script import Script
from toril.toolkit import RWLock, LeaseLostError, LockTimeoutError, Occupancy
from toril.toolkit.permits.operations.give_back import GIVE_BACK
from toril.toolkit.permits.operations.renew import RENEW
from toril.toolkit.permits.operations.take import TAKE

KEY = "toril:rw:{page}"


def test_readers_share_it_and_keep_writers_out(every_server: ValkeyServer) -> None:
    page = RWLock("page", every_server.url)

    with page.read() as one, page.read() as other:
        assert one.token != other.token
        assert page.info() == Occupancy(2, 0, is_writing=False)
        assert page.acquire_write(0) is None
    with page.write(0) as lease:
        lease.check()
    page.close()


def test_a_writer_keeps_everybody_out(every_server: ValkeyServer) -> None:
    page = RWLock("page", every_server.url, wait=0.05)

    with page.write():
        assert page.info() == Occupancy(1, 0, is_writing=True)
        assert page.acquire_read() is None
        assert page.acquire_write() is None
        with pytest.raises(LockTimeoutError, match="reader 'page'"):
            with page.read():
                pytest.fail("somebody writes")
        with pytest.raises(LockTimeoutError, match="writer 'page'"):
            with page.write():
                pytest.fail("somebody writes")
    lease = page.acquire_read()
    assert lease is not None
    lease.release()
    page.close()


def test_the_fence_of_a_writer_is_greater_than_all_before(redis_url: str) -> None:
    page = RWLock("page", redis_url)
    fences = []
    for _ in range(5):
        with page.read() as reader:
            fences.append(reader.fence)
        with page.write() as writer:
            fences.append(writer.fence)

    assert sorted(set(fences)) == fences
    page.close()


def test_a_lease_to_write_that_is_lost_leaves_the_block_by_an_error(
    redis_url: str, redis_client: redis.Redis
) -> None:
    page = RWLock("page", redis_url, ttl=0.3)
    with pytest.raises(LeaseLostError, match="writer 'page'"):  # noqa: PT012 - the block's end raises
        with page.write() as lease:
            redis_client.delete(KEY)
            lease.lost.wait(5)
    page.close()


@pytest.mark.parametrize("script", [TAKE, RENEW, GIVE_BACK])
def test_a_lost_reply_leaves_nobody_inside(proxy: Proxy, script: Script) -> None:
    page = RWLock("page", proxy.url)
    with page.read() as lease:
        lease.extend(30)
    for _ in range(3):
        proxy.cut_after(script.sha.encode())
        with page.write(0) as lease:
            lease.extend(30)
        assert page.info() == Occupancy(0, 0, is_writing=False)

    assert proxy.cuts == 3
    page.close()


@pytest.mark.parametrize(
    ("options", "field"),
    [({"prefer": "nobody"}, "prefer"), ({"fair": True}, "fair"), ({"permits": 3}, "permits")],
)
def test_an_option_that_makes_no_sense_is_named(
    options: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInputError, match=f"^{field}: "):
        RWLock("page", "redis://127.0.0.1:1", **options)  # type: ignore[arg-type]
