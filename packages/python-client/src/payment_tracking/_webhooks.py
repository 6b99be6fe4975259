from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast


class Notification(TypedDict):
    """The body of a webhook. ``id`` is the same in every attempt: dedupe by it."""

    id: str
    type: str
    timestamp: str
    data: dict[str, Any]


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes) -> Notification:
    """Returns what a webhook tells, once Standard Webhooks' own library has verified it.

    ``body`` are the raw bytes: JSON that was parsed and written again does not fit its signature. Raises
    ``standardwebhooks.WebhookVerificationError``. Needs ``pip install 'payment-tracking[webhooks]'``.
    """
    from standardwebhooks import Webhook

    named = {name.lower(): value for name, value in headers.items()}
    return cast(Notification, Webhook(secret).verify(body, named))
