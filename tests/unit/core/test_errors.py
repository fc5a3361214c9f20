"""Messages are built from data, and stay short whatever the data is."""

from toril.core.errors import UnexpectedReplyError


def test_an_unexpected_reply_is_told_in_short() -> None:
    error = UnexpectedReplyError("claim/claim", ["x" * 10_000])

    assert len(str(error)) < 600
    assert error.reply == ["x" * 10_000]
