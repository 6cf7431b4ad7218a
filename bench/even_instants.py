#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Why one instant in each period finds a thread too often (docs/SAMPLING.md, Counters).

A thread has its CPU for slices of 3 ms, and is without it for 10.3 ms after each slice and after
each hit. Prints the hits for each period (1 ms) of its CPU time: 1 if nothing is wrong.
"""
import random

SLICE, GAP, CPU_TIME = 3.0, 10.3, 20000.0


def even(at):
    """One instant at a random time of each period."""
    return int(at) + 1 + random.random()


def poisson(at):
    """The gap to the next instant depends on nothing."""
    return at + random.expovariate(1)


def hits(next_instant):
    now, instant, ran, found = 0.0, next_instant(0.0), 0.0, 0
    while ran < CPU_TIME:
        end = min(instant, now + SLICE)
        found += instant <= now + SLICE
        ran += end - now
        now = end + GAP
        while instant <= now:
            instant = next_instant(instant)
    return found / ran


random.seed(1)
print("even %.2f poisson %.2f" % (hits(even), hits(poisson)))
