/* SPDX-License-Identifier: MIT */
/* Finds which process a pidfd of another process is for. Reads /proc only; never blocks. */
#ifndef SUPERVISOR_PIDFD_H
#define SUPERVISOR_PIDFD_H

/*
 * Returns the number of a descriptor of process @holder that is a pidfd of process @pid, among the
 * first 1,024 that are open. -ENOENT: it has none. Any other -errno: its descriptors cannot be
 * read, with -ESRCH if its first thread has ended. Outside the stop window only.
 */
int pidfd_find(int holder, int pid);

/* Parses the fdinfo of a pidfd, "pos:\t0\n…\nPid:\t4711\n…" to 4711. -EPROTO: there is no pid. */
int pidfd_parse(const char *text);

#endif
