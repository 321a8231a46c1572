import msgspec
import pytest

from .cases import by_class
from .serving import best_requests, decode_and_encode, exchange, server

ROUNDS = 20  # requests enough that the process stays busy


@pytest.fixture(scope="module")
def process():
    with server() as process:
        yield process


def test_pipelined_best(benchmark, process):
    cases = by_class()["self"] * ROUNDS
    replies = benchmark(exchange, process, best_requests(cases))
    decoded = [msgspec.json.decode(reply) for reply in replies]
    assert [reply["id"] for reply in decoded] == list(range(len(cases)))
    assert [reply["result"]["tiles"] for reply in decoded] == [case["best_tiles"] for case in cases]


def test_msgspec_alone(benchmark, process):
    """The yardstick: the same lines decoded and encoded, nothing else."""
    requests = best_requests(by_class()["self"] * ROUNDS)
    replies = [msgspec.json.decode(reply) for reply in exchange(process, requests)]
    benchmark(decode_and_encode, requests, replies)
