/* SPDX-License-Identifier: MIT */
#include "analyst/monout_profile.h"

#include <errno.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "profile/profile.h"

struct histogram {
	const struct monout *monout;
	struct symbolizer *symbolizer;
	struct space *space;
	struct profile *profile;
	struct locations locations;
	uint32_t task;
};

static int add(struct histogram *h, uint64_t address, uint32_t ticks)
{
	uint64_t period = 1000000000 / h->monout->hz;
	int64_t values[2] = {ticks, (int64_t)(ticks * period)};
	struct code_location code;
	uint32_t location;
	int r;

	(void)space_find(h->space, address, &code);
	r = locations_add(&h->locations, &code);
	if (r < 0)
		return r;
	location = (uint32_t)r;
	return profile_add_sample(h->profile, h->task, &location, 1, values);
}

static int add_all(struct histogram *h, const char *name)
{
	uint64_t address;
	uint32_t ticks;
	size_t at = 0;
	int r = profile_add_task(h->profile, &(struct task){.process = name, .thread = name});

	if (r < 0)
		return r;
	h->task = (uint32_t)r;
	while (r >= 0 && monout_next(h->monout, &at, &address, &ticks))
		r = add(h, address, ticks);
	return r < 0 ? r : locations_name_new(&h->locations);
}

/*
 * Has the program code at the histogram's first or last address? If not, the histogram is of
 * another program.
 */
static bool belongs(const struct histogram *h)
{
	struct code_location low, high;

	return space_find(h->space, h->monout->low, &low) ||
		space_find(h->space, h->monout->high - 1, &high);
}

static int make(struct histogram *h, const char *program, const struct symbolizer_options *options,
	const char **ret_problem)
{
	const char *slash = strrchr(program, '/');
	int r = symbolizer_new(options, &h->symbolizer);

	if (r == 0)
		r = space_new(h->symbolizer, 0, &h->space);
	if (r == 0)
		r = profile_new(&h->profile);
	if (r < 0)
		return r;
	r = space_set_file(h->space, program);
	if (r < 0 && r != -ENOMEM) {
		*ret_problem = r == -ENOEXEC ? "the program is no ELF file" : strerror(-r);
		return -EINVAL;
	}
	if (r == 0 && !belongs(h)) {
		*ret_problem = "it is of another program: this one has no code at its addresses";
		return -EINVAL;
	}
	h->locations = (struct locations){.profile = h->profile, .symbolizer = h->symbolizer};
	profile_set_period(h->profile, 1000000000 / h->monout->hz);
	if (r == 0)
		r = profile_set_command(h->profile, program);
	return r < 0 ? r : add_all(h, slash ? slash + 1 : program);
}

int monout_profile(const struct monout *monout, const char *program,
	const struct symbolizer_options *options, struct profile **ret_profile,
	const char **ret_problem)
{
	struct histogram h = {.monout = monout};
	int r = make(&h, program, options, ret_problem);

	locations_release(&h.locations);
	space_free(h.space);
	symbolizer_free(h.symbolizer);
	if (r < 0)
		profile_free(h.profile);
	else
		*ret_profile = h.profile;
	return r < 0 ? r : 0;
}
