/* SPDX-License-Identifier: MIT */
/*
 * What the status file of a thread tells. Results are 0 or positive, or -errno; a thread that is
 * gone gives -ESRCH or -ENOENT, a file of another form -EPROTO.
 */
#ifndef SUPERVISOR_PROC_STATUS_H
#define SUPERVISOR_PROC_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* How often a thread left a CPU: both counts of switches, added up. */
int proc_status_read_switches(int pid, int tid, uint64_t *ret_switches);
/* KiB of executable mappings of its process: VmExe and VmLib, added up. */
int proc_status_read_executable(int pid, int tid, uint64_t *ret_kib);
/* "…\nVmExe:\t     104 kB\nVmLib:\t    1876 kB\n…" gives 1980. -EPROTO. */
int proc_status_parse_executable(const char *text, uint64_t *ret_kib);
/* "…\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n" gives 15. -EPROTO. */
int proc_status_parse_switches(const char *text, uint64_t *ret_switches);

/* Thread group and parent of a thread. */
int proc_status_read_ids(int tid, int *ret_pid, int *ret_parent);

/* Whether a thread has ended and is kept for its status only: a leader whose others live on. */
bool proc_status_is_zombie(int tid);

/* Does it have a seccomp filter? */
bool proc_status_is_filtered(int tid);

/* Signals that wait for a thread, or any of its process, and are not blocked by it. */
int proc_status_read_pending(int tid, uint64_t *ret_pending);

/* Signals that a process ignores or catches, bit 0 is signal 1. */
int proc_status_read_dispositions(int tid, uint64_t *ret_ignored, uint64_t *ret_caught);

#endif
