"""The client tries again where that may help, stops where it can't, and never gives the key away."""

from __future__ import annotations

import socket
import sys
import time
from contextlib import ExitStack
from typing import Any

import pytest

from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.models.remote.addresses import ApiKey
from rightreasons.models.remote.client import LONGEST_CHECK, MOST_FAILURES_IN_A_ROW, Client
from rightreasons.models.remote.endpoint_base import MOST_REJECTIONS_IN_A_ROW, handle_rejection
from rightreasons.models.remote.failures import RejectedError, TransientError
from rightreasons.models.remote.limits import Account, Budget, RetryPolicy, TokenUsage
from rightreasons.serving.server import check_serving_packages
from scripted_server import BROKEN, BUSY, DRIPS, GARBAGE, HALF, SILENT, SLOW, Asked, Says, Script, serving

FINE = Says({"fine": True})
SECRET = "sk-not-to-be-seen-0123456789"


def client(url: str, *, retries: int = 2, timeout: float = 1.0, key: str | None = SECRET) -> Client:
    retry_policy = RetryPolicy(concurrency=2, rate=None, timeout=timeout, retries=retries, backoff=0.001)
    return Client(url, ApiKey("SOME_KEY", key), retry_policy)


def post(to: Client, account: Account | None = None, body: dict[str, Any] | None = None) -> dict[str, Any]:
    return to.post("/x", body or {"q": 1}, lambda reply: reply, account or Account(Budget()), TokenUsage())


def timeout_for(failure: Says | str) -> float:
    """Wait less for what never comes, so that the tests are quick."""
    return 0.4 if failure in (SLOW, DRIPS) else 1.0


def first(failures: list[Says | str]) -> Script:
    return lambda asked: failures[asked.time - 1] if asked.time <= len(failures) else FINE


@pytest.mark.parametrize("failure", [BROKEN, BUSY, GARBAGE, HALF, SILENT, SLOW, DRIPS, Says([1, 2])])
def test_what_may_pass_is_tried_again(failure: Says | str) -> None:
    with serving(first([failure, failure])) as server:
        account = Account(Budget())
        asking = client(server.url, timeout=timeout_for(failure))
        assert post(asking, account) == {"fine": True}
        assert len(server.asked) == 3
        assert account.facts == {"requests": 3, "retries": 2}


@pytest.mark.parametrize("failure", [BROKEN, BUSY, GARBAGE, HALF, SILENT, SLOW, DRIPS])
def test_transient_failures_are_not_final(failure: Says | str) -> None:
    with serving(lambda _: failure) as server:
        with pytest.raises(MissingPredictionsError, match=r"tried 2 times\)") as caught:
            post(client(server.url, retries=1, timeout=timeout_for(failure)))
        assert not caught.value.final
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "key in SOME_KEY"),
        (403, "key in SOME_KEY"),
        (404, "name of the model"),
        (402, "402"),
        (424, "status 424"),
        (308, "redirect"),
    ],
)
def test_what_will_not_pass_is_final_at_once(status: int, words: str) -> None:
    with serving(lambda _: Says({"error": "no"}, status, {"Location": "/y"})) as server:
        with pytest.raises(MissingPredictionsError, match=words) as caught:
            post(client(server.url))
        assert caught.value.final
        assert len(server.asked) == 1


def test_no_money_left_is_final_although_it_comes_as_429() -> None:
    error = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    with serving(lambda _: Says(error, 429)) as server:
        with pytest.raises(MissingPredictionsError, match="exceeded your quota") as caught:
            post(client(server.url))
        assert caught.value.final
        assert len(server.asked) == 1


def test_an_error_in_the_place_of_an_answer_is_one() -> None:
    def script(asked: Asked) -> Says:
        return FINE if asked.time > 1 else Says({"error": {"message": "upstream", "code": 502}})

    with serving(script) as server:
        assert post(client(server.url)) == {"fine": True}
    with serving(lambda _: Says({"error": {"message": "upstream", "code": 401}})) as server:
        with pytest.raises(MissingPredictionsError) as caught:
            post(client(server.url))
        assert caught.value.final


