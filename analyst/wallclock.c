/* SPDX-License-Identifier: MIT */
#include "analyst/wallclock.h"

#include <errno.h>
#include <string.h>

#include "analyst/spaces.h"
#include "base/array.h"
#include "proto/record.h"

int wallclock_begin(
	struct wallclock *wallclock, struct profile *profile, const struct record_start *start)
{
	const struct {
		const char *type;
		size_t *index;
	} types[] = {
		{"wall", &wallclock->wall},
		{"runqueue", &wallclock->queue},
		{"blocked", &wallclock->blocked},
		{"guessed", &wallclock->guessed},
	};

	wallclock->recorded = start->flags & RECORD_START_WALL;
	wallclock->first = wallclock->recorded && (start->flags & RECORD_START_WALL_FIRST);
	wallclock->period_ns = start->period_ns;
	for (size_t i = 0; wallclock->recorded && i < sizeof(types) / sizeof(*types); i++) {
		int index = profile_add_value_type(profile, types[i].type, "nanoseconds");

		if (index < 0)
			return index;
		*types[i].index = (size_t)index;
	}
	if (wallclock->first)
		profile_set_default_value(profile, wallclock->wall);
	return 0;
}

void wallclock_values(const struct wallclock *wallclock, const struct record_sample *sample,
	bool guessed, int64_t values[VALUE_TYPES_MAX])
{
	uint64_t wall = sample->weight_ns + sample->queue_ns + sample->blocked_ns;

	if (!wallclock->recorded)
		return;
	values[wallclock->wall] = (int64_t)wall;
	values[wallclock->queue] = (int64_t)sample->queue_ns;
	values[wallclock->blocked] = (int64_t)sample->blocked_ns;
	values[wallclock->guessed] = guessed ? (int64_t)wall : 0;
}

void wallclock_correct(
	const struct wallclock *wallclock, struct profile *profile, size_t stack, int64_t ns)
{
	const int64_t *value = profile_sample(profile, stack).value;
	bool guessed;

	if (!wallclock->recorded)
		return;
	/* Usually all or no samples of a stack are guessed. If both values are equal, all are. */
	guessed = value[wallclock->guessed] == value[wallclock->wall];
	profile_set_value(profile, stack, wallclock->wall, value[wallclock->wall] + ns);
	if (guessed)
		profile_set_value(profile, stack, wallclock->guessed, value[wallclock->wall]);
}

int64_t wallclock_ticks(const struct wallclock *wallclock, struct thread_name *thread,
	const struct record_sample *sample)
{
	uint64_t ticks;

	if (!wallclock->first || !wallclock->period_ns)
		return 0;
	thread->ticks_ns += sample->queue_ns + sample->blocked_ns;
	ticks = thread->ticks_ns / wallclock->period_ns;
	thread->ticks_ns -= ticks * wallclock->period_ns;
	return (int64_t)ticks;
}

int wallclock_keep(struct thread_name *thread, const uint32_t *stack, size_t n, bool guessed)
{
	if (array_grow(&thread->blocked, &thread->blocked_room, n) < 0)
		return -ENOMEM;
	memcpy(thread->blocked, stack, n * sizeof(*stack));
	thread->blocked_n = n;
	thread->blocked_guessed = guessed;
	return 0;
}
