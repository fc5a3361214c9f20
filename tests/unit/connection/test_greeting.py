"""The greeting is one write; only what would fail everything counts."""

import pytest

from toril.connection.greeting import Greeting
from toril.connection.refusal import Refusal
from toril.connection.target import Session
from toril.core.errors import DeniedError, UnavailableError

_OK = b"OK"


def test_only_what_is_wanted_is_said() -> None:
    greeting = Greeting(Session(client_name="me"), ())

    assert greeting.count == 3
    assert b"AUTH" not in greeting.packed
    assert b"SELECT" not in greeting.packed
    assert b"me" in greeting.packed


def test_login_comes_first_and_the_database_last() -> None:
    packed = Greeting(Session(db=3), ("user", "pass")).packed

    assert packed.index(b"AUTH") < packed.index(b"SETNAME") < packed.index(b"SELECT")


def test_refused_courtesies_do_not_matter() -> None:
    unknown = Refusal("ERR Unknown subcommand or wrong number of arguments for 'SETINFO'")
    denied = Refusal("NOPERM this user has no permissions to run the 'client|setname' command")

    Greeting(Session(), ()).check([denied, unknown, unknown], "server")


@pytest.mark.parametrize(
    ("session", "credentials", "replies", "error"),
    [
        (Session(), ("x",), [Refusal("WRONGPASS no"), _OK, _OK, _OK], DeniedError),
        (Session(), (), [Refusal("NOAUTH Authentication required."), _OK, _OK], DeniedError),
        (Session(db=99), (), [_OK, _OK, _OK, Refusal("ERR DB index")], UnavailableError),
        (Session(db=1), (), [_OK, _OK, _OK, Refusal("LOADING")], UnavailableError),
        (Session(), (), [Refusal("ERR max number of clients reached")], UnavailableError),
    ],
)
def test_a_refusal_that_would_meet_every_command_counts(
    session: Session,
    credentials: tuple[str, ...],
    replies: list[object],
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        Greeting(session, credentials).check(replies, "server")
