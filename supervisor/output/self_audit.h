/* SPDX-License-Identifier: MIT */
/*
 * What the supervisor measured about itself, and the kernel's figures. Sent to the analyst as lines
 * "key value\n", with the keys of `sprofreport summary`.
 */
#ifndef SUPERVISOR_SELF_AUDIT_H
#define SUPERVISOR_SELF_AUDIT_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/calls/session.h"
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
	uint64_t began_ns, ended_ns; /* CLOCK_MONOTONIC */
	uint64_t stops;              /* tick stops */
	uint64_t stopped_ns;         /* duration of all tick stops, summed over threads */
	struct audit_histogram stop;
	/* durations of the turns of waiters (sampling.h); borrowed */
	const struct audit_histogram *question;
	uint64_t cost_ns; /* CPU time that sampling took from the target */
	/* figures of closed accounts; @all_closed: no account is open */
	struct kernel_time in_kernel;
	bool all_closed;
	/* as in struct sample_figures: instants of the profile, not of tables */
	uint64_t instants, late_instants, busy_instants, throttled_instants, unproved_stops;
	bool realtime;         /* the sampler currently has real-time priority */
	uint64_t lost_samples; /* samples lost: the ring was full, or an analyst died */
	uint64_t missed_stops; /* stops requested that did not come within a second */
	uint64_t processes, threads;
	uint64_t untraced_exits;   /* first threads that were detached when they began to exit */
	uint64_t descendants_left; /* engine_options.descendants_left */
	/*
	 * Files of one run (--rotate, --ring) share @recording, and are numbered from 1; @recording
	 * 0: there is only one file. The processes and threads in continued_* were counted in the
	 * previous file, too.
	 */
	uint64_t recording, recording_file, continued_processes, continued_threads;
	uint64_t unwatched_threads; /* at some time not sampled for want of descriptors or memory */
	uint64_t analyst_restarts;
	uint64_t repaired_calls; /* system calls that a stop disturbed and that were restarted */
	/* Waiting time of threads, which is counted only if wall-clock time is sampled (@wall). */
	bool wall;
	uint64_t elapsed_ns;         /* time covered by closed accounts, summed over threads */
	struct waiting waited;       /* waiting time sent to the analyst */
	struct waiting unattributed; /* waiting time of threads that could not be examined */
	uint64_t looks;              /* observations of blocked threads */
	uint64_t unsure_looks;       /* looks without a stack: the thread ran before the copy */
	uint64_t lost_looks;         /* observations lost: the ring was full */
	/* calls that failed with EINTR at a stop and could not be restarted */
	uint64_t unrepaired_eintr;
	uint64_t undelivered_pages; /* times that a page was not there in time */
	/* time in which ticks were less frequent than requested, because of --max-cpu */
	uint64_t yielded_ns;
	struct session_figures calls; /* figures of sprofil and profil, in ticks of their tables */
};

/* Writes the lines; returns the length, or -ENOSPC. */
int self_audit_print(
	const struct self_audit *audit, uint64_t supervisor_cpu_ns, char *to, size_t room);

#endif
