"""What an answer says. A proxy on the way can answer instead of the service."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TypedDict

import httpx


class Refusal(TypedDict):
    code: str
    error: str
    requestId: str | None


def read_refusal(response: httpx.Response) -> Refusal | None:
    """The service's own refusal: every answer of the service that is no success has this shape, and no proxy's has."""
    try:
        body = response.json()
    except ValueError:
        return None
    is_own = (
        isinstance(body, dict)
        and body.get("success") is False
        and isinstance(body.get("code"), str)
        and isinstance(body.get("error"), str)
    )
    return {"code": body["code"], "error": body["error"], "requestId": body.get("requestId")} if is_own else None


def describe(response: httpx.Response) -> str:
    """A sentence about an answer that is not the service's, with the address of a redirect."""
    to = response.headers.get("location")
    where = f" to {to}" if to else ""
    return f"{response.status_code} {response.reason_phrase}{where} of {response.url} is no answer of the service"


def read_retry_after(response: httpx.Response) -> float:
    """For how many seconds ``Retry-After`` asks, in seconds or as a date; 0 without one that can be read."""
    text = response.headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text):
        return float(text)
    until = _read_date(text)
    # The clock of the server that wrote both, where it is known.
    now = _read_date(response.headers.get("date", "")) or datetime.now(timezone.utc)
    return 0.0 if until is None else max(0.0, (until - now).total_seconds())


def _read_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=timezone.utc)
