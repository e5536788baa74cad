"""The websites that commands start: which areas they have, and where their accounts are kept."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from crosstalk.translation.work import WorkQueue
from crosstalk.web.accounts import Accounts
from crosstalk.web.annotate.routes import annotate_area
from crosstalk.web.app import Address, create_app
from crosstalk.web.collect.area import collect_area
from crosstalk.web.collect.parts import Parts
from crosstalk.web.collect.site import Site
from crosstalk.web.middleware import AccessMiddleware
from crosstalk.web.store.connection import store_url
from crosstalk.web.store.store import Store
from crosstalk.web.translate.area import translate_area

ACCOUNTS_FILE: Final = "accounts.db"
TRANSLATION_DAYS: Final = 180
"""How long editors and annotators stay logged in."""


def collect_app(
    site: Site, address: Address | None = None, parts: Parts | None = None
) -> AccessMiddleware:
    """Collecting dialogues, and annotating them again."""
    areas = collect_area(site, parts or Parts()), annotate_area(site.store)
    return create_app(Accounts(site.store, site.clock), areas, address)


def translation_app(
    queue: WorkQueue,
    accounts: Accounts,
    links: Mapping[str, str],
    address: Address | None = None,
    *,
    rate: float = 16.0,
) -> AccessMiddleware:
    """Editing a translation, or judging a sample of one."""
    return create_app(accounts, (translate_area(queue, links, rate),), address)


@contextmanager
def translation_accounts(
    queue: WorkQueue, *, new_links: bool = False
) -> Iterator[tuple[Accounts, dict[str, str]]]:
    """Accounts of a queue's people, kept beside its journal; and the token of each one's link."""
    secret = queue.secret(renew=new_links)
    store = Store(store_url(str(queue.folder / ACCOUNTS_FILE)))
    try:
        accounts = Accounts(store, days=TRANSLATION_DAYS)
        yield accounts, accounts.personal_links(queue.people, secret)
    finally:
        store.close()
