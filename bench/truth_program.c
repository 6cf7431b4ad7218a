/* SPDX-License-Identifier: MIT */
/*
 * A program made from a seed, for bench/truth.sh: 1 to 6 threads that run eight functions of 15 us
 * to 2.5 ms a call and make system calls between them. The functions are f0 to f7; all else is
 * "other".
 *
 *	truth_program calibrate
 *		prints turns of the functions' loop in a millisecond
 *	truth_program describe SEED
 *		prints the program
 *	truth_program run SEED CPU_SECONDS TURNS_PER_MS [GO [own]]
 *		opens and reads GO (a FIFO: a start signal) first; with own, prints "f0 NANOSECONDS"
 *		and so on, and "all NANOSECONDS", by its threads' CPU clocks
 *
 * The functions have one and the same loop, so where nothing lies between two of them, the time of
 * both is shared out by their turns of the loop, and no clock is read there. Before and after a
 * call, own reads the thread's CPU clock.
 */
#include "bench/work.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

WORK(f0)
WORK(f1)
WORK(f2)
WORK(f3)
WORK(f4)
WORK(f5)
WORK(f6)
WORK(f7)

enum { FUNCTIONS = 8, THREADS_MAX = 6, STEPS_MAX = 12, MUTEXES = 2, CHECK_US = 10000 };

static void (*const work[FUNCTIONS])(uint64_t) = {f0, f1, f2, f3, f4, f5, f6, f7};

enum between {
	NOTHING,
	GETPPID,
	CPU_CLOCK,
	NAP,
	YIELD,
	WRITE,
	MUTEX,
	HAND_OVER,
	BETWEENS,
};
static const char *const between_names[BETWEENS] = {
	"nothing", "getppid", "cpu clock", "nanosleep", "yield", "write", "mutex", "hand-over"};

/* What a thread does before a function, mostly a system call; then that function. */
struct step {
	enum between between;
	unsigned argument; /* nanosleep: us; mutex: its index; others: number of calls */
	unsigned function;
};

struct thread {
	struct step step[STEPS_MAX];
	unsigned steps;
	bool shuffled; /* steps in random order; else in a fixed one */
	unsigned index;
	uint64_t random;

	/* turns since the thread's clock was last read */
	uint64_t turns[FUNCTIONS];
	uint64_t segment_start_ns;
	double function_ns[FUNCTIONS];
	uint64_t unchecked_us;
};

struct pair {
	_Atomic uint32_t turn;
};

static struct program {
	unsigned threads;
	uint64_t function_us[FUNCTIONS];
	struct thread thread[THREADS_MAX];
	struct pair pair[THREADS_MAX / 2];
	pthread_mutex_t mutex[MUTEXES];
	uint64_t turns_per_ms, cpu_end_ns, wall_end_ns;
	uint64_t read_ns; /* CPU time of one reading of the clock, by work_reading_ns() */
	atomic_bool stop;
	bool own;
	int null;
} program = {.mutex = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned n)
{
	return (unsigned)(next_random(state) % n);
}

static uint64_t log_uniform(uint64_t *state, double low, double high)
{
	double uniform = (double)below(state, 1 << 20) / (1 << 20);

	return (uint64_t)(low * exp(uniform * log(high / low)));
}

/* Returns a function at random: all come before one comes again, so each program has all. */
static unsigned deal(uint64_t *state)
{
	static unsigned deck[FUNCTIONS], left;
	unsigned card, at;

	if (left == 0)
		for (; left < FUNCTIONS; left++)
			deck[left] = left;
	at = below(state, left);
	card = deck[at];
	deck[at] = deck[--left];
	return card;
}

static uint64_t nap_us(const struct thread *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < t->steps; i++)
		sum += t->step[i].between == NAP ? t->step[i].argument : 0;
	return sum;
}

static uint64_t work_us(const struct thread *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < t->steps; i++)
		sum += program.function_us[t->step[i].function];
	return sum;
}

