/* SPDX-License-Identifier: MIT */
/*
 * The plain reference: the least sampler that keeps the principle of docs/SAMPLING.md. The
 * product's cost and accuracy are measured beside those of this program (bench/cost.sh): whatever
 * the product has in addition must be worth its lines.
 *
 *	plan (Poisson) ──► waiter of CPU c ──► who had c? ──► stop, on c itself ──► sample
 *
 * A waiter is a thread of ours that sleeps on one CPU. At an instant it preempts the thread that
 * runs there, finds it by the scheduler's time stamp, moves the tracing thread to that CPU, wakes
 * it, and sleeps. The tracing thread stops the preempted thread before that runs again. An instant
 * that falls into the waiter's own work is dropped, as the target does not run then.
 *
 *	plain_sampler [-F HZ] [-s] [-f] [-o FILE] COMMAND [ARG...]
 *
 *	-F HZ    instants a second of a CPU (default 250)
 *	-s       copy 8 KiB of the stack of each thread that is stopped, as unwinding needs it
 *	-f       the fair class with a short slice, not SCHED_FIFO: no sample is taken of a thread
 *	         that, by its schedstat, ran before the tracing thread did
 *	-o FILE  a line for each sample: the pc in hexadecimal, and 1 in a system call, else 0
 *
 * It samples one process with its threads, without children. At the end it prints a line "key value
 * key value..." on stderr.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/work.h"

#ifdef __x86_64__
#define PC(regs)      ((regs).rip)
#define SP(regs)      ((regs).rsp)
#define IN_CALL(regs) ((int64_t)(regs).orig_rax >= 0)
#else
#define PC(regs)      ((regs).pc)
#define SP(regs)      ((regs).sp)
#define IN_CALL(regs) 0 /* unknown: these registers do not show it */
#endif

#define CPUS_MOST    256
#define THREADS_MOST 4096
#define STACK_BYTES  8192
#define RED_ZONE     128
/* Later than this, the scheduler chose the sample's time, not the plan: the instant is dropped. */
#define LATE_NS 300000
/* How long a waiter waits for a tracing thread that still works elsewhere. */
#define BUSY_NS  200000
#define SLICE_NS 100000

struct thread {
	int tid, sched_fd, stat_fd, call_fd;
	_Atomic bool dead;
	int cpu;           /* where the thread was found last; -1: nowhere yet */
	uint64_t run_ns;   /* CPU time of the thread when the waiter asked for a stop */
	uint64_t asked_ns; /* CLOCK_MONOTONIC of the stop request; 0: none is open */
};

struct plain {
	uint64_t period_ns;
	bool stacks, fair;
	FILE *out;
	pid_t leader, tracer;
	struct thread thread[THREADS_MOST];
	_Atomic int threads;
	_Atomic(struct thread *) request[CPUS_MOST];
	/* alive: the leader lives; working: the tracing thread is at work */
	_Atomic bool alive, working;
	_Atomic uint64_t samples, instants, late, nobody, busy, moved;
	uint64_t stop_ns;
	uint8_t stack[STACK_BYTES];
};

struct waiter {
	struct plain *plain;
	int cpu;
	pthread_t thread;
};