def test_missing_servers_are_final() -> None:
    with serving(lambda _: FINE) as server:
        gone = server.url
    with pytest.raises(MissingPredictionsError, match=rf"server at {gone}\.") as caught:
        post(client(gone))
    assert caught.value.final
    with pytest.raises(MissingPredictionsError, match=r"host of http://no-such-host\.invalid ") as caught:
        post(client("http://no-such-host.invalid", timeout=5))
    assert caught.value.final
    with pytest.raises(InputError, match=rf"server at {gone}\."):
        client(gone).check_connection("/models")


def test_a_server_that_goes_away_is_waited_for_and_then_final() -> None:
    with serving(lambda _: Says({}, headers={"Connection": "close"})) as server:
        asking = client(server.url)
        post(asking)
    account = Account(Budget())
    with pytest.raises(MissingPredictionsError, match=r"no longer .*\(tried 3 times\)") as caught:
        post(asking, account)
    assert caught.value.final
    assert account.requests == 3


def test_rejected_requests_are_not_tried_again() -> None:
    with serving(lambda _: Says({"error": {"message": "too long: " + "x" * 999}}, 400)) as server:
        with pytest.raises(RejectedError, match=r"too long: x+\.\.\.") as caught:
            post(client(server.url))
        assert len(str(caught.value)) < 400
        assert caught.value.server_message == "too long: " + "x" * 999
        assert not caught.value.final
        assert len(server.asked) == 1


@pytest.mark.parametrize("answered", [False, True])
def test_a_rejection_is_an_answer_once_others_were_answered(answered: bool) -> None:
    """The harmless request is rejected too, so that only what was answered before tells."""

    def script(asked: Asked) -> Says:
        return FINE if asked.body["q"] == 0 else Says({"error": {"message": "too long"}}, 400)

    finals: list[object] = []
    with serving(script) as server:
        asking = client(server.url)
        for number in (*([0] if answered else []), *range(1, 1 + MOST_REJECTIONS_IN_A_ROW)):
            try:
                post(asking, body={"q": number})
            except RejectedError as rejection:
                try:
                    table = handle_rejection(rejection, asking, lambda: post(asking, body={"q": -1}))
                    finals.append(table.row(0))
                except RejectedError as raised:
                    finals.append(raised.final)
    before = ("refused", "too long") if answered else False
    assert finals == [*[before] * (MOST_REJECTIONS_IN_A_ROW - 1), True]


def test_a_server_that_only_fails_is_left_alone_after_some_time() -> None:
    with serving(lambda _: BROKEN) as server:
        asking = client(server.url, retries=0)
        finals = []
        for number in range(MOST_FAILURES_IN_A_ROW):
            with pytest.raises(MissingPredictionsError) as caught:
                post(asking, body={"q": number})
            finals.append(caught.value.final)
        assert finals == [False] * (MOST_FAILURES_IN_A_ROW - 1) + [True]


def test_answers_that_are_of_no_use_are_no_answers() -> None:
    def read(_: dict[str, Any]) -> None:
        raise TransientError("no answer in it", paid=True)

    with serving(lambda _: FINE) as server:
        asking = client(server.url, retries=0)
        finals = []
        for number in range(MOST_FAILURES_IN_A_ROW):
            with pytest.raises(MissingPredictionsError) as caught:
                asking.post("/x", {"q": number}, read, Account(Budget()), TokenUsage())
            finals.append(caught.value.final)
        assert finals == [False] * (MOST_FAILURES_IN_A_ROW - 1) + [True]
        assert not asking.has_succeeded


def test_the_server_says_how_long_to_wait_and_all_wait() -> None:
    moments: list[float] = []

    def script(asked: Asked) -> Says:
        moments.append(time.monotonic())
        return FINE if asked.time > 1 else Says(b"", 503, {"Retry-After": "1"})

    with serving(script) as server:
        asking = client(server.url, timeout=5)
        post(asking)
        assert moments[1] - moments[0] >= 1
        assert asking.rate_limiter.next_time > moments[0] + 1


