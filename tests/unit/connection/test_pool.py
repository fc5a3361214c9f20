"""A pool keeps no connection that it was told to let go of."""

from typing import Any, cast

from toril.connection._sync.pool import Pool


class Place:
    """An address; looking it up gives another thread the time to do something."""

    def __init__(self) -> None:
        self.meanwhile: Any = None

    def __hash__(self) -> int:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        return 1


class Line:
    """A channel that only knows whether it was let go of."""

    is_in_order = True
    is_usable = True

    def __init__(self, address: Place) -> None:
        self.address = address
        self.is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


class LocatorOfPlaces:
    """Opens lines to anywhere."""

    def open(self, address: Place, within_s: float) -> Line:
        del within_s
        return Line(address)


def a_pool() -> Pool:
    return Pool(cast("Any", LocatorOfPlaces()), 4)


def test_what_is_given_back_is_taken_again() -> None:
    pool, place = a_pool(), cast("Any", Place())

    with pool.channel_to(place) as first:
        pass
    with pool.channel_to(place) as second:
        pass

    assert first is second


def test_what_is_given_back_after_the_end_is_let_go_of() -> None:
    pool, place = a_pool(), cast("Any", Place())

    with pool.channel_to(place) as channel:
        pool.close()

    assert cast("Line", channel).is_aborted


def test_what_is_given_back_while_a_thread_drops_what_is_idle_is_let_go_of() -> None:
    for drop in (Pool.close, Pool.drop_idle):
        pool, place = a_pool(), Place()

        with pool.channel_to(cast("Any", place)) as channel:
            pass
        with pool.channel_to(cast("Any", place)) as channel:
            place.meanwhile = lambda pool=pool, drop=drop: drop(pool)

        assert cast("Line", channel).is_aborted
