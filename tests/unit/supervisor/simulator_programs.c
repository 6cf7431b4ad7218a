/* SPDX-License-Identifier: MIT */
#include "tests/unit/supervisor/simulator_programs.h"

static void run(struct sim_step *step, unsigned place, uint64_t ns)
{
	*step = (struct sim_step){.kind = SIM_RUN, .place = place, .ns = ns};
}

static void wait_for(struct sim_step *step, enum sim_kind kind, unsigned place, uint64_t ns)
{
	*step = (struct sim_step){.kind = kind, .place = place, .ns = ns};
}

static void wake_peer(struct sim_step *step, struct sim_thread *peer)
{
	step->kind = SIM_WAKE;
	step->other = peer;
}

static struct sim_thread *add(struct sim *sim, sim_program *program, uint64_t a, uint64_t b)
{
	struct sim_thread *t = sim_new_thread(sim, program);

	t->number[0] = a;
	t->number[1] = b;
	return t;
}

/* Runs number[0] ns in equal parts at locations 0 to 3; sleeps for about number[1] ns at 4. */
static void bursts(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	unsigned at = t->at++ % 5;
	uint64_t pause = t->number[1];

	if (at < 4)
		run(step, at, t->number[0] / 4);
	else
		wait_for(step, SIM_SLEEP, 4, sim_between(sim, pause / 2, pause * 3 / 2));
}

static void bursts_100us(struct sim *sim)
{
	(void)add(sim, bursts, 100 * SIM_US, 200 * SIM_US);
}

static void bursts_400us(struct sim *sim)
{
	(void)add(sim, bursts, 400 * SIM_US, 600 * SIM_US);
}

static void bursts_1600us(struct sim *sim)
{
	(void)add(sim, bursts, 1600 * SIM_US, 2000 * SIM_US);
}

static void bursts_6400us(struct sim *sim)
{
	(void)add(sim, bursts, 6400 * SIM_US, 5000 * SIM_US);
}

static void bursts_100ms(struct sim *sim)
{
	(void)add(sim, bursts, 100 * SIM_MS, 2 * SIM_MS);
}

/* Works at each multiple of number[0] ns, for 0.4 of that time, in four parts. */
static void lockstep(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	unsigned at = t->at++ % 5;
	uint64_t period = t->number[0];

	if (at < 4)
		run(step, at, period / 10);
	else
		wait_for(step, SIM_SLEEP_UNTIL, 4, (sim->now / period + 1) * period);
}

static void lockstep_1(struct sim *sim)
{
	(void)add(sim, lockstep, sim->options.period_ns, 0);
}

static void lockstep_half(struct sim *sim)
{
	(void)add(sim, lockstep, sim->options.period_ns / 2, 0);
}

static void lockstep_third(struct sim *sim)
{
	(void)add(sim, lockstep, sim->options.period_ns / 3, 0);
}

static void lockstep_double(struct sim *sim)
{
	(void)add(sim, lockstep, sim->options.period_ns * 2, 0);
}

/* One of two threads: works at two locations, wakes the other, waits at a third (0-2 or 3-5). */
static void ping_pong(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	unsigned first = (unsigned)t->number[0];

	(void)sim;
	switch (t->at++ % 4) {
	case 0: wait_for(step, SIM_WAIT, first + 2, 0); break;
	case 1: run(step, first, t->number[1]); break;
	case 2: run(step, first + 1, t->number[1] * 2); break;
	default: wake_peer(step, t->peer[0]);
	}
}

static void begin_ping_pong(struct sim *sim, uint64_t ns)
{
	struct sim_thread *a = add(sim, ping_pong, 0, ns), *b = add(sim, ping_pong, 3, ns);

	a->peer[0] = b;
	b->peer[0] = a;
	a->posts = 1;
}

static void ping_pong_30us(struct sim *sim)
{
	begin_ping_pong(sim, 10 * SIM_US);
}

static void ping_pong_1ms(struct sim *sim)
{
	begin_ping_pong(sim, 333 * SIM_US);
}

