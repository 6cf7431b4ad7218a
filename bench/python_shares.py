# SPDX-License-Identifier: MIT
"""Work of Python that samples itself: python_shares.py SECONDS

At each tick of a timer of CPU time (SIGPROF) it notes its own stack. At the end it prints the
shares: function, self, total, in percent. A signal handler of Python runs between two instructions
of Python, so the time of C code is counted for the function that runs after it. Therefore compare
"total", of functions that make all calls that they need themselves.
"""
import collections
import json
import re
import signal
import sys
import time

own = collections.Counter()
total = collections.Counter()


def tick(signal_number, frame):
    own[frame.f_code.co_name] += 1
    names = set()
    while frame:
        names.add(frame.f_code.co_name)
        frame = frame.f_back
    total.update(names)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def encoding():
    for _ in range(60):
        json.dumps({'a': list(range(300)), 'b': 'x' * 500})


def key(x):
    return x * 7919 % 1009


def sorting():
    for _ in range(6):
        sorted(range(4000), key=key)


def regex():
    for _ in range(8):
        re.sub('([a-z]+)[0-9]', lambda match: match.group(1), 'abc1 def2 ghij3 ' * 120)


def work(end):
    while time.monotonic() < end:
        fib(16)
        encoding()
        sorting()
        regex()


signal.signal(signal.SIGPROF, tick)
signal.setitimer(signal.ITIMER_PROF, 0.005, 0.005)
work(time.monotonic() + float(sys.argv[1]))
signal.setitimer(signal.ITIMER_PROF, 0)
for function, count in total.most_common():
    ticks = max(total['work'], 1)
    print('%s\t%.1f\t%.1f' % (function, 100 * own[function] / ticks, 100 * count / ticks))
