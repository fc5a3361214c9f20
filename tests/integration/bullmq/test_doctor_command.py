"""`toril doctor`: what it prints, and the code it ends with."""

import json

import pytest
import redis
from click.testing import CliRunner, Result

from toril import Queue
from toril.cli.main import main

BASE = "bull:{mail}:"


@pytest.fixture
def a_lost_job(redis_url: str, redis_client: redis.Redis) -> str:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        queue.add("n")
    redis_client.lrem(BASE + "wait", 0, "1")
    return redis_url


def doctor(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", "--queue", "mail", "--url", url, *arguments])


def test_a_queue_in_order_ends_with_0(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")

    result = doctor(redis_url)

    assert result.exit_code == 0
    assert result.output == "bull:{mail}: 6 keys, 1 jobs: all in order\n"


def test_a_queue_that_is_not_there_ends_with_4(redis_url: str) -> None:
    result = doctor(redis_url)

    assert result.exit_code == 4
    assert result.output == "there is no queue at bull:{mail}:\n"


def test_a_server_that_is_not_there_ends_with_3() -> None:
    assert doctor("redis://127.0.0.1:1").exit_code == 3


def test_a_lost_job_is_told_and_put_back(a_lost_job: str) -> None:
    result = doctor(a_lost_job)

    assert result.exit_code == 6
    assert result.output == (
        "ill     I3: 1 is in no state\n"
        "bull:{mail}: 7 keys, 2 jobs: 1 finding, 1 of which --repair heals\n"
    )
    result = doctor(a_lost_job, "--repair")

    assert result.exit_code == 0
    assert result.output == (
        "healed  I3: 1 is in no state (restored)\nbull:{mail}: 7 keys, 2 jobs: all in order\n"
    )


def test_what_cannot_be_healed_stays_and_ends_with_6(
    a_lost_job: str, redis_client: redis.Redis
) -> None:
    redis_client.set(BASE + "mine", "1")

    result = doctor(a_lost_job, "--repair", "--json")

    redis_client.delete(BASE + "mine")
    assert result.exit_code == 6
    assert json.loads(result.output) == {
        "queue": BASE,
        "keys": 8,
        "jobs": 2,
        "findings": [
            {
                "law": "I24",
                "subject": "mine",
                "problem": "(string) is not a key of BullMQ",
                "can_heal": False,
            }
        ],
        "healed": [{"law": "I3", "subject": "1", "deeds": ["restored"]}],
    }
