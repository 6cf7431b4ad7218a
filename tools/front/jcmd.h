/* SPDX-License-Identifier: MIT */
/*
 * --jit-map: makes Java processes write /tmp/perf-PID.map, which contains the names of their
 * generated code. Live processes are asked by "jcmd PID Compiler.perfmap" (JDK 17 and later). A
 * command gets JAVA_TOOL_OPTIONS, which makes its Java processes write the file when they end.
 *
 * jcmd sends SIGQUIT, which kills a process that does not expect it: only processes that have
 * mapped libjvm.so and catch SIGQUIT are asked. jcmd reads files of the process: root runs jcmd as
 * the process's user. Root's own processes in a container are not asked: jcmd would read files of
 * the container with root's rights.
 */
#ifndef TOOLS_FRONT_JCMD_H
#define TOOLS_FRONT_JCMD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes the Java processes among @pids write their maps. All of them together get at most 10 s.
 * Prints failures. If none of @pids is a Java process, prints that, too, unless @quiet.
 */
void jcmd_write_maps(const char *program, const int *pids, size_t n, bool quiet);

/*
 * Returns "JAVA_TOOL_OPTIONS=VALUE", which the caller frees; NULL: there is no memory. VALUE begins
 * with @before, the variable's earlier value; NULL: it was unset.
 */
char *jcmd_variable(const char *before);

#endif
