"""A store full of dialogues: how long every administrator's page takes, and every export."""

import tempfile
import time
from pathlib import Path

import httpx2 as httpx

from benchmarks.archive import filled_store
from benchmarks.collection_server import Figures, memory, processor, served, spread
from benchmarks.killable_server import free_port

REQUESTS = (
    "/api/admin/overview",
    "/api/admin/rooms",
    "/api/admin/rooms?status=finished&review=pending",
    "/api/admin/rooms?worker=7",
    "/api/admin/rooms/{room}",
    "/api/admin/workers",
    "/api/admin/goals?state=done",
    "/api/admin/invitations",
    "/api/admin/statistics",
    "/api/admin/figure.svg",
    "/admin",
    "/admin/rooms",
    "/admin/rooms?status=finished&review=pending",
    "/admin/rooms/{room}",
    "/admin/workers",
    "/admin/goals",
    "/admin/invitations",
    "/admin/statistics",
    "/admin/experts",
)


def archive(dialogues: int = 6012, times: int = 20) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        store, port = str(Path(folder) / "site.db"), free_port()
        turns = filled_store(store, dialogues)
        with (
            served(store, port) as (process, link),
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=300) as browser,
        ):
            csrf = {"X-CSRF-Token": browser.get("/api/me").json()["csrf"]}
            browser.post("/api/enter", json={"token": link}, headers=csrf).raise_for_status()
            figures = _administrated(browser, process, dialogues, times)
    return {"dialogues": dialogues, "turns": turns, **figures}


def _administrated(browser: httpx.Client, process: int, dialogues: int, times: int) -> Figures:
    counted, before = _statistics_ready(browser), memory(process)
    pages = {}
    for request in (each.format(room=dialogues // 2) for each in REQUESTS):
        pages[request] = spread([_timed(browser, request) for _ in range(times)])
    export, used = dict[str, float](), processor(process)
    for to in ("native", "crosswoz", "chat", "csv"):
        export[to] = round(_timed(browser, f"/api/admin/export?to={to}"), 1)
    return {
        "slowest_page_p95_ms": max(page["p95_ms"] for page in pages.values()),
        "slowest_export_seconds": max(export.values()),
        "exports_processor_seconds": round(processor(process) - used, 1),
        "memory_megabytes": [before, memory(process)],
        "statistics_ready_seconds": counted,
        "export_seconds": export,
        "pages": pages,
    }


def _statistics_ready(browser: httpx.Client) -> float:
    """Seconds until everything is counted, which a server does once after its start."""
    began = time.monotonic()
    while browser.get("/api/admin/statistics").json()["counting"]:
        time.sleep(0.2)
    return round(time.monotonic() - began, 1)


def _timed(browser: httpx.Client, request: str) -> float:
    began = time.monotonic()
    with browser.stream("GET", request) as answer:
        answer.raise_for_status()
        for _ in answer.iter_bytes():
            pass
    return time.monotonic() - began
