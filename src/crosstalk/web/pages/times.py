"""Moments as people read them; the store counts seconds since 1970."""

from datetime import UTC, datetime


def day(moment: float | None) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M}" if moment else ""


def clock_time(moment: float | None) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%H:%M:%S}" if moment else ""