def test_a_server_that_asks_for_too_much_patience_is_final() -> None:
    with serving(lambda _: Says(b"", 429, {"Retry-After": "7200"})) as server:
        with pytest.raises(MissingPredictionsError, match="wait 7,200 seconds") as caught:
            post(client(server.url))
        assert caught.value.final


def test_the_budget_of_requests_counts_every_attempt() -> None:
    with serving(first([BROKEN, BROKEN])) as server:
        account = Account(Budget(max_requests=2))
        with pytest.raises(MissingPredictionsError, match="max_requests=2") as caught:
            post(client(server.url), account)
        assert caught.value.final
        assert len(server.asked) == 2


def test_cost_is_computed_from_the_reported_usage() -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10}
    with serving(lambda _: Says({"usage": usage})) as server:
        asking, account = client(server.url), Account(Budget(max_cost=0.0035, price_in=1.0, price_out=10.0))
        most = TokenUsage(1100, 16)
        for number in range(2):
            asking.post("/x", {"q": number}, lambda reply: reply, account, most)
        assert account.facts["cost"] == pytest.approx(0.0022)
        with pytest.raises(MissingPredictionsError, match=r"max_cost=0\.0035") as caught:
            asking.post("/x", {"q": 10}, lambda reply: reply, account, TokenUsage(1500, 16))
        assert caught.value.final
        assert account.cost <= 0.0035
        assert len(server.asked) == 2


def test_a_request_that_broke_off_counts_as_paid_and_one_that_was_refused_does_not() -> None:
    for failure, cost in ((HALF, 0.001), (BROKEN, 0.0)):
        with serving(lambda _, failure=failure: failure) as server:
            account = Account(Budget(price_in=1.0, price_out=1.0))
            with pytest.raises(MissingPredictionsError):
                client(server.url, retries=0).post("/x", {}, dict, account, TokenUsage(1000, 0))
            assert account.facts["cost"] == cost


def test_a_reply_that_can_not_be_read_is_tried_again() -> None:
    def read(reply: dict[str, Any]) -> dict[str, Any]:
        if "fine" not in reply:
            raise TransientError("no answer in it", paid=True)
        return reply

    with serving(first([Says({"other": 1})])) as server:
        assert client(server.url).post("/x", {}, read, Account(Budget()), TokenUsage()) == {"fine": True}


@pytest.mark.parametrize("body", [b'{"fine": 1, "fine": true}', b'{"x": [{"k": 1, "k": 1}], "fine": true}'])
def test_a_reply_with_a_key_twice_is_not_read(body: bytes) -> None:
    with serving(lambda _: Says(body)) as server:
        with pytest.raises(MissingPredictionsError, match=r"'(fine|k)' .*\(tried 3") as caught:
            post(client(server.url))
        assert not caught.value.final
    with serving(first([Says(body)])) as server:
        assert post(client(server.url)) == {"fine": True}
    with serving(lambda _: Says(b'{"%b": 1, "%b": 2}' % (b"k" * 9999, b"k" * 9999))) as server:
        with pytest.raises(MissingPredictionsError) as caught:
            post(client(server.url))
        assert len(str(caught.value)) < 400


def test_an_error_with_a_key_twice_is_shown_as_it_came() -> None:
    error = b'{"error": {"message": "one", "message": "two"}}'
    with serving(lambda _: Says(error, 400)) as server, pytest.raises(RejectedError, match=r"one.*two"):
        post(client(server.url))


@pytest.mark.parametrize("status", [404, 403, 405, 429, 500, 503])
def test_whatever_a_server_says_to_a_knock_it_is_there(status: int) -> None:
    with serving(lambda _: Says({"error": "no"}, status, {"Retry-After": "60"})) as server:
        start = time.monotonic()
        client(server.url).check_connection("/models")
        assert time.monotonic() - start < 2
        assert len(server.asked) == 1


