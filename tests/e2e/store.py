#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A store for test_push.sh.

  free                     prints a free port
  serve PORT DIR           keeps each profile sent to it in DIR/N/; refuses the second one with 400
  serve PORT DIR all       refuses none
  serve PORT DIR mute      does not answer for a minute
"""
import http.server
import os
import socket
import sys
import time


class Store(http.server.BaseHTTPRequestHandler):
    count = 0

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        Store.count += 1
        if sys.argv[4:] == ["mute"]:
            time.sleep(60)
        if Store.count == 2 and len(sys.argv) < 5:
            self.send_response(400)
            self.end_headers()
            self.wfile.write(b"no\n")
            return
        folder = os.path.join(sys.argv[3], f".{Store.count:04d}")
        os.mkdir(folder)
        with open(os.path.join(folder, "profile.pb.gz"), "wb") as out:
            out.write(data)
        with open(os.path.join(folder, "request"), "w", encoding="ascii") as out:
            out.write(self.path + "\n")
        os.rename(folder, os.path.join(sys.argv[3], f"{Store.count:04d}"))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


if sys.argv[1] == "free":
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        print(s.getsockname()[1])
else:
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), Store).serve_forever()
