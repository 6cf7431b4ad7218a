/* SPDX-License-Identifier: MIT */
#include "tools/analyst/file_size.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/pprof.h"
#include "profile/profile.h"
#include "profile/timeline.h"

/* Bytes of an instant, a stack and a location before compression. */
enum { INSTANT_BYTES = 4, STACK_BYTES = 16, LOCATION_BYTES = 32 };
/* Compressed bytes of the names that a location gets when the file is written. */
enum { NAME_BYTES = 24 };

int file_size_begin(struct file_size *size, uint64_t most_bytes)
{
	void *shared = mmap(NULL, sizeof(*size->found_bytes), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return -ENOMEM;
	*size = (struct file_size){
		.most_bytes = most_bytes, .again = most_bytes / 2, .found_bytes = shared};
	return 0;
}

static uint64_t content(const struct profile *profile)
{
	return INSTANT_BYTES * (uint64_t)timeline_instants(profile) +
		STACK_BYTES * (uint64_t)profile_samples(profile) +
		LOCATION_BYTES * (uint64_t)profile_locations(profile);
}

static _Noreturn void try(const struct file_size *size, const struct profile *profile, pid_t parent)
{
	struct rlimit none = {0, 0};
	uint8_t *data;
	size_t bytes;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setrlimit(RLIMIT_CORE, &none);
	if (getppid() == parent && pprof_write(profile, &data, &bytes) == 0)
		*size->found_bytes = bytes + NAME_BYTES * (uint64_t)profile_locations(profile);
	_exit(0);
}

/*
 * Sets the size for the next try, with a constant ratio of profile to file. In fact the ratio
 * decreases, because names come early, so the next try is not too late.
 */
static void plan(struct file_size *size, uint64_t found_bytes)
{
	double more = (double)size->most_bytes / (double)(found_bytes + 1);

	if (more > 2)
		more = 2;
	size->again = (uint64_t)((double)size->tried * more);
}

bool file_size_is_reached(struct file_size *size, const struct profile *profile)
{
	uint64_t now = content(profile);
	pid_t parent = getpid();

	if (!size->most_bytes)
		return false;
	if (size->child && waitpid(size->child, NULL, WNOHANG) == 0)
		return false;
	if (size->child) {
		uint64_t found = *size->found_bytes;

		size->child = 0;
		/* A try whose child died found 0: the next one comes at twice the size. */
		plan(size, found);
		/* Adds what came meanwhile, and what will come until the next check. */
		found = (uint64_t)((double)found * (double)now / (double)size->tried);
		if (found >= size->most_bytes - size->most_bytes / 16) {
			size->most_bytes = 0;
			return true;
		}
	}
	if (now < size->again)
		return false;
	size->tried = now;
	*size->found_bytes = 0;
	size->child = fork();
	if (size->child == 0)
		try(size, profile, parent);
	if (size->child < 0)
		size->child = 0;
	return false;
}
