/* SPDX-License-Identifier: MIT */
/*
 * A span of a profile. A stack's value is distributed over its instants by weight: CPU time over
 * those on CPU, run queue time and blocked time over waiting ones. The value of a span is the part
 * of the value before its end, less the part before its beginning. So no nanosecond is lost or
 * counted twice by rounding where one span ends and the next begins.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "profile/profile_copier.h"
#include "profile/stats.h"

__extension__ typedef __int128 i128;

/* The sums have the weights of each state, then the number of instants. */
enum { COUNT = TIMELINE_STATES, SUMS };

struct stack_sums {
	uint64_t all[SUMS], before[SUMS], until[SUMS];
};

struct spanning {
	struct profile_copier split;
	const struct profile *profile;
	struct stack_sums *sums;   /* by stack */
	uint64_t from_ns, to_ns;   /* by the clock of the instants */
	int kind[VALUE_TYPES_MAX]; /* by value type: the index of its sum, or KIND_ALL */
	size_t wall, guessed;      /* indexes of these value types; VALUE_TYPES_MAX: none */
	double weight, weight_squared;
	int64_t left_out_ns; /* CPU time without instants */
};

/* The kind of another program's value type, distributed over the instants of all states. */
enum { KIND_ALL = -1 };

static void choose_kinds(struct spanning *s)
{
	static const struct {
		const char *type;
		int kind;
	} kinds[] = {{"cpu", TIMELINE_RUNNING}, {"runqueue", TIMELINE_QUEUED},
		{"blocked", TIMELINE_BLOCKED}};

	s->wall = s->guessed = VALUE_TYPES_MAX;
	for (size_t i = 0; i < s->profile->value_types; i++) {
		const char *type = profile_value_type(s->profile, i).type;

		s->kind[i] = KIND_ALL;
		for (size_t j = 0; j < sizeof(kinds) / sizeof(*kinds); j++) {
			if (!strcmp(kinds[j].type, type))
				s->kind[i] = kinds[j].kind;
		}
		if (!strcmp(type, "wall"))
			s->wall = i;
		else if (!strcmp(type, "guessed"))
			s->guessed = i;
	}
}

/*
 * Limit of each sum. The sum of all three states is then below 2^63, and its product with a value
 * fits into 128 bits.
 */
#define MOST_WEIGHT (INT64_MAX / 4)

static void add(uint64_t *sum, uint64_t value)
{
	*sum = value > MOST_WEIGHT - *sum ? MOST_WEIGHT : *sum + value;
}

static int sum_up(struct spanning *s)
{
	struct timeline_cursor cursor;
	struct instant instant;
	int r = timeline_begin(&cursor, s->profile);

	while (r >= 0 && timeline_next(&cursor, &instant)) {
		struct stack_sums *sums = &s->sums[instant.sample];
		uint64_t before = instant_before(&instant, s->from_ns);
		uint64_t until = instant_before(&instant, s->to_ns);
		double weight = (double)(until - before);

		add(&sums->all[instant.state], instant.weight_ns);
		add(&sums->before[instant.state], before);
		add(&sums->until[instant.state], until);
		sums->all[COUNT]++;
		sums->before[COUNT] += before != 0;
		sums->until[COUNT] += until != 0;
		s->weight += weight;
		s->weight_squared += weight * weight;
	}
	timeline_end(&cursor);
	return r;
}

static int64_t share(int64_t value, i128 before, i128 until, i128 all)
{
	return all ? (int64_t)(value * until / all - value * before / all) : 0;
}

static i128 of_all_states(const uint64_t sums[SUMS])
{
	return (i128)sums[TIMELINE_RUNNING] + sums[TIMELINE_QUEUED] + sums[TIMELINE_BLOCKED];
}

/*
 * Is the value "samples" of a stack distributed evenly over its instants? If some instants are
 * waiting ones, no: the samples are of wall-clock time, and are distributed by time.
 */
static bool is_counted(const struct stack_sums *sums)
{
	return !sums->all[TIMELINE_QUEUED] && !sums->all[TIMELINE_BLOCKED];
}