/* 0.1 to 5 ms: each octave has the same probability. */
static uint64_t task_ns(struct sim *sim)
{
	uint64_t ns = (100 * SIM_US) << plan_random(&sim->random, 6);

	return sim_between(sim, ns, ns * 8 / 5);
}

/* A worker waits at location 4 for a task: 6 % of its time at 0, the rest evenly at 1 to 3. */
static void worker(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	unsigned at = t->at++ % 5;

	if (at == 0) {
		wait_for(step, SIM_WAIT, 4, 0);
		t->number[1] = t->number[0] ? t->number[0] : task_ns(sim);
	} else if (at == 1) {
		run(step, 0, t->number[1] * 6 / 94);
	} else {
		run(step, at - 1, t->number[1] / 3);
	}
}

/* Gives tasks to number[0] workers, whose ids begin with 0, every number[1] ns on average. */
static void dispatcher(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	if (t->at++ % 2)
		wake_peer(step, &sim->thread[plan_random(&sim->random, t->number[0])]);
	else
		wait_for(step, SIM_SLEEP, 5, sim_between(sim, 0, 2 * t->number[1]));
}

/* Tasks keep the CPUs, or fewer workers, busy for two thirds of the time. */
static void begin_pool(struct sim *sim, unsigned workers, uint64_t fixed_ns)
{
	uint64_t mean = fixed_ns ? fixed_ns : 1365 * SIM_US;
	unsigned most = workers < sim->options.cpus ? workers : sim->options.cpus;

	for (unsigned i = 0; i < workers; i++)
		(void)add(sim, worker, fixed_ns, 0);
	(void)add(sim, dispatcher, workers, mean * 3 / 2 / most);
}

static void pool_4(struct sim *sim)
{
	begin_pool(sim, 4, 0);
}

static void pool_8(struct sim *sim)
{
	begin_pool(sim, 8, 0);
}

static void pool_16(struct sim *sim)
{
	begin_pool(sim, 16, 0);
}

static void pool_16_100us(struct sim *sim)
{
	begin_pool(sim, 16, 100 * SIM_US);
}

static void sleepers_1000(struct sim *sim)
{
	for (unsigned i = 0; i < 1000; i++)
		(void)add(sim, bursts, 400 * SIM_US, 1000 * SIM_MS);
}

static void short_life(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	(void)sim;
	if (t->at < 3)
		run(step, 1 + t->at, 100 * SIM_US);
	else
		step->kind = SIM_EXIT;
	t->at++;
}

static void parent(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	switch (t->at++ % 3) {
	case 0: run(step, 0, 100 * SIM_US); break;
	case 1: *step = (struct sim_step){.kind = SIM_SPAWN, .program = short_life}; break;
	default: wait_for(step, SIM_SLEEP, 4, sim_between(sim, 0, SIM_MS));
	}
}

static void storm(struct sim *sim)
{
	(void)add(sim, parent, 0, 0);
}

static void busy(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	unsigned at = t->at++ % 4;

	(void)sim;
	run(step, at, t->number[0] * (at + 1));
}

static void crowd_100(struct sim *sim)
{
	for (unsigned i = 0; i < 100; i++)
		(void)add(sim, busy, 130 * SIM_US + i * 1000, 0);
}

static void busy_n(struct sim *sim, unsigned n)
{
	for (unsigned i = 0; i < n && i < 16; i++)
		(void)add(sim, busy, 130 * SIM_US + i * 1000, 0);
}

static void busy_all(struct sim *sim)
{
	busy_n(sim, sim->options.cpus);
}

static void busy_half(struct sim *sim)
{
	busy_n(sim, (sim->options.cpus + 1) / 2);
}

static void busy_1(struct sim *sim)
{
	(void)add(sim, busy, 77 * SIM_US, 0);
}

/* Parts of 24, 33, 11, 6 and 26 % in a round of 3.9 ms; a call between them. */
static void five(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	static const uint64_t us[5] = {936, 1287, 429, 234, 1014};
	unsigned at = t->at++ % 10;

	(void)sim;
	run(step, at / 2, us[at / 2] * SIM_US);
	if (at % 2)
		*step = (struct sim_step){.kind = SIM_CALL, .place = 5, .ns = 400};
}

