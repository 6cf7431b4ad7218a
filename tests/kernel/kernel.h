/* SPDX-License-Identifier: MIT */
/*
 * A scripted kernel: tasks that run programs of a few steps, ptrace(2), waitid(2), signals, /proc,
 * memory and a clock, as Linux has them (docs/PTRACE.md; ptrace(2); signal(7)). The supervisor runs
 * on it unchanged: the linker replaces the supervisor's system calls (calls.c, --wrap). While a
 * scripted kernel is in use, these calls act on its tasks. Everything happens in one thread:
 * engine_run() is a plain call.
 *
 * What a task does next, and when the supervisor sees it, is chosen at each system call of the
 * supervisor (kernel_choose()): explore.h plays a script in every order, or in random ones.
 */
#ifndef TESTS_KERNEL_H
#define TESTS_KERNEL_H

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/record.h"
#include "proto/ring.h"

enum {
	KERNEL_ANALYSTS = 8,
	KERNEL_TASKS = 128,
	KERNEL_FILES = 256,
	KERNEL_PIDFD = 10000, /* the lowest descriptor of a task that is a pidfd */
	KERNEL_MEMORY = 8192, /* bytes of each segment */
	KERNEL_WORDS = 27,    /* registers of x86-64, as in arch_x86_64.c */
	KERNEL_CHOICES = 4096,
};

/* Segments of an address space: code, data, stack (grows down from its end). */
#define KERNEL_CODE  UINT64_C(0x400000)
#define KERNEL_DATA  UINT64_C(0x600000)
#define KERNEL_STACK UINT64_C(0x7ffe0000)

enum op {
	OP_END,   /* the thread runs for ever */
	OP_RUN,   /* @a: ns of CPU time */
	OP_SLEEP, /* @a: ns in clock_nanosleep */
	OP_CALL,  /* a call that blocks: its description is @call */
	OP_CLONE, /* clones a thread that runs @program */
	OP_FORK,  /* forks; after OP_VFORK the parent waits for the child's exec or end */
	OP_VFORK,
	OP_EXEC,       /* the process runs @program; @name: its executable */
	OP_EXEC_FAILS, /* the exec fails with errno @a */
	OP_EXIT,       /* the thread ends with status @a */
	OP_EXIT_GROUP,
	OP_KILL,   /* sends signal @b to process @a, 0: its own */
	OP_TKILL,  /* sends signal @b to thread @a, 0: itself */
	OP_WAIT,   /* waits for the end of any child, and reaps it */
	/* polls a child's pidfd, and collects it with WNOHANG; the run fails if it is not found */
	OP_POLL,
	OP_MARK,   /* counts in the marks of the process */
	OP_AGAIN,  /* goes back @a steps, @b times (0: for ever) */
	OP_HANDLE, /* signal @a gets disposition @b */
	OP_STORE,  /* writes the word @b to data address @a */
	OP_DO,     /* calls @act(kernel, task): for steps that only one test needs */
};

struct kernel;
struct task;

enum wait { WAIT_FOR_EVER, WAIT_MS, WAIT_SPEC, WAIT_SOCKET };

/* A call that blocks. */
struct blocking {
	int32_t number;
	uint64_t argument[6];
	enum wait wait; /* kind of the time-out: in argument @wait_argument, or the socket's */
	unsigned wait_argument;
	uint64_t most_ns;    /* the time-out; 0: none */
	int64_t timed_out;   /* result at the time-out */
	int64_t interrupted; /* the kernel's result when a signal comes: -EINTR, -512 ... -516 */
	int64_t result;      /* result when the awaited event comes */
	uint64_t wake_ns;    /* time of that event after the call's beginning; 0: never */
	unsigned length;     /* which argument is the length of a transfer; 0: none */
	/*
	 * bytes of a transfer done when a signal comes; of a transfer with @wake_ns 0, which stalls
	 * then: done at once, and no more
	 */
	uint64_t piece;
	bool lenient; /* its result may differ from that of an undisturbed call */
	bool breaks;  /* the reader of a transfer goes away: the rest gives EPIPE and SIGPIPE */
};

enum phase { PHASE_NONE, PHASE_ENTRY, PHASE_INSIDE, PHASE_EXIT, PHASE_LEAVING };

struct step {
	enum op op;
	int64_t a, b;
	const struct step *program;
	const char *name;
	const struct blocking *call;
	void (*act)(struct kernel *kernel, struct task *task);
};

