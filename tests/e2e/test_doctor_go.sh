#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# doctor of a program of Go that is stripped. (It is built, with what it needs of Go, in the fresh
# folder of this test: that takes long.)
. "$(dirname "$0")/../lib.sh"
command -v go >/dev/null || skip "no go"

cat >spin.go <<'END'
package main

func main() {
	x := uint64(1)
	for i := 0; i < 300000000; i++ {
		x = x*31 + x>>7
	}
	if x == 7 {
		println(x)
	}
}
END
GOCACHE=$WORK/go GOFLAGS=-mod=mod go build -ldflags=-s -o go-spin spin.go || skip "go cannot build"
"$SPROFRUN" -q -o go.pb.gz ./go-spin; is "status" $? 0
"$SPROFREPORT" doctor go.pb.gz >text
check "a stripped program of Go is told Go's way" grep -q 'go build without -ldflags=-s' text
finish
