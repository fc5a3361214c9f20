"""Send an operation by hand and decode the answer, with nothing in between."""

import redis

from toril.core.operation import Operation


def send(client: redis.Redis | redis.RedisCluster, operation: Operation[object]) -> object:
    """What the operation makes of the server's reply; the server's refusals are raised as such."""
    call = operation.call()
    keys = call.all_keys
    arguments = call.arguments
    reply = client.eval(call.script.source, len(keys), *keys, *arguments)
    return operation.decode(reply)
