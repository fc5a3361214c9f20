"""The suites live outside of test files, and explain their failures all the same."""

import pytest

pytest.register_assert_rewrite(
    "tests.contracts.service",
    "tests.contracts.source_cancelling",
    "tests.contracts.source_jobs",
    "tests.contracts.source_leases",
    "tests.contracts.source_waiting",
)
