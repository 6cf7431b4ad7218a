/* SPDX-License-Identifier: MIT */
/*
 * Once the first thread of a process has ended, the files of /proc/PID show neither memory nor root
 * folder nor descriptors, even if other threads live. The files of /proc/TID of such a thread do.
 */
#ifndef OPENER_LIVING_H
#define OPENER_LIVING_H

#include <stdint.h>

/* A thread of the process @pid that lives: the first one if possible. @pid if there is none. */
uint32_t living_thread(uint32_t pid);

#endif
