# SPDX-License-Identifier: MIT
"""java_truth.py FILE PROFILE: checks each stack of Truth.java in the profile: it must be one of the
stacks in FILE, which Truth.java has written, or the beginning of one.

Of the methods that are inlined at the leaf, only the outermost is compared: HotSpot describes
inlined methods only at calls and checks, and code between two of these gets the description of the
next one. If some frames of a virtual thread are in the heap, those on the stack must be the end of
a stack in FILE. A frame has no name if the deoptimizer has made but not filled it, or if its method
was not read before the process or the profile ended: it may stand for any methods, as others may be
inlined into it. Prints the wrong stacks, and the number of stacks; status 1 if any is wrong, or if
there are none."""
import re
import sys

from python_truth import Profile

# Methods of Truth, without the hidden classes that lambdas are made of: StackWalker does not show
# those either.
OWN = re.compile(r'Truth(\$[A-Z][a-z]+)?\.(?!main$|lambda\$main|writeDown|<)')
HEAP = '[frames in the heap]'
# What a frame is called whose method is not known.
NAMELESS = ('Interpreter', 'native nmethod', 'nmethod')


def is_own(frame):
    return frame[0] == '[java]' and OWN.match(frame[2])


def is_nameless(frame):
    return frame[0] == '[java]' and frame[2] in NAMELESS


def beginnings(path):
    """The methods of each stack from everything() on, with their lines except that of the last."""
    known = set()
    with open(path) as file:
        for line in file:
            frames = [frame.rsplit(':', 1) for frame in line.strip().split(';') if frame]
            names = [frame[0] for frame in frames]
            frames = frames[names.index('Truth.everything'):]
            at = ''
            for name, number in frames:
                known.add(at + name)
                at += name + ':' + number + ';'
    return known


def is_known(stack, gap, known, seen={}):
    """Are the methods of the program in @stack, from the first one on, those of a known stack, or
    with @gap of the end of one? A frame without a name is any number of methods."""
    own = [i for i, frame in enumerate(stack) if is_own(frame)]
    parts = ['.*;'] * gap
    for i, frame in enumerate(stack[:own[-1]]):
        if is_nameless(frame):
            parts += ['.*;'] * (parts[-1:] != ['.*;'])
        elif is_own(frame):
            parts.append(re.escape('%s:%d;' % (frame[2], frame[3])))
    text = ''.join('(?:.*;)?' if part == '.*;' else part for part in parts)
    text += re.escape(stack[own[-1]][2])
    if text not in seen:
        pattern = re.compile(text)
        seen[text] = any(pattern.fullmatch(one) for one in known)
    return seen[text]


def main(path, profile):
    known = beginnings(path)
    checked = outside = wrong = deepest = native = partly = nameless = 0
    read = Profile(profile)
    for (count, stack), in_leaf in zip(read.samples, read.in_leaf):
        if in_leaf > 1:
            stack = stack[:1 - in_leaf]
        own = [frame for frame in stack if is_own(frame)]
        unnamed = [i for i, frame in enumerate(stack) if is_nameless(frame)]
        nameless += count * bool(unnamed)
        gap = any(frame[2] == HEAP for frame in stack)
        if not own or (own[0][2] != 'Truth.everything' and not gap and
                       not any(i < stack.index(own[0]) for i in unnamed)):
            outside += count
            continue
        checked += count
        deepest = max(deepest, len(own))
        native += count * any('invoke0' in frame[2] for frame in stack)
        partly += count * gap
        if not is_known(stack, gap, known):
            wrong += count
            print('wrong: ' + ' '.join('%s:%d' % (frame[2] or '?', frame[3])
                                       for frame in stack[-60:]))
    print('checked %d outside %d through native code %d partly in the heap %d without a name %d '
          'deepest %d wrong %d' %
          (checked, outside, native, partly, nameless, deepest, wrong))
    return wrong > 0 or not checked


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
