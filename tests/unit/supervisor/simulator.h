/* SPDX-License-Identifier: MIT */
/*
 * A machine in virtual time: threads that follow a program, CPUs, a scheduler, and a supervisor
 * that does what engine/sampling.c does, with the real plan and the real sampler. The seed
 * determines every event.
 *
 *	simulator.c           events in their order: steps of programs, sleeps, requests of ours
 *	simulator_cpu.c       CPUs and the scheduler: which thread runs on which CPU
 *	simulator_driver.c    the probe, waiters and the tracing thread, after engine/sampling.c
 *	simulator_programs.c  the programs
 *	test_simulator.c      the statistics
 *
 * The truth is the CPU time that the machine gave to each place of a program while it was sampled.
 * The tests compare it with the sums of the sampler's weights.
 */
#ifndef TESTS_SIMULATOR_H
#define TESTS_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/sample/sampler.h"

#define SIM_CPUS    64
#define SIM_PLACES  12
#define SIM_THREADS 1100
#define SIM_BATCHES 64
#define SIM_NEVER   UINT64_MAX
#define SIM_US      UINT64_C(1000)
#define SIM_MS      UINT64_C(1000000)
/* During this time, a thread that falls asleep cannot be preempted. */
#define SIM_FALL_ASLEEP_NS 1500

struct sim;
struct sim_thread;

enum sim_kind {
	SIM_RUN,  /* own code: preempted and stopped where it is */
	SIM_CALL, /* a call that computes: can be preempted, stops at its end */
	/* a call that cannot be preempted: the supervisor gets the CPU at its end */
	SIM_ATOMIC,
	SIM_SLEEP,       /* sleeps for @ns */
	SIM_SLEEP_UNTIL, /* sleeps until @ns */
	SIM_WAIT,        /* waits until another thread wakes it; an earlier wake-up counts */
	SIM_WAKE,        /* wakes @other; takes no time */
	SIM_SPAWN,       /* starts a thread with @program; takes no time */
	SIM_EXIT,
};

struct sim_step {
	enum sim_kind kind;
	unsigned place; /* location; of a sleep: where it begins and ends */
	uint64_t ns;
	struct sim_thread *other;
	void (*program)(struct sim *sim, struct sim_thread *thread, struct sim_step *step);
};

typedef void sim_program(struct sim *sim, struct sim_thread *thread, struct sim_step *step);

enum sim_state {
	SIM_UNUSED,
	SIM_QUEUED,
	SIM_ON_CPU,
	SIM_BLOCKED,
	SIM_STOPPED, /* stopped on request; not yet seen by the tracing thread */
	SIM_BORN,    /* waits for the tracing thread to resume it */
	SIM_ENDED,   /* waits for the tracing thread to reap it */
};

enum sim_phase { SIM_BODY, SIM_FALLING_ASLEEP, SIM_SLEEPING, SIM_WAKING };

struct sim_thread {
	struct sample_thread sample;
	sim_program *program;
	unsigned id, at, count;
	uint64_t number[4]; /* for the program's own use */
	struct sim_thread *peer[2];
	bool foreign; /* not of the target */
	enum sim_state state;
	enum sim_phase phase;
	struct sim_step step;
	uint64_t left_ns;
	bool interrupt; /* a stop request is pending */
	bool woken;     /* the awaited event has come */
	unsigned posts; /* wake-ups that came before the sleep */
	bool fresh;     /* last enqueued by a wake-up, and has not run since */
	int cpu;
	uint64_t vruntime_ns;
	uint64_t since_ns; /* when it got its CPU, or entered its queue */
	uint64_t run_ns, wait_ns, slices, stamp_ns;
	uint64_t wake_at_ns;
	size_t timer; /* index in the heap of timers, plus 1 */
	bool reported, asked, hit;
	uint64_t stop_requested_ns;
};

enum sim_ours { SIM_NOT_OURS, SIM_WAITER_HOLDS, SIM_TRACER };

struct sim_cpu {
	struct sim_thread *current, *left; /* left: the thread that ran here last */
	struct sim_thread **queue;
	size_t queued;
	uint64_t accounted_ns; /* up to here current's time is accounted */
	uint64_t event_ns;     /* end of current's step or slice */
	uint64_t slice_end_ns;
	uint64_t min_vruntime_ns;
	bool idle;
	uint64_t idle_since_ns;
	uint64_t exits_ns;  /* when an idle CPU will be awake; SIM_NEVER: nothing wakes it */
	uint64_t leaves_ns; /* when an awake CPU leaves the kernel's idle loop; 0: it has left */
	/* Threads of the supervisor. */
	enum sim_ours ours;
	uint64_t stamp_ns;           /* when the supervisor's thread was scheduled in */
	struct sim_thread *replaced; /* ran before the supervisor's thread; NULL: none */
	/* ran before the waiter at its last instant */
	struct sim_thread *preempted;
	uint64_t waiter_due_ns; /* for which the waiter's timer is set */
	uint64_t waiter_at_ns;  /* when that timer expires */
	uint64_t expired_ns;    /* when it last expired */
	uint64_t arrives_ns[2]; /* when the waiter and the tracer may get the CPU */
	bool holds;             /* the waiter is awake */
	bool claims;            /* the waiter waits for its turn */
	bool reads;             /* the waiter reads what it may before its turn */
	bool dropped;           /* the waiter has nothing to do */
	bool asked;             /* the waiter had its turn */
	uint64_t woke_ns, holds_until_ns;
	/* The thread expected on this CPU, as in struct sampled_cpu of the sampler. */
	struct sim_thread *expected;
	struct plan plan;
	struct sample_instant instant;
	uint64_t occupied_until_ns;
	uint64_t next_ns; /* of the next event on this CPU */
};

