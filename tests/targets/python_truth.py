# SPDX-License-Identifier: MIT
"""A program whose stacks are known: each line of it does the same each time.

python_truth.py write FILE        runs everything once, traced, and writes the stack at each line
                                  that is executed to FILE
python_truth.py run SECONDS       runs everything again and again
python_truth.py child SECONDS     runs the part of a child process, which "run" starts, too
python_truth.py check FILE PROFILE [only]
                                  checks that each stack of a profile of "run" is in FILE. Prints
                                  the wrong stacks, and the number of stacks; status 1 if any is
                                  wrong; only: the profile was made with --python only
"""
import asyncio
import ctypes
import functools
import gzip
import hashlib
import json
import os
import re
import sys
import threading
import time

DEEP = 400


def busy(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


def deep(n):
    if n == 0:
        return busy(200)
    return deep(n - 1) + 1


def through_c(n):
    if n == 0:
        return busy(300)
    return functools.reduce(lambda a, b: a + through_c(n - 1), [1, 2], 0)


def generator(n):
    for i in range(n):
        got = busy(100)
        yield got


def outer_generator(n):
    yield from generator(n)
    yield busy(150)


def use_generators():
    total = 0
    for got in outer_generator(4):
        total += got
    return total + sum(generator(3)) + sum(busy(50) for _ in range(3))


def key_of(x):
    return busy(20) - x


def by_key():
    return sorted(range(30), key=key_of)


def substitute(match):
    return str(busy(40) + len(match.group()))


def by_regex():
    return re.sub('[0-9]+', substitute, 'a1b22c333d4444')


COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int),
                           ctypes.POINTER(ctypes.c_int))


@COMPARE
def compare(a, b):
    busy(30)
    return a[0] - b[0]


def by_ctypes():
    values = (ctypes.c_int * 12)(*[7 * i % 12 for i in range(12)])
    ctypes.CDLL(None).qsort(values, 12, ctypes.sizeof(ctypes.c_int), compare)


class Shape:
    def __init__(self, n):
        self.n = busy(n)

    @property
    def area(self):
        return busy(60) + self.n

    def __lt__(self, other):
        return busy(25) + self.n < other.n

    def __getattr__(self, name):
        if name.startswith('no_'):
            busy(30)
            raise AttributeError(name)
        return busy(35)


def by_class():
    shapes = [Shape(n) for n in (30, 10, 20)]
    shapes.sort()
    return [shape.area + shape.other for shape in shapes], hasattr(shapes[0], 'no_such')


def fail(n):
    if n:
        return fail(n - 1)
    busy(80)
    raise ValueError('as meant')


def by_exceptions():
    try:
        fail(5)
    except ValueError:
        busy(90)
    finally:
        busy(70)


async def step(n):
    busy(60)
    await asyncio.sleep(0)
    return busy(n)


async def walk(n):
    total = 0
    for i in range(3):
        total += await step(n)
    return total


async def both():
    return await asyncio.gather(walk(70), walk(80))


def by_asyncio():
    return asyncio.run(both())


@functools.lru_cache(maxsize=None)
def remembered(n):
    return busy(40) + (remembered(n - 1) if n else 0)


def by_cache():
    remembered.cache_clear()
    return remembered(6)


def by_exec():
    space = {'busy': busy}
    exec(compile('def made(n):\n    return busy(n)\n\n\nmade(90)\n', 'made.py', 'exec'), space)
    return eval('busy(45)', space)


def everything():
    deep(DEEP)
    through_c(4)
    use_generators()
    by_key()
    by_regex()
    by_ctypes()
    by_class()
    by_exceptions()
    by_asyncio()
    by_cache()
    by_exec()


def until(end, work):
    while True:
        work()
        if time.monotonic() > end:
            break


def in_thread(end):
    until(end, in_thread_work)


def in_thread_work():
    deep(30)
    use_generators()
    by_ctypes()
    by_key()


def in_child():
    deep(20)
    through_c(3)
    by_exceptions()


def short_thread():
    busy(3000)
    deep(10)


def everything_with_threads():
    everything()
    thread = threading.Thread(target=short_thread)
    thread.start()
    thread.join()


