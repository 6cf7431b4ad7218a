/* SPDX-License-Identifier: MIT */
/*
 * --jit-map: Java processes write /tmp/perf-PID.map, the names of the code that they generated.
 * Those that live are asked by "jcmd PID Compiler.perfmap" (Java 17 and later), a program of the
 * JDK; those that are to be started by options in JAVA_TOOL_OPTIONS, at their end.
 *
 * jcmd sends SIGQUIT, by which a process ends that does not expect it: only a process that has
 * mapped libjvm.so and catches SIGQUIT is asked. What jcmd reads belongs to the process, so root
 * runs it as the process's user; and not at all where that is root with a file system of its own,
 * as in a container.
 */
#ifndef TOOLS_JCMD_H
#define TOOLS_JCMD_H

#include <stdbool.h>
#include <stddef.h>

/* Asks those of @pids that are Java processes; 10 s at most for all. Says what did not work, and
 * unless @quiet that there was none.
 */
void jcmd_write_maps(const char *program, const int *pids, size_t n, bool quiet);

/*
 * JAVA_TOOL_OPTIONS for those that are to be started; @before is its value so far, NULL none. The
 * caller frees. NULL: no memory.
 */
char *jcmd_variable(const char *before);

#endif
