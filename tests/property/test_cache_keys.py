"""The server is asked to tell of the values of one cache, and of nothing else."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from toril.toolkit.cache.wire import CacheKeys

names = st.text(st.sampled_from("ab:{}%~ ü"), min_size=1, max_size=6) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=120
)


def is_told(keys: CacheKeys, key: str) -> bool:
    return key.startswith(keys.tracked)


@given(name=names, key=names)
def test_values_markers_and_generations_are_told_and_leases_are_not(name: str, key: str) -> None:
    keys = CacheKeys("toril", name)
    entry = keys.entry(key)

    told = (entry.value, entry.marker, keys.generation(None), keys.generation(key))
    assert all(is_told(keys, each) for each in told)
    assert not any(is_told(keys, each) for each in (entry.lease, entry.writers, entry.version))


@given(name=names, other=names, key=names)
def test_the_values_of_other_caches_are_not_told(name: str, other: str, key: str) -> None:
    keys, others = CacheKeys("toril", name), CacheKeys("toril", other)
    if name != other:
        assert not is_told(keys, others.entry(key).value)
        assert not is_told(keys, others.generation(None))
        assert not is_told(keys, others.generation(key))


@given(name=names)
def test_the_server_accepts_the_prefixes_on_one_connection(name: str) -> None:
    """It refuses those of which one begins with another."""
    tracked = CacheKeys("toril", name).tracked

    assert not any(one.startswith(other) for one, other in permutations(tracked, 2))
