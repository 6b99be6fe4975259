"""Payments of one tracking ID as they happen, by server-sent events."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

import httpx
from httpx_sse import ServerSentEvent, SSEError, connect_sse

from ._answers import describe, read_refusal, read_retry_after

PATH = "/v1/payments/stream"
#: The service sends a comment every 15 s: a connection that is silent for longer is dead.
SILENCE_SECONDS = 45.0
#: No answer makes a watch wait longer.
LONGEST_WAIT_SECONDS = 30.0
#: Statuses after which the same request can succeed, whoever answered; so can every 5xx.
_PASSING = frozenset({408, 425, 429})

_log = logging.getLogger("payment_tracking")


class SocketPayment(TypedDict):
    """Anyone can write any memo: check recipient, tokenMint and amountString before you ship."""

    trackingId: str
    #: the nearest double; ``amountString`` is exact
    amount: float
    amountString: str
    timestamp: int
    status: Literal["executed"]
    signature: str
    slot: int
    gateway: str
    paymentPolicy: str
    recipient: str | None
    payer: str | None
    tokenMint: str | None
    recordId: int
    eventId: str
    seq: int
    position: int
    #: the finalized chain does not hold it; do not count it
    retracted: NotRequired[Literal[True]]


class PaymentMessage(TypedDict):
    type: Literal["payment_notification"]
    data: SocketPayment
    timestamp: int


class RetractionData(TypedDict):
    trackingId: str
    seq: int
    eventId: str
    signature: str


class ResetData(TypedDict):
    trackingId: str
    epoch: str
    head: int


@dataclass(frozen=True)
class Payment:
    epoch: str
    data: SocketPayment
    kind: Literal["payment"] = "payment"


@dataclass(frozen=True)
class Retraction:
    """The finalized chain does not hold a payment that was told. May come twice."""

    epoch: str
    data: RetractionData
    kind: Literal["retraction"] = "retraction"


@dataclass(frozen=True)
class Reset:
    """The database was replaced: forget what you know, all payments follow."""

    epoch: str
    data: ResetData
    kind: Literal["reset"] = "reset"


WatchEvent = Payment | Retraction | Reset


class _Refused(Exception):
    def __init__(self, response: httpx.Response) -> None:
        refusal = read_refusal(response)
        status = response.status_code
        super().__init__(f"{status} {refusal['code']}: {refusal['error']}" if refusal else describe(response))
        self.is_final = refusal is not None and status < 500 and status not in _PASSING
        self.after = read_retry_after(response)


def watch_payments(
    base_url: str,
    tracking_id: str,
    *,
    recipient: str | None = None,
    since: int | None = None,
    http: httpx.Client | None = None,
) -> Iterator[WatchEvent]:
    """Yields each payment once and in order, and connects again whenever the connection is lost.

    Without ``since`` payments come from now on; ``since=0`` begins with the first. Ends when the caller stops asking.
    Raises ``ValueError`` when the service does not accept what was asked for. What a proxy answers instead of the service
    ends nothing: the logger ``payment_tracking`` warns, and the watch asks again.
    """
    query = {"trackingId": tracking_id}
    if recipient is not None:
        query["recipient"] = recipient
    if since is not None:
        query["since"] = str(since)
    url = f"{base_url.rstrip('/')}{PATH}"
    last_id = ""
    failures = 0
    client = http or httpx.Client()
    try:
        while True:
            after = 0.0
            try:
                for event in _read(client, url, query, last_id):
                    failures = 0
                    last_id = event.id or last_id
                    found = _event_of(event)
                    if found is not None:
                        yield found
            except _Refused as refusal:
                if refusal.is_final:
                    raise ValueError(str(refusal)) from refusal
                after = refusal.after
                _log.warning("asking again: %s", refusal)
            except (httpx.RequestError, SSEError) as error:
                _log.info("connecting again: %r", error)
            # Many clients lose their connections at once when a pod stops.
            wait = 2.0**failures * random.uniform(0.5, 1.0)
            failures = min(failures + 1, 10)
            time.sleep(min(LONGEST_WAIT_SECONDS, max(wait, after * random.uniform(1.0, 1.1))))
    finally:
        if http is None:
            client.close()


def _read(client: httpx.Client, url: str, query: dict[str, str], last_id: str) -> Iterator[ServerSentEvent]:
    headers = {"last-event-id": last_id} if last_id else {}
    timeout = httpx.Timeout(10.0, read=SILENCE_SECONDS)
    with connect_sse(
        client, "GET", url, params=query, headers=headers, timeout=timeout, follow_redirects=True
    ) as source:
        if not source.response.is_success:
            source.response.read()
            raise _Refused(source.response)
        yield from source.iter_sse()


def _event_of(event: ServerSentEvent) -> WatchEvent | None:
    """Nothing for an id without data, and for events of later releases."""
    if event.data == "":
        return None
    data = json.loads(event.data)["data"]
    epoch = event.id.rpartition(".")[0]
    if event.event == "payment":
        return Payment(epoch, data)
    if event.event == "retraction":
        return Retraction(epoch, data)
    if event.event == "reset":
        return Reset(epoch, data)
    return None
