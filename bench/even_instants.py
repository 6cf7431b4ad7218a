#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Why one instant in each period finds a thread too often, and what a Poisson process costs instead
(docs/SAMPLING.md, Counters). The period is 1 ms.

hits: a thread has its CPU for slices of 3 ms, and is without it for GAP ms after each slice and
after each hit. Prints the hits for each period of its CPU time: 1 if nothing is wrong.
off: a thread has its CPU all the time, and a tick pays half of what the account is off by: with
even instants when their period begins, with Poisson instants when they come. Prints the standard
deviation of ticks counted less CPU time at a random moment, in ticks; by theory it is
sqrt(1/6) = 0.41 and sqrt(4/3) = 1.15.
"""
import random

SLICE, CPU_TIME, MOMENTS = 3.0, 20000.0, 200000


def even(at):
    """One instant at a random time of each period."""
    return int(at) + 1 + random.random()


def poisson(at):
    """The gap to the next instant depends on nothing."""
    return at + random.expovariate(1)


def hits(next_instant, gap):
    now, instant, ran, found = 0.0, next_instant(0.0), 0.0, 0
    while ran < CPU_TIME:
        end = min(instant, now + SLICE)
        found += instant <= now + SLICE
        ran += end - now
        now = end + gap
        while instant <= now:
            instant = next_instant(instant)
    return found / ran


def off(next_instant, account_is_read):
    instant, counted, squares = next_instant(0.0), 0.0, 0.0
    for begin in range(MOMENTS):
        moment = begin + random.random()
        while instant <= moment:
            counted += 1 + (account_is_read(instant) - counted) / 2
            instant = next_instant(instant)
        squares += (counted - moment) ** 2
    return (squares / MOMENTS) ** 0.5


random.seed(1)
for gap in 0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0:
    print("gap %4.1f: hits, even %.2f poisson %.2f" % (gap, hits(even, gap), hits(poisson, gap)))
print("off, even %.2f poisson %.2f" % (off(even, int), off(poisson, float)))
