"""Wrong guesses: who is slowed down, and who is not. Proxies: whose word counts."""

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from tests.web.running import PASSWORD

from crosstalk.errors import InputError, Rejection
from crosstalk.web import accounts as accounts_module
from crosstalk.web.accounts import Accounts
from crosstalk.web.clients import UNKNOWN, trusted_proxies
from crosstalk.web.rate_limits import AccessLimits, TooFast
from crosstalk.web.store.sql_tables import SETTINGS
from crosstalk.web.store.store import Store, store_url
from crosstalk.web.store.study_store import STUDY
from crosstalk.web.store.worker_store import INVITATION, add_link


class SlowHasher:
    """Refuses every password, once released."""

    def __init__(self, released: threading.Event) -> None:
        self._released = released

    def hash(self, password: str) -> str:
        return ""

    def verify(self, digest: str, password: str) -> bool:
        return self._released.wait(60) and False


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    store = Store(store_url(str(tmp_path / "site.db")))
    yield Accounts(store)
    store.close()


def join(accounts: Accounts, name: str, client: str = "192.0.2.1", invitation: str = "") -> None:
    token = (
        invitation
        or accounts.store.write(lambda work: add_link(work, INVITATION, "", 1, 0.0)).result()[1]
    )
    accounts.join(client, invitation=token, name=name, password=PASSWORD, interface="en")


def guess(accounts: Accounts, client: str, name: str, password: str = "a guess") -> str:
    try:
        accounts.log_in(client, name, password)
    except Rejection as rejection:
        return rejection.code
    return "in"


def test_parallel_guesses_do_not_overtake_the_limit(accounts: Accounts) -> None:
    join(accounts, "Mei")
    with ThreadPoolExecutor(40) as people:
        codes = list(people.map(lambda _: guess(accounts, "192.0.2.7", "Mei"), range(120)))
    assert codes.count("wrong_password") <= 10
    assert set(codes) == {"wrong_password", "too_fast"}


def test_limits_of_guesses_are_those_that_hold_now(tmp_path: Path) -> None:
    """By account and client, by client, by account; and for how long a guess counts."""
    limits, now = AccessLimits(guesses=1, client_guesses=2, account_guesses=3), 1000.0
    store = Store(store_url(str(tmp_path / "site.db")))
    accounts = Accounts(store, lambda: now, limits=lambda: limits)
    for name in ("Mei", "Wim", "Eve"):
        join(accounts, name)
    tries = [("7", "Mei"), ("7", "Mei"), ("7", "Wim"), ("7", "Eve")]
    codes = [guess(accounts, f"192.0.2.{client}", name) for client, name in tries]
    assert codes == ["wrong_password", "too_fast", "wrong_password", "too_fast"]
    codes = [guess(accounts, f"192.0.2.{client}", "Mei") for client in (8, 9, 10)]
    assert codes == ["wrong_password", "wrong_password", "too_fast"], "three at one account"
    limits = AccessLimits(guess_seconds=5)
    assert guess(accounts, "192.0.2.7", "Mei") == "wrong_password", "10 are allowed now"
    now += 301
    limits = AccessLimits(guesses=1, guess_seconds=5)
    assert [guess(accounts, "192.0.2.7", "Mei") for _ in range(2)][1] == "too_fast"
    now += 6
    assert guess(accounts, "192.0.2.7", "Mei") == "wrong_password", "five seconds later"
    store.close()