/* Steps of programs. */
#define END                  \
	{                    \
		.op = OP_END \
	}
#define RUN(ns)                         \
	{                               \
		.op = OP_RUN, .a = (ns) \
	}
#define SLEEP(ns)                         \
	{                                 \
		.op = OP_SLEEP, .a = (ns) \
	}
#define CALL(of)                            \
	{                                   \
		.op = OP_CALL, .call = (of) \
	}
#define CLONE(of)                               \
	{                                       \
		.op = OP_CLONE, .program = (of) \
	}
#define FORK(of)                               \
	{                                      \
		.op = OP_FORK, .program = (of) \
	}
/*
 * clone(2) with flags that make a process: ptrace reports it as PTRACE_EVENT_CLONE, like a thread.
 */
#define FORK_AS_CLONE(of)                              \
	{                                              \
		.op = OP_FORK, .b = 1, .program = (of) \
	}
#define VFORK(of)                               \
	{                                       \
		.op = OP_VFORK, .program = (of) \
	}
#define EXEC(exe, of)                                         \
	{                                                     \
		.op = OP_EXEC, .name = (exe), .program = (of) \
	}
#define EXEC_FAILS(error)                         \
	{                                         \
		.op = OP_EXEC_FAILS, .a = (error) \
	}
#define EXIT(status)                         \
	{                                    \
		.op = OP_EXIT, .a = (status) \
	}
#define EXIT_GROUP(status)                         \
	{                                          \
		.op = OP_EXIT_GROUP, .a = (status) \
	}
#define KILL(pid, signal)                                \
	{                                                \
		.op = OP_KILL, .a = (pid), .b = (signal) \
	}
#define TKILL(tid, signal)                                \
	{                                                 \
		.op = OP_TKILL, .a = (tid), .b = (signal) \
	}
#define WAIT                  \
	{                     \
		.op = OP_WAIT \
	}
/* Makes a process with CLONE_PIDFD. */
#define FORK_PIDFD(of)                                 \
	{                                              \
		.op = OP_FORK, .a = 1, .program = (of) \
	}
#define POLL_PIDFD            \
	{                     \
		.op = OP_POLL \
	}
#define MARK                  \
	{                     \
		.op = OP_MARK \
	}
#define AGAIN(steps, times)                                \
	{                                                  \
		.op = OP_AGAIN, .a = (steps), .b = (times) \
	}
#define HANDLE(signal, how)                                \
	{                                                  \
		.op = OP_HANDLE, .a = (signal), .b = (how) \
	}
#define STORE(at, word)                                \
	{                                              \
		.op = OP_STORE, .a = (at), .b = (word) \
	}
#define DO(what)                           \
	{                                  \
		.op = OP_DO, .act = (what) \
	}

enum disposition { DISPOSITION_DEFAULT, DISPOSITION_IGNORE, DISPOSITION_HANDLER };

struct space {
	unsigned users;
	unsigned writes; /* number of writes by the supervisor */
	bool readonly_data;
	uint8_t code[KERNEL_MEMORY], data[KERNEL_MEMORY], stack[KERNEL_MEMORY];
};

/* Linux's struct pid: it outlives its task while a file refers to it. */
struct pid {
	int number;
	struct task *task; /* NULL: the task is gone */
};

/* What all threads of a process share. */
struct group {
	int pid, parent;
	/* the numbers of its tasks less those in its own pid namespace; 0: it is in ours */
	int outer;
	enum disposition handler[65];
	unsigned pending[65], delivered[65], marks, interrupted_calls;
	bool any_pending; /* false: pending[] is all 0; true: perhaps not */
	int stop_signal;  /* signal of a group-stop that is in force, or begins */
	bool exiting;
	int status;        /* wait status at its end */
	bool ended;        /* all its threads are gone or zombies */
	bool reaped, told; /* told: its parent has got SIGCHLD */
	bool watched;      /* its parent has a pidfd of it, descriptor KERNEL_PIDFD + its pid */
	const char *exe;
	bool filtered;         /* the process has a seccomp filter */
	bool refuses;          /* ptrace gives EPERM for the process */
	bool is_command;       /* launched by the supervisor */
	bool dies_with_tracer; /* forked by the supervisor's tracing thread (PR_SET_PDEATHSIG) */
	unsigned libraries;    /* number of libraries mapped since its exec */
	unsigned execs;
};

