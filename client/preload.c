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

static const char *cause(void)
{
	switch (client_refusal()) {
	case SPROFIL_NO_HELPER:
		return "sprofil-supervisor cannot be started: is it installed, and "
		       "SPROFIL_SUPERVISOR, if set, its path?\n";
	case SPROFIL_FOREIGN_PROC:
		return "/proc is missing, or shows another pid namespace: mount one (unshare "
		       "--mount-proc)\n";
	default:
		return "the process may not be traced: Yama, seccomp, a debugger, or not "
		       "dumpable\n";
	}
}

/*
 * Prints the cause of a call's failure with EPERM, once, as the program does not know that this
 * error is possible and may ignore it. Returns @r.
 */
static int result(int r)
{
	static const char head[] = "libsprofil-preload: nothing is counted: ";
	static atomic_bool said;
	int error = errno;
	const char *text;

	if (r < 0 && error == EPERM && !atomic_exchange(&said, true)) {
		text = cause();
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
