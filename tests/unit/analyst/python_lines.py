# SPDX-License-Identifier: MIT
"""Prints a row of python_lines.h: a function's line table, and the line of each instruction as
this interpreter itself tells it. Run with each version: python3.11 python_lines.py"""
import dis
import sys

SOURCE = '''
def shown(values, limit=3,
          other=None):

    total = 0
    for value in values:
        if value > limit:
            try:
                total += (value
                          * limit
                          ) + 1
            except (TypeError,
                    ValueError) as error:
                other = [str(error)
                         for _ in range(2)]
            finally:
                limit -= 1
''' + '\n' * 300 + '''
        else:
            continue
    return (total,
''' + '\n' * 20 + '''
            other)
'''

space = {}
exec(compile('\n' * 40 + SOURCE, 'shown.py', 'exec'), space)
code = space['shown'].__code__
table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
lines = {}
if sys.version_info >= (3, 10):
    for start, end, line in code.co_lines():
        for at in range(start, end, 2):
            lines[at] = line or 0
else:
    starts = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    for at in range(0, len(code.co_code), 2):
        line = starts.get(at, line)
        lines[at] = line
print('\t{0x%02x%02x, %d,' % (sys.version_info[0], sys.version_info[1], code.co_firstlineno))
print('\t\t(const uint8_t[]){%s}, %d,' % (', '.join(str(b) for b in table), len(table)))
print('\t\t(const uint16_t[]){%s}, %d},' % (
    ', '.join(str(lines[at]) for at in sorted(lines)), len(lines)))