enum task_state {
	TASK_NONE,
	TASK_RUNS,    /* on its CPU or in the queue */
	TASK_SLEEPS,  /* in a call that signals end */
	TASK_DEEP,    /* in a call that only SIGKILL ends: vfork, exec */
	TASK_STUCK,   /* D state: nothing ends it */
	TASK_TRACED,  /* in a ptrace-stop */
	TASK_STOPPED, /* in a group-stop, not traced */
	TASK_ZOMBIE,
};

enum stop_kind { STOP_TRAP, STOP_SIGNAL, STOP_GROUP, STOP_EVENT, STOP_CALL };

struct task {
	enum task_state state;
	struct pid *id;
	int tid, former;
	struct group *group;
	struct space *space;
	char name[16];
	int cpu;
	/* its program */
	const struct step *at;
	int64_t rounds;
	uint64_t ran_ns;   /* CPU time used in the step */
	uint64_t until_ns; /* end of the sleep, or of exec's loading; 0 none */
	const struct blocking *call;
	enum phase phase; /* phase of its call: ENTRY and EXIT are stops of PTRACE_SYSCALL */
	uint64_t call_began_ns, call_ends_ns, call_pc, whole;
	bool call_times_out;
	struct task *vfork_of; /* the parent that waits for this task's exec or end */
	bool born;             /* false: newborn, no instruction has been run yet */
	bool clean;            /* no signal was pending when it was last in its program */
	/* its schedstat: time on a CPU and in run queues (ns), number of time slices */
	uint64_t run_ns, wait_ns, slices;
	uint64_t switched_ns; /* CLOCK_MONOTONIC: last context switch */
	bool on_cpu;
	/* signals sent to this thread only */
	unsigned pending[65];
	bool any_pending; /* false: pending[] is all 0; true: perhaps not */
	bool killed, stop_pending, group_stopped;
	bool exits; /* it has begun to exit */
	/* states of tracing by the supervisor */
	bool traced, listening, trap_pending, notify_pending, to_call;
	unsigned long options;
	enum stop_kind stop_kind;
	int stop_status; /* stop status as waitid gives it */
	int stop_code;   /* si_code of the stop; 0: consumed by a wait */
	int stop_signal; /* the signal of a signal-delivery-stop */
	bool waitable;
	uint64_t stopped_ns; /* beginning of this stop */
	uint64_t message;
	unsigned stops, resumes;
	uint64_t word[KERNEL_WORDS];
	unsigned interrupts;
	int exit_status; /* from the beginning of its exit */
	int end[4]; /* descriptors that the launched child holds until its exec; 0 none */
};

/* How a process has ended, to be compared with its end in a run without a supervisor. */
struct kernel_end {
	int pid, status;
	unsigned marks, execs;
	unsigned delivered[65];
	unsigned interrupted_calls;
};

struct analyst {
	int pid, bell_fd, request_fd, status;
	const char *segment;
	void *memory;
	size_t bytes;
	struct ring ring;
	bool open, ended, reaped;
	unsigned long samples;
};

/* Counts and sums over all records that the analysts got. */
struct kernel_records {
	unsigned long n[RECORD_TYPES];
	uint64_t weight_ns, blocked_ns, cpu_ns, unsampled_ns, exit_ns;
	unsigned end_flags;
	char audit[4096];
};

struct kernel_file {
	bool used;
	int kind; /* kind of the file (files.c) */
	struct pid *id;
	/* process of the task, and how many execs it had made when the file was opened */
	struct group *group;
	unsigned execs;
};

/*
 * Chooses what happens next: returns one of @n possibilities. All except 0 cost @cost (explore.h).
 */
struct oracle {
	unsigned (*choose)(void *context, unsigned n, unsigned cost);
	void *context;
};

