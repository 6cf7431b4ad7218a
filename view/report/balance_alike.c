/* SPDX-License-Identifier: MIT */
/*
 * Finds groups that behave alike. A leader is a group that did not join another. A group joins the
 * first leader whose functions have about the same shares, and whose total is about the same.
 *
 * The distance of two groups is the part of its time that one of them spends in other functions
 * than the other. It is half the sum of the differences of all shares, because each second in
 * another function changes two shares. Groups that behave alike still differ, because they are
 * sampled. How much depends on their numbers of samples.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/report/balance.h"

/*
 * Groups are alike if their distance, and the relative difference of their totals, are at most
 * ALIKE plus what sampling explains.
 */
#define ALIKE 0.1

/*
 * Groups of different programs are alike only if both have enough samples: sampling alone must
 * explain neither a distance nor a relative difference of totals above MOST_CHANCE. With about 90
 * samples of each group, the totals fulfil that.
 */
#define MOST_CHANCE 0.3

/* Maximum leaders: further groups are compared with these only. */
enum { LEADERS_MOST = 64 };

struct leaders {
	double *share[LEADERS_MOST];  /* [leader][place]: the place's share of the leader's time */
	uint32_t group[LEADERS_MOST]; /* by leader */
	size_t n;
};

/*
 * Returns the variance of a group's weight due to sampling. A count of n samples has about the
 * variance n. For a small n, that is too little: if 3 samples are expected, none is found in 5 % of
 * all cases, yet n = 0 gives the variance 0. So the variance is taken as n + 2. For n = 0, twice
 * the standard deviation is then 2.8 samples, about 3.
 */
static double variance(const struct balance *b, const struct balance_group *group)
{
	double period = group->samples > 0 ? group->weight / group->samples : b->period;

	return b->period > 0 ? period * period * (group->samples + 2) : 0;
}

/*
 * Returns the distance of the shares @a and @of, which are by place. *@ret_chance: twice the mean
 * distance that two groups of equal behaviour would have, because they are sampled.
 */
static double distance(const struct balance *b, const double *a, const double *of, double samples,
	double of_samples, double *ret_chance)
{
	double sum = 0, chance = 0;

	for (size_t i = 0; i < b->frames.places.n; i++) {
		double mean = (a[i] + of[i]) / 2;

		sum += fabs(a[i] - of[i]);
		if (samples > 0 && of_samples > 0)
			chance +=
				sqrt(2 / M_PI * mean * (1 - mean) * (1 / samples + 1 / of_samples));
	}
	*ret_chance = chance;
	return sum / 2;
}

static bool is_other_program(const struct balance_group *a, const struct balance_group *b)
{
	if (!a->program || !b->program)
		return false;
	return a->program_bytes != b->program_bytes ||
		memcmp(a->program, b->program, a->program_bytes) != 0;
}

static bool is_alike(const struct balance *b, const struct leaders *leaders, size_t leader,
	uint32_t group, const double *share)
{
	const struct balance_group *a = &b->group[leaders->group[leader]], *of = &b->group[group];
	bool differ = is_other_program(a, of);
	double most = fmax(a->weight, of->weight), chance, apart;
	double noise = 2 * sqrt(variance(b, a) + variance(b, of));

	if (fabs(a->weight - of->weight) > ALIKE * most + noise)
		return false;
	if (differ && noise > MOST_CHANCE * most)
		return false;
	/*
	 * Without samples, functions cannot be compared. The totals are about equal, as tested
	 * above, and that is enough.
	 */
	if (b->period > 0 && (a->samples <= 0 || of->samples <= 0))
		return true;
	apart = distance(b, leaders->share[leader], share, a->samples, of->samples, &chance);
	if (differ && chance > MOST_CHANCE)
		return false;
	return apart <= ALIKE + chance;
}

/*
 * Returns an array by place: the place's share of the weight of @group. The caller frees it; NULL:
 * out of memory. The group's pairs are order[first[group]] to order[first[group + 1] - 1].
 */
static double *shares_of(
	const struct balance *b, uint32_t group, const uint32_t *order, const size_t *first)
{
	double *share = calloc(b->frames.places.n + 1, sizeof(*share));

	for (size_t i = first[group]; share && i < first[group + 1]; i++) {
		uint32_t at = order[i];

		share[b->part.pair[at].b] = b->weight[at] / b->group[group].weight;
	}
	return share;
}

static int compare_all(struct balance *b, const uint32_t *order, const size_t *first)
{
	struct leaders leaders = {.n = 0};
	int r = 0;

	for (uint32_t i = 0; i < b->groups && !r; i++) {
		double *share = shares_of(b, i, order, first);
		bool found = false;

		for (size_t j = 0; share && j < leaders.n && !found; j++) {
			found = is_alike(b, &leaders, j, i, share);
			if (found)
				b->group[i].like = leaders.group[j];
		}
		if (!share)
			r = -ENOMEM;
		else if (found || leaders.n == LEADERS_MOST)
			free(share);
		else
			leaders.share[leaders.n] = share, leaders.group[leaders.n++] = i;
	}
	for (size_t i = 0; i < leaders.n; i++)
		free(leaders.share[i]);
	return r;
}

int balance_find_alike(struct balance *b)
{
	size_t *first = calloc(b->groups + 2, sizeof(*first));
	uint32_t *order = calloc(b->part.n + 1, sizeof(*order));
	int r = first && order ? 0 : -ENOMEM;

	for (size_t i = 0; i < b->part.n && !r; i++)
		first[b->part.pair[i].a + 2]++;
	for (size_t i = 1; i <= b->groups + 1 && !r; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < b->part.n && !r; i++)
		order[first[b->part.pair[i].a + 1]++] = (uint32_t)i;
	if (!r)
		r = compare_all(b, order, first);
	free(first);
	free(order);
	return r;
}
