# SPDX-License-Identifier: MIT
"""
sample_path.py ENTERED EXECUTABLE
Prints which functions are entered from the instant of a waiter to the record of its sample, the
usual way of all samples with a stack, and their numbers by folder. ENTERED is the file that
bench/entered.c wrote; see bench/sample_path.sh.
"""
import collections
import os
import struct
import subprocess
import sys

ROOTS = ('take_instant', 'sampling_wake', 'stops_take')


def names(executable, addresses):
    out = subprocess.run(['addr2line', '-f', '-e', executable], text=True, check=True,
                         stdout=subprocess.PIPE, input='\n'.join(map(hex, addresses))).stdout
    lines, top = out.split('\n'), os.path.realpath(os.path.dirname(__file__) + '/..') + '/'
    return {a: (lines[2 * i], os.path.realpath(lines[2 * i + 1].rsplit(':', 1)[0]).replace(top, ''))
            for i, a in enumerate(addresses)}


def ways(events, name):
    """For each sample: the functions entered by the waiter, by the call, and by the stop."""
    stack, noted, asked, called = collections.defaultdict(list), {}, [], []
    for who, address in events:
        thread, leaves, (function, _) = who >> 1, who & 1, name[address]
        if not leaves:
            if function in ROOTS and thread not in noted:
                # stops_take() is called by the engine's loop: its callers belong to the path.
                noted[thread] = [name[a] for a in stack[thread] if function == 'stops_take']
            stack[thread].append(address)
            if thread in noted:
                noted[thread].append(name[address])
            continue
        if stack[thread] and stack[thread][-1] == address:
            stack[thread].pop()
        # The call wakes the tracing thread, which may run before the waiter leaves its root.
        # Therefore what the waiter has entered so far is noted here.
        if function == 'summons_call':
            asked = noted.get(thread, [])
        if function not in ROOTS or thread not in noted:
            continue
        got = noted.pop(thread)
        if function == 'sampling_wake' and any(f == 'stops_ask' for f, _ in got):
            called = got
        recorded = any(f == 'emit_sample' for f, _ in got)
        if function == 'stops_take' and asked and called and recorded:
            yield asked, called, got
            asked, called = [], []


def main():
    raw = open(sys.argv[1], 'rb').read()
    n = min(struct.unpack_from('I', raw)[0], (len(raw) - 4) // 8)
    events = list(struct.iter_unpack('II', raw[4:4 + 8 * n]))
    all_ways = list(ways(events, names(sys.argv[2], sorted({e[1] for e in events}))))
    counted = collections.Counter(frozenset(sum(w, [])) for w in all_ways)
    usual = counted.most_common(1)[0][0]
    seen = {}
    for title, part in zip(('instant', 'call', 'stop'),
                           next(w for w in all_ways if frozenset(sum(w, [])) == usual)):
        for f in part:
            if f not in seen:
                seen[f] = title
                print(title, *f, sep='\t')
    folders = collections.Counter(os.path.dirname(file) for _, file in seen)
    for folder, functions in sorted(folders.items()):
        files = len({file for _, file in seen if os.path.dirname(file) == folder})
        print('total', functions, folder, files, sep='\t')
    print('total', len(seen), 'all', len({file for _, file in seen}), sep='\t')


if __name__ == '__main__':
    main()
