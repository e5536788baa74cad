"""The area where experts annotate collected dialogues again, and administrators compare."""

from collections.abc import Iterator

from fastapi import Request

from crosstalk.web.annotate import routes
from crosstalk.web.area import Area, NavigationLink
from crosstalk.web.sessions import Visitor
from crosstalk.web.store.opinions import read_panel
from crosstalk.web.store.store import Store


def annotate_area(store: Store) -> Area:
    def navigation(request: Request, visitor: Visitor) -> Iterator[NavigationLink]:
        if visitor.worker and visitor.worker.id in store.read(read_panel).experts:
            yield NavigationLink("/expert", "common.expert")

    routers = routes.router, routes.for_admins, routes.pages, routes.admin_pages
    return Area(routers=routers, navigation=navigation)