struct kernel {
	struct task task[KERNEL_TASKS];
	size_t tasks; /* number of tasks that have been in use */
	struct pid *pid[4 * KERNEL_TASKS];
	size_t pids;
	struct group *group[KERNEL_TASKS];
	size_t groups;
	struct kernel_file file[KERNEL_FILES];
	struct oracle oracle;
	int next_tid, supervisor;
	bool tid_reused_at_once; /* the tid of a task that is gone is given to the next one */
	/* the machine */
	uint64_t now_ns, own_ns; /* CLOCK_MONOTONIC of now; CPU time of the supervisor */
	/* time at which the supervisor was last scheduled in, and its CPU time then */
	uint64_t woke_ns, rest_own_ns;
	unsigned cpus;
	int plan; /* each byte that getrandom() gives: the seed of the sampling plan */
	long sleeps;
	int file_limit, files_most; /* RLIMIT_NOFILE; maximum of open files of /proc */
	bool no_schedstat, no_syscall_file, has_sched;
	bool no_memory_calls; /* process_vm_readv and process_vm_writev are refused */
	/* the supervisor */
	bool tracing, traced_once;
	uint64_t ended_ns;     /* when the tracing thread has ended */
	unsigned long dies_at; /* the supervisor is killed at its call number @dies_at; 0: never */
	bool dead;
	bool child_pending; /* SIGCHLD is pending for the supervisor */
	struct {
		int signal, code, sender;
		uint64_t value, at_ns;
	} signal[16]; /* signals to the supervisor, delivered once their time has come */
	size_t signals;
	int pipe_end[16]; /* pipes of the supervisor, which a child inherits */
	size_t pipe_ends;
	/* time that exec takes from giving its caller the leader's tid to its event */
	uint64_t load_ns;
	bool written;               /* a byte was written to one of these pipes */
	const struct step *command; /* program of the launched child: its first step is an exec */
	struct analyst analyst[KERNEL_ANALYSTS]; /* analysts, one after the other */
	size_t analysts;
	bool analyst_fails, analyst_hangs;
	unsigned analyst_starts; /* how often it was tried to start one */
	/* of these, so many fail, from this one on (the first is 1) */
	unsigned failing_starts, failing_from;
	bool analyst_refused; /* the last start has failed */
	/* the first analyst dies after this many samples; 0: never */
	unsigned long analyst_dies_after;
	int ring_fd;                   /* descriptor of the ring that the supervisor made last */
	struct kernel_records records; /* records that the analysts got */
	void (*record)(struct kernel *kernel, const struct record *record);
	int object_fd;   /* the real file behind each descriptor of a task; -1 none */
	int object_next; /* replaces object_fd once that was opened; -1 none */
	bool no_copies;  /* no pidfd_getfd (before Linux 5.6) to copy a task's descriptor */
	bool elsewhere;  /* the thread of the supervisor that runs is not the tracing one */
	char object_path[64];
	int reading_fd;          /* descriptor of a file that is read in pieces */
	struct group *folder_of; /* the process whose /proc/PID/task or fd is being read */
	bool folder_is_fd;
	size_t folder_at;        /* position in this folder */
	struct dirent entry;
	/* the run: how it began, and what happened in it */
	bool hangup_ignored;  /* the supervisor was started with SIGHUP ignored (nohup(1)) */
	int raised;           /* the signal with which the supervisor stopped itself last */
	unsigned long calls;  /* calls of the supervisor */
	unsigned long events; /* transitions of tasks */
	unsigned requests_refused;
	uint64_t longest_stop_ns; /* longest stop that has ended */
	bool broken;
	char failure[256];
	char *log; /* text of all events; NULL: not wanted */
	size_t log_bytes, log_room;
	void *context;                         /* for the test's own use */
	size_t scratch;                        /* for the test's own use */
	void (*each)(struct kernel *kernel);   /* hooks of a test: called after each event */
	void (*asleep)(struct kernel *kernel); /* called before the supervisor sleeps */
	/* called before the supervisor writes to a task's memory */
	void (*writing)(struct kernel *kernel);
	/* called before the supervisor reads one of its pipes */
	void (*reading)(struct kernel *kernel);
	/* called before PTRACE_INTERRUPT */
	void (*asking)(struct kernel *kernel, struct task *task);
};

/* The kernel that the wrapped calls act on; NULL: the real one. */
extern struct kernel *kernel_in_use;

struct kernel *kernel_new(const struct oracle *oracle);
void kernel_free(struct kernel *kernel);

/* Adds a process with one thread that runs @program; its tid and pid are @pid. */
struct task *kernel_add_process(
	struct kernel *kernel, int pid, int parent, const char *exe, const struct step *program);
struct task *kernel_add_thread(
	struct kernel *kernel, struct task *of, int tid, const struct step *program);
/* Finds a task; NULL: none. A zombie may have a NULL program. */
struct task *kernel_find(struct kernel *kernel, int tid);
struct group *kernel_group(struct kernel *kernel, int pid);

/*
 * Fails the run; the first failure counts. From then on all tasks are gone, so the supervisor ends.
 */
