/* SPDX-License-Identifier: MIT */
/* What the files of the engine share: engine.c (loop), lifecycle.c and birth.c (events), sampler.c
 * (ticks), … */
#ifndef SUPERVISOR_ENGINE_INTERNAL_H
#define SUPERVISOR_ENGINE_INTERNAL_H

#include "supervisor/engine/audit.h"
#include "supervisor/engine/emit.h"
#include "supervisor/engine/engine.h"
#include "supervisor/sample/follow.h"
#include "supervisor/engine/link.h"
#include "supervisor/sample/moment.h"
#include "supervisor/sample/pace.h"
#include "supervisor/calls/service.h"
#include "supervisor/target/target.h"
#include "supervisor/os/waiter.h"
#include "supervisor/os/watchdog.h"

/* Most analysts that are started after the first one died. */
#define ENGINE_RESTARTS_MOST 5

/* Looks at idle threads (idle.c). */
struct idle {
	int load_fd;                       /* /proc/loadavg, negative: it cannot be had */
	unsigned cpus;                     /* of the machine, as /proc/loadavg is */
	unsigned nth;                      /* look of a search */
	uint64_t since_ns, least_since_ns; /* looks have been earned since */
	unsigned watched;                  /* threads whose waking is awaited */
	/* Of the present tick: */
	uint64_t share_ns;   /* of the time for each */
	size_t looks, least; /* that are left; of these, to be made even if nobody seems to run */
	size_t distance, steps; /* of the search, in hours; threads that it may still pass */
	size_t turns;           /* threads whose turn it may still be: each once */
	struct tracee *at;      /* the next one of this hour; NULL: it was the last */
	uint64_t ticks;
	unsigned others; /* threads of the machine that are runnable besides us; UINT_MAX unknown */
	unsigned running; /* of these, that were not found yet */
	/* They are searched for: their number is known, not too large, and some may be asked. */
	bool searched;
};

