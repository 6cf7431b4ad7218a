/* SPDX-License-Identifier: MIT */
/*
 * The sampling instants of one CPU. Pure arithmetic.
 *
 * The instants are a Poisson process whose mean gap is the period. The weight of a sample is the
 * mean gap that was in use when its instant was planned. So the weights of the samples in a piece
 * of code add up, on average, to the time that this CPU spends there, whatever the program and
 * sampling do. A Poisson process has no memory: an instant within the supervisor's own work is
 * dropped, and the next one is drawn from the end of that work on.
 *
 * A stream is a series of instants of its own: stream 0 is the profile's, the last one that of
 * --region, the others those of sprofil(2) tables.
 */
#ifndef SUPERVISOR_PLAN_H
#define SUPERVISOR_PLAN_H

#include <stdint.h>

#define PLAN_STREAMS 6
#define PLAN_NEVER   UINT64_MAX
/* The factor 1: factors are in units of 1/1024. */
#define PLAN_ONE 1024

/* A generator of random numbers (xorshift64*). The state is never 0. */
struct plan_random {
	uint64_t state;
};
void plan_seed(struct plan_random *random, uint64_t seed);
/* Returns a random number in [0, bound), bound > 0. */
uint64_t plan_random(struct plan_random *random, uint64_t bound);

struct plan_stream {
	uint64_t period_ns; /* as requested; 0: not in use */
	uint64_t span_ns;   /* what a sample at the next instant weighs */
	uint64_t next_ns;   /* CLOCK_MONOTONIC: the next instant */
};

struct plan {
	struct plan_random random;
	/* 1024 times the factor by which the profile's gaps are longer, to keep bounds on cost */
	uint64_t factor_1024;
	/* 1024 times the factor by which all gaps are longer after many misses on this CPU */
	uint64_t stretch_1024;
	struct plan_stream stream[PLAN_STREAMS];
};

/* The streams that have their instant now, and what a sample weighs in each. */
struct plan_due {
	unsigned streams; /* a bit for each stream that is due */
	uint64_t weight_ns[PLAN_STREAMS];
};

void plan_init(struct plan *plan, uint64_t seed);
/* Sets a stream's period, which begins or changes the stream; 0 ends it. */
void plan_set_period(struct plan *plan, unsigned stream, uint64_t period_ns, uint64_t now_ns);
/* The factors apply from the next gap on; a smaller @stretch_1024 also redraws the present gap. */
void plan_set_factors(
	struct plan *plan, uint64_t factor_1024, uint64_t stretch_1024, uint64_t now_ns);

/* Returns the earliest instant of all streams, PLAN_NEVER: none. */
uint64_t plan_next(const struct plan *plan);

/*
 * Takes all instants up to @now_ns: they are due. Several of one stream are due if the wake-up was
 * later than the gap between them. Their weights add up, because one system call must have delayed
 * a wake-up that is so late: the CPU was in that call at each of these instants (LATE_REALTIME_NS
 * in sampler.c). The next instants lie after @now_ns.
 */
void plan_take(struct plan *plan, uint64_t now_ns, struct plan_due *ret_due);

/* Drops the instants up to @now_ns, which fell into the supervisor's own work. */
void plan_drop(struct plan *plan, uint64_t now_ns);

#endif
