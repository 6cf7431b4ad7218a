#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
One browser without a window for all pages of a test: browser.py BROWSER FOLDER, the folder for the
browser's own files. It obeys lines of standard input, and answers each with one, "done" or what is
wrong:

    dom URL FILE        writes the document as it is after its load event
    picture URL FILE    writes a PNG of it

It talks to the browser by the two pipes of --remote-debugging-pipe (descriptors 3 and 4 there):
JSON messages, a zero byte after each.
"""
import base64
import json
import os
import select
import subprocess
import sys
import time

DEADLINE_SECONDS = 60


class Browser:
    def __init__(self, program, folder):
        theirs_in, self.out = os.pipe()
        self.inp, theirs_out = os.pipe()
        # The browser wants its ends of the pipes at 3 and 4. They are passed at 8 and 9, so that
        # the shell, which moves them there, overwrites neither; its redirections take one digit
        # only.
        theirs = [os.dup2(theirs_in, 8), os.dup2(theirs_out, 9)]
        self.log = open(os.path.join(folder, "log"), "wb")
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$0" "$@" 3<&8 4>&9 8<&- 9>&-', program, "--headless",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync",
             "--user-data-dir=" + folder, "--remote-debugging-pipe"],
            pass_fds=theirs, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        for fd in [theirs_in, theirs_out] + theirs:
            os.close(fd)
        self.number, self.pending = 0, b""

    def message(self, until):
        while b"\0" not in self.pending:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.inp, 1 << 16)
            if not data:
                raise EOFError("the browser has ended")
            self.pending += data
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, session=None, **params):
        self.number += 1
        order = {"id": self.number, "method": method, "params": params}
        if session:
            order["sessionId"] = session
        data = json.dumps(order).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        return self.number

    def ask(self, method, session=None, awaited=None, **params):
        """The result; where an event is awaited, too, when both are there."""
        number, until = self.send(method, session, **params), time.monotonic() + DEADLINE_SECONDS
        result = None
        while result is None or awaited:
            message = self.message(until)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                result = message["result"]
            elif message.get("method") == awaited and message.get("sessionId") == session:
                awaited = None
        return result

    def open(self, url):
        """A page of its own for each URL: nothing is left of the one before."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Emulation.setDeviceMetricsOverride", session, width=1000, height=700,
                 deviceScaleFactor=1, mobile=False)
        self.ask("Page.enable", session)
        result = self.ask("Page.navigate", session, awaited="Page.loadEventFired", url=url)
        if result.get("errorText"):
            raise RuntimeError(result["errorText"])
        return target, session

    def obey(self, what, url, name):
        target, session = self.open(url)
        if what == "dom":
            data = self.ask("Runtime.evaluate", session, returnByValue=True,
                            expression="document.documentElement.outerHTML")
            data = data["result"]["value"].encode()
        elif what == "picture":
            data = base64.b64decode(self.ask("Page.captureScreenshot", session)["data"])
        else:
            raise ValueError("no such order: " + what)
        with open(name, "wb") as out:
            out.write(data)
        self.ask("Target.closeTarget", targetId=target)

    def end(self):
        try:
            self.ask("Browser.close")
            self.process.wait(10)
        except (OSError, EOFError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def main():
    os.makedirs(sys.argv[2], exist_ok=True)
    browser = Browser(sys.argv[1], sys.argv[2])
    for line in sys.stdin:
        try:
            browser.obey(*line.split())
            print("done", flush=True)
        except (OSError, EOFError, RuntimeError, TimeoutError, ValueError) as problem:
            print(f"{type(problem).__name__}: {problem}", flush=True)
    browser.end()


main()