struct engine {
	const struct engine_options *options;
	struct engine_result *result;
	struct tracer_options tracer;
	struct target target;
	struct wakeups wakeups;
	struct pace pace;
	uint64_t period_ns; /* of the profile */
	uint64_t due_ns;    /* as credit.due_ns, of all threads together */
	struct service service;
	struct audit audit;
	struct emitter emitter;
	struct link link;
	struct launch launch;
	struct watchdog watchdog;
	enum cpu_source cpu_source;
	uint64_t moved_at_ns;       /* when any thread was last seen to have run */
	uint64_t scheduler_tick_ns; /* 0: CPUs run without one, or the source is too coarse */
	uint64_t spin_ns;           /* how long to look for stops before sleeping */
	struct follow follow;
	struct moment moment;
	bool wants_moment; /* the next tick does (moment.h) */
	unsigned parts;    /* that the time until the next one is divided by: CPUs to go to */
	bool at_once, was_at_once; /* the next tick is at once; this one is such a one */
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
	struct idle idle;
	uint64_t look_tick_ns; /* when the last tick with looks began */
	int64_t look_left_ns;  /* time that looks may take in this tick */
	bool stop_pending;     /* the terminal asked us to stop (^Z); the command decides */
	unsigned early;        /* threads in TRACEE_EARLY */
	int fds_most;          /* descriptors from this number on are not kept */
	uint64_t fds_again_ns;
	size_t fds_cursor;
	bool fds_scarce; /* there are not enough for all threads at work */
	bool said_no_fds, said_no_memory, said_tracer, said_privilege;
	int64_t stop_budget_ns; /* --max-overhead: stop time earned and not spent, or owed */
	uint64_t ends_at_ns;    /* --duration, 0 none */
	uint64_t begins_at_ns;  /* --delay */
	uint64_t audit_again_ns;
	uint64_t mend_next_ns;   /* when a call that is watched has waited long enough; 0: none */
	struct stack_copy stack; /* of the thread that is stopped */
	struct tracee **asked;   /* threads whose stop is awaited by this tick */
	size_t asked_n, asked_room;
	struct tracee **ranked; /* hot threads, the likeliest to be on a CPU first */
	size_t ranked_n,
		ranked_room; /* ranked_n: that are still to be asked; they may go meanwhile */
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

/* The target runs: what is timed (--delay, --duration) begins. */
void engine_begin_times(struct engine *engine);

/* Sets how often to look at the threads: for the profile, and for the sessions of sprofil. */
void engine_set_wakeups(struct engine *engine);

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
/* Closes it at what the kernel says now. */
void account_close(struct engine *engine, struct tracee *tracee);
/* What @run_ns is beyond what was paid goes to the process, or its image. */
void account_pool(struct engine *engine, struct tracee *tracee, uint64_t run_ns);
/* The same, and the kernel's figure goes up to @run_ns. */
void account_charge(struct engine *engine, struct tracee *tracee, uint64_t run_ns);
/* The process leaves its image: what it could not be caught at is for others of that. */
void account_leave(struct engine *engine, struct process *process);
/* The process is gone or let go: the analyst is told, and what it used. */
void account_end(struct engine *engine, struct process *process, uint32_t status);
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

/* idle.c: a tick begins. */
void idle_begin_tick(struct engine *engine, uint64_t now_ns);
/*
 * Are the hot ones to be looked at? Not if nobody runs, unless they are few: of one that sleeps and
 * wakes often a tick can be due that we found on its way to sleep (moment.h).
 */
bool idle_hot_matter(const struct engine *engine, uint64_t now_ns);
/* Are many more threads runnable than there are CPUs, so that each waits for long? */
bool idle_crowd(const struct engine *engine);
/* Is there nobody left to be found? */
bool idle_found_all(const struct engine *engine);
/*
 * Is the waking of this thread awaited, so that it stays a hot one though it sleeps? It is looked
 * at in each tick in which somebody runs, and so it becomes known when it wakes, and in what
 * rhythm.
 */
bool idle_watches(struct engine *engine, struct tracee *tracee, uint64_t now_ns);
/* It is not any more. */
void idle_unwatch(struct engine *engine, struct tracee *tracee);
/* The next idle thread to look at, NULL: no more in this tick. */
struct tracee *idle_next(struct engine *engine, uint64_t now_ns);
/* A thread, idle or not, was looked at: if it runs there is one less to be found. */
void idle_see(struct engine *engine, struct tracee *tracee, uint64_t now_ns);
/*
 * How many of @cold ones may be looked at: one for each @share_ns since *@since_ns, which is moved
 * up if that is long ago. Each look that is made moves it by @share_ns.
 */
size_t idle_looks(uint64_t *since_ns, uint64_t now_ns, uint64_t share_ns, size_t cold);

/* look.c: with the wall clock, where blocked threads are. */
/* A tick begins. */
void look_begin_tick(struct engine *engine, uint64_t now_ns);
/* Looks at threads that were lately on a CPU, in turn; bounded. Some have just been ticked. */
void look_tick(struct engine *engine, uint64_t now_ns);
/* A thread that was not: its reading is that of this tick. */
void look_at_idle(struct engine *engine, struct tracee *tracee, uint64_t now_ns);
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
void look_take_tick(struct engine *engine, struct tracee *tracee, uint64_t now_ns);
/* What the thread does. 1: /proc/…/syscall cannot be read; whether it runs is all that is known. */
int look_read_activity(struct engine *engine, struct tracee *tracee, struct activity *ret_activity);

/* dump.c: one stack of every thread. */
void dump_run(struct engine *engine);
/* As sampler_stop(); and of a thread that is left stopped with its process. */
void dump_stop(struct engine *engine, struct tracee *tracee, int signal);
void dump_group_stop(struct engine *engine, struct tracee *tracee);

/* turns.c: may a thread be asked, as far as is known before it is looked at, that must be caught
 * where it is? */
bool turns_want_moment(struct engine *engine, uint64_t now_ns);
/* Asks the hot threads that owe a tick and can be caught. */
void turns_ask(struct engine *engine, uint64_t now_ns);
/* Before we sleep: to the CPU where the next tick is best taken, if no stop is awaited here. */
void turns_move_on(struct engine *engine);

/* sampler.c */
/* Everything that the analyst must have before a sample at @pc; the thread is not held up. */
void sampler_announce(struct engine *engine, struct tracee *tracee, uint64_t pc, uint64_t now_ns);
void sampler_tick(struct engine *engine, uint64_t now_ns);
/*
 * The time to the next tick: a period; or as long as the threads need to use one, if they use more
 * than half of the time and all sleep and wake so often that they are as good as always there.
 */
uint64_t sampler_span(const struct engine *engine, uint64_t now_ns);
/* A stop of @tracee that may be used for a sample; resumes it with @signal. */
void sampler_stop(struct engine *engine, struct tracee *tracee, int signal);
/*
 * For how long the target was held up by a stop that was asked for at t->asked_ns, seen at
 * @seen_ns, and over at @end_ns; @cpu was read in it.
 */
uint64_t sampler_stop_time(const struct tracee *tracee, const struct cpu_time *cpu, bool in_call,
	uint64_t seen_ns, uint64_t end_ns);
/* CPU time that the next sample of this thread would stand for, beyond its own. */
uint64_t sampler_carried(const struct tracee *tracee);
/*
 * From which credit on a stop of this thread is worth it. Of many threads that work a little each,
 * every one is rarely caught: at first not its own ticks tell that they come too rarely, but those
 * of all.
 */
uint64_t sampler_due(const struct engine *engine, const struct tracee *tracee);
/* --max-overhead forbids a stop. */
bool sampler_is_over_budget(const struct engine *engine);
/* Is there something to pay? A thread that was preempted since it was looked at has not run. */
bool sampler_owes(const struct engine *engine, const struct tracee *tracee, uint64_t credit_ns);
/* Hands over a sample that has its place and stack, and pays @credit_ns and what was carried. */
void sampler_pay(struct engine *engine, struct tracee *tracee, struct record_sample *sample,
	uint64_t credit_ns, uint64_t now_ns);
/* Asks a running thread for a stop. False: it is not possible, or --max-overhead forbids it. */
bool sampler_ask(struct engine *engine, struct tracee *tracee);
/* Looks for a moment for the stops that were asked for; those that come later are found by the
 * loop. */
void sampler_collect(struct engine *engine);
/* A thread is going; forget that its stop is awaited. */
void sampler_forget(struct engine *engine, const struct tracee *tracee);

#endif
