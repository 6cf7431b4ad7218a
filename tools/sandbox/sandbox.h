/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of a process that reads untrusted input, such as the analyst. The process enters the
 * sandbox before it reads any input, so that an attacker who exploits a fault in one of its
 * libraries gains nothing. Files come from the opener (opener/opener.h). The layers:
 *
 * 	user         no groups; a process of root becomes that of another user
 * 	capabilities none, and none can be regained; no_new_privs
 * 	memory       RLIMIT_AS; the OOM killer takes this process before others
 * 	landlock     no path, no TCP port; no signals or abstract sockets to the outside
 * 	seccomp      no open, socket, ptrace, exec, kill; no access to other processes' memory,
 * 	             no executable memory
 *
 * Each layer is effective without the others.
 */
#ifndef TOOLS_SANDBOX_SANDBOX_H
#define TOOLS_SANDBOX_SANDBOX_H

#include <stddef.h>

enum { SANDBOX_TEXT_BYTES = 256 };

struct sandbox {
	char holds[SANDBOX_TEXT_BYTES]; /* names of the layers in force, for -v */
	char lacks[SANDBOX_TEXT_BYTES]; /* names of missing layers, and why; "": none */
};

/*
 * Closes all descriptors from 3 on, except the @n that @keep lists. Sorts @keep; a -1 in @keep is
 * ignored.
 */
void sandbox_close_others(int *keep, size_t n);

/* Enters the sandbox. Call once, while the process has one thread. */
void sandbox_enter(struct sandbox *ret_sandbox);

/* As sandbox_enter(), but a listening socket can be served: accept(2) etc. are permitted. */
void sandbox_enter_serving(struct sandbox *ret_sandbox);

/*
 * As sandbox_enter(), for a process that connects to other machines by name. It may also create
 * sockets, and open files for reading (certificates, the resolver's files). There is no layer
 * "landlock", as that would forbid all paths and TCP ports.
 */
void sandbox_enter_connecting(struct sandbox *ret_sandbox);

#endif
