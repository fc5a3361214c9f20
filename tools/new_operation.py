"""Start an operation in the right shape: the Python half, the Lua half, and a test of both.

What is written runs and passes every check but one: nothing has a sample of it yet.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Final

PYTHON: Final = '''"""Say what one gets, and why it is done this way."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.$product.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

$constant: Final = Script("toril.$product.operations", "$moment/$verb")

_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class $cls:
    """Say what one gets."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys

    def call(self) -> ScriptCall:
        return ScriptCall($constant, keys={"meta_key": self.keys.meta}, args={})

    def decode(self, reply: Reply) -> None:
        match reply:
            case [int(status)] if status == _DONE:
                return
            case _:
                raise UnexpectedReplyError($constant.name, reply)
'''

LUA: Final = """-- Say in one sentence what this does.
--
-- Say why: the policy, or the race it settles. Look at everything first, then write.
--
-- keys    meta_key   hash   settings of the queue
-- reply   {1}        done
local meta_key = unpack(KEYS)

local DONE = 1

redis.call("HLEN", meta_key)
return { DONE }
"""

TEST: Final = '''"""`$cls` without a server: what it sends, and how it reads every answer."""

import pytest

from toril.$product.operations.$moment.$verb import $cls
from toril.$product.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError

OPERATION = $cls(keys=QueueKeys("bull", "{mail}"))


def test_the_names_match_the_signature_of_the_script() -> None:
    call = OPERATION.call()

    assert call.script.in_order("KEYS", call.keys) == ["bull:{mail}:meta"]
    assert call.script.in_order("ARGV", call.args) == []


@pytest.mark.parametrize("reply", [None, [], [2], [1, 2]])
def test_an_unknown_reply_is_an_error_not_a_guess(reply: object) -> None:
    with pytest.raises(UnexpectedReplyError, match="$verb"):
        OPERATION.decode(reply)
'''

NEXT: Final = """
Next: say what it does; tests/support/operation_samples.py (jail and slots);
a fragment in changes/; a scenario in tests/conformance/ when keys change.
"""


def main() -> int:
    """Write the files, or say why not."""
    parser = argparse.ArgumentParser(description="Start an operation in the right shape.")
    parser.add_argument("product", help="a room with operations: bullmq")
    parser.add_argument("moment", help="of a job's life: add, claim, finish, ...")
    parser.add_argument("verb", help="names the files: promote_job")
    options = parser.parse_args()
    files = new_files(options.product, options.moment, options.verb)
    if taken := [str(path) for path in files if path.exists()]:
        print("exists already:", *taken)
        return 1
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        print(path)
    print(NEXT, end="")
    return 0


def new_files(product: str, moment: str, verb: str) -> Mapping[Path, str]:
    """The files an operation begins with, and their texts."""
    names = {
        "product": product,
        "moment": moment,
        "verb": verb,
        "cls": "".join(word.capitalize() for word in verb.split("_")),
        "constant": verb.upper(),
    }
    room = Path("src/toril") / product / "operations" / moment
    package = {room / "__init__.py": f'"""What happens to a job at the moment: {moment}."""\n'}
    return ({} if (room / "__init__.py").exists() else package) | {
        room / f"{verb}.py": Template(PYTHON).substitute(names),
        room / f"{verb}.lua": LUA,
        Path("tests/unit") / product / "operations" / f"test_{verb}.py": Template(TEST).substitute(
            names
        ),
    }


if __name__ == "__main__":
    sys.exit(main())