void kernel_fail(struct kernel *kernel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void kernel_note(struct kernel *kernel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
unsigned kernel_choose(struct kernel *kernel, unsigned n, unsigned cost);

/* Sends a signal to the supervisor in @in_ns ns. @code: SI_USER or SI_KERNEL. */
void kernel_signal(struct kernel *kernel, int signal, int code, int sender, uint64_t in_ns);

/*
 * task.c: what tasks do. kernel_enabled() counts the tasks that can act now; kernel_step() lets the
 * @i-th of them act.
 */
unsigned kernel_enabled(struct kernel *kernel);
void kernel_step(struct kernel *kernel, unsigned i);
/* Called when a system call of the supervisor begins: tasks may act before it. */
void kernel_point(struct kernel *kernel);
void kernel_send(struct kernel *kernel, struct task *to, bool to_group, int signal);
bool kernel_has_work(const struct task *task);
void kernel_stop(struct kernel *kernel, struct task *task, enum stop_kind kind, int status);
/* Lets the thread go on after a stop, with @signal delivered; 0: none. */
void kernel_resumed(struct kernel *kernel, struct task *task, int signal);
void kernel_detached(struct kernel *kernel, struct task *task, int signal);
void kernel_reap(struct kernel *kernel, struct task *task);
void kernel_tell_tracer(struct kernel *kernel);
struct task *kernel_born(
	struct kernel *kernel, struct task *parent, bool thread, const struct step *program);
/* call.c: calls that block. */
void kernel_begin_call(struct kernel *kernel, struct task *task, const struct blocking *call);
void kernel_interrupt_call(struct task *task);
void kernel_wake(struct kernel *kernel, struct task *task, int64_t result);
void kernel_time_over(struct kernel *kernel, struct task *task);
/* Lets the task return from a call to its program; @handler: a signal handler runs first. */
void kernel_return(struct kernel *kernel, struct task *task, bool handler);
/* Continues a call after a stop at its entry or exit. True: the thread sleeps in it. */
bool kernel_call_goes_on(struct kernel *kernel, struct task *task);
/* life.c: the end, and exec. */
void kernel_end_task(struct kernel *kernel, struct task *task, int status);
/*
 * Begins the exit of a task, with a stop if it is traced with PTRACE_O_TRACEEXIT. Called again
 * after the stop, ends the task.
 */
void kernel_exit(struct kernel *kernel, struct task *task, int status);
void kernel_end_group(struct kernel *kernel, struct group *group, int status);
void kernel_exec(struct kernel *kernel, struct task *task);
void kernel_settle(struct kernel *kernel);
bool kernel_is_alone(struct kernel *kernel, const struct task *task);
/* exec(2) waits for this: are all other threads gone, or is only a leader left, as a zombie? */
bool kernel_has_process(struct kernel *kernel, const struct task *task);

/*
 * time.c: lets time pass, with all events that are due in it, until @awake returns true or
 * @until_ns has come; the result is false in the latter case.
 */
bool kernel_sleep(struct kernel *kernel, uint64_t until_ns, bool (*awake)(struct kernel *kernel));
/* Adds the CPU time of one call to the supervisor's. */
void kernel_tick(struct kernel *kernel);

/* trace.c: ptrace(2) and waitid(2). Both return -errno on failure. */
long kernel_ptrace(struct kernel *kernel, int request, int tid, uintptr_t address, uintptr_t data);
int kernel_wait(struct kernel *kernel, int id, int options, siginfo_t *ret_info);
/* Ends the tracing thread. */
void kernel_tracer_ends(struct kernel *kernel);

/* analyst.c: the analysts of the run */
int kernel_spawn_analyst(struct kernel *kernel, const char *const argv[]);
void kernel_run_analysts(struct kernel *kernel);
struct analyst *kernel_find_analyst(struct kernel *kernel, int pid);
void kernel_free_analysts(struct kernel *kernel);

/*
 * files.c: files of /proc. Each is a text, or "mem", which is read from address @at on. Failures
 * give -errno; kernel_open() returns -1 for a path that the real kernel must open.
 */
int kernel_open(struct kernel *kernel, const char *path);
ssize_t kernel_read_file(struct kernel *kernel, int fd, char *to, size_t room, uint64_t at);
bool kernel_is_file(const struct kernel *kernel, int fd);
int kernel_close_file(struct kernel *kernel, int fd);
uint8_t *kernel_memory(struct space *space, uint64_t at, size_t *ret_n);

/* After the run: lets all tasks go on without a tracer until nothing can happen any more. */
void kernel_run_out(struct kernel *kernel);
size_t kernel_ends(const struct kernel *kernel, struct kernel_end *ret_end, size_t most);

#endif
