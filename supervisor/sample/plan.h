/* SPDX-License-Identifier: MIT */
/*
 * When to look: the instants of one CPU. Pure arithmetic.
 *
 * Those of the profile are a Poisson process: the time to the next one is exponentially
 * distributed, with the span as its mean, and a sample that is taken at one weighs a span. So the
 * expected sum of the weights of a piece of code is the time that this CPU spends in it, whatever
 * the program does *and whatever the look does to it*, as long as the span is fixed before the
 * look: at no moment does it matter when the last instant was. One instant in each slot would have
 * less noise, but the rest of a slot is never looked at; where the look moves a thread to another
 * CPU, or ends its turn, what it does then is counted too little or too much. A span may be longer
 * than the period that was asked for: where nobody was met for a while, or to keep a bound.
 *
 * Streams are clocks with periods of their own that share the wake-ups: the profile's, 0, and those
 * of the tables of sprofil(2). A table counts ticks, which are to be as many as there are periods:
 * it has one instant at a random moment of each slot, the same on all CPUs.
 */
#ifndef SUPERVISOR_PLAN_H
#define SUPERVISOR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define PLAN_STREAMS 6
#define PLAN_NEVER   UINT64_MAX

/* xorshift64*; the state is never 0. */
struct plan_random {
	uint64_t state;
};
void plan_seed(struct plan_random *random, uint64_t seed);
/* A number in [0, bound), bound > 0. */
uint64_t plan_random(struct plan_random *random, uint64_t bound);

struct plan_stream {
	uint64_t period_ns; /* 0: not in use */
	uint64_t slot_ns;   /* CLOCK_MONOTONIC: where the present slot of a table begins */
	uint64_t span_ns;   /* its length; the profile's: the mean time up to the next instant */
	uint64_t lost_ns;   /* weight of earlier instants that the next one takes over */
	uint64_t next_ns;   /* CLOCK_MONOTONIC: the next instant */
	unsigned misses;    /* instants in a row that met nobody */
	unsigned passed;    /* instants that plan_advance() found to be over */
};

struct plan {
	/*
	 * The profile has one instant in each slot, too: for a thread that is alone on its CPU the
	 * look changes no turns, and slots have no noise.
	 */
	bool slotted;
	/*
	 * Its gaps are more even than a Poisson process's, for nobody waits for a CPU, and the look
	 * ends nobody's turn. Their variance is 0.47 of that; at no time is an instant less than
	 * half as probable as on average.
	 */
	bool even;
	struct plan_stream stream[PLAN_STREAMS];
};

/* Begins, changes (another period: from now on) or ends (0) a stream. */
void plan_set(struct plan *plan, unsigned stream, uint64_t period_ns, uint64_t now_ns,
	struct plan_random *random);

/* The earliest instant of all streams, PLAN_NEVER: none. */
uint64_t plan_next(const struct plan *plan);

/* Which streams have their instant at or before @ns: a bit for each. */
unsigned plan_due(const struct plan *plan, uint64_t ns);

/*
 * What a sample weighs that is taken at the present instant of @stream: its span, and those of the
 * instants before it that were lost. It stands for them, as what came before tells nothing of where
 * a program is now.
 */
uint64_t plan_weight(const struct plan *plan, unsigned stream);

/*
 * An instant of @weight_ns turns out to be lost, after the next one was planned. Returns how much
 * of it the next one cannot take over.
 */
uint64_t plan_lose(struct plan *plan, unsigned stream, uint64_t weight_ns);

enum plan_outcome {
	PLAN_LOST,   /* the instant could not be used: its weight goes to the next one */
	PLAN_NOBODY, /* nobody was met */
	PLAN_MET,
};

/*
 * The instant of @stream is over, and the next one is planned, not before @now_ns. Instants of the
 * profile that have passed meanwhile are lost, and slots of a table that lie wholly in the past.
 * @factor_1024 / 1024, at least 1, makes the span longer than the period; where nobody is met it is
 * up to @most periods long. Returns how much of the lost weight the next instant cannot take over.
 */
uint64_t plan_advance(struct plan *plan, unsigned stream, enum plan_outcome outcome,
	uint64_t now_ns, uint64_t factor_1024, unsigned most, struct plan_random *random);

/*
 * What a sample takes from its thread, @ns, is nobody's time, and no instant falls into it. So a
 * period is one of the time that the threads have. Negative: too much was left out before. An
 * instant that is due at @now_ns stays where it is, and the slots after it are shifted.
 */
void plan_shift(struct plan *plan, unsigned stream, int64_t ns, uint64_t now_ns);

/*
 * Somebody is on this CPU after all: where the span of the profile is longer than the period, as
 * nobody was met, another one of a period begins now. Instants are as dense as their weights say,
 * before and after.
 */
void plan_wake(struct plan *plan, uint64_t now_ns, struct plan_random *random);

/* The profile's instants begin again: those up to @now_ns were not wanted. */
void plan_restart(struct plan *plan, uint64_t now_ns, struct plan_random *random);

/*
 * How many periods the next span of a CPU is long where @misses instants in a row met nobody: 1,
 * then twice as many after each doubling of 16, @most at most.
 */
unsigned plan_stretch(unsigned misses, unsigned most);

#endif
