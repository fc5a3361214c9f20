"""Every server's way of saying no is understood as the same thing."""

import pytest

from toril.connection.refusal import Kind, Refusal
from toril.core.errors import DeniedError, ScriptError, TorilError, UnavailableError

_WRONG = "WRONGTYPE Operation against a key holding the wrong kind of value"
_KEYS = (
    "The user executing the script can't access at least one of the keys mentioned in the command "
    "arguments"
)
_OLD = "ERR Error running script (call to f_6f5ade10a69975e903c6d07b10ea44c6382381a5): "
_SHA = "6f5ade10a69975e903c6d07b10ea44c6382381a5"


@pytest.mark.parametrize(
    "text",
    [
        f"{_WRONG} script: on @user_script:1.",
        f"{_WRONG} script: {_SHA}, on @user_script:1.",
        f"{_OLD}@user_script:1: {_WRONG}",
    ],
)
def test_what_servers_wrap_around_an_error_is_taken_off(text: str) -> None:
    assert Refusal(text).text == _WRONG


_OOM = "OOM command not allowed when used memory > 'maxmemory'."


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (_OOM, UnavailableError),
        (f"{_OOM} script: {_SHA}, on @user_script:1.", UnavailableError),
        (f"{_OLD}@user_script:1: @user_script: 1: -{_OOM}", UnavailableError),
        ("MISCONF Errors writing to the AOF file: No space left on device", UnavailableError),
        ("READONLY You can't write against a read only replica.", UnavailableError),
        ("LOADING Redis is loading the dataset in memory", UnavailableError),
        ("BUSY Redis is busy running a script.", UnavailableError),
        ("NOREPLICAS Not enough good replicas to write.", UnavailableError),
        ("CLUSTERDOWN The cluster is down", UnavailableError),
        ("MASTERDOWN Link with MASTER is down", UnavailableError),
        ("TRYAGAIN Multiple keys request during rehashing of slot", UnavailableError),
        ("MOVED 3999 127.0.0.1:6381", UnavailableError),
        ("ASK 3999 127.0.0.1:6381", UnavailableError),
        ("UNBLOCKED force unblock from blocking operation", UnavailableError),
        ("ERR max number of clients reached", UnavailableError),
        ("WRONGPASS invalid username-password pair or user is disabled.", DeniedError),
        ("NOAUTH Authentication required.", DeniedError),
        ("NOPERM User default has no permissions to run the 'evalsha' command", DeniedError),
        (
            "ERR ACL failure in script: No permissions to access a key script: on @user_script:1.",
            DeniedError,
        ),
        (f"{_OLD}@user_script:1: @user_script: 1: {_KEYS}", DeniedError),
        (f"ERR {_KEYS} script: {_SHA}, on @user_script:1.", DeniedError),
        (_WRONG, ScriptError),
        ("ERR user_script:1: boom script: on @user_script:1.", ScriptError),
        ("ERR value is not an integer or out of range", ScriptError),
        ("CROSSSLOT Keys in request don't hash to the same slot", ScriptError),
    ],
)
def test_a_refusal_becomes_one_of_three_errors(text: str, error: type[TorilError]) -> None:
    assert type(Refusal(text).as_error("server:1", "bump")) is error


def test_a_missing_script_is_not_a_fault() -> None:
    assert Refusal("NOSCRIPT No matching script. Please use EVAL.").kind is Kind.UNLOADED


def test_a_script_that_mentions_a_code_is_still_a_fault() -> None:
    assert Refusal("ERR user_script:9: OOM is what I say").kind is Kind.FAULT


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ASK 3999 127.0.0.1:6381", ("127.0.0.1", 6381)),
        ("ASK 3999 ::1:6381", ("::1", 6381)),
        ("MOVED 3999 127.0.0.1:6381", None),
        ("ERR ASK 3999 127.0.0.1:6381", None),
    ],
)
def test_a_key_on_the_move_says_where_to_ask(text: str, place: tuple[str, int] | None) -> None:
    assert Refusal(text).ask_at == place
