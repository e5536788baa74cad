"""The pages behind a real server on a free port, and people who have used their links."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2 as httpx

from crosstalk.translation.control import ControlQueue
from crosstalk.translation.post_editing import EditingQueue
from crosstalk.web.accounts import COORDINATOR
from crosstalk.web.app import SiteAddress, bind, make_server, translation_accounts, translation_app

PATIENCE = 60.0


class Person:
    """Somebody at a browser, as a program."""

    def __init__(self, url: str, token: str = "") -> None:
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, headers={"Origin": url})
        if token:
            assert self.http.post("/api/enter", json={"token": token}).status_code == 200

    def page(self, path: str) -> str:
        answer = self.http.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.text

    def csrf(self) -> str:
        found = re.search(r'name="csrf" content="([^"]*)"', self.page("/"))
        return found[1] if found else ""

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return self.http.post(path, json=body, headers={"X-CSRF-Token": self.csrf(), **headers})


class Serving:
    def __init__(self, url: str, links: dict[str, str]) -> None:
        self.url, self.links = url, links
        self._persons: list[Person] = []

    def person(self, name: str | None) -> Person:
        person = Person(self.url, self.links[name] if name else "")
        self._persons.append(person)
        return person

    def coordinator(self) -> Person:
        return self.person(COORDINATOR)

    def close(self) -> None:
        for person in self._persons:
            person.http.close()


@contextmanager
def serving(queue: EditingQueue | ControlQueue, *, new_links: bool = False) -> Iterator[Serving]:
    bound = bind("127.0.0.1", 0)
    port = bound.getsockname()[1]
    with translation_accounts(queue, new_links=new_links) as (accounts, links):
        app = translation_app(queue, accounts, links, SiteAddress(port))
        ready = threading.Event()
        server = make_server(app, ready.set)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([bound])))
        thread.start()
        assert ready.wait(PATIENCE), "the server did not start"
        site = Serving(f"http://127.0.0.1:{port}", links)
        try:
            yield site
        finally:
            site.close()
            server.should_exit = True
            thread.join(PATIENCE)
            bound.close()
            queue.close()
