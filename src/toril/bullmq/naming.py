"""Which queue is meant: its name on the wire, and the sibling it must not be mistaken for.

toril puts a queue's keys into one cluster slot by bracing its name; a Node queue without braces
is another queue. Nobody should wait on the wrong one of the two without a word.
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import Final, Self

from toril.bullmq.operations.inspect.queue_exists import QueueExists
from toril.bullmq.wire.keys import DEFAULT_PREFIX, QueueKeys
from toril.core.errors import BadInputError, QueueNameAmbiguousError
from toril.core.ids import check_prefix, check_queue_name, tag_of

_NOT_IN_CLIENT_NAMES: Final = re.compile(r"[^!-~]")


@dataclass(frozen=True, slots=True)
class QueueName:
    """The keys of a queue, and those of its sibling when the caller did not choose."""

    keys: QueueKeys
    sibling: QueueKeys | None

    @classmethod
    def of(
        cls, name: str, *, prefix: str | None = None, hash_tag: bool | None = None, cluster: bool
    ) -> Self:
        """Work out the name on the wire; one that has braces already is used as it is.

        Raises:
            BadInputError: the name cannot be a queue's, or has no tag on a cluster.
        """
        check_queue_name(name)
        prefix = check_prefix(DEFAULT_PREFIX if prefix is None else prefix)
        plain, braced = QueueKeys(prefix, name), QueueKeys(prefix, f"{{{name}}}")
        if "{" in name or "}" in name or tag_of(prefix) is not None:
            chosen, sibling = plain, None
        elif hash_tag is None:
            chosen, sibling = braced, plain
        else:
            chosen, sibling = (braced if hash_tag else plain), None
        if cluster and tag_of(chosen.base) is None:
            raise BadInputError(
                "queue",
                f"{chosen.base} has no hash tag, so its keys would lie on different nodes of "
                "the cluster: leave hash_tag out, or put braces into the name or the prefix",
            )
        return cls(chosen, sibling)

    def client_name(self, worker_name: str) -> str:
        """What the worker's connection is called, so that every client can list the workers."""
        return self._client_name(f":w:{worker_name}" if worker_name else "")

    def worker_called(self, client_name: str) -> str | None:
        """The worker whose connection is called so: empty for one without a name, None for none."""
        unnamed = self.client_name("")
        if client_name == unnamed:
            return ""
        named = f"{unnamed}:w:"
        return client_name.removeprefix(named) if client_name.startswith(named) else None

    @property
    def events_client_name(self) -> str:
        """What the connection of somebody who follows the queue's events is called."""
        return self._client_name(":qe")

    def _client_name(self, suffix: str) -> str:
        encoded = b64encode(self.keys.name.encode()).decode()
        # The server refuses a name with a space or a letter beyond ASCII, whole.
        return _NOT_IN_CLIENT_NAMES.sub("-", f"{self.keys.prefix}:{encoded}{suffix}")

    @property
    def questions(self) -> tuple[QueueExists, ...]:
        """What to ask the server to know whether the sibling is meant; often nothing."""
        if self.sibling is None:
            return ()
        return (QueueExists(keys=self.keys), QueueExists(keys=self.sibling))

    def judge(self, answers: tuple[object, ...]) -> None:
        """Draw the conclusion; an answer that is not to be had (permissions) is passed over.

        Raises:
            QueueNameAmbiguousError: only the sibling exists.
        """
        if self.sibling is not None and answers == (False, True):
            raise QueueNameAmbiguousError(
                self.keys.base, self.sibling.base, hash_tag=tag_of(self.keys.base) is not None
            )
