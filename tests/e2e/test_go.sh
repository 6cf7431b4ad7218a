#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A stripped Go program has names, lines and whole stacks, also for code that runs on the system
# stack for a goroutine.
# shellcheck source=lib.sh
. "$(dirname "$0")/../lib.sh"
command -v go >/dev/null || skip "go is not installed"

cat >main.go <<'G'
package main

import (
	"os"
	"runtime"
	"time"
)

var sink int

//go:noinline
func deep(n int) int {
	var pad [64]int
	pad[n&63] = n
	if n == 0 {
		return pad[3]
	}
	return deep(n-1) + pad[n&63]
}

//go:noinline
func growing() {
	c := make(chan int)
	go func() { c <- deep(2000) }()
	sink += <-c
}

//go:noinline
func callers() {
	var pcs [32]uintptr
	for i := 0; i < 200; i++ {
		sink += runtime.Callers(0, pcs[:])
	}
}

//go:noinline
func clocks() {
	for i := 0; i < 2000; i++ {
		sink += time.Now().Nanosecond()
	}
}

func main() {
	// Work, not time: the samples are as many on any machine.
	for i := 0; i < 400; i++ {
		growing()
		callers()
		clocks()
	}
	os.Exit(0)
}
G
GO111MODULE=off GOFLAGS='' CGO_ENABLED=0 GOCACHE=$PWD/cache go build -ldflags='-s -w' -o work \
	main.go ||
    skip "go cannot build here"
"$SPROFRUN" -q -F 1000 --max-overhead 100 -o go.pb.gz -- ./work || exit 1
"$SPROFREPORT" export --format folded -o folded go.pb.gz
"$SPROFREPORT" lines --format tsv go.pb.gz >lines

has() { grep -qE "$1" "$2"; }
has_not() { ! grep -qE "$1" "$2"; }
# astray: prints the stacks with a function of package main that is not below main.main.
astray() { grep -E 'main\.(callers|clocks|growing);' folded |
    grep -vE 'main\.main;main\.(callers|clocks|growing);'; }

check "names are known" has_not '\[work' folded
check "a goroutine is where a stack begins" has \
	'^runtime\.goexit;main\.growing\.func1;main\.deep;' folded
check "who lets its stack grow is the caller of that work" \
    has 'main\.deep;runtime\.morestack;runtime\.newstack' folded
check "who asks for its callers is the caller of that work" \
    has 'main\.main;main\.callers;runtime\.Callers;.*runtime\.systemstack;' folded
check "who reads the clock is the vdso's caller" \
    has 'main\.main;main\.clocks;.*time\.[nN]ow' folded
is "each function of main has its own caller" "$(astray)" ""
check "lines come from the program's own table" has 'main\.deep.*main\.go' lines
"$SPROFREPORT" doctor go.pb.gz >text
check "where names and lines came from" has '\.gopclntab +\.gopclntab' text
check "nothing is to be mended" has_not 'ldflags|install' text
finish