@pytest.mark.parametrize("failure", [SILENT, HALF, SLOW])
def test_a_knock_without_an_answer_is_repeated_within_limits(
    failure: Says | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(first([failure])) as server:
        client(server.url, timeout=timeout_for(failure)).check_connection("/models")
        assert len(server.asked) == 2
    with serving(lambda _: failure) as server:
        # Somebody is there, who may answer later.
        client(server.url, retries=1, timeout=timeout_for(failure)).check_connection("/models")
        assert len(server.asked) == 2
    assert LONGEST_CHECK <= 5
    monkeypatch.setattr("rightreasons.models.remote.client.LONGEST_CHECK", 1.0)
    with serving(lambda _: failure) as server:
        asking, start = client(server.url, retries=100, timeout=100), time.monotonic()
        asking.check_connection("/models")
        assert time.monotonic() - start < 4


def test_a_document_is_fetched_soon_or_not_at_all() -> None:
    with serving(first([BROKEN, BUSY])) as server:
        assert client(server.url).get_if_ready("/model") == {"fine": True}
    with serving(lambda _: Says(b"", 503, {"Retry-After": "60"})) as server:
        start = time.monotonic()
        assert client(server.url).get_if_ready("/model") is None
        assert time.monotonic() - start < 2
        assert len(server.asked) == 1
    for status in (401, 403, 404):
        with (
            serving(lambda _, status=status: Says(b"", status)) as server,
            pytest.raises(InputError, match=f"{server.url} returned status {status}"),
        ):
            client(server.url).get_if_ready("/model")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse what a full queue can't take")
def test_a_host_that_takes_no_connection_is_known_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LONGEST_CHECK <= 5
    monkeypatch.setattr("rightreasons.models.remote.client.LONGEST_CHECK", 1.0)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as waiting:
        address = full.getsockname()
        for _ in range(3):
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(address)
        asking, start = client(f"http://127.0.0.1:{address[1]}", retries=9, timeout=60.0), time.monotonic()
        for check_connection in (asking.check_connection, asking.get_if_ready):
            with pytest.raises(InputError, match=rf"127\.0\.0\.1:{address[1]} accepted no connection .*host"):
                check_connection("/models")
        assert time.monotonic() - start < 5


def test_redirects_are_not_followed_with_the_key() -> None:
    with serving(lambda _: FINE) as other:
        with serving(lambda _: Says(b"", 307, {"Location": f"{other.url}/x"})) as server:
            with pytest.raises(MissingPredictionsError, match=r"status 307.* final URL"):
                post(client(server.url))
            assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"
        assert other.asked == []


def test_keys_are_redacted_in_messages_of_the_server() -> None:
    said = {"error": {"message": f"Incorrect key {SECRET} " + "x" * 190 + SECRET}}
    for status in (400, 401, 404, 500):
        with serving(lambda _, status=status: Says(said, status)) as server:
            asking = client(server.url, retries=0)
            with pytest.raises(MissingPredictionsError) as caught:
                post(asking)
            assert "Incorrect key [key]" in str(caught.value)
            assert SECRET[:6] not in f"{caught.value!r} {asking.key!r} {asking.key}"


def test_missing_keys_are_named() -> None:
    with serving(lambda _: Says(b"", 401)) as server:
        with pytest.raises(MissingPredictionsError, match=r"status 401.*variable SOME_KEY"):
            post(client(server.url, key=None))
        assert "authorization" not in server.asked[0].headers


def test_a_body_without_end_is_not_kept() -> None:
    with serving(lambda _: Says(b" " * (1 << 16))) as server:
        asking = client(server.url, retries=0, timeout=5)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rightreasons.models.remote.client.LONGEST_BODY", 1 << 15)
            with pytest.raises(MissingPredictionsError, match="sent more than"):
                post(asking)


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(InputError, match=r"pip install 'rightreasons\[serve\]'"):
        check_serving_packages()
