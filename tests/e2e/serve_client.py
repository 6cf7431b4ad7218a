#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HTTP clients for test_serve.sh.

  get PORT PATH              prints the body; exits with 0 if the answer's status is 200
  status PORT [HOST]         sends a request for each line of the input, without its first word;
                             prints the statuses of the answers
  half PORT PATH             as get, but shuts down its sending side after the request
  crowd PORT                 1000 connections that come and go in any order; exits with 0 if the
                             server still answers
  attack PORT                hostile clients; exits with 0 if the server still answers
"""
import random
import socket
import sys
import time

DEADLINE = 60


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)


def read_all(s):
    data = b""
    while True:
        more = s.recv(65536)
        if not more:
            return data
        data += more


def ask(port, line, host="localhost", headers=""):
    with connect(port) as s:
        s.sendall(f"{line}\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n".encode())
        head, _, body = read_all(s).partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, head, body


def get(port, path):
    status, head, body = ask(port, f"GET {path} HTTP/1.1")
    sys.stdout.buffer.write(body)
    return 0 if status == 200 else 1


def half(port, path):
    with connect(port) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        s.shutdown(socket.SHUT_WR)
        head, _, body = read_all(s).partition(b"\r\n\r\n")
    sys.stdout.buffer.write(body)
    return 0 if head.split()[1:2] == [b"200"] else 1


def crowd(port):
    """Makes silent, half-closed, slow and normal connections, and closes each at another time."""
    chance = random.Random(33)
    failed, here = 0, []
    for i in range(1000):
        s = connect(port)
        here.append(s)
        what = chance.choice(("silent", "half-closed", "slow", "asks", "scrapes"))
        try:
            if what == "slow":
                s.sendall(b"GET / HT")
            elif what == "asks":
                s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            elif what == "scrapes":
                s.sendall(b"GET /debug/pprof/profile?seconds=600 HTTP/1.1\r\n"
                          b"Host: localhost\r\n\r\n")
            elif what == "half-closed":
                s.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # others came, and it had to go
        while len(here) > chance.choice((0, 70, 90, 200)):
            here.pop(chance.randrange(len(here))).close()
        if i % 100 == 99:
            status, _, _ = ask(port, "GET /debug/pprof/ HTTP/1.1")
            failed += status != 200
            verdict = "ok" if status == 200 else "NOT OK"
            print(f"{verdict}: it answers beside {len(here)} connections")
    for s in here:
        s.close()
    status, _, body = ask(port, "GET /debug/pprof/profile?seconds=1 HTTP/1.1")
    print("ok" if status == 200 else f"NOT OK: {status}", ": then somebody gets a profile")
    return 1 if failed or status != 200 else 0


def is_closed(s):
    """Has the server closed the connection, with an answer or without?"""
    try:
        read_all(s)
        return True
    except ConnectionError:
        return True
    except socket.timeout:
        return False


def attack(port):
    failed = []

    def check(what, holds):
        print(("ok: " if holds else "NOT OK: ") + what)
        if not holds:
            failed.append(what)

    status, _, _ = ask(port, "GET /debug/pprof/ HTTP/1.1",
                       headers="X-Long: " + "a" * 100000 + "\r\n")
    check("a header of 100 KB is refused", status in (0, 413, 431))
    status, _, _ = ask(port, "GET /" + "a" * 100000 + " HTTP/1.1")
    check("so is a path", status in (0, 414, 431))
    many = "".join(f"X-{i}: {i}\r\n" for i in range(5000))
    status, _, _ = ask(port, "GET /debug/pprof/ HTTP/1.1", headers=many)
    check("and 5000 headers", status in (0, 413, 431))
    sent = []
    for junk in (b"\x00" * 4096, b"\xff\xfe" * 3000, b"GET\r\n\r\n", b"\r\n" * 5000,
                 b"GET / HTTP/9.9\r\n\r\n", b"G" * 70000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                 b"GET /debug/pprof/profile?seconds=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                 b"fffffffffffffffff\r\n",
                 b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"):
        s = connect(port)
        sent.append((junk, s))
        try:
            s.sendall(junk)
            s.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # it is over
    for junk, s in sent:
        check(f"junk is over: {junk[:20]!r}", is_closed(s))
        s.close()

    # Connections that are cut off after the request make room for others, however many they are.
    cut = []
    for _ in range(40):
        s = connect(port)
        s.sendall(b"GET /debug/pprof/profile?seconds=500 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        cut.append(s)
    status, head, _ = ask(port, "GET /debug/pprof/profile?seconds=1 HTTP/1.1")
    check("too many scrapes at once are told to come later",
          status == 503 and b"Retry-After" in head)
    for s in cut:
        s.close()
    end = time.monotonic() + 20
    while status != 200 and time.monotonic() < end:
        status, _, body = ask(port, "GET /debug/pprof/profile?seconds=1 HTTP/1.1")
    check("those that were cut off make room", status == 200 and body[:2] == b"\x1f\x8b")

    # A client that never reads the answer to its request must not block the server.
    deaf = connect(port)
    deaf.sendall(b"GET /debug/pprof/profile?seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")

    # As many clients as the server permits send nothing, or a byte at a time: they make room.
    slow = [connect(port) for _ in range(80)]
    begun = time.monotonic()
    while time.monotonic() < begun + 60:
        for s in slow[:40]:
            try:
                s.send(b"G")
            except OSError:
                pass
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as s:
                s.sendall(b"GET /debug/pprof/ HTTP/1.0\r\n\r\n")
                if s.recv(100).startswith(b"HTTP/1.1 200"):
                    break
        except OSError:
            pass
    waited = time.monotonic() - begun
    check(f"slow clients are sent away ({waited:.1f} s)", waited < 30)
    for s in slow:
        s.close()
    deaf.close()
    status, _, _ = ask(port, "GET /debug/pprof/ HTTP/1.1")
    check("afterwards it answers", status == 200)
    return 1 if failed else 0


def main():
    what, port = sys.argv[1], int(sys.argv[2])
    if what == "get":
        return get(port, sys.argv[3])
    if what == "half":
        return half(port, sys.argv[3])
    if what == "crowd":
        return crowd(port)
    if what == "status":
        for line in sys.stdin:
            print(ask(port, line.split(" ", 1)[1].strip(), *sys.argv[3:4])[0])
        return 0
    return attack(port)


sys.exit(main())
