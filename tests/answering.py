"""A real HTTP server on this machine for tests: it keeps what it was asked, and answers as it is told."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """A server that answers with `answers`, one after the other, then with what `good` makes of a request."""

    def __init__(self, good):
        self.answers, self.asked, self.headers, self.paths = [], [], [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(body)
                outer.headers.append(dict(self.headers))
                outer.paths.append(self.path)
                answer = outer.answers.pop(0) if outer.answers else good
                if answer == "hang":
                    outer.release.wait(600)
                    return
                if answer == "hang up":
                    return
                status, content = answer(body) if callable(answer) else answer
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_words):
                pass

        self.release = threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self):
        self.release.set()
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
