/* SPDX-License-Identifier: MIT */
/* What the files of the engine share: engine.c (loop), lifecycle.c and birth.c (events), sampler.c
 * (ticks), … */
#ifndef SUPERVISOR_ENGINE_INTERNAL_H
#define SUPERVISOR_ENGINE_INTERNAL_H

#include "supervisor/engine/audit.h"
#include "supervisor/engine/emit.h"
#include "supervisor/engine/sampling.h"
#include "supervisor/engine/engine.h"
#include "supervisor/engine/link.h"
#include "supervisor/sample/throttle.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/calls/service.h"
#include "supervisor/calls/session.h"
#include "supervisor/target/target.h"
#include "supervisor/os/waiter.h"
#include "supervisor/os/watchdog.h"

/* Most analysts that are started after the first one died. */
#define ENGINE_RESTARTS_MOST 5

#define ENGINE_SECOND_NS UINT64_C(1000000000)

struct engine {
	const struct engine_options *options;
	struct engine_result *result;
	struct tracer_options tracer;
	struct target target;
	struct throttle throttle;
	uint64_t period_ns; /* of the profile */
	struct service service;
	struct audit audit;
	struct emitter emitter;
	struct link link;
	struct launch launch;
	struct watchdog watchdog;
	enum cpu_source cpu_source;
	uint64_t scheduler_tick_ns; /* 0: CPUs run without one, or the source is too coarse */
	int signal_fd;
	bool counting;   /* samples are taken and CPU time is counted */
	bool letting_go; /* calls are not mended any more in ways that would have to be watched */
	bool executed;   /* the command has got as far as its exec */
	bool hung_up;    /* the terminal is gone, and we are the session's leader */
	bool stop;       /* let everything go and end */
	bool undrained;  /* more has happened than could be handled at once; no signal will tell of
			    it */
	bool said_who_is_left;
	bool said_no_activity;
	struct sampling sampling;
	uint64_t swept_ns;     /* when all threads' turns were last gone on with */
	uint64_t look_tick_ns; /* when the last tick with looks began */
	bool stop_pending;     /* the terminal asked us to stop (^Z); the command decides */
	unsigned early;        /* threads in TRACEE_EARLY */
	int fds_most;          /* descriptors from this number on are not kept */
	uint64_t fds_again_ns;
	size_t fds_cursor;
	bool fds_scarce; /* there are not enough for all threads at work */
	bool said_no_fds, said_no_memory, said_tracer, said_privilege;
	uint64_t ends_at_ns;    /* --duration, 0 none */
	uint64_t begins_at_ns;  /* --delay */
	uint64_t audit_again_ns;
	uint64_t mend_next_ns;   /* when a call that is watched has waited long enough; 0: none */
	struct stack_copy stack; /* of the thread that is stopped */
	/* Files that an analyst died of; its successors leave them alone. */
	char skip[ENGINE_RESTARTS_MOST + 1][RING_WORKING_ON_BYTES];
	unsigned skips;
	char *text; /* buffer for maps and the audit */
	size_t text_room;
};

uint64_t engine_clock(int clock);
uint64_t engine_now(void); /* CLOCK_MONOTONIC */
void engine_say(struct engine *engine, enum engine_note kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The command before its first exec: what it does is the supervisor's doing. */
bool engine_is_ours(const struct engine *engine, const struct tracee *tracee);

/* The target runs: what is timed (--delay, --duration) begins. */
void engine_begin_times(struct engine *engine);

/* Figures up to now into engine->text; returns it, NULL when out of memory. */
const char *engine_audit_text(struct engine *engine, uint64_t now_ns);

/* lifecycle.c: acts on what waiter_peek() saw. */
void lifecycle_handle(struct engine *engine, const struct waiter_result *seen);
/* The state machine's step for one event of a thread, and what it asks for. */
void lifecycle_act(
	struct engine *engine, struct tracee *tracee, enum tracee_event event, int status);
/* Looks for stops and deaths of anyone, and acts on them; bounded. */
void lifecycle_drain(struct engine *engine);
/* ^Z: when the command lets itself be stopped, so do we, and the shell sees its job stopped. */
void lifecycle_stop_with_command(struct engine *engine);
/*
 * Forgets threads that are gone though no wait told of it, some at each call: for what nobody
 * thought of, since we wait for the last thread to end.
 */
void lifecycle_sweep(struct engine *engine);

/* birth.c: attaches to all threads of a process. */
int birth_attach(struct engine *engine, int pid);
/* @parent has made a process or thread; its event is not resumed from yet. */
void birth_adopt(struct engine *engine, struct tracee *parent);
/* A stop of a thread that nobody told us of yet. */
void birth_meet(struct engine *engine, const struct waiter_result *seen);
/* Adopts threads whose parent's event never came. */
void birth_adopt_orphans(struct engine *engine, uint64_t now_ns);
/* The executable of a process; NULL: out of memory. */
struct image *birth_image(struct engine *engine, int pid);
/* A thread cannot be taken in, and goes on without us. */
void birth_no_memory(struct engine *engine, int tid);

/* fds.c */
void fds_init(struct engine *engine);
/* For the end of a message: what to do about an -errno of an open, "" for others than -EMFILE. */
const char *fds_way_out(int error);
/* May a descriptor of @process stay open? *@fd may become another number for the same. */
bool fds_fit(struct engine *engine, const struct process *process, int *fd);
/* What procfs_open_…() gave, to be kept; or -errno, and it is closed. */
int fds_keep(struct engine *engine, const struct process *process, int fd);
/*
 * What the stop window of @t needs is open, if need be at the cost of another thread. False: it
 * cannot be sampled, which is counted, and said once.
 */
bool fds_claim(struct engine *engine, struct tracee *t);

/* special.c: what is different under a tracer is said when a process calls exec, or makes a child.
 */
void special_see_exec(struct engine *engine, const struct process *process);
void special_see_child(struct engine *engine, const struct process *parent);
/*
 * Does a process, by its /proc/PID/status, lack what its file of this mode and owner would give it?
 * @capabilities: the file has some. Pure.
 */
bool special_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities);

