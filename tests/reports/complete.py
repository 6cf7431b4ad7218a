#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a shell makes of foreign text that the Tab key inserts: complete.py SHELL COMPLETIONS

Processes, files and commands get names that say something to a shell. An interactive SHELL on a
terminal gets the beginning of each, the Tab key, and a key that tells the line. The line is then
run, with programs that note their arguments. Nothing in a name may run. A name that is offered
comes back whole, as one argument; plain ones (PLAIN) must be offered.
"""
import ctypes
import os
import pty
import select
import shlex
import signal
import string
import subprocess
import sys
import time

DEADLINE = 60
# Hostile parts of names; each name begins with a prefix of its own.
NAMES = [";>RAN #", "$(>RAN)", "`>RAN`", "';>RAN;'", '";>RAN;"', "$(>RAN)'\"", "\\$(>RAN)\\",
         "&>RAN", "|tee RAN", " b  c", "${x:=$(>RAN)}", "*?[a]", "(>RAN)", "!!;>RAN",
         "\udcff;>RAN\udcfe", "\udce2\udc82$(>RAN)"]
# These names are not UTF-8. zsh between quotes, and ps for fish, write such bytes in another way:
# the name need not come back whole there, but nothing may run.
NOT_UTF8 = NAMES[-2:]
PLAIN = NAMES[:1]
# Further names, tried only where a name may have any length and content. A process or thread cannot
# be called so, as they are longer than 15 bytes or have control characters.
LONGER = ["a\n>RAN\n", "$'\\n>RAN'", "a\x1b[31m;>RAN;'x"]
INTERACTIVE = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
TELL = "\x07"  # ^G
SETUP = {
    "bash": "PS1= PS2=; PATH=$PWD/bin:$PATH; unset -f _command_offset\n"
            "tell() { printf %s \"$READLINE_LINE\" >line.new; READLINE_LINE=; mv line.new line; }\n"
            "bind -x '\"\\C-g\": tell'\n"
            "for p in sprofrun sprofreport; do . {completions}/$p; done\n",
    "zsh": "PS1= PS2=; setopt no_beep; PATH=$PWD/bin:$PATH; fpath=({completions} $fpath)\n"
           "autoload -U compinit && compinit -D -u\n"
           "tell() { printf %s \"$BUFFER\" >line.new; BUFFER=; command mv line.new line }\n"
           "zle -N tell; bindkey '^G' tell; zstyle ':completion:*' rehash true\n",
    "fish": "function fish_prompt; end; function fish_greeting; end\n"
            "set -p PATH $PWD/bin; set -p fish_complete_path {completions}\n"
            "function tell; commandline >line.new; commandline ''; mv line.new line; end\n"
            "bind \\cg tell; function sprofrun; end; function sprofreport; end\n",
}
RUN = {
    "fish": "function sprofrun; printf '%s\\0' $argv >args; end\n"
            "function sprofreport; sprofrun $argv; end\n",
}
RUN["bash"] = RUN["zsh"] = ("sprofrun() { printf '%s\\0' \"$@\" >args; }\n"
                            "sprofreport() { sprofrun \"$@\"; }\n")
failed = 0


def process(name):
    """A process of this name, until ended."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(15, os.fsencode(name), 0, 0, 0)  # PR_SET_NAME
        signal.pause()
        os._exit(0)
    end = time.monotonic() + DEADLINE
    while True:
        with open("/proc/%d/comm" % pid, "rb") as f:
            comm = f.read()
        if comm == os.fsencode(name)[:15] + b"\n":
            return pid
        if os.waitpid(pid, os.WNOHANG)[0] or time.monotonic() > end:
            sys.exit("NOT OK: the process %r is called %r, or has ended" % (name, comm))
        time.sleep(0.01)


class Shell:
    def __init__(self, shell, completions):
        self.name = shell
        with open("setup", "w") as f:
            f.write(SETUP[shell].replace("{completions}", shlex.quote(completions)))
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", HOME=os.getcwd(), LC_ALL="C.UTF-8")
            os.execvp(shell, INTERACTIVE[shell])
        self.type(". ./setup; printf x >line\r")
        self.line()

    def type(self, text):
        os.write(self.fd, text.encode())

    def line(self):
        """The line that the shell tells; what it writes to the terminal is read meanwhile."""
        end, output = time.monotonic() + DEADLINE, b""
        while not os.path.exists("line"):
            if time.monotonic() > end:
                sys.exit("NOT OK: %s tells no line; the terminal: %r" % (self.name, output[-500:]))
            if select.select([self.fd], [], [], 0.02)[0]:
                output += os.read(self.fd, 65536)
        with open("line", "rb") as f:
            line = f.read()
        os.unlink("line")
        return line

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def check(what, got, wanted):
    global failed
    if got != wanted:
        failed += 1
    print("ok: " + what if got == wanted else "NOT OK: %s: got %r, wanted %r" % (what, got, wanted))


def offered(shell, kind, line, name, plain):
    """What the program gets when the rest of @name is left to the Tab key."""
    other = {"bash": False, "zsh": "'" in line or '"' in line, "fish": kind == "process"}
    exact = not other[shell.name] or not name.endswith(tuple(NOT_UTF8))
    shell.type(line + "\t" + TELL)
    completed = shell.line()
    subprocess.run([shell.name, "-c", RUN[shell.name].encode() + completed], timeout=DEADLINE,
                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check("%s: what ran of %r" % (shell.name, completed), os.path.exists("RAN"), False)
    # With a quote still open, no command has run: compare the line itself.
    got = line.split()[-1].strip("'\"")
    if os.path.exists("args"):
        with open("args", "rb") as f:
            got = os.fsdecode(f.read()).split("\0")[:-1][-1]
    if exact and (plain or set(got) - set(string.ascii_letters + string.digits + "-_/")):
        check("%s: %s %r after %r" % (shell.name, kind, name, line), got, name)
    for path in ("args", "RAN"):
        if os.path.exists(path):
            os.unlink(path)


def main():
    shell = Shell(*sys.argv[1:])
    os.makedirs("bin", exist_ok=True)
    prefixes = iter("q%c%c" % (a, b) for a in "abcdefghij" for b in "abcdefghijklmnopqrstuvwxyz")
    for text in NAMES + LONGER:
        for quote in ("", "'", '"'):
            prefix = next(prefixes)
            name = prefix + text
            if quote == '"' and "!" in name:
                continue  # what quotes that differs with where the line comes from
            plain = text in PLAIN and not quote
            if len(os.fsencode(name)) <= 15 and "\n" not in name:
                pid = process(name)
                offered(shell, "process", "sprofrun --name " + quote + prefix, name, plain)
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            with open(name, "w"):
                pass
            offered(shell, "file", "sprofreport " + quote + prefix, name, plain)
            if text == NAMES[1]:
                offered(shell, "output", "sprofrun -o " + quote + prefix, name, plain)
            os.unlink(name)
            path = os.path.join("bin", name)
            with open(path, "w"):
                os.fchmod(os.open(path, os.O_RDONLY), 0o755)
            offered(shell, "command", "sprofrun " + quote + prefix, name, plain)
            os.unlink(path)
    shell.end()
    return failed > 0


sys.exit(main())
