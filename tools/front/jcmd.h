/* SPDX-License-Identifier: MIT */
/*
 * --jit-map: makes Java processes write /tmp/perf-PID.map, the names of their generated code. Live
 * processes are asked by "jcmd PID Compiler.perfmap" (Java 17 and later), a program of the JDK. A
 * command gets JAVA_TOOL_OPTIONS, which make it write the file at its end.
 *
 * jcmd sends SIGQUIT, which ends a process that does not expect it: only a process that has mapped
 * libjvm.so and catches SIGQUIT is asked. The files that jcmd reads belong to the process, so root
 * runs jcmd as the process's user. If that user is root, too, a process with a file system of its
 * own, as in a container, is not asked.
 */
#ifndef TOOLS_FRONT_JCMD_H
#define TOOLS_FRONT_JCMD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes the Java processes among @pids write their perf maps; takes 10 s at most for all. Prints
 * failures, and unless @quiet a message if none of @pids is a Java process.
 */
void jcmd_write_maps(const char *program, const int *pids, size_t n, bool quiet);

/*
 * Returns the value that JAVA_TOOL_OPTIONS must have for the command; @before is its present value,
 * NULL none. The caller frees the result. NULL: out of memory.
 */
char *jcmd_variable(const char *before);

#endif