/* account.c: begins a thread's account now; a newborn has used nothing. */
void account_begin(struct engine *engine, struct tracee *tracee, bool newborn);
/* A reading of it, exact or not. */
void account_see(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
/* The analyst is told what the thread has used since the last time; @last: in this image. */
void account_tell(struct engine *engine, struct tracee *tracee, bool last);
/* Closes the account at the last reading; at what the kernel says now. */
void account_charge(struct engine *engine, struct tracee *tracee);
void account_close(struct engine *engine, struct tracee *tracee);
/* The process is gone or let go: the analyst is told, and what it used. */
void account_end(struct engine *engine, struct process *process, uint32_t status);
/* Reads some threads in turn. */
void account_sweep(struct engine *engine, uint64_t now_ns);
/* Begins or ends the counting of CPU time, for all. */
void account_count(struct engine *engine, bool counting);
/* Closes the accounts of all that live, for good. */
void account_settle(struct engine *engine);
/* Reads a thread's CPU time, stale or not. */
int account_read_cpu(struct engine *engine, struct tracee *tracee, struct cpu_time *ret_cpu);

/* reader.c: starts an analyst, the first or after one died; without one the target still runs on.
 */
void reader_start(struct engine *engine);
/* The analyst has ended with @status before its time. */
void reader_died(struct engine *engine, int status);

/* control.c: reads what has come by the signal descriptor, and by the analyst's request pipe. */
void control_signals(struct engine *engine);
void control_requests(struct engine *engine);

/* maps.c: reads the maps, keeps what is executable, and hands the text to the analyst. */
void maps_read(struct engine *engine, struct process *process, uint64_t now_ns);
/* Reads them if what the analyst has does not tell what is at @pc. The thread runs. */
void maps_cover(struct engine *engine, struct process *process, uint64_t pc, uint64_t now_ns);
/* Learns, for the next time, where the stack at @sp ends, if that is not known or may have changed.
 */
void maps_cover_stack(struct engine *engine, struct process *process, uint64_t sp, uint64_t now_ns);

/* look.c: with the wall clock, where blocked threads are: looks at some in turn; bounded. */
void look_tick(struct engine *engine, uint64_t now_ns);
/* Its tick stop of @stop_ns is over; @cpu was read in it. */
void look_stopped(struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu,
	uint64_t stop_ns, uint64_t end_ns);
/* Begins, and closes, its account. */
void look_begin(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
void look_close(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
/* The analyst has what it owed. */
void look_paid(struct engine *engine, struct tracee *tracee, const struct waiting *paid);
/* The analyst has died. */
void look_forget_analyst(struct engine *engine);
/*
 * A tick of a thread that we took the CPU from and that sleeps now: where it sleeps it was, and so
 * no stop is needed.
 */
void look_take_tick(struct engine *engine, struct tracee *tracee);
/* What the thread does. 1: /proc/…/syscall cannot be read; whether it runs is all that is known. */
int look_read_activity(struct engine *engine, struct tracee *tracee, struct activity *ret_activity);

/* dump.c: one stack of every thread. */
void dump_run(struct engine *engine);
/* As sampling_stop(); and of a thread that is left stopped with its process. */
void dump_stop(struct engine *engine, struct tracee *tracee, int signal);
void dump_group_stop(struct engine *engine, struct tracee *tracee);

#endif
