/* SPDX-License-Identifier: MIT */
#include "view/moments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/timeline.h"
#include "profile/timeline_scale.h"

/* The part of a sample's weight that is already distributed to its moments. */
struct given {
	double exactly;
	int64_t weight; /* sum of the weights of the sample's moments: @exactly, rounded */
};

static int append(struct moments *m, const struct moment *moment)
{
	return array_add(&m->moment, &m->room, &m->n, *moment);
}

static bool is_chosen(const struct frames *frames, const struct sample *sample)
{
	return sample->value[frames->sums.weight] > 0 &&
		filter_takes(&frames->filter, frames->profile, &frames->places, sample);
}

static int take_instants(
	struct moments *m, const struct frames *frames, const bool *chosen, struct given *given)
{
	uint64_t began = profile_realtime_ns(frames->profile);
	struct timeline_scale scale;
	struct timeline_cursor cursor;
	struct instant instant;
	int r = timeline_scale_init(&scale, frames->profile, frames->sums.weight);

	if (r < 0)
		return r;
	r = timeline_begin(&cursor, frames->profile);
	while (r >= 0 && timeline_next(&cursor, &instant)) {
		double value = timeline_scale_of(&scale, &instant);
		struct given *of = &given[instant.sample];
		int64_t before = of->weight, all;

		if (!chosen[instant.sample] || !(value > 0))
			continue;
		of->exactly += value;
		all = profile_sample(frames->profile, instant.sample).value[frames->sums.weight];
		of->weight = of->exactly < (double)all ? llround(of->exactly) : all;
		r = append(m,
			&(struct moment){
				.time_ns = instant.time_ns > began ? instant.time_ns - began : 0,
				.weight = of->weight - before,
				.sample = instant.sample,
				.task = profile_sample(frames->profile, instant.sample).task});
	}
	timeline_end(&cursor);
	timeline_scale_release(&scale);
	return r;
}

/*
 * Adds a moment for the weight that a sample's instants do not have: time that no instant stands
 * for, and rounding errors.
 */
static int take_rest(struct moments *m, const struct frames *frames, const bool *chosen,
	const struct given *given)
{
	int r = 0;

	for (size_t i = 0; i < profile_samples(frames->profile) && r >= 0; i++) {
		struct sample sample = profile_sample(frames->profile, i);
		int64_t rest = sample.value[frames->sums.weight] - given[i].weight;

		if (chosen[i] && rest > 0)
			r = append(m, &(struct moment){m->to_ns, rest, (uint32_t)i, sample.task});
	}
	return r;
}

static int compare_times(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns > y->time_ns ? 1 : -1;
	return (x->sample > y->sample) - (x->sample < y->sample);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->task != y->task)
		return x->task > y->task ? 1 : -1;
	return compare_times(a, b);
}

static int find_tasks(struct moments *m, const struct profile *profile)
{
	size_t tasks = profile_tasks(profile), at = 0;

	m->first = calloc(tasks + 2, sizeof(*m->first));
	if (!m->first)
		return -ENOMEM;
	for (size_t task = 0; task <= tasks; task++) {
		while (at < m->n && m->moment[at].task < task)
			at++;
		m->first[task] = at;
	}
	return 0;
}

int moments_init(struct moments *moments, const struct frames *frames, enum moments_order order)
{
	const struct profile *profile = frames->profile;
	size_t samples = profile_samples(profile);
	struct moments m = {0};
	struct given *given;
	bool *chosen;
	int r;

	*moments = m;
	if (!timeline_extent(profile, &m.from_ns, &m.to_ns))
		return 0;
	given = calloc(samples + 1, sizeof(*given));
	chosen = calloc(samples + 1, sizeof(*chosen));
	r = given && chosen ? 0 : -ENOMEM;
	for (size_t i = 0; i < samples && r >= 0; i++) {
		struct sample sample = profile_sample(profile, i);

		chosen[i] = is_chosen(frames, &sample);
	}
	if (r >= 0)
		r = take_instants(&m, frames, chosen, given);
	if (r >= 0)
		r = take_rest(&m, frames, chosen, given);
	free(given);
	free(chosen);
	if (r >= 0 && m.n)
		qsort(m.moment, m.n, sizeof(*m.moment),
			order == MOMENTS_BY_TIME ? compare_times : compare_tasks);
	if (r >= 0 && order == MOMENTS_BY_TASK)
		r = find_tasks(&m, profile);
	if (r < 0) {
		moments_release(&m);
		return r;
	}
	*moments = m;
	return 1;
}

void moments_release(struct moments *moments)
{
	free(moments->moment);
	free(moments->first);
	*moments = (struct moments){0};
}
