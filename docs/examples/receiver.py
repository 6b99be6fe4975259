# A webhook endpoint in Python, with the standard library alone.
#   WEBHOOK_SECRET=whsec_… PORT=8080 python3 receiver.py
# https://www.standardwebhooks.com describes the signature; there are libraries for it.
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

try:
    SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
except (KeyError, ValueError):
    SECRET = b""
if not SECRET:
    raise SystemExit("WEBHOOK_SECRET is empty or damaged: npm run --silent listen -- --print-secret prints it.")
PORT = os.environ.get("PORT", "8080")
TOLERANCE_SECONDS = 300
seen = set()  # in your service: a table with one row per webhook-id


def is_signed(headers, body):
    """Whether one of the signatures fits, and the request is not an old one that somebody sends again."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(f"v1,{expected}", signature) for signature in signatures)


def printable(text):
    """Anyone can write any memo: what would move the cursor or begin a line is shown as its code."""
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in str(text))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The raw bytes: JSON that was parsed and written again no longer fits its signature.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_signed(self.headers, body):
            return self.answer(401)
        if self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            message = json.loads(body)
            data = message["data"]
            # Anyone can write any memo: check recipient, tokenMint and amountString before you ship.
            print(message["type"], printable(data.get("trackingId")), data.get("amountString"), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


try:
    server = ThreadingHTTPServer(("127.0.0.1", int(PORT)), Receiver)
except OSError as error:
    raise SystemExit(f"Port {PORT} cannot be used ({error.strerror}): end what listens there, or set another PORT.")
print("listening", server.server_port, flush=True)
server.serve_forever()
