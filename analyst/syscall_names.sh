#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the names of this machine's system calls as C initializers, from the C library's headers.
# usage: syscall_names.sh COMPILER [ARG...]
echo '#include <sys/syscall.h>' | "$@" -E -dM -x c - |
	sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9][0-9]*\)$/[\2] = "\1",/p' |
	    sort -u -t']' -k1,1
