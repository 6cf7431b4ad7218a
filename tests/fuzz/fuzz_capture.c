/* SPDX-License-Identifier: MIT */
/*
 * The input is a capture file, as for "sprofil-analyst --replay", whose profile is then written.
 * Without an opener, the analyst can open no file.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/input.h"
#include "analyst/processes.h"
#include "opener/opener.h"
#include "profile/pprof.h"
#include "profile/profile.h"
#include "tests/fuzz/fuzz.h"

enum { PROFILE, OF_A_PROCESS, PARTS };
const unsigned fuzz_parts = PARTS;

static void write_profile(const struct profile *profile, unsigned part)
{
	uint8_t *data;
	size_t bytes;

	if (pprof_write(profile, &data, &bytes) < 0)
		return;
	free(data);
	if (profile_samples(profile))
		fuzz_accept(part);
}

static void finish(struct analyst *analyst)
{
	const struct processes *processes;
	struct profile *profile;

	if (analyst_finish(analyst) < 0)
		return;
	write_profile(analyst->profile, PROFILE);
	processes = &analyst->processes;
	for (size_t i = 0; i < processes->n && i < 3; i++) {
		if (processes_profile(&processes->list[i], analyst->profile, &profile) < 0)
			continue;
		write_profile(profile, OF_A_PROCESS);
		profile_free(profile);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct opener opener = {.fd = -1};
	struct analyst_options options = {
		.frame_pointers = size & 1, .per_process = size & 8, .opener = &opener};
	int fd = memfd_create("capture", MFD_CLOEXEC);
	struct analyst *analyst;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	if (analyst_new(&options, &analyst) == 0) {
		(void)input_capture(analyst, fd);
		finish(analyst);
		analyst_free(analyst);
	}
	(void)close(fd);
	return 0;
}