static void share_values(
	const struct spanning *s, const struct stack_sums *sums, const int64_t *from, int64_t *to)
{
	int64_t wall = 0;

	for (size_t i = 0; i < s->profile->value_types; i++) {
		int kind = i == VALUE_SAMPLES && is_counted(sums) ? COUNT : s->kind[i];

		if (kind == KIND_ALL)
			to[i] = share(from[i], of_all_states(sums->before),
				of_all_states(sums->until), of_all_states(sums->all));
		else
			to[i] = share(from[i], (i128)sums->before[kind], (i128)sums->until[kind],
				(i128)sums->all[kind]);
		if (kind >= 0 && kind < COUNT)
			wall += to[i];
	}
	if (s->wall == VALUE_TYPES_MAX)
		return;
	to[s->wall] = wall;
	if (s->guessed != VALUE_TYPES_MAX && from[s->guessed] == from[s->wall])
		to[s->guessed] = wall;
}

static int take_samples(struct spanning *s)
{
	int r = 0;

	for (size_t i = 0; i < s->profile->samples && r >= 0; i++) {
		const int64_t *from = profile_sample(s->profile, i).value;
		int64_t to[VALUE_TYPES_MAX] = {0};
		bool any = false;

		share_values(s, &s->sums[i], from, to);
		if (!s->sums[i].all[TIMELINE_RUNNING] && from[VALUE_CPU_NS] > 0)
			sum_add(&s->left_out_ns, from[VALUE_CPU_NS]);
		for (size_t j = 0; j < s->profile->value_types; j++)
			any |= to[j] != 0;
		if (any)
			r = profile_copier_sample(&s->split, i, to);
	}
	return r;
}

static int keep_main(struct spanning *s)
{
	int mapping =
		s->profile->mappings ? profile_copier_mapping(&s->split, s->profile->main) : 0;

	if (mapping > 0)
		profile_set_main(s->split.into, (uint32_t)mapping);
	return mapping;
}

static int tell(const struct spanning *s)
{
	double began = (double)s->profile->realtime_ns;
	double effective = stats_effective_samples(s->weight, s->weight_squared);
	char note[200];
	int r;

	(void)snprintf(note, sizeof(note), "a part of the profile: from %.3f s to %.3f s",
		((double)s->from_ns - began) / 1e9, ((double)s->to_ns - began) / 1e9);
	r = profile_add_note(s->split.into, note);
	if (r >= 0)
		r = profile_set_audit(
			s->split.into, STATS_EFFECTIVE_SAMPLES, (uint64_t)(effective + 0.5));
	if (r < 0 || !s->left_out_ns)
		return r;
	(void)snprintf(note, sizeof(note),
		"%.3f s of CPU time without a sample belong to no instant and are left out",
		(double)s->left_out_ns / 1e9);
	return profile_add_note(s->split.into, note);
}

int timeline_span(const struct profile *profile, uint64_t from_ns, uint64_t to_ns,
	struct profile **ret_profile)
{
	struct spanning s = {.profile = profile};
	uint64_t begin_ns, end_ns;
	int r;

	if (!timeline_extent(profile, &begin_ns, &end_ns))
		return -ENODATA;
	to_ns = to_ns < end_ns ? to_ns : end_ns;
	from_ns = from_ns < to_ns ? from_ns : to_ns;
	s.from_ns = profile->realtime_ns + from_ns;
	s.to_ns = profile->realtime_ns + to_ns;
	s.sums = calloc(profile->samples + 1, sizeof(*s.sums));
	if (!s.sums)
		return -ENOMEM;
	choose_kinds(&s);
	r = profile_copier_begin(&s.split, profile);
	if (r >= 0)
		r = sum_up(&s);
	if (r >= 0)
		r = take_samples(&s);
	if (r >= 0)
		r = profile_copier_instants(&s.split, s.from_ns, s.to_ns);
	if (r >= 0)
		r = keep_main(&s);
	if (r >= 0)
		r = tell(&s);
	if (r >= 0) {
		profile_set_time(s.split.into, profile->realtime_ns, to_ns - from_ns);
		s.split.into->part_from_ns = from_ns;
		s.split.into->part_to_ns = to_ns;
	}
	free(s.sums);
	return profile_copier_end(&s.split, r, ret_profile);
}
