/* SPDX-License-Identifier: MIT */
/*
 * What the supervisor measured of itself and of the kernel's figures. Handed to the analyst as
 * lines "key value\n", whose keys are those of `sprofreport summary`.
 */
#ifndef SUPERVISOR_AUDIT_H
#define SUPERVISOR_AUDIT_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/calls/session.h"
#include "supervisor/target/wall.h"

/* Durations in buckets of 3 %: 32 for each power of two, from 1 ns to 2^40 ns. */
#define AUDIT_OCTAVES 40
#define AUDIT_STEPS   32
struct audit_histogram {
	uint32_t count[AUDIT_OCTAVES * AUDIT_STEPS];
	uint64_t total;
	uint64_t max_ns;
};

void audit_histogram_add(struct audit_histogram *histogram, uint64_t ns);
/* The duration below which the share @per_mille of 1000 lies (the bucket's middle); 0 when empty.
 */
uint64_t audit_histogram_quantile(const struct audit_histogram *histogram, unsigned per_mille);

struct audit {
	uint64_t period_ns;
	uint64_t ticks;              /* samples handed over */
	uint64_t found_ns;           /* weights of the samples, lost ones too */
	uint64_t kernel_ns;          /* CPU time of the same threads, of those that ended */
	bool chooses;                /* threads are chosen: how many, and the others' CPU time */
	uint64_t chosen_threads, left_out_ns;
	uint64_t began_ns, ended_ns; /* CLOCK_MONOTONIC */
	uint64_t stops;              /* tick stops */
	uint64_t stopped_ns;         /* their time, summed over threads */
	struct audit_histogram stop;
	uint64_t instants, late_instants, throttled_instants, unproved_stops; /* of the profile */
	bool realtime;         /* the sampler has real-time priority, now */
	uint64_t lost_samples; /* ring full, or an analyst died with them */
	uint64_t missed_stops; /* asked for, and not come within a second */
	uint64_t processes, threads;
	uint64_t unwatched_threads; /* not sampled (always) for want of descriptors or memory */
	uint64_t analyst_restarts;
	uint64_t repaired_calls; /* system calls that a stop disturbed, and that were mended */
	/* With the wall clock. */
	bool wall;
	uint64_t elapsed_ns;          /* lifetimes of the threads that ended, added up */
	struct waiting waited;        /* handed over */
	struct waiting unattributed;  /* that nobody could be seen for */
	uint64_t looks;               /* at blocked threads, with a place */
	uint64_t unsure_looks;        /* thrown away: the thread ran meanwhile */
	uint64_t lost_looks;          /* ring full */
	uint64_t unrepaired_eintr;    /* that failed with EINTR at a stop and had to be left so */
	uint64_t yielded_ns;          /* time in which ticks were rarer than asked, for --max-cpu */
	struct session_figures calls; /* of sprofil and profil, in ticks of their tables */
};

/* Writes the lines; returns the length, or -ENOSPC. */
int audit_print(const struct audit *audit, uint64_t supervisor_cpu_ns, char *to, size_t room);

#endif
