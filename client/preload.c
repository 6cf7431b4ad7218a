/* SPDX-License-Identifier: MIT */
/*
 * libsprofil-preload.so: sprofil and profil by glibc's names, for binaries that were linked with
 * glibc only. It has no effect on -pg programs: their start-up code calls an internal name of
 * glibc, which cannot be preloaded.
 */
#include "client/client.h"
#include "client/dialects.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "client/include/sprofil/status.h"

int sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);

/* Returns why a call has failed with @error; NULL: the program passed a wrong argument. */
static const char *cause(int error)
{
	switch (error) {
	case EPERM: break;
	case EMFILE:
	case ENFILE: return "too few descriptors are free (ulimit -n)\n";
	case EAGAIN: return "no process can be created (ulimit -u)\n";
	case ENOMEM: return "memory is short\n";
	case ETIMEDOUT: return "sprofil-supervisor does not answer\n";
	default: return NULL;
	}
	switch (client_refusal()) {
	case SPROFIL_NO_HELPER:
		return "sprofil-supervisor cannot be started: is it installed, and "
		       "SPROFIL_SUPERVISOR, if set, its path? Does seccomp permit processes?\n";
	case SPROFIL_FOREIGN_PROC:
		return "/proc is missing, or shows another pid namespace: mount one (unshare "
		       "--mount-proc)\n";
	default:
		return "the process may not be traced: Yama, seccomp, a debugger, or not "
		       "dumpable\n";
	}
}

/*
 * Prints why a call failed, but only the first time: a program written for glibc does not expect
 * such errors, and may ignore them. Nothing is printed about wrong arguments, which are the
 * program's own error. Returns @r.
 */
static int result(int r)
{
	static const char head[] = "libsprofil-preload: nothing is counted: ";
	static atomic_bool said;
	int error = errno;
	const char *text = r < 0 ? cause(error) : NULL;

	if (text && !atomic_exchange(&said, true)) {
		if (write(STDERR_FILENO, head, sizeof(head) - 1) >= 0)
			(void)!write(STDERR_FILENO, text, strlen(text));
		errno = error;
	}
	return r;
}

CLIENT_PUBLIC int sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	return result(sprofil_glibc_sprofil(profp, profcnt, tvp, flags));
}

CLIENT_PUBLIC int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	return result(sprofil_glibc_profil(buff, bufsiz, offset, scale));
}
