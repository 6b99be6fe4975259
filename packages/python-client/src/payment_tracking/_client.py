from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

import httpx

from ._answers import describe, read_refusal
from ._api import Operations
from ._watch import WatchEvent, watch_payments


class ApiError(Exception):
    """The service refused a request: ``code`` is stable, the message is a sentence for people.

    ``UNKNOWN``: something on the way answered instead, and whether the service did what was asked is not known.
    """

    def __init__(self, status: int, code: str, message: str, request_id: str | None) -> None:
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.request_id = request_id


class Client(Operations):
    """REST of one service. No answer knows less than this client was told before."""

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        timeout: float = 10.0,
        http: httpx.Client | None = None,
    ) -> None:
        """``token`` is a gateway's token or its API key. An ``http`` of yours is not closed.

        ``timeout`` in seconds is beside what a request itself asks to wait for (``read_feed(…, wait=25)``).
        """
        self._base_url = base_url.rstrip("/")
        self._headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._is_own = http is None
        self._http = http or httpx.Client(timeout=timeout)
        self._position = 0
        self._epoch: str | None = None

    def close(self) -> None:
        if self._is_own:
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def watch_payments(
        self, tracking_id: str, *, recipient: str | None = None, since: int | None = None
    ) -> Iterator[WatchEvent]:
        """What :func:`watch_payments` does; the next request knows each payment that was seen."""
        for event in watch_payments(self._base_url, tracking_id, recipient=recipient, since=since):
            if event.kind == "payment":
                self._remember(event.data["position"], event.epoch)
            yield event

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        is_text: bool = False,
    ) -> Any:
        response = self._ask(method, path, query, body)
        # The database was replaced: the position means nothing any more.
        if response.status_code == 503 and self._read_position(response):
            response = self._ask(method, path, query, body)
        if not response.is_success:
            raise _error_of(response)
        self._read_position(response)
        if response.status_code == 204:
            return None
        if is_text:
            return response.text
        try:
            return response.json()
        except ValueError:
            raise _error_of(response) from None

    def _ask(self, method: str, path: str, query: dict[str, Any] | None, body: Any) -> httpx.Response:
        headers = dict(self._headers)
        if method == "GET" and self._position > 0:
            headers["x-min-position"] = str(self._position)
        params = {name: _text_of(value) for name, value in (query or {}).items() if value is not None}
        return self._http.request(
            method,
            f"{self._base_url}{path}",
            params=params,
            json=body,
            headers=headers,
            timeout=_lengthen(self._http.timeout, params.get("wait", 0)),
            # Whoever redirects a request that changes something is named instead: it may come to be a GET.
            follow_redirects=method == "GET",
        )

    def _read_position(self, response: httpx.Response) -> bool:
        """Returns whether the position is of another database than the last one."""
        known = response.headers.get("x-position")
        return known is not None and self._remember(int(known), response.headers.get("x-epoch"))

    def _remember(self, position: int, epoch: str | None) -> bool:
        is_other = epoch is not None and self._epoch is not None and epoch != self._epoch
        self._position = position if is_other else max(position, self._position)
        self._epoch = epoch or self._epoch
        return is_other


def _text_of(value: Any) -> Any:
    """Booleans as JSON writes them, and one value for each item of a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_text_of(item) for item in value] if isinstance(value, list) else value


def _lengthen(timeout: httpx.Timeout, wait: float) -> httpx.Timeout:
    read = None if timeout.read is None else timeout.read + wait
    return httpx.Timeout(connect=timeout.connect, read=read, write=timeout.write, pool=timeout.pool)


def _error_of(response: httpx.Response) -> ApiError:
    refusal = read_refusal(response)
    if refusal is None:
        return ApiError(response.status_code, "UNKNOWN", describe(response), None)
    return ApiError(response.status_code, refusal["code"], refusal["error"], refusal["requestId"])
