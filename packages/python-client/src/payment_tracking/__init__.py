"""The payment tracking service: REST, payments as they happen, webhooks."""

from . import _api as api
from ._client import ApiError, Client
from ._watch import Payment, PaymentMessage, Reset, Retraction, SocketPayment, WatchEvent, watch_payments
from ._webhooks import Notification, verify_webhook

__all__ = [
    "ApiError",
    "Client",
    "Notification",
    "Payment",
    "PaymentMessage",
    "Reset",
    "Retraction",
    "SocketPayment",
    "WatchEvent",
    "api",
    "verify_webhook",
    "watch_payments",
]
