/* SPDX-License-Identifier: MIT */
/*
 * A program that is built with glibc only. It turns profil() on twice, then off, and prints "RESULT
 * ERRNO REASON" of the first call. REASON comes from sprofil_status(), if a loaded library has it;
 * 98 if that fails. Ends with 1 if a call took a second. With "poll", a filter refuses poll(2) from
 * then on. With "reopen", descriptor 2 becomes the file "data".
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/include/sprofil/status.h"
#include "tests/refuse_poll.h"

static unsigned short counts[64];

static int turn(size_t bytes, time_t *longest)
{
	struct timespec before, after;
	int r, error;

	(void)clock_gettime(CLOCK_MONOTONIC, &before);
	r = profil(counts, bytes, (size_t)&turn, 0x10000);
	error = errno;
	(void)clock_gettime(CLOCK_MONOTONIC, &after);
	if (after.tv_sec - before.tv_sec > *longest)
		*longest = after.tv_sec - before.tv_sec;
	errno = error;
	return r;
}

static const char *name_of(int error)
{
	return error == EPERM     ? "EPERM"
		: error == EMFILE ? "EMFILE"
		: error == EAGAIN ? "EAGAIN"
		: error           ? "?"
				  : "0";
}

int main(int argc, char **argv)
{
	int (*status)(struct sprofil_state *, size_t);
	struct sprofil_state state = {.reason = 99};
	time_t longest = 0;
	int r, error;

	if (argc > 1 && strcmp(argv[1], "poll") == 0 && refuse_poll() < 0)
		return 2;
	if (argc > 1 && strcmp(argv[1], "reopen") == 0 &&
		(close(2) < 0 || open("data", O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2))
		return 3;
	*(void **)&status = dlsym(RTLD_DEFAULT, "sprofil_status");
	errno = 0;
	r = turn(sizeof(counts), &longest);
	error = errno;
	if (status && status(&state, sizeof(state)) < 0)
		state.reason = 98;
	(void)printf("%d %s %u\n", r, name_of(error), state.reason);
	(void)turn(sizeof(counts), &longest);
	(void)turn(0, &longest);
	return longest > 1;
}
