import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()


def is_genuine(body: bytes, signature: str) -> bool:
    """Whether these very bytes were signed with our secret. Equal or not, the comparison takes the same time."""
    expected = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))  # raw: before anything parses it
        genuine = is_genuine(body, self.headers.get("X-Service-Signature", ""))
        if genuine:
            print(json.loads(body)["event"], "arrived")  # put it into a queue of yours, and answer
        self.send_response(204 if genuine else 401)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
