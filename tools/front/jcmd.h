/* SPDX-License-Identifier: MIT */
/*
 * --jit-map: makes Java processes write /tmp/perf-PID.map, the names of their generated code. Live
 * processes are asked by "jcmd PID Compiler.perfmap" (Java 17 and later), a program of the JDK;
 * processes to be started get options in JAVA_TOOL_OPTIONS, for their end.
 *
 * jcmd sends SIGQUIT, which ends a process that does not expect it: only a process that has mapped
 * libjvm.so and catches SIGQUIT is asked. The files that jcmd reads belong to the process, so root
 * runs it as the process's user; and not at all if that is root with a file system of its own, as
 * in a container.
 */
#ifndef TOOLS_FRONT_JCMD_H
#define TOOLS_FRONT_JCMD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Asks the Java processes among @pids; at most 10 s for all. Reports failures, and unless @quiet
 * that there was none.
 */
void jcmd_write_maps(const char *program, const int *pids, size_t n, bool quiet);

/*
 * The value of JAVA_TOOL_OPTIONS for processes to be started; @before is its present value, NULL
 * none. The caller frees it. NULL: out of memory.
 */
char *jcmd_variable(const char *before);

#endif
