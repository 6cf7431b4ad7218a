/* SPDX-License-Identifier: MIT */
/*
 * What the analyst gives up before its first record. Its libraries read files that others made; a
 * fault in them must not be worth having. Files come from the opener (opener/opener.h).
 *
 *	user         another one where it was root, and no groups
 *	capabilities none, none to be had again, no_new_privs
 *	memory       RLIMIT_AS; and the kernel, out of memory, ends us before others
 *	landlock     no path, no TCP port; signals and abstract sockets outside are out of reach
 *	seccomp      no open, socket, ptrace, exec, kill; no memory of others or that is executed
 *
 * Each layer holds without the others.
 */
#ifndef TOOLS_SANDBOX_H
#define TOOLS_SANDBOX_H

#include <stddef.h>

enum { SANDBOX_TEXT_BYTES = 256 };

struct sandbox {
	char holds[SANDBOX_TEXT_BYTES]; /* names of layers, for -v */
	char lacks[SANDBOX_TEXT_BYTES]; /* and what is missing and why; "" nothing */
};

/* Closes all descriptors from 3 on except the @n in @keep; -1 in @keep is ignored. Sorts @keep. */
void sandbox_close_others(int *keep, size_t n);

/* Call once, while the process has one thread. */
void sandbox_enter(struct sandbox *ret_sandbox);

/*
 * The same for a process that serves connections to a listening socket: permits accept(2) and
 * related calls.
 */
void sandbox_enter_serving(struct sandbox *ret_sandbox);

/*
 * For a process that connects to others, by name: it may create sockets, and open files readable by
 * everybody (certificates, the resolver's). No landlock.
 */
void sandbox_enter_connecting(struct sandbox *ret_sandbox);

#endif
