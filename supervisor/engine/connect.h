/* SPDX-License-Identifier: MIT */
/* Sets the callbacks by which the folders below (target, calls, …) call the engine. */
#ifndef SUPERVISOR_CONNECT_H
#define SUPERVISOR_CONNECT_H

struct engine;

/* Call first. Probes the kernel's files and calls and the limit of open files; leaves none open. */
void connect_parts(struct engine *engine);

#endif
