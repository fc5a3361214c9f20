"""A program with a loop of its own: it takes orders one by one and settles each by hand.

    python examples/by_hand.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import sys

from toril import Claims, PermanentError, Queue

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"

STOCK = {"apples": 5, "pears": 1}


def ship(order: object) -> str:
    """Take it from the stock."""
    match order:
        case {"fruit": str(fruit), "count": int(count)} if fruit in STOCK:
            if STOCK[fruit] < count:
                raise LookupError(f"only {STOCK[fruit]} {fruit} left")
            STOCK[fruit] -= count
            return f"{count} {fruit} shipped"
        case _:
            raise PermanentError(f"not sold here: {order}")


with Queue("orders", SERVER) as queue, Claims("orders", SERVER) as claims:
    queue.add("order", {"fruit": "apples", "count": 3})
    queue.add("order", {"fruit": "pears", "count": 2}, attempts=2, backoff=None)
    queue.add("order", {"fruit": "cherries", "count": 1})

    while claimed := claims.take(timeout=0):
        try:
            result = ship(claimed.job.data)
        except LookupError as error:
            STOCK["pears"] += 5
            print(f"{error}, try again: {claimed.fail(error)}")
        except PermanentError as error:
            print(f"{error}, try again: {claimed.fail(error)}")
        else:
            claimed.complete(result)
            print(result)

# Prints:
# 3 apples shipped
# only 1 pears left, try again: True
# not sold here: {'fruit': 'cherries', 'count': 1}, try again: False
# 2 pears shipped