/* At most three kinds of calls in a thread, so that programs differ. */
static void make_thread(struct thread *t, unsigned index, uint64_t *state)
{
	enum between kinds[3];
	bool calls = false;

	t->index = index;
	t->shuffled = below(state, 2);
	t->steps = program.threads == 1 ? 8 : 2;
	t->steps += below(state, STEPS_MAX + 1 - t->steps);
	t->random = next_random(state);
	for (unsigned i = 0; i < 3; i++)
		kinds[i] = below(state, BETWEENS);
	for (unsigned i = 0; i < t->steps; i++) {
		struct step *s = &t->step[i];

		s->function = deal(state);
		s->between = kinds[below(state, 3)];
		s->argument = 1 + below(state, 3);
		if (s->between == NAP)
			s->argument = (unsigned)log_uniform(state, 60, 3000);
		else if (s->between == MUTEX)
			s->argument = below(state, MUTEXES);
		else if (s->between == HAND_OVER && (index ^ 1) >= program.threads)
			s->between = NOTHING;
		calls |= s->between != NOTHING;
	}
	/* In a call, other threads get the CPU, and the thread sees the end of the run. */
	if (!calls)
		t->step[0] = (struct step){GETPPID, 1, t->step[0].function};
	/* A thread sleeps for at most two thirds of the time, so that a run gets its CPU time. */
	while (nap_us(t) > 2 * work_us(t))
		for (unsigned i = 0; i < t->steps; i++)
			if (t->step[i].between == NAP && (t->step[i].argument /= 2) < 60)
				t->step[i] = (struct step){GETPPID, 1, t->step[i].function};
}

/* The partner of a thread that takes turns must take turns, too. */
static bool hands_over(const struct thread *t)
{
	for (unsigned i = 0; i < t->steps; i++)
		if (t->step[i].between == HAND_OVER)
			return true;
	return false;
}

static void make_program(uint64_t seed)
{
	uint64_t state = seed * 0x2545f4914f6cdd1d + 1;

	program.threads = 1 + below(&state, THREADS_MAX);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		program.function_us[i] = log_uniform(&state, 15, 2500);
	for (unsigned i = 0; i < program.threads; i++)
		make_thread(&program.thread[i], i, &state);
	for (unsigned i = 0; i + 1 < program.threads; i += 2) {
		struct thread *a = &program.thread[i], *b = &program.thread[i + 1];

		if (hands_over(a) && !hands_over(b))
			b->step[0].between = HAND_OVER;
		else if (hands_over(b) && !hands_over(a))
			a->step[0].between = HAND_OVER;
	}
}

static void describe(void)
{
	for (unsigned i = 0; i < FUNCTIONS; i++)
		printf("f%u: %llu us\n", i, (unsigned long long)program.function_us[i]);
	for (unsigned i = 0; i < program.threads; i++) {
		const struct thread *t = &program.thread[i];

		printf("thread %u, %s:", i, t->shuffled ? "at random" : "in order");
		for (unsigned j = 0; j < t->steps; j++) {
			const struct step *s = &t->step[j];

			printf(" [%s", between_names[s->between]);
			if (s->between != NOTHING && s->between != HAND_OVER)
				printf(" %u", s->argument);
			printf("] f%u", s->function);
		}
		printf("\n");
	}
}

/* Shares out the CPU time since segment_start_ns among the functions that ran since. */
static void leave_functions(struct thread *t)
{
	uint64_t turns = 0, ns;

	if (!program.own)
		return;
	ns = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->segment_start_ns;
	ns -= ns < program.read_ns ? ns : program.read_ns;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		turns += t->turns[i];
	for (unsigned i = 0; i < FUNCTIONS && turns; i++)
		t->function_ns[i] += (double)ns * (double)t->turns[i] / (double)turns;
	memset(t->turns, 0, sizeof(t->turns));
}

