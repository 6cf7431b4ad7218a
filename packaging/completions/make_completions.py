#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completions of a program for a shell: make_completions.py bash|zsh|fish PROGRAM HELP

HELP is a file with the output of PROGRAM --help, the only description of the options. Its line

    "  -g, --call-graph dwarf|fp|no"

is an option with the names -g and --call-graph, whose value is one of dwarf, fp and no. As a value,
FILE and OUT are names of files, and PID is the pid of a process. A word in capitals may stand for
the entries of a list in the help: FORMAT for those below the line "FORMAT of export is one of".
Where the usage line ends with COMMAND, the shell's completion of commands takes over there.
"""
import re
import sys


class Option:
    def __init__(self, names, value):
        self.names, self.value, self.help = names, value, ""
        words = value.split("|") if value else []
        self.choices = [w for w in words if re.fullmatch(r"[a-z0-9-]+", w)]
        self.lists = [w for w in words if re.fullmatch(r"[A-Z]+", w)] if self.choices else []
        if not all(re.fullmatch(r"[a-z0-9-]+|[A-Z]+", w) for w in words):
            self.choices, self.lists = [], []

    @property
    def kind(self):
        """The kind of value: flag (no value), choices, file, pids, name (of a process), word."""
        if not self.value:
            return "flag"
        if self.choices:
            return "choices"
        first = re.match(r"[A-Z]*", self.value).group()
        if self.value == "NAME" and "process" in self.help:
            return "name"
        return {"FILE": "file", "OUT": "file", "PID": "pids"}.get(first, "word")

    def short(self):
        return [n for n in self.names if not n.startswith("--")]

    def long(self):
        return [n for n in self.names if n.startswith("--")]


def read_help(text):
    """Returns the options; the lists, each as pairs of a word and its help; has it a COMMAND?"""
    options, lists, current = [], {}, None
    for line in text.splitlines():
        heading = re.match(r"([A-Z]+)\b.* is one of$", line)
        option = re.match(r" {2,6}(-[\w-]+(?:, -[\w-]+)*)(?: (\S+))?(?:  +(\S.*))?$", line)
        entry = re.match(r"  ([a-z][a-z-]*)  +(\S.*)$", line)
        more = re.match(r" {12,}(\S.*)$", line)
        if heading:
            current = heading.group(1)
            lists[current] = []
        elif option:
            current = None
            options.append(Option(option.group(1).split(", "), option.group(2)))
            options[-1].help = option.group(3) or ""
        elif current and entry:
            lists[current].append((entry.group(1), entry.group(2)))
        elif more and options and not current:
            options[-1].help = (options[-1].help + " " + more.group(1)).strip()
        elif not line.strip() and current and lists[current]:
            current = None
    return options, lists, bool(re.search(r"\[--\] COMMAND", text))


def brief(text):
    """The first clause of a help text, as menus are narrow; the whole text if that is short."""
    first = re.split(r"[;.] |[;.]$", text)[0]
    return first if len(first) > 20 else text


class Writer:
    def __init__(self, program, text):
        self.program = program
        self.options, self.lists, self.has_command = read_help(text)
        if not any("--help" in o.names for o in self.options):
            sys.exit(program + ": the help has no --help")
        self.valued = [n for o in self.options if o.kind != "flag" for n in o.names]
        # What a program without a COMMAND takes as its first word: sprofreport's reports.
        self.first = self.lists.get("REPORT", [])

    def words(self, name):
        return " ".join(word for word, _ in self.lists[name])


BASH_VALUES = {
    "file": "_%s_files",
    "pids": "words=$(cd /proc && echo [0-9]*)\n"
            "            mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")",
    "name": "_%s_offer < <(cat /proc/[0-9]*/comm 2>/dev/null | sort -u)",
}

# Names of files are quoted by readline. It leaves "$" and "`" unquoted in a word that is no
# existing file (such as a part of a name with a newline), so such words are not offered. Other
# names, of processes for example, are quoted by BASH_OFFER.
BASH_FILES = """
# Offers files that begin with the word under the cursor.
_%s_files() {
    local line
    compopt -o filenames || return
    while IFS= read -r line; do
        [[ $line != *[$\\`]* || -e $line || -L $line ]] && COMPREPLY+=("$line")
    done < <(compgen -f -- "$cur")
}
"""

BASH_OFFER = """
# Offers the lines of the input that begin with the word under the cursor, quoted as that word is.
# Offers nothing if the word has a further quote after its first character. Lines with control
# characters are not offered, nor lines that contain the quote with which the word begins.
_%s_offer() {
    local line quoted char i typed=$cur quote=''
    case $cur in [\\'\\"]*) quote=${cur:0:1} typed=${cur:1} ;; esac
    case $typed in *[\\'\\"]*) return ;; esac
    typed=${typed//\\\\/}
    while IFS= read -r line; do
        [[ ${line//\\\\/} == "$typed"* && $line != *[[:cntrl:]]* ]] || continue
        case $quote$line in "'"*"'"* | '"'*[\\"!]*) continue ;; esac
        quoted=''
        for ((i = 0; i < ${#line}; i++)); do
            char=${line:i:1}
            case ${quote:-none}$char in
            '"'[$\\`\\\\]) quoted+=\\\\$char ;;
            [\\'\\"]* | none[a-zA-Z0-9_.,:@%%+/-]) quoted+=$char ;;
            *) quoted+=\\\\$char ;;
            esac
        done
        COMPREPLY+=("$quoted")
    done
}
"""


def bash_value(w, option):
    if option.kind == "choices":
        line = "words='%s'\n" % " ".join(option.choices)
        for name in option.lists:
            line += "            [[ \" ${COMP_WORDS[*]} \" == *\" export \"* ]] && words='%s'\n" % (
                w.words(name))
        return line + "            mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
    action = BASH_VALUES.get(option.kind)
    return action.replace("%s", w.program) if action else None


def bash(w):
    function = "_" + w.program
    names_of = {}
    for option in w.options:
        names_of.setdefault(bash_value(w, option), []).extend(option.names)
    names_of.pop(None, None)
    values = "".join("        %s)\n            %s ;;\n" % ("|".join(names), action)
                     for action, names in names_of.items())
    names = " ".join(n for o in w.options for n in (o.long() or o.short()))
    if w.has_command:
        rest = """    if ((i < COMP_CWORD)) || [[ $after || $cur != -* ]]; then
        if declare -F _command_offset >/dev/null; then
            _command_offset "$i"
        elif ((i == COMP_CWORD)); then
            _%s_offer < <(compgen -c -- "${cur//\\\\/}")
        else
            _%s_files
        fi
        return
    fi
""" % (w.program, w.program)
    else:
        rest = """    if [[ $after || $cur != -* ]]; then
        _%s_files
        [[ $words_before ]] ||
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '%s' -- "$cur")
        return
    fi
