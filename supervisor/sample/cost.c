/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/cost.h"

#define MILLION 1000000
#define FREE_NS 1000000000
/*
 * The allowance is never higher than what this much CPU time of the target, in ns, adds to it. So a
 * burst of samples is bounded.
 */
#define EARN_MOST_NS 500000000
/* The averages begin with a sample's usual cost: the first sample may include a wait. */
#define USUAL_NS 80000
/*
 * A moving average moves by 1/MEAN_PART of the way towards a new value. A value above MEAN_MOST
 * times the average counts as that limit.
 */
#define MEAN_PART 32
#define MEAN_MOST 4
/*
 * A calibration covers SPAN_NS of CPU time. It is dropped if less than 1/EVEN_PART of this time was
 * used by uninterrupted threads (on CPU from one stop to the next).
 */
#define SPAN_NS   250000000
#define EVEN_PART 2
/*
 * The ns that a thread loses for each ns for which its CPU is occupied. RATIO_USUAL holds until the
 * ratio is measured. A ratio beyond RATIO_LEAST or RATIO_MOST is an error of measurement.
 */
#define RATIO_USUAL (COST_ONE * 5 / 4)
#define RATIO_LEAST (COST_ONE / 2)
#define RATIO_MOST  (COST_ONE * 8)
/* The period is stretched so that samples use this share of the bound; the rest is a margin. */
#define AIM_NUMERATOR   15
#define AIM_DENOMINATOR 16

void cost_init(struct cost *c, uint64_t bound_ppm)
{
	*c = (struct cost){.bound_ppm = bound_ppm < MILLION ? (uint32_t)bound_ppm : 0,
		.mean_ns = USUAL_NS,
		.even_mean_ns = USUAL_NS,
		.ratio_1024 = RATIO_USUAL};
}

void cost_earn(struct cost *c, uint64_t ran_ns)
{
	int64_t most = (int64_t)(EARN_MOST_NS / MILLION * (uint64_t)c->bound_ppm);

	c->ran_ns += ran_ns;
	if (!c->bounded)
		return;
	if (ran_ns > EARN_MOST_NS)
		ran_ns = EARN_MOST_NS;
	c->left_ns += (int64_t)(ran_ns * c->bound_ppm / MILLION);
	if (c->left_ns > most)
		c->left_ns = most;
}

void cost_spend(struct cost *c, uint64_t occupied_ns)
{
	uint64_t lost = occupied_ns * c->ratio_1024 / COST_ONE;

	c->occupied_ns += occupied_ns;
	c->total_ns += lost;
	c->new_ns += lost;
	if (c->bounded)
		c->left_ns -= (int64_t)lost;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

/* A value of more than MEAN_MOST times @mean includes time that others took, like a hypervisor. */
static uint64_t moved(uint64_t mean, uint64_t value, unsigned part)
{
	return mean + at_most(value, MEAN_MOST * mean) / part - mean / part;
}

void cost_uninterrupted(struct cost *c, uint64_t lost_ns, uint64_t apart_ns)
{
	if (lost_ns >= apart_ns)
		return;
	c->even_ran_ns += apart_ns - lost_ns;
	c->even_lost_ns += at_most(lost_ns, MEAN_MOST * c->even_mean_ns);
	c->even_mean_ns = moved(c->even_mean_ns, lost_ns, MEAN_PART);
}

/*
 * The loss is known for uninterrupted threads only, the occupied time for all threads. So each is
 * divided by the CPU time of its own threads. All threads are sampled at one rate per CPU time, so
 * the two quotients can be compared.
 */
static void calibrate(struct cost *c)
{
	double occupied = (double)c->occupied_ns / (double)c->ran_ns, lost;
	uint64_t ratio;

	if (!c->occupied_ns || c->even_ran_ns < c->ran_ns / EVEN_PART)
		return;
	lost = (double)c->even_lost_ns / (double)c->even_ran_ns;
	ratio = (uint64_t)(lost / occupied * (double)COST_ONE);
	ratio = ratio < RATIO_LEAST ? RATIO_LEAST : at_most(ratio, RATIO_MOST);
	/* The first measured ratio also corrects the cost so far, computed with RATIO_USUAL. */
	if (!c->calibrated)
		c->total_ns = c->total_ns * ratio / c->ratio_1024;
	c->ratio_1024 = c->calibrated ? (3 * c->ratio_1024 + ratio) / 4 : ratio;
	c->calibrated = true;
}

static void move_mean(struct cost *c, uint64_t samples)
{
	uint64_t n = samples >= c->samples ? samples - c->samples : samples;

	c->samples = samples;
	if (!n)
		return;
	c->mean_ns =
		moved(c->mean_ns, c->new_ns / n, n < MEAN_PART ? (unsigned)(MEAN_PART / n) : 1);
	/* A mean of 0 would stay 0, as no value counts for more than MEAN_MOST times the mean. */
	c->mean_ns += !c->mean_ns;
	c->new_ns = 0;
}

void cost_keep(struct cost *c, uint64_t now_ns, uint64_t samples)
{
	if (!c->free_until_ns)
		c->free_until_ns = now_ns + FREE_NS;
	c->bounded = c->bound_ppm && now_ns >= c->free_until_ns;
	move_mean(c, samples);
	if (c->ran_ns < SPAN_NS)
		return;
	calibrate(c);
	c->ran_ns = c->occupied_ns = c->even_ran_ns = c->even_lost_ns = 0;
}

bool cost_is_spent(const struct cost *c)
{
	return c->bounded && c->left_ns < 0;
}

uint64_t cost_factor(const struct cost *c, uint64_t period_ns)
{
	uint64_t may = period_ns * c->bound_ppm / MILLION * AIM_NUMERATOR / AIM_DENOMINATOR;
	uint64_t factor = c->bounded && may ? COST_ONE * c->mean_ns / may : COST_ONE;

	return factor > COST_ONE ? factor : COST_ONE;
}
