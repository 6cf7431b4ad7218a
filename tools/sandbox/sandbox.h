/* SPDX-License-Identifier: MIT */
/*
 * The rights that the analyst drops before its first record. Its libraries read untrusted files; a
 * fault in them must not gain an attacker anything. Files come from the opener (opener/opener.h).
 *
 *	user         another one if it was root, and no groups
 *	capabilities none, and none can be regained; no_new_privs
 *	memory       RLIMIT_AS; and out of memory, the kernel ends this process before others
 *	landlock     no path, no TCP port; no signals or abstract sockets to the outside
 *	seccomp      no open, socket, ptrace, exec, kill; no access to other processes' memory,
 *	             no executable memory
 *
 * Each layer is effective without the others.
 */
#ifndef TOOLS_SANDBOX_SANDBOX_H
#define TOOLS_SANDBOX_SANDBOX_H

#include <stddef.h>

enum { SANDBOX_TEXT_BYTES = 256 };

struct sandbox {
	char holds[SANDBOX_TEXT_BYTES]; /* names of the layers in force, for -v */
	char lacks[SANDBOX_TEXT_BYTES]; /* names of missing layers, and why; "" none */
};

/* Closes all descriptors from 3 on except the @n in @keep; -1 in @keep is ignored. Sorts @keep. */
void sandbox_close_others(int *keep, size_t n);

/* Enters the sandbox. Call once, while the process has one thread. */
void sandbox_enter(struct sandbox *ret_sandbox);

/*
 * Enters a sandbox for a process that serves connections to a listening socket: accept(2) and
 * related calls are permitted, too.
 */
void sandbox_enter_serving(struct sandbox *ret_sandbox);

/*
 * Enters a sandbox for a process that connects to other machines by name. It may also create
 * sockets, and open files that everybody may read, such as certificates and the resolver's files.
 * Therefore landlock, which forbids all paths and TCP ports, is not used.
 */
void sandbox_enter_connecting(struct sandbox *ret_sandbox);

#endif