struct sim_options {
	unsigned cpus;
	uint64_t period_ns, duration_ns, seed;
	bool realtime;
	/*
	 * Mean delay in a virtual machine: from a timer's interrupt, which is in time, to our first
	 * instruction; and from a thread's wake-up on an idle CPU to its first instruction, in CPU
	 * time of the thread.
	 */
	uint64_t slow_ns;
	/* An idle CPU of a virtual machine needs this time for anything, even timers; 0: real. */
	uint64_t idle_ns;
	unsigned files; /* factor of the time to read files of /proc; 0: as 1 */
	bool no_stamps; /* the kernel does not report when threads were switched */
};

struct sim_result {
	double found[SIM_BATCHES][SIM_PLACES], truth[SIM_BATCHES][SIM_PLACES];
	uint64_t samples, events, refused;
	/* instants that found another thread than the preempted one; that found none */
	uint64_t wrong, missed;
	struct sample_figures figures;
};

struct sim {
	struct sim_options options;
	uint64_t now;
	struct plan_random random;
	struct sim_cpu cpu[SIM_CPUS];
	struct sim_thread thread[SIM_THREADS];
	size_t threads;                        /* highest index ever used, plus 1 */
	struct sim_thread *timer[SIM_THREADS]; /* heap of threads in a timed sleep */
	size_t timers;
	uint64_t tracer_due_ns, tracer_at_ns; /* timer of the tracing thread, and its expiry */
	bool tracer_runs, tracer_called;
	unsigned tracer_cpu;
	int turn;                  /* index of the waiter that has its turn; -1: none */
	struct sample_thread *hit; /* for which that waiter called the tracing thread */
	/* stopped, born or ended threads that the tracing thread must handle */
	struct sim_thread *report[SIM_THREADS];
	size_t reports;
	struct sampler sampler;
	uint64_t called_ns, awake_ns, claimed_ns, worked_ns, decide_next_ns, busy;
	struct sim_thread *queue[SIM_CPUS][SIM_THREADS];
	unsigned batch;
	struct sim_result *result;
};

/* Draws a number in [from, to). */
uint64_t sim_between(struct sim *sim, uint64_t from, uint64_t to);

/* The thread needs sim_start(). NULL: there are SIM_THREADS already. */
struct sim_thread *sim_new_thread(struct sim *sim, sim_program *program);
void sim_start(struct sim *sim, struct sim_thread *thread);

/* Lets time pass until @until_ns, or until a sleeping tracing thread is awake. */
void sim_pass(struct sim *sim, uint64_t until_ns);
/* Lets the tracing thread sleep until @until_ns or a wake-up. False: a wake-up came before. */
bool sim_tracer_sleep(struct sim *sim, uint64_t until_ns);
void sim_tracer_work(struct sim *sim, uint64_t ns);
/* Calls the tracing thread, which sleeps or waits for its turn, to @cpu. */
void sim_tracer_move(struct sim *sim, unsigned cpu);
/* The waiter of @cpu sleeps until its next instant. */
void sim_waiter_release(struct sim *sim, unsigned cpu);
/*
 * In the driver. sim_waiter_comes(): the waiter of @cpu wakes up. sim_waiter_goes(): it sleeps
 * again. sim_waiter_stays(): does it still wait for its turn? sim_next_turn(): gives the turn to
 * the next waiter. sim_waiter_asks(): the waiter with the turn samples, and calls the tracing
 * thread for a hit.
 */
void sim_waiter_comes(struct sim *sim, unsigned cpu);
void sim_waiter_goes(struct sim *sim, unsigned cpu);
bool sim_waiter_stays(struct sim *sim, unsigned cpu);
void sim_next_turn(struct sim *sim);
void sim_waiter_asks(struct sim *sim);
void sim_interrupt(struct sim *sim, struct sim_thread *thread);
void sim_resume(struct sim *sim, struct sim_thread *thread);
/* Accounts the CPU time of the running threads, up to now. */
void sim_account(struct sim *sim);

/* Samples the threads that @begin makes. 0 or -ENOMEM. */
int sim_run(const struct sim_options *options, void (*begin)(struct sim *sim),
	struct sim_result *ret_result);

#endif
