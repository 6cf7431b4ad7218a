/* SPDX-License-Identifier: MIT */
/*
 * libsprofil-preload.so: sprofil and profil for binaries that were linked with glibc only. It has
 * no effect on -pg programs: their start-up code calls an internal name of glibc.
 */
#include "client/client.h"
#include "client/dialects.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
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

/* The file of descriptor 2 when the library was loaded; all 0: there was none. */
static struct stat stderr_at_load;

__attribute__((constructor)) static void note_stderr(void)
{
	int error = errno; /* main() must begin with errno 0, so it is restored. */

	if (fstat(STDERR_FILENO, &stderr_at_load) < 0)
		stderr_at_load = (struct stat){0};
	errno = error;
}

/* May stderr be written? Not if the program has replaced it, or if a write could wait. */
static bool may_print(void)
{
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
	struct stat now;

	if (fstat(STDERR_FILENO, &now) < 0 || now.st_dev != stderr_at_load.st_dev ||
		now.st_ino != stderr_at_load.st_ino)
		return false;
	return S_ISREG(now.st_mode) || (poll(&out, 1, 0) == 1 && out.revents == POLLOUT);
}

/* Prints the message. If that raises SIGPIPE, the signal does not reach the program. */
static void print(const char *text)
{
	static const char head[] = "libsprofil-preload: nothing is counted: ";
	const struct iovec message[2] = {
		{(char *)head, sizeof(head) - 1}, {(char *)text, strlen(text)}};
	const struct timespec at_once = {0};
	sigset_t pipe, mask, pending;

	(void)sigemptyset(&pipe);
	(void)sigaddset(&pipe, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &pipe, &mask);
	(void)sigpending(&pending);
	if (writev(STDERR_FILENO, message, 2) < 0 && errno == EPIPE &&
		!sigismember(&pending, SIGPIPE))
		(void)sigtimedwait(&pipe, NULL, &at_once);
	(void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/*
 * Prints once why a call failed: a program written for glibc cannot tell, as glibc's calls have no
 * such errors. Prints nothing about wrong arguments: the program is at fault. Returns @r.
 */
static int result(int r)
{
	static atomic_bool said;
	int error = errno;
	const char *text = r < 0 ? cause(error) : NULL;

	if (text && !atomic_load(&said) && may_print() && !atomic_exchange(&said, true))
		print(text);
	errno = error;
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
