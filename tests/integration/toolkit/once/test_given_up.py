"""What was given up in doubt is refused when it comes late, and forgotten when it cannot come."""

import redis
from tests.support.servers import wait_until

from toril.connection import Connection
from toril.toolkit.keys import Keys
from toril.toolkit.leases.claim import Busy
from toril.toolkit.once.operations.abandon import Abandon
from toril.toolkit.once.operations.begin import Begin
from toril.toolkit.once.wire import ONCE, RunKeys

RUN = RunKeys(Keys("toril", ONCE), "pay", "order:7")


def test_owners_that_can_come_no_more_are_forgotten_though_others_follow(
    redis_url: str, redis_client: redis.Redis
) -> None:
    def give_up(owner: str, bar_ms: int) -> None:
        connection.runner.run(Abandon(keys=RUN, owner=owner, bar_ms=bar_ms))

    with Connection(redis_url) as connection:
        give_up("early", 100)
        late = connection.runner.run(Begin(keys=RUN, owner="early", lease_ms=1_000))
        assert isinstance(late, Busy)

        def is_forgotten() -> bool:
            give_up("later", 60_000)
            return redis_client.zrange(RUN.barred, 0, -1) == [b"later"]

        wait_until(is_forgotten, "it is forgotten")
        assert 0 < redis_client.pttl(RUN.barred) <= 60_000
        assert not redis_client.exists(RUN.run)