static void enter_functions(struct thread *t)
{
	if (program.own)
		t->segment_start_ns = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void run_function(struct thread *t, unsigned function)
{
	uint64_t turns = program.function_us[function] * program.turns_per_ms / 1000;

	work[function](turns);
	t->turns[function] += turns;
	t->unchecked_us += program.function_us[function];
}

static void take_turn(struct thread *t)
{
	_Atomic uint32_t *turn = &program.pair[t->index / 2].turn;
	uint32_t other = ~t->index & 1;

	while (atomic_load(turn) == other && !atomic_load(&program.stop)) {
		struct timespec most = {0, 200000000}; /* the end may be set after the check */

		(void)syscall(SYS_futex, turn, FUTEX_WAIT_PRIVATE, other, &most, NULL, 0);
	}
}

static void give_turn(struct thread *t)
{
	_Atomic uint32_t *turn = &program.pair[t->index / 2].turn;

	atomic_store(turn, ~t->index & 1);
	(void)syscall(SYS_futex, turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void call(const struct step *s)
{
	struct timespec nap = {0, (long)s->argument * 1000};

	for (unsigned i = 0; i < (s->between == NAP ? 1 : s->argument); i++) {
		switch (s->between) {
		case GETPPID: (void)syscall(SYS_getppid); break;
		case CPU_CLOCK: (void)measure_clock_ns(CLOCK_THREAD_CPUTIME_ID); break;
		case NAP: (void)nanosleep(&nap, NULL); break;
		case YIELD: (void)sched_yield(); break;
		default:
			if (write(program.null, "truth", 5) != 5)
				exit(1);
		}
	}
}

static void run_step(struct thread *t, const struct step *s)
{
	if (s->between == NOTHING) {
		run_function(t, s->function);
		return;
	}
	leave_functions(t);
	if (s->between == MUTEX)
		(void)pthread_mutex_lock(&program.mutex[s->argument]);
	else if (s->between == HAND_OVER)
		take_turn(t);
	else
		call(s);
	enter_functions(t);
	run_function(t, s->function);
	if (s->between != MUTEX && s->between != HAND_OVER)
		return;
	leave_functions(t);
	if (s->between == MUTEX)
		(void)pthread_mutex_unlock(&program.mutex[s->argument]);
	else
		give_turn(t);
	enter_functions(t);
}

static void look_for_end(struct thread *t)
{
	t->unchecked_us = 0;
	leave_functions(t);
	if (measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID) >= program.cpu_end_ns ||
		measure_now_ns() >= program.wall_end_ns)
		atomic_store(&program.stop, true);
	enter_functions(t);
}

static void *run_thread(void *argument)
{
	struct thread *t = argument;

	enter_functions(t);
	for (unsigned i = 0; !atomic_load(&program.stop); i = (i + 1) % t->steps) {
		run_step(t, &t->step[t->shuffled ? below(&t->random, t->steps) : i]);
		if (t->unchecked_us > CHECK_US)
			look_for_end(t);
	}
	leave_functions(t);
	return NULL;
}

static int wait_for_go(const char *path)
{
	char c;
	int fd;

	printf("pid %d\n", (int)getpid());
	(void)fflush(stdout);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (read(fd, &c, 1) > 0)
		;
	return close(fd);
}

static int run(double seconds)
{
	pthread_t id[THREADS_MAX];

	program.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (program.null < 0)
		return 1;
	if (program.own)
		program.read_ns = work_reading_ns();
	program.cpu_end_ns = measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)(seconds * 1e9);
	program.wall_end_ns = measure_now_ns() + (uint64_t)(seconds * 3e9);
	for (unsigned i = 1; i < program.threads; i++)
		if (pthread_create(&id[i], NULL, run_thread, &program.thread[i]) != 0)
			return 1;
	(void)run_thread(&program.thread[0]);
	for (unsigned i = 1; i < program.threads; i++)
		(void)pthread_join(id[i], NULL);
	if (!program.own)
		return 0;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		double ns = 0;

		for (unsigned j = 0; j < program.threads; j++)
			ns += program.thread[j].function_ns[i];
		printf("f%u %.0f\n", i, ns);
	}
	printf("all %llu\n", (unsigned long long)measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "calibrate") == 0) {
		printf("%llu\n", (unsigned long long)work_turns_per_ms(f0));
		return 0;
	}
	if (argc > 2)
		make_program(strtoull(argv[2], NULL, 0));
	if (argc == 3 && strcmp(what, "describe") == 0) {
		describe();
		return 0;
	}
	if (argc < 5 || strcmp(what, "run") != 0) {
		fprintf(stderr,
			"usage: truth_program calibrate | describe SEED |\n"
			"\trun SEED CPU_SECONDS TURNS_PER_MS [GO [own]]\n");
		return 2;
	}
	program.turns_per_ms = strtoull(argv[4], NULL, 0);
	program.own = argc > 6 && strcmp(argv[6], "own") == 0;
	if (argc > 5 && wait_for_go(argv[5]) != 0) {
		perror(argv[5]);
		return 1;
	}
	return run(atof(argv[3]));
}
