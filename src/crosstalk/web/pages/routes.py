"""All pages, put together."""

from fastapi import APIRouter

from crosstalk.web.pages import account_pages, admin_pages, expert_pages, worker_pages

router = APIRouter(include_in_schema=False)
router.include_router(account_pages.router)
router.include_router(worker_pages.router)
router.include_router(admin_pages.router)
router.include_router(expert_pages.router)
router.include_router(expert_pages.for_admins)