static int open_of(pid_t leader, int tid, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", leader, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_at(int fd, char *text, size_t room)
{
	ssize_t n = pread(fd, text, room - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* When the scheduler last put the thread on a CPU or took it off, in ns of that CPU's clock. */
static uint64_t stamp_of(int sched_fd)
{
	char text[512], *at;

	if (!read_at(sched_fd, text, sizeof(text)) || !(at = strstr(text, "se.exec_start")) ||
		!(at = strchr(at, ':')))
		return 0;
	return (uint64_t)llround(strtod(at + 1, NULL) * 1e6);
}

static uint64_t run_of(int stat_fd)
{
	char text[64];

	return read_at(stat_fd, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

static struct thread *find(struct plain *p, int tid)
{
	for (int i = p->threads; i-- > 0;)
		if (p->thread[i].tid == tid && !p->thread[i].dead)
			return &p->thread[i];
	return NULL;
}

static void add(struct plain *p, int tid)
{
	struct thread *t = &p->thread[p->threads];

	if (find(p, tid) || p->threads == THREADS_MOST)
		return;
	*t = (struct thread){.tid = tid,
		.cpu = -1,
		.sched_fd = open_of(p->leader, tid, "sched"),
		.stat_fd = open_of(p->leader, tid, "schedstat"),
		.call_fd = open_of(p->leader, tid, "syscall")};
	p->threads++;
}

/* With -f the slice is so short that the scheduler picks the thread before others. */
static void set_priority(const struct plain *p)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} fair = {.size = sizeof(fair), .runtime = SLICE_NS};
	struct sched_param first = {.sched_priority = 1};

	if (p->fair)
		(void)syscall(SYS_sched_setattr, 0, &fair, 0);
	else if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) < 0)
		perror("plain_sampler: no real-time priority (-f does without)");
}

static void keep_to(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(tid, sizeof(set), &set);
}

/* Returns the thread that left @cpu when the waiter got it, at @stamp; NULL: none of the target. */
static struct thread *find_preempted(struct plain *p, int cpu, uint64_t stamp)
{
	for (int elsewhere = 0; elsewhere < 2; elsewhere++)
		for (int i = p->threads; i-- > 0;) {
			struct thread *t = &p->thread[i];

			if (!t->dead && (t->cpu != cpu) == elsewhere &&
				stamp_of(t->sched_fd) == stamp)
				return t;
		}
	return NULL;
}

static void record(struct plain *p, uint64_t pc, bool in_call)
{
	p->samples++;
	if (p->out)
		(void)fprintf(p->out, "%llx %d\n", (unsigned long long)pc, in_call);
}

static void take_instant(struct plain *p, int cpu, uint64_t stamp)
{
	struct thread *t = find_preempted(p, cpu, stamp);
	uint64_t since = measure_now_ns();
	char call[64];

	if (!t || !read_at(t->call_fd, call, sizeof(call))) {
		p->nobody++;
		return;
	}
	t->cpu = cpu;
	/* Not "running" means just asleep in a system call: a stop tells no more. */
	if (strncmp(call, "running", 7) != 0) {
		record(p, 0, true);
		return;
	}
	t->run_ns = run_of(t->stat_fd);
	while (p->working && measure_now_ns() - since < BUSY_NS)
		;
	if (p->working)
		p->busy++;
	keep_to(p->tracer, cpu);
	p->request[cpu] = t;
	(void)syscall(SYS_tgkill, getpid(), p->tracer, SIGUSR1);
}

static void *wait_on_cpu(void *argument)
{
	struct waiter *w = argument;
	struct plain *p = w->plain;
	uint64_t next = measure_now_ns(), now, stamp;
	unsigned short seed[3] = {(unsigned short)next, (unsigned short)w->cpu, 1};
	int sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);

	keep_to(0, w->cpu);
	set_priority(p);
	while (p->alive) {
		struct timespec at;

		next += (uint64_t)(-log(1 - erand48(seed)) * (double)p->period_ns);
		if (next < measure_now_ns())
			continue; /* the instant fell into our own work */
		at = (struct timespec){(time_t)(next / 1000000000), (long)(next % 1000000000)};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
			;
		now = measure_now_ns();
		stamp = stamp_of(sched_fd);
		p->instants++;
		if (now - next > LATE_NS)
			p->late++;
		else
			take_instant(p, w->cpu, stamp);
	}
	(void)close(sched_fd);
	return NULL;
}

static void take_sample(struct plain *p, struct thread *t)
{
	struct user_regs_struct regs;
	struct iovec to = {&regs, sizeof(regs)}, local = {p->stack, STACK_BYTES}, remote;

	if (ptrace(PTRACE_GETREGSET, t->tid, NT_PRSTATUS, &to) < 0)
		return;
	remote.iov_base = (void *)(uintptr_t)(SP(regs) - RED_ZONE);
	remote.iov_len = STACK_BYTES;
	if (p->stacks)
		(void)process_vm_readv(t->tid, &local, 1, &remote, 1, 0);
	(void)ptrace(PTRACE_CONT, t->tid, 0, 0);
	p->stop_ns += measure_now_ns() - t->asked_ns;
	record(p, PC(regs), IN_CALL(regs));
}

