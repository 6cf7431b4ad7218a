/* SPDX-License-Identifier: MIT */
/*
 * Fields of the status file of a thread. Results are 0 or positive, or -errno; -ESRCH or -ENOENT if
 * the thread is gone, -EPROTO if the file has an unexpected form.
 */
#ifndef SUPERVISOR_PROC_STATUS_H
#define SUPERVISOR_PROC_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads how often a thread was scheduled out: the sum of voluntary and involuntary context
 * switches.
 */
int proc_status_read_switches(int tid, uint64_t *ret_switches);
/* Reads the KiB of executable mappings of the thread's process: the sum of VmExe and VmLib. */
int proc_status_read_executable(int tid, uint64_t *ret_kib);
/* Parses "…\nVmExe:\t 104 kB\nVmLib:\t 1876 kB\n…" to the sum, 1980. -EPROTO: a line is missing. */
int proc_status_parse_executable(const char *text, uint64_t *ret_kib);
/*
 * Parses "…\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n" to the sum, 15.
 * -EPROTO: a line is missing.
 */
int proc_status_parse_switches(const char *text, uint64_t *ret_switches);

/* Reads the pid of the thread's process, and that of this process's parent. */
int proc_status_read_ids(int tid, int *ret_pid, int *ret_parent);

/* Is the thread a zombie? A leader stays one while other threads of its process live on. */
bool proc_status_is_zombie(int tid);

/* Does the thread have a seccomp filter? */
bool proc_status_is_filtered(int tid);

/*
 * Reads which signals are pending for the thread or for its process, and not blocked by the thread;
 * bit 0 is signal 1.
 */
int proc_status_read_pending(int tid, uint64_t *ret_pending);

/* Reads which signals a process ignores, and which it catches; bit 0 is signal 1. */
int proc_status_read_dispositions(int tid, uint64_t *ret_ignored, uint64_t *ret_caught);

#endif