""" % (w.program, " ".join(word for word, _ in w.first))
    print("# shellcheck shell=bash")
    print(BASH_FILES % w.program, end="")
    if w.has_command or any(option.kind == "name" for option in w.options):
        print(BASH_OFFER % w.program)
    print("""%s() {
    local cur=${COMP_WORDS[COMP_CWORD]} option='' after='' words=''%s i=1
    COMPREPLY=()
    # bash splits "--name=value" into three words. After the loop, i is the index of the word under
    # the cursor, or of the command's first word; option is the option whose value is under the
    # cursor.
    while ((i < COMP_CWORD)); do
        case ${COMP_WORDS[i]} in
        --) after=1; ((i++)); break ;;
        %s)
            option=${COMP_WORDS[i]}
            ((i++))
            [[ ${COMP_WORDS[i]} == '=' ]] && ((i < COMP_CWORD)) && ((i++))
            ((i >= COMP_CWORD)) && break
            option='' ;;
        -*) ;;
        *) %s ;;
        esac
        ((i++))
    done
    [[ $cur == '=' ]] && cur=''
    if [[ $option ]]; then
        case $option in
%s        esac
        return
    fi
%s    mapfile -t COMPREPLY < <(compgen -W '%s' -- "$cur")
}
complete -F %s %s""" % (
        function, "" if w.has_command else " words_before=''", "|".join(w.valued),
        "break" if w.has_command else "words_before=1", values, rest, names, function, w.program))


def zsh_quoted(text):
    """Quotes a text for the shell's single quotes and, within them, the brackets of _arguments."""
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]")


def zsh_value(w, option):
    if option.kind == "choices":
        if option.lists:
            return ":%s:_%s_%s" % (option.names[-1].strip("-"), w.program, option.lists[0].lower())
        return ":%s:(%s)" % (option.names[-1].strip("-"), " ".join(option.choices))
    action = {"file": "_files", "pids": "_%s_pids" % w.program,
              "name": "_%s_names" % w.program}.get(option.kind, " ")
    return ":%s:%s" % (re.match(r"[A-Za-z]*", option.value).group().lower(), action)