static void handle(struct plain *p, int tid, int status)
{
	struct thread *t = find(p, tid);
	int event = status >> 16;
	unsigned long child;

	if (!WIFSTOPPED(status)) {
		if (t)
			t->dead = true;
		p->alive = p->alive && tid != p->leader;
		return;
	}
	if (!t)
		add(p, tid);
	if (t && t->asked_ns && event == PTRACE_EVENT_STOP) {
		take_sample(p, t);
		t->asked_ns = 0;
		return;
	}
	if (event == PTRACE_EVENT_CLONE && ptrace(PTRACE_GETEVENTMSG, tid, 0, &child) == 0)
		add(p, (int)child);
	(void)ptrace(PTRACE_CONT, tid, 0, event ? 0 : WSTOPSIG(status));
}

static void request_stop(struct plain *p, struct thread *t)
{
	/* A thread that has run since the waiter's request has left the place of the instant. */
	if (run_of(t->stat_fd) != t->run_ns)
		p->moved++;
	else if (!t->asked_ns && !t->dead && ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0)
		t->asked_ns = measure_now_ns();
}

static void trace(struct plain *p, int cpus, const sigset_t *signals)
{
	const struct timespec most = {0, 20000000};

	while (p->alive) {
		int tid, status;

		p->working = false;
		(void)sigtimedwait(signals, NULL, &most);
		p->working = true;
		for (int i = 0; i < cpus; i++) {
			struct thread *t = atomic_exchange(&p->request[i], NULL);

			if (t)
				request_stop(p, t);
		}
		while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
			handle(p, tid, status);
		if (tid < 0 && errno == ECHILD)
			p->alive = false;
	}
}

static int run_command(char **command, const sigset_t *signals)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	(void)sigprocmask(SIG_UNBLOCK, signals, NULL);
	(void)raise(SIGSTOP);
	(void)execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

static void print_figures(const struct plain *p)
{
	double samples = p->samples ? (double)p->samples : 1;
	double cpu_ns = (double)measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	(void)fprintf(stderr, "samples %.0f instants %.0f late %.0f nobody %.0f busy %.0f ",
		(double)p->samples, (double)p->instants, (double)p->late, (double)p->nobody,
		(double)p->busy);
	(void)fprintf(stderr, "moved %.0f cpu_us_sample %.1f stop_us %.1f\n", (double)p->moved,
		1e-3 * cpu_ns / samples, 1e-3 * (double)p->stop_ns / samples);
}

int main(int argc, char **argv)
{
	static struct plain plain = {.period_ns = 4000000, .alive = true};
	static struct waiter waiter[CPUS_MOST];
	struct plain *p = &plain;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	sigset_t signals;
	int option, status = 0;

	while ((option = getopt(argc, argv, "+F:sfo:")) >= 0) {
		switch (option) {
		case 'F': p->period_ns = (uint64_t)(1e9 / strtod(optarg, NULL)); break;
		case 's': p->stacks = true; break;
		case 'f': p->fair = true; break;
		case 'o': p->out = fopen(optarg, "we"); break;
		default: return 2;
		}
	}
	if (optind == argc || !p->period_ns || cpus < 1 || cpus > CPUS_MOST)
		return 2;
	memset(p->stack, 1, sizeof(p->stack));
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	p->leader = run_command(argv + optind, &signals);
	p->tracer = (pid_t)syscall(SYS_gettid);
	if (waitpid(p->leader, &status, WUNTRACED) < 0 ||
		ptrace(PTRACE_SEIZE, p->leader, 0, PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE) < 0)
		return 125;
	add(p, p->leader);
	(void)kill(p->leader, SIGCONT);
	for (int i = 0; i < cpus; i++) {
		waiter[i] = (struct waiter){.plain = p, .cpu = i};
		if (pthread_create(&waiter[i].thread, NULL, wait_on_cpu, &waiter[i]))
			return 125;
	}
	set_priority(p);
	trace(p, (int)cpus, &signals);
	for (int i = 0; i < cpus; i++)
		(void)pthread_join(waiter[i].thread, NULL);
	print_figures(p);
	return p->out && fclose(p->out) ? 1 : 0;
}
