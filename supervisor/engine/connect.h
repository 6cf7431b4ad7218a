/* SPDX-License-Identifier: MIT */
/* Sets the callbacks by which functions of other folders (target, calls, …) call the engine. */
#ifndef SUPERVISOR_CONNECT_H
#define SUPERVISOR_CONNECT_H

struct engine;

/*
 * Call first. Probes which /proc files and system calls the kernel has, and the limit of open
 * files. Leaves no file open.
 */
void connect_parts(struct engine *engine);

#endif