def zsh(w):
    print("#compdef %s\n" % w.program)
    for option in w.options:
        for name in option.lists:
            print("""_%s_%s() {
    if (( ${words[(I)export]} )); then
        compadd -- %s
    else
        compadd -- %s
    fi
}
""" % (w.program, name.lower(), w.words(name), " ".join(option.choices)))
    if any(option.kind == "pids" for option in w.options):
        # zsh's own _pids offers only the processes of this terminal.
        print("_%s_pids() {\n    compadd -- /proc/<->(/N:t)\n}\n" % w.program)
    if any(option.kind == "name" for option in w.options):
        print("_%s_names() {\n    compadd -- ${(fu)\"$(cat /proc/<->/comm(N) 2>/dev/null)\"}\n}\n"
              % w.program)
    if w.first:
        print("_%s_first() {\n    local -a first=(" % w.program)
        for word, text in w.first:
            print("        '%s:%s'" % (word, text.replace(":", "\\:").replace("'", "'\\''")))
        print("    )\n    _alternative 'reports:report:((${(q)first}))' 'files:file:_files'\n}\n")
    print("_arguments -s -S%s \\" % (" -A '-*'" if w.has_command else ""))
    for option in w.options:
        value = zsh_value(w, option) if option.value else ""
        text = "[%s]" % zsh_quoted(brief(option.help)) if option.help else ""
        names = [n + ("" if not option.value else "=" if n.startswith("--") else "+")
                 for n in option.names]
        if len(names) > 1:
            print("    '(%s)'{%s}'%s%s' \\" % (
                " ".join(option.names), ",".join(names), text, value))
        else:
            print("    '%s%s%s' \\" % (names[0], text, value))
    if w.has_command:
        print("    '(-)1:command:_command_names -e' '*::argument:_normal'")
    elif w.first:
        print("    '1: :_%s_first' '*:file:_files'" % w.program)


def fish_quoted(text):
    return "'%s'" % text.replace("\\", "\\\\").replace("'", "\\'")


def fish(w):
    condition = ""
    if w.has_command:
        condition = " -n __fish_%s_no_command" % w.program
        print("""# Prints the words of the command, each followed by a NUL. Status 1: none yet.
function __fish_%s_command
    set -l tokens (commandline -opc) (commandline -ct)
    set -e tokens[1]
    while set -q tokens[2]
        set -l token $tokens[1]
        if test "$token" = --
            set -e tokens[1]
            break
        else if contains -- $token %s
            set -e tokens[1]
            set -q tokens[2]; or return 1
        else if not string match -q -- '-*' $token
            break
        end
        set -e tokens[1]
    end
    if not set -q tokens[1]; or string match -q -- '-*' $tokens[1]
        return 1
    end
    # The completion of commands parses these words as a line, so all but the last are escaped; the
    # last one is as it was typed.
    string join0 -- (string escape -- $tokens[1..-2]) $tokens[-1]
end

function __fish_%s_no_command
    not __fish_%s_command >/dev/null; or test (__fish_%s_command | string split0 | count) = 1
end

function __fish_%s_complete_command
    __fish_complete_subcommand --commandline (__fish_%s_command | string split0)
end
""" % (w.program, " ".join(w.valued), *[w.program] * 5))
        print("complete -c %s -x -a '(__fish_%s_complete_command)'" % (w.program, w.program))
    for word, text in w.first:
        print("complete -c %s -n __fish_is_first_token -a %s -d %s" % (
            w.program, word, fish_quoted(brief(text))))
    for option in w.options:
        line = "complete -c %s%s" % (w.program, condition)
        for name in option.names:
            line += (" -l " if name.startswith("--") else " -s ") + name.lstrip("-")
        argument = {"flag": "", "file": " -r -F", "pids": " -x -a '(__fish_complete_pids)'",
                    "name": " -x -a '(__fish_complete_proc)'", "word": " -x"}.get(option.kind, "")
        text = " -d " + fish_quoted(brief(option.help)) if option.help else ""
        if option.kind != "choices":
            print(line + argument + text)
        elif option.lists:
            for seen, words in (("not ", " ".join(option.choices)),
                                ("", w.words(option.lists[0]))):
                print(line + " -n '%s__fish_seen_subcommand_from export' -x -a '%s'%s" % (
                    seen, words, text))
        else:
            print(line + " -x -a '%s'%s" % (" ".join(option.choices), text))


shell, program, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    writer = Writer(program, file.read())
if shell != "zsh":
    print("# SPDX-License-Identifier: MIT\n# Made of `%s --help`." % program)
{"bash": bash, "zsh": zsh, "fish": fish}[shell](writer)
