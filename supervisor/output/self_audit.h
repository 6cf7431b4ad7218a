/* SPDX-License-Identifier: MIT */
/*
 * What the supervisor measured about itself, and the CPU and waiting times of the target as the
 * kernel counts them. All are sent to the analyst as lines "key value\n", with the keys of
 * `sprofreport summary`.
 */
#ifndef SUPERVISOR_SELF_AUDIT_H
#define SUPERVISOR_SELF_AUDIT_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"
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
/* Returns the quantile of the durations, as the middle of its bucket; 0: there are none. */
uint64_t audit_histogram_quantile(const struct audit_histogram *histogram, unsigned per_mille);

struct self_audit {
	uint64_t period_ns;
	uint64_t ticks;     /* samples sent */
	uint64_t found_ns;  /* weights of the samples, including lost ones */
	uint64_t kernel_ns; /* CPU time of closed accounts, as the kernel counts it */
	/* with --thread-name (@chooses): number of chosen threads, and CPU time of the others */
	bool chooses;
	uint64_t chosen_threads, left_out_ns;
	uint64_t began_ns;   /* CLOCK_MONOTONIC */
	uint64_t stops;      /* tick stops */
	uint64_t stopped_ns; /* duration of all tick stops, summed over threads */
	struct audit_histogram stop;
	struct kernel_time in_kernel; /* figures of closed accounts */
	bool realtime;                /* the sampler currently has real-time priority */
	uint64_t lost_samples;        /* samples lost: the ring was full, or an analyst died */
	uint64_t missed_stops;        /* stops requested that did not come within a second */
	uint64_t processes, threads;
	uint64_t untraced_exits; /* first threads that were detached when they began to exit */
	/*
	 * Files of one run (--rotate, --ring) share @recording, and are numbered from 1; @recording
	 * 0: there is only one file. The processes and threads in continued_* were counted in the
	 * previous file, too.
	 */
	uint64_t recording, recording_file, continued_processes, continued_threads;
	uint64_t unwatched_threads; /* at some time not sampled for want of descriptors or memory */
	uint64_t analyst_restarts;
	/* Waiting time of threads, which is counted only if wall-clock time is sampled (@wall). */
	bool wall;
	uint64_t elapsed_ns;         /* time covered by closed accounts, summed over threads */
	struct waiting waited;       /* waiting time sent to the analyst */
	struct waiting unattributed; /* waiting time of threads that could not be examined */
	uint64_t looks;              /* observations of blocked threads */
	uint64_t unsure_looks;       /* looks without a stack: the thread ran before the copy */
	uint64_t lost_looks;         /* observations lost: the ring was full */
	/* time in which ticks were less frequent than requested, because of --max-cpu */
	uint64_t yielded_ns;
};

struct audit_figure {
	const char *key;
	uint64_t value;
	bool shown;
};
/* Writes the lines of the figures that are shown; returns the length, or -ENOSPC. */
int audit_print(const struct audit_figure *figure, size_t figures, char *to, size_t room);

#endif
