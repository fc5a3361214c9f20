"""What a `Source` must do: the executable definition of the protocol.

A source is put to the test by a subclass of `SourceContract` with a fixture named `harness`::

    class TestMemorySource(SourceContract):
        @pytest.fixture
        def harness(self) -> Harness:
            return MemoryHarness()

The fixture makes a fresh, empty store for each test and closes its sources afterwards. What a
harness has to offer is in `harness.py`.
"""

from tests.contracts.source_cancelling import Cancelling
from tests.contracts.source_jobs import Claiming, Settling
from tests.contracts.source_leases import Leasing, Reaping
from tests.contracts.source_waiting import Closing, Waiting


class SourceContract(Claiming, Settling, Leasing, Reaping, Cancelling, Waiting, Closing):
    """Everything the engine relies on."""
