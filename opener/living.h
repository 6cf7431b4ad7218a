/* SPDX-License-Identifier: MIT */
/*
 * The files of /proc/PID show nothing of memory, root folder or descriptors once the first thread
 * of the process has ended, though others go on. Those of /proc/TID do, for a thread that lives.
 */
#ifndef OPENER_LIVING_H
#define OPENER_LIVING_H

#include <stdint.h>

/* @pid, or another thread of the process if the first one has ended; @pid if none is left. */
uint32_t living_thread(uint32_t pid);

#endif
