/* SPDX-License-Identifier: MIT */
/*
 * --jit-map: makes Java processes write /tmp/perf-PID.map, the names of their generated code. Live
 * processes are asked by "jcmd PID Compiler.perfmap" (JDK 17 and later); a command gets
 * JAVA_TOOL_OPTIONS, which make it write the file at its end.
 *
 * jcmd sends SIGQUIT, which ends a process that does not expect it: only processes that have mapped
 * libjvm.so and catch SIGQUIT are asked. jcmd reads files of the process, so root runs jcmd as the
 * process's user. Root's processes with another file system (containers) are not asked.
 */
#ifndef TOOLS_FRONT_JCMD_H
#define TOOLS_FRONT_JCMD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes the Java processes among @pids write their maps, in 10 s at most for all. Prints failures;
 * unless @quiet, also that no process is Java's.
 */
void jcmd_write_maps(const char *program, const int *pids, size_t n, bool quiet);

/* Returns JAVA_TOOL_OPTIONS, @before (or NULL) included; the caller frees it. NULL: no memory. */
char *jcmd_variable(const char *before);

#endif
