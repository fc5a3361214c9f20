"""Tests of the runtime run in virtual time, unless their file says otherwise."""

import asyncio
from collections.abc import Callable, Mapping

import pytest
from tests.support.virtual_time import VirtualTimeLoop

pytest.register_assert_rewrite("tests.unit.runtime.manual_source", "tests.unit.runtime.rig")


def pytest_asyncio_loop_factories(
    config: pytest.Config,  # noqa: ARG001 - the hook has it
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.path.stem.endswith("_in_real_time"):
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualTimeLoop}
