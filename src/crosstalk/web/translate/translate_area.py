"""The area of stage 2 (post-editing) or 3 (quality control), depending on its work queue."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Final

from fastapi import Request

from crosstalk.errors import CrosstalkError
from crosstalk.language.writing import writing_of
from crosstalk.translation.post_editing import EditingQueue
from crosstalk.translation.work import WorkQueue
from crosstalk.web.page import Area, NavigationLink
from crosstalk.web.sessions import Visitor
from crosstalk.web.translate import editing, judging

PAUSE: Final = 3.0
"""Minimum number of seconds between two writes of the files; saves go to the journal at once."""
SHARE: Final = 20
"""Pause as a multiple of the last write: writing large files takes a twentieth of the time."""
log = logging.getLogger(__name__)


def translate_area(queue: WorkQueue, links: Mapping[str, str], rate: float = 16.0) -> Area:
    """`links`: name to the token of a personal link; `rate`: what an hour of work costs."""
    is_editing = isinstance(queue, EditingQueue)
    source, target = queue.languages
    stage = "editing" if is_editing else "judging"
    return Area(
        routers=(editing.api, editing.pages) if is_editing else (judging.api, judging.pages),
        state={"queue": queue, "links": links, "rate": rate},
        about={"stage": stage},
        template_values={
            "stage": stage,
            "source": source,
            "target": target,
            "source_direction": writing_of(source).direction,
            "target_direction": writing_of(target).direction,
        },
        navigation=_editing_links if is_editing else _judging_links,
        running=lambda: _running(queue),
        personal_links=True,
    )


def _judging_links(request: Request, visitor: Visitor) -> Iterator[NavigationLink]:
    if visitor.worker:
        yield NavigationLink("/", "translate.all" if visitor.worker.admin else "translate.mine")


def _editing_links(request: Request, visitor: Visitor) -> Iterator[NavigationLink]:
    yield from _judging_links(request, visitor)
    if visitor.worker:
        yield NavigationLink("/glossary", "translate.glossary")
        if visitor.worker.admin:
            yield NavigationLink("/consistency", "translate.consistency")


@contextlib.asynccontextmanager
async def _running(queue: WorkQueue) -> AsyncIterator[None]:
    task = asyncio.create_task(_write_files(queue))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _write_files(queue: WorkQueue) -> None:
    """Write the files from the journal repeatedly; errors are retried and logged once."""
    wait, told = PAUSE, ""
    while True:
        await asyncio.sleep(wait)
        began = time.monotonic()
        try:
            await asyncio.to_thread(queue.write_files)
        except CrosstalkError as error:
            if told != (told := str(error)):
                log.warning("%s", told)
        except Exception:  # catches everything: a task that ended would never write again
            log.exception("%s could not be written", queue.path)
        wait = max(PAUSE, SHARE * (time.monotonic() - began))