def run(seconds):
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=in_thread, args=(end,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    child = os.fork()
    if child == 0:
        until(end, in_child)
        os._exit(0)
    executed = os.fork()
    if executed == 0:
        os.execv(sys.executable, [sys.executable, '-W', 'ignore', __file__, 'child', str(seconds)])
    until(end, everything_with_threads)
    for thread in threads:
        thread.join()
    os.waitpid(child, 0)
    os.waitpid(executed, 0)


# Below: how the known stacks are written, and how those of a profile are compared with them.

# A stack begins with one of these functions.
ROOTS = ('everything', 'in_thread_work', 'in_child', 'short_thread')
EXACT = (os.path.basename(__file__), 'made.py', '<string>')


def digest_of(stack):
    """The digest of a stack: a list of (file, function, line), root first. Lines of the library's
    frames are left out, because they depend on time."""
    at = b''
    for file, name, line in stack:
        file = os.path.basename(file)
        text = '%s %s %s ' % (file, name, line if file in EXACT else '')
        at = hashlib.blake2b(at + text.encode(), digest_size=8).digest()
    return at.hex()


def from_root(stack):
    for i, (file, name, _) in enumerate(stack):
        if name in ROOTS and os.path.basename(file) == EXACT[0]:
            return stack[i:]
    return None


def write(path):
    known = set()

    def trace(frame, event, arg):
        stack = []
        at = frame
        while at:
            code = at.f_code
            stack.append((code.co_filename, getattr(code, 'co_qualname', code.co_name),
                          at.f_lineno))
            at = at.f_back
        stack = from_root(stack[::-1])
        if stack:
            known.add(digest_of(stack))
        return trace

    sys.settrace(trace)
    for _ in range(2):  # caches are cold and warm
        for root in ROOTS:
            globals()[root]()
    sys.settrace(None)
    with open(path, 'w') as out:
        json.dump(sorted(known), out)


def fields(data):
    """The fields of a protobuf message: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size


def packed(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


class Profile:
    """samples: (count, stack), where a stack is a list of frames, root first: (object, file,
    function, line, first line of the function)."""

    def __init__(self, path):
        with gzip.open(path) as file:
            parts = {}
            for number, value in fields(file.read()):
                parts.setdefault(number, []).append(value)
        self.strings = [text.decode() for text in parts[6]]
        mappings = {}
        for part in parts[3]:
            one = dict(fields(part))
            mappings[one[1]] = self.strings[one.get(5, 0)]
        functions = {}
        for part in parts[5]:
            one = dict(fields(part))
            functions[one[1]] = (self.strings[one.get(4, 0)], self.strings[one.get(2, 0)],
                                 one.get(5, 0))
        locations = {}
        for part in parts[4]:
            one = list(fields(part))
            lines = [dict(fields(value)) for number, value in one if number == 4]
            object_ = mappings.get(dict(one).get(2, 0), '')
            locations[dict(one)[1]] = [
                (object_, functions[line[1]][0], functions[line[1]][1], line.get(2, 0),
                 functions[line[1]][2]) for line in reversed(lines)] or [(object_, '', '', 0, 0)]
        self.samples = []
        self.in_leaf = []  # frames of the innermost place: inlined into each other
        for part in parts[2]:
            ids, values = [], []
            for number, value in fields(part):
                if number == 1:
                    ids += packed(value) if isinstance(value, bytes) else [value]
                elif number == 2:
                    values += packed(value) if isinstance(value, bytes) else [value]
            stack = [frame for id_ in reversed(ids) for frame in locations[id_]]
            self.samples.append((values[0], stack))
            self.in_leaf.append(len(locations[ids[0]]) if ids else 0)


def without_collected(stack):
    """The stack without callbacks of weak references and __del__, and what they call: they run
    wherever the last reference is dropped."""
    for i, (_, file, name, _, _) in enumerate(stack):
        if os.path.basename(file) in ('_weakrefset.py', 'weakref.py') or name.endswith('__del__'):
            return stack[:i]
    return stack


def is_known(stack, known):
    """Is the stack in FILE? A function that is just being called, or made a generator, has no line
    of its own yet: then its callers are compared."""
    stack = without_collected(stack)
    plain = [(file, name, line) for _, file, name, line, _ in stack]
    if digest_of(plain) in known:
        return True
    return stack[-1][3] == stack[-1][4] and digest_of(plain[:-1]) in known


def is_through_c(stack):
    """Are frames of ctypes, libffi and libc between by_ctypes() and its callback compare()?"""
    names = [frame[2] for frame in stack]
    if 'compare' not in names or 'by_ctypes' not in names:
        return True
    between = stack[names.index('by_ctypes') + 1:names.index('compare')]
    objects = ' '.join(os.path.basename(frame[0]) for frame in between)
    return all(name in objects for name in ('_ctypes', 'libffi', 'libc.so'))


def check(path, profile, only=False):
    with open(path) as file:
        known = set(json.load(file))
    checked = outside = wrong = lineless = deepest = 0
    for count, stack in Profile(profile).samples:
        python = [frame for frame in stack if frame[0] == '[python]']
        if not python:
            outside += count
            continue
        rooted = from_root([frame[1:4] for frame in python])
        if not rooted:
            outside += count
            continue
        python = python[-len(rooted):]
        deepest = max(deepest, len(rooted))
        checked += count
        if python[-1][3] == 0:  # made by the compiler; but a call has a line
            lineless += count
        elif any(frame[3] == 0 for frame in python) or not is_known(python, known) or not (
                only or is_through_c(stack)):
            wrong += count
            print('wrong: ' + '; '.join('%s %s:%d' % (frame[2] or '?', os.path.basename(
                frame[1] or frame[0]), frame[3]) for frame in stack[-40:]))
    print('checked %d outside %d lineless %d deepest %d wrong %d' % (
        checked, outside, lineless, deepest, wrong))
    return wrong > 0 or not checked


if __name__ == '__main__':
    if sys.argv[1] == 'write':
        write(sys.argv[2])
    elif sys.argv[1] == 'run':
        run(float(sys.argv[2]))
    elif sys.argv[1] == 'child':
        until(time.monotonic() + float(sys.argv[2]), in_child)
    else:
        sys.exit(check(sys.argv[2], sys.argv[3], sys.argv[4:] == ['only']))
