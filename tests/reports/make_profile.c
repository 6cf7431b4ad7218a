/* SPDX-License-Identifier: MIT */
/* make_profile FILE: writes the profile of tests/unit/profile_fixture.h to FILE ("-": stdout). */
#include <stdio.h>

#include "profile/file.h"
#include "profile/pprof.h"
#include "tests/unit/profile_fixture.h"

int main(int argc, char **argv)
{
	struct profile *profile = fixture_profile();
	uint8_t *data = NULL;
	size_t bytes = 0;
	int error;

	if (argc != 2)
		return 2;
	error = pprof_write(profile, &data, &bytes);
	if (!error)
		error = file_write(argv[1], data, bytes);
	free(data);
	profile_free(profile);
	return error ? 1 : 0;
}
