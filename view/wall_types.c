/* SPDX-License-Identifier: MIT */
#include "view/wall_types.h"

#include <string.h>

#include "profile/profile.h"

static size_t find(const struct profile *profile, const char *type)
{
	size_t index = profile_find_value_type(profile, type);

	if (index == profile_value_types(profile) ||
		strcmp(profile_value_type(profile, index).unit, "nanoseconds") != 0)
		return SIZE_MAX;
	return index;
}

bool wall_types_find(const struct profile *profile, struct wall_types *ret_types)
{
	*ret_types = (struct wall_types){
		find(profile, "wall"), find(profile, "runqueue"), find(profile, "blocked")};
	return ret_types->wall != SIZE_MAX || ret_types->queue != SIZE_MAX;
}

const char *wall_types_phrase(const char *type)
{
	static const char *const phrases[][2] = {
		{"cpu", "CPU time"},
		{"wall", "wall-clock time of all threads"},
		{"runqueue", "time waiting for a CPU"},
		{"blocked", "blocked time"},
		{"guessed", "time with guessed callers"},
	};

	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++) {
		if (strcmp(phrases[i][0], type) == 0)
			return phrases[i][1];
	}
	return NULL;
}
