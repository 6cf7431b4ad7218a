# SPDX-License-Identifier: MIT
# What zsh offers at a line's end: zsh -f offered.zsh FOLDER LINE
# A shell on a terminal of its own gets the line and the Tab key. Its compadd writes what it is
# given to add to a file.
zmodload zsh/zpty || exit 1
hits=$(mktemp) && done=$(mktemp -u) || exit 1
trap 'rm -f $hits $done' EXIT
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= hits=${(q)hits} done=${(q)done} fpath=(${(q)1} \$fpath)
autoload -U compinit && compinit -D -u
compadd() {
    local -a found
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
        builtin compadd \"\$@\"
    else
        builtin compadd -A found \"\$@\"
        [[ \$#found = 0 ]] || print -rl -- \$found >>\$hits
        builtin compadd \"\$@\"
    fi
}
finished() { : >\$done }
comppostfuncs=(finished)
zstyle ':completion:*' menu no
zstyle ':completion:*' list-prompt ''
setopt no_beep no_always_last_prompt list_ambiguous"
zpty -w -n shell "$2"$'\t'
integer tries=500
until [[ -e $done ]] || (( !tries-- )); do
    zpty -r -t shell ignored
    sleep 0.02
done
cat $hits
zpty -d shell