static void five_functions(struct sim *sim)
{
	(void)add(sim, five, 0, 0);
}

/* Two threads without calls on one CPU: one runs nearly always, one rarely. */
static void rare_guest(struct sim *sim)
{
	struct sim_thread *t = add(sim, busy, 500 * SIM_US, 0);

	t = add(sim, bursts, 200 * SIM_US, 10 * SIM_MS);
	t->at = 4;
}

/* The thread that rarely runs has locations of its own. */
static void own_burst(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	bursts(sim, t, step);
	step->place = 4 + step->place / 2;
}

static void rare_guest_2(struct sim *sim)
{
	(void)add(sim, busy, 500 * SIM_US, 0);
	(void)add(sim, own_burst, 200 * SIM_US, 10 * SIM_MS);
}

/* Calls of number[0] ns, longer than a period, that cannot be preempted. */
static void atomic(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	unsigned at = t->at++ % 3;

	(void)sim;
	if (at < 2)
		run(step, at, SIM_MS);
	else
		*step = (struct sim_step){.kind = SIM_ATOMIC, .place = 2, .ns = t->number[0]};
}

static void atomic_100us(struct sim *sim)
{
	(void)add(sim, atomic, 100 * SIM_US, 0);
}

static void atomic_3ms(struct sim *sim)
{
	(void)add(sim, atomic, 3 * SIM_MS, 0);
}

/* Calls longer than a period, on a kernel that can be preempted: they stop at their end. */
static void calls(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	atomic(sim, t, step);
	if (step->kind == SIM_ATOMIC)
		step->kind = SIM_CALL;
}

static void calls_3ms(struct sim *sim)
{
	(void)add(sim, calls, 3 * SIM_MS, 0);
}

static void calls_of_4_threads(struct sim *sim)
{
	for (unsigned i = 0; i < 4; i++)
		(void)add(sim, calls, (i + 2) * 4 * SIM_MS, 0);
}

static void beside_load(struct sim *sim)
{
	(void)add(sim, bursts, 400 * SIM_US, 600 * SIM_US);
	(void)add(sim, busy, 77 * SIM_US, 0);
	for (unsigned i = 0; i < 2 * sim->options.cpus; i++) {
		struct sim_thread *t = add(sim, busy, SIM_MS, 0);

		t->foreign = true;
		sim_start(sim, t);
	}
}

/* Up to six threads of up to eight functions, with random calls, sleeps and wake-ups between. */
static void random_program(struct sim *sim, struct sim_thread *t, struct sim_step *step)
{
	unsigned at = t->at++ % (2 * t->count), place = (at / 2 + t->id) % 8;
	struct plan_random fixed;

	/* The location gives the seed: the program does the same there each time. */
	plan_seed(&fixed, (sim->options.seed * 64 + t->id) * 64 + at + UINT64_C(0x123456789abcdef));
	for (unsigned i = 0; i < 8; i++)
		(void)plan_random(&fixed, 2);
	if (at % 2 == 0) {
		run(step, place, (15 * SIM_US) << plan_random(&fixed, 8));
		return;
	}
	switch (plan_random(&fixed, 6)) {
	case 0: *step = (struct sim_step){.kind = SIM_CALL, .place = 8, .ns = 300}; break;
	case 1: *step = (struct sim_step){.kind = SIM_ATOMIC, .place = 8, .ns = 5000}; break;
	case 2: wait_for(step, SIM_SLEEP, 8, (60 * SIM_US) << plan_random(&fixed, 6)); break;
	case 3:
		if (!t->peer[0]) {
			run(step, place, SIM_US);
		} else if (t->number[0]++ % 2) {
			wait_for(step, SIM_WAIT, 8, 0);
		} else {
			wake_peer(step, t->peer[0]);
			t->at--;
		}
		break;
	default: run(step, place, SIM_US);
	}
}