def test_logins_leave_threads_to_others(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests are answered by 40 threads; logins that wait for their turn at hashing do not take
    them all, and those sent away are no guesses."""
    released = threading.Event()
    monkeypatch.setattr(accounts_module, "_HASHER", SlowHasher(released))
    monkeypatch.setattr(accounts_module, "_nobody", str)
    join_later = [f"nobody {number}" for number in range(40)]
    with ThreadPoolExecutor(40) as people:
        answers = [people.submit(guess, accounts, UNKNOWN, name) for name in join_later]
        sent_away = [answer.result() for answer in islice(as_completed(answers, 60), 24)]
        released.set()
    assert sent_away == ["too_fast"] * 24
    assert [answer.result() for answer in answers].count("wrong_password") == 16
    assert guess(accounts, UNKNOWN, join_later[0]) == "wrong_password"


def test_a_guessed_reset_link_costs_no_hashing(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts_module, "hashed", None)
    with pytest.raises(Rejection, match="not valid"):
        accounts.reset_password("192.0.2.7", "a guess", PASSWORD)


def guesses_at_two_servers(accounts: Sequence[Accounts]) -> list[str]:
    """Parallel guesses at one name, from one client, at all servers in turn."""
    with ThreadPoolExecutor(8) as people:
        codes = people.map(lambda n: guess(accounts[n % 2], "192.0.2.7", "Mei"), range(30))
    return list(codes)


def test_two_servers_count_together(fresh_postgres: str) -> None:
    stores = [Store(store_url(fresh_postgres)) for _ in range(2)]
    try:
        servers = [Accounts(store) for store in stores]
        join(servers[0], "Mei")
        codes = guesses_at_two_servers(servers)
    finally:
        for store in stores:
            store.close()
    assert (codes.count("wrong_password"), codes.count("too_fast")) == (10, 20)


def test_a_restart_forgets_no_guesses(tmp_path: Path) -> None:
    for codes in ({"wrong_password", "too_fast"}, {"too_fast"}):
        store = Store(store_url(str(tmp_path / "site.db")))
        assert {guess(Accounts(store), "192.0.2.7", "Mei") for _ in range(12)} == codes
        store.close()


@pytest.mark.parametrize(
    "name", ["erased 5", "ERASED 12", "pilot 3", "Pilot 007", "pilot l2", "pil\u043et 3", "pilot ٣"]
)
def test_names_that_the_site_gives_cannot_be_chosen(accounts: Accounts, name: str) -> None:
    plan = {"key": STUDY, "value": json.dumps({"key": "pilot"})}
    accounts.store.write(lambda work: work.execute(SETTINGS.insert().values(plan))).result()
    with pytest.raises(Rejection) as refused:
        join(accounts, name)
    assert refused.value.code == "name_taken"
    for number, other in enumerate(("Mei 3", "pilot", "pilot three", "copilot 3", "erased")):
        join(accounts, other, client=f"192.0.2.{number}")


def test_others_behind_the_same_proxy_notice_nothing(accounts: Accounts) -> None:
    join(accounts, "Mei")
    for number in range(60):
        guess(accounts, UNKNOWN, "admin")
        guess(accounts, UNKNOWN, f"nobody {number}")
    assert guess(accounts, UNKNOWN, "Mei", PASSWORD) == "in"


def test_strangers_cannot_lock_an_account(accounts: Accounts) -> None:
    join(accounts, "Mei")
    assert guess(accounts, "192.0.2.1", "Mei", PASSWORD) == "in"
    for number in range(150):
        guess(accounts, f"198.51.100.{number}", "Mei")
    assert guess(accounts, "198.51.100.200", "Mei") == "too_fast", "a network of machines guesses"
    assert guess(accounts, "192.0.2.1", "Mei", PASSWORD) == "in"


def test_only_wrong_invitations_count(accounts: Accounts) -> None:
    for number in range(100):
        with pytest.raises(Rejection, match="name"):
            join(accounts, "", invitation=f"guess {number}")
    join(accounts, "Mei")
    for number in range(30):
        with pytest.raises(Rejection, match="not valid"):
            join(accounts, "Eve", invitation=f"guess {number}")
    with pytest.raises(TooFast) as refused:
        join(accounts, "Eve", invitation="guess")
    assert 0 < refused.value.wait <= 300
    join(accounts, "Wim", client="192.0.2.2")


@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        ("10.0.0.2", "198.51.100.9", "198.51.100.9"),
        ("10.0.0.2", "8.8.8.8, 198.51.100.9", "198.51.100.9"),  # the left one is forged
        ("10.0.0.2", "198.51.100.9, 10.0.0.7", "198.51.100.9"),
        ("10.0.0.2", "198.51.100.9:4711", "198.51.100.9"),
        ("10.0.0.2", "[2001:db8:1:2::5]:4711", "2001:db8:1:2::/64"),
        ("10.0.0.2", "::ffff:198.51.100.9", "198.51.100.9"),
        ("10.0.0.2", "nonsense", UNKNOWN),
        ("198.51.100.9", "8.8.8.8", "198.51.100.9"),  # no proxy of ours
    ],
)
def test_the_client_behind_a_proxy(peer: str, header: str, client: str) -> None:
    clients = trusted_proxies(["10.0.0.0/8"])
    assert clients.address(peer, Headers({"X-Forwarded-For": header})) == client


def test_other_headers_and_no_proxy() -> None:
    forwarded = Headers({"Forwarded": 'for=8.8.8.8, for="[2001:db8::1]:80";proto=https'})
    assert trusted_proxies(["::1"], "Forwarded").address("::1", forwarded) == "2001:db8::/64"
    real = Headers({"X-Real-IP": "198.51.100.9"})
    assert trusted_proxies(["127.0.0.1"], "X-Real-IP").address("127.0.0.1", real) == "198.51.100.9"
    assert trusted_proxies([]).address("127.0.0.1", real) == UNKNOWN
    for words in (["10.0.0.0/99"], ["everybody"], ["0.0.0.0/0"]):
        with pytest.raises(InputError, match="--trusted-proxy"):
            trusted_proxies(words)
    with pytest.raises(InputError, match="--client-header"):
        trusted_proxies([], "X Forwarded")
