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

/* Closes all descriptors from 3 on but those @n; -1 among them stands for none. Sorts them. */
void sandbox_close_others(int *keep, size_t n);

/* Once, while the process has one thread. */
void sandbox_enter(struct sandbox *ret_sandbox);

/* The same for who serves connections to a socket that listens already: accept(2) and its like. */
void sandbox_enter_serving(struct sandbox *ret_sandbox);

/*
 * For who connects to others, by name: sockets may be made, and files that everybody may read
 * (certificates, the resolver's) be opened for reading. No landlock.
 */
void sandbox_enter_connecting(struct sandbox *ret_sandbox);

#endif