void scenario_random(struct sim *sim)
{
	unsigned n = 1 + (unsigned)plan_random(&sim->random, 6);
	struct sim_thread *t[6] = {NULL};

	for (unsigned i = 0; i < n; i++) {
		t[i] = add(sim, random_program, 0, 0);
		t[i]->count = 2 + (unsigned)plan_random(&sim->random, 7);
	}
	/* A wake-up in store for each thread of a pair: the first wait does not block both. */
	for (unsigned i = 0; i + 1 < n; i += 2) {
		t[i]->peer[0] = t[i + 1];
		t[i + 1]->peer[0] = t[i];
		t[i]->posts = t[i + 1]->posts = 1;
	}
}

/* A thread goes to sleep when the supervisor comes, and is woken before it is observed. */
static const char woken[] = "woken while it is asked";
/* A sleeping thread is not observed if it was not hit lately, or if its stop is awaited. */
static const char unmet[] = "sleepers not met lately";
/* The supervisor gets its CPU when the scheduler permits: at the end of a call or slice. */
static const char late[] = "instants that come late";
/* With even instants, the time in which a resumed thread's CPU leaves idle is found too rarely. */
static const char even[] = "CPUs that leave idle after each stop";

const struct scenario scenarios[] = {
	{"bursts of 0.1 ms", bursts_100us, 5, 0, NULL, NULL, NULL},
	{"bursts of 0.4 ms", bursts_400us, 5, 0, NULL, NULL, NULL},
	{"bursts of 1.6 ms", bursts_1600us, 5, 0, NULL, NULL, NULL},
	{"bursts of 6.4 ms", bursts_6400us, 5, 0, NULL, NULL, NULL},
	{"bursts of 100 ms", bursts_100ms, 5, 0, NULL, NULL, NULL},
	{"lockstep, 1 period", lockstep_1, 5, 0, NULL, NULL, NULL},
	{"lockstep, 1/2 period", lockstep_half, 5, 0, NULL, NULL, NULL},
	{"lockstep, 1/3 period", lockstep_third, 5, 0, NULL, NULL, NULL},
	{"lockstep, 2 periods", lockstep_double, 5, 0, NULL, NULL, NULL},
	{"ping-pong, 0.03 ms", ping_pong_30us, 6, 0, woken, late, NULL},
	{"ping-pong, 1 ms", ping_pong_1ms, 6, 0, NULL, NULL, even},
	{"pool of 4", pool_4, 6, 0, unmet, late, NULL},
	{"pool of 8", pool_8, 6, 0, unmet, late, NULL},
	{"pool of 16", pool_16, 6, 0, unmet, late, NULL},
	{"pool of 16, 0.1 ms", pool_16_100us, 6, 0, unmet, late, NULL},
	{"1,000 sleepers", sleepers_1000, 5, 0, unmet, late, NULL},
	{"storm", storm, 5, 0, NULL, late, NULL},
	{"crowd of 100", crowd_100, 4, 2, unmet, late, NULL},
	{"busy on all CPUs", busy_all, 4, 0, NULL, late, NULL},
	{"busy on half of them", busy_half, 4, 0, NULL, late, NULL},
	{"one busy thread", busy_1, 4, 0, NULL, NULL, NULL},
	{"five functions", five_functions, 6, 0, NULL, NULL, NULL},
	{"rare guest", rare_guest, 5, 0, NULL, late, NULL},
	{"rare guest, own code", rare_guest_2, 7, 0, NULL, late, NULL},
	{"calls of 0.1 ms", atomic_100us, 3, 0, NULL, NULL, NULL},
	{"calls of 3 ms", atomic_3ms, 3, 0, NULL, late, NULL},
	{"preempted, 3 ms", calls_3ms, 3, 0, NULL, late, NULL},
	{"preempted, 4 threads", calls_of_4_threads, 3, 0, NULL, late, NULL},
	{"beside busy loops", beside_load, 5, 0, NULL, late, NULL},
};
const size_t scenarios_n = sizeof(scenarios) / sizeof(*scenarios);
