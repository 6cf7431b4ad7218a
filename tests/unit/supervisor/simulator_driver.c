/* SPDX-License-Identifier: MIT */
/* Plays the tracing thread: makes the calls of engine/sampling.c in their order, and its probe. */
#include "tests/unit/supervisor/simulator_cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

/* Durations: reading files of /proc, an interrupt, a stop with registers, a record, a wake-up. */
#define ACTIVITY_NS  1500
#define CPU_TIME_NS  1500
#define SWITCHED_NS  5000
#define LAST_CPU_NS  2000
#define ARRIVED_NS   5000 /* for the waiter's own time stamp */
#define RUNNABLE_NS  3000
#define INTERRUPT_NS 2500
#define STOP_NS      8000
#define RECORD_NS    4000
#define LOOP_NS      2000
#define BIRTH_NS     15000
/* The kernel updates a running thread's figures at this interval. */
#define TICK_NS 4000000
/* A thread of ours in the fair class whose slice is used up loses its CPU at a scheduler tick. */
#define SLICE_NS     100000
#define PREEMPTED_NS 3000000
/* CLAIM_NS and DECIDE_NS as in engine/sampling.c, COME_NS as in os/cpu_waiter.c. */
#define CLAIM_NS  200000
#define COME_NS   60000
#define DECIDE_NS 20000000
/*
 * From the waiter's call to the tracing thread's first instruction. In the fair class, one time in
 * OTHER_FIRST_OF, a queued thread runs first, for OTHER_LEAST_NS to OTHER_MOST_NS.
 */
#define HANDOVER_NS    2000
#define OTHER_FIRST_OF 64
#define OTHER_LEAST_NS 100000
#define OTHER_MOST_NS  1000000

/* @ns: on the usual machine. */
static void read_file(struct sim *sim, uint64_t ns)
{
	sim_tracer_work(sim, ns * (sim->options.files ? sim->options.files : 1));
}

static bool is_there(const struct sim_thread *t)
{
	return t->state != SIM_ENDED && t->state != SIM_UNUSED;
}

static int probe_activity(void *context, struct sample_thread *s, struct activity *ret)
{
	struct sim_thread *t = s->owner;

	read_file(context, ACTIVITY_NS);
	if (!is_there(t))
		return -ESRCH;
	/* No further request while one is open, or in a stop. */
	if (t->asked) {
		*ret = (struct activity){.syscall = -1};
		return 0;
	}
	*ret = (struct activity){.running = t->state == SIM_QUEUED || t->state == SIM_ON_CPU};
	if (!ret->running)
		*ret = (struct activity){
			.syscall = SYS_nanosleep, .sp = 1, .pc = t->step.place + 1};
	return 0;
}

static uint64_t last_tick(const struct sim *sim, unsigned cpu)
{
	uint64_t offset = cpu % 4 * SIM_MS, tick = (sim->now + offset) / TICK_NS * TICK_NS;

	return tick > offset ? tick - offset : 0;
}

/* The kernel updates the figures at a scheduler tick, and when a thread is scheduled in. */
static uint64_t last_update(const struct sim *sim, const struct sim_thread *t)
{
	uint64_t tick = last_tick(sim, (unsigned)t->cpu);

	return tick > t->since_ns ? tick : t->since_ns;
}

static struct cpu_time read_cpu(struct sim *sim, const struct sim_thread *t)
{
	struct cpu_time cpu = {t->run_ns, t->wait_ns, t->slices};

	/* The thread ran all the time since it was scheduled in. */
	if (t->state == SIM_ON_CPU)
		cpu.run_ns = t->run_ns + last_update(sim, t) - sim->cpu[t->cpu].accounted_ns;
	return cpu;
}

static uint64_t stamp_of(const struct sim *sim, const struct sim_thread *t)
{
	return t->state == SIM_ON_CPU ? last_update(sim, t) : t->stamp_ns;
}

static int probe_cpu_time(void *context, struct sample_thread *s, struct cpu_time *ret)
{
	struct sim_thread *t = s->owner;

	read_file(context, CPU_TIME_NS);
	*ret = read_cpu(context, t);
	return is_there(t) ? 0 : -ESRCH;
}

static int probe_turn(void *context, struct sample_thread *s, struct turn *ret)
{
	struct sim_thread *t = s->owner;

	read_file(context, SWITCHED_NS);
	*ret = (struct turn){
		.switched_ns = stamp_of(context, t), .run_ns = read_cpu(context, t).run_ns};
	return is_there(t) ? 0 : -ESRCH;
}

static int probe_queued(void *context, struct sample_thread *s, uint64_t *ret_ns)
{
	struct sim_thread *t = s->owner;

	read_file(context, SWITCHED_NS);
	*ret_ns = t->since_ns;
	return t->state == SIM_QUEUED ? 0 : -ESRCH;
}

static int probe_last_cpu(void *context, struct sample_thread *s)
{
	struct sim_thread *t = s->owner;

	read_file(context, LAST_CPU_NS);
	return is_there(t) ? t->cpu : -ESRCH;
}

static uint64_t probe_now(void *context)
{
	return ((struct sim *)context)->now;
}

static int probe_runnable(void *context)
{
	struct sim *sim = context;
	int n = 0;

	read_file(sim, RUNNABLE_NS);
	for (unsigned i = 0; i < sim->options.cpus; i++)
		n += (int)sim->cpu[i].queued + (sim->cpu[i].current != NULL);
	return n;
}

static const struct probe probe = {
	.activity = probe_activity,
	.cpu_time = probe_cpu_time,
	.turn = probe_turn,
	.queued = probe_queued,
	.last_cpu = probe_last_cpu,
	.now = probe_now,
	.runnable = probe_runnable,
};

static void record(struct sim *sim, uint64_t place, uint64_t weight_ns)
{
	sim->result->found[sim->batch][place] += (double)weight_ns;
	sim->result->samples++;
	sim_tracer_work(sim, RECORD_NS);
}

/* As stops_ask() of the engine. */
static bool ask(struct sim *sim, struct sim_thread *t)
{
	sim_tracer_work(sim, INTERRUPT_NS);
	if (t->asked || !is_there(t))
		return false;
	sim_interrupt(sim, t);
	t->asked = true;
	t->stop_requested_ns = sim->now;
	return true;
}

/* As blocked_scan_take_tick(): records a sleeping thread without a stop, by the hit's address. */
static void take_sleeper(struct sim *sim, struct sim_thread *t)
{
	record(sim, t->sample.hit.activity.pc - 1, t->sample.hit.due.weight_ns[0]);
}

/* As expected_ask(): on its wake-up, before its turn, the waiter reads the expected thread. */
static void read_expected(struct sim *sim, struct sim_cpu *c)
{
	struct sim_thread *t = c->expected;

	c->instant.expected = t && is_there(t) && !sim->options.no_stamps ? &t->sample : NULL;
	c->instant.expected_ns = sim->now;
	if (c->instant.expected)
		c->instant.turn = (struct turn){
			.switched_ns = stamp_of(sim, t), .run_ns = read_cpu(sim, t).run_ns};
	c->reads = false;
}

/* As expected_note(); @cpu NULL: expected_forget(), @t is expected nowhere. */
static void expect(struct sim *sim, struct sim_thread *t, struct sim_cpu *cpu)
{
	for (unsigned i = 0; i < sim->options.cpus; i++) {
		struct sim_cpu *c = &sim->cpu[i];

		if (c == cpu ? c->expected == t : c->expected != t)
			continue;
		c->expected = c == cpu ? t : NULL;
		c->instant.expected = NULL; /* its waiter may have read it already */
	}
}

/* A waiter that waits for its turn checks again at its deadline, or at a called tracer's. */
static uint64_t claims_again(const struct sim *sim, const struct sim_cpu *c)
{
	uint64_t until = c->woke_ns + CLAIM_NS, come = sim->called_ns + COME_NS;

	return sim->hit && come > sim->now && come < until ? come : until;
}

/* As summons_claim() of the engine. */
static void claim(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	if (c->reads || sim->turn >= 0 || sim->tracer_runs ||
		(sim->hit && sim->now < sim->called_ns + COME_NS))
		return;
	if (sim->hit)
		sampler_lose(&sim->sampler, sim->hit, true);
	sim->hit = NULL;
	sim->turn = (int)cpu;
	sim->claimed_ns = sim->now;
	c->claims = false;
	c->holds_until_ns = SIM_NEVER;
	sim_cpu_refresh(sim, c);
}

bool sim_waiter_stays(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	if (c->claims && c->reads)
		read_expected(sim, c);
	if (!c->claims || sim->now >= c->woke_ns + CLAIM_NS)
		return false;
	c->holds_until_ns = claims_again(sim, c);
	claim(sim, cpu);
	sim_cpu_refresh(sim, c);
	return true;
}

void sim_next_turn(struct sim *sim)
{
	const struct sim_cpu *first = NULL;

	for (unsigned i = 0; i < sim->options.cpus; i++)
		if (sim->cpu[i].claims && !sim->cpu[i].reads &&
			(!first || sim->cpu[i].woke_ns < first->woke_ns))
			first = &sim->cpu[i];
	if (first)
		claim(sim, (unsigned)(first - sim->cpu));
}

static void set_waiter(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	c->waiter_due_ns = c->waiter_at_ns = plan_next(&c->plan);
}

/* A waiter in the fair class whose slice ends in its turn loses the CPU; all others wait. */
static void lose_cpu(struct sim *sim, unsigned cpu)
{
	const struct sim_cpu *c = &sim->cpu[cpu];

	if (sim->options.realtime || !c->queued || last_tick(sim, cpu) < c->woke_ns + SLICE_NS)
		return;
	sim_pass(sim, sim->now + PREEMPTED_NS);
	if (sim->hit)
		sampler_lose(&sim->sampler, sim->hit, true);
	sim->hit = NULL;
}

/* As take_instant() and ask(), in the waiter's thread. */
void sim_waiter_asks(struct sim *sim)
{
	unsigned cpu = (unsigned)sim->turn;
	struct sim_cpu *c = &sim->cpu[cpu];
	struct sim_thread *there = c->preempted;

	sim->worked_ns += sim->now - sim->claimed_ns;
	sim->hit = sampler_instant(&sim->sampler, &c->instant);
	lose_cpu(sim, cpu);
	sim->turn = -1;
	c->asked = true;
	if (there && there->foreign)
		there = NULL;
	sim->result->wrong += sim->hit && sim->hit->owner != there;
	sim->result->missed += there && !sim->hit;
	c->holds_until_ns = sim->now + (sim->hit ? HANDOVER_NS : 0);
	sim_cpu_refresh(sim, c);
	if (!sim->hit) {
		sim_next_turn(sim);
		return;
	}
	/* As summons_call(): the tracing thread takes a while to come. */
	sim_tracer_move(sim, cpu);
	sim->called_ns = sim->now;
	c->arrives_ns[1] = c->holds_until_ns;
	if (!sim->options.realtime && c->queued && !plan_random(&sim->random, OTHER_FIRST_OF))
		c->arrives_ns[1] += sim_between(sim, OTHER_LEAST_NS, OTHER_MOST_NS);
}

/* As wake(), in the waiter's thread. */
void sim_waiter_comes(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];
	uint64_t planned = plan_next(&c->plan);

	c->dropped = planned <= c->occupied_until_ns || planned > c->woke_ns;
	c->asked = false;
	if (c->dropped) {
		c->holds_until_ns = c->woke_ns;
		return;
	}
	c->instant = (struct sample_instant){.cpu = cpu,
		.planned_ns = planned,
		.woke_ns = c->woke_ns,
		.error = sim->options.no_stamps ? -ENODATA : 0,
		.arrival = {.first_ns = c->stamp_ns - SIM_FALL_ASLEEP_NS,
			.last_ns = c->stamp_ns,
			.monotonic_ns = c->stamp_ns,
			.waited_ns = c->stamp_ns - c->expired_ns,
			.cpu = (int)cpu}};
	plan_take(&c->plan, c->woke_ns, &c->instant.due);
	c->preempted = c->replaced;
	c->claims = c->reads = true;
	c->holds_until_ns = c->woke_ns +
		(ARRIVED_NS + (c->expected ? SWITCHED_NS : 0)) *
			(sim->options.files ? sim->options.files : 1);
}

void sim_waiter_goes(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	sim->busy += !c->dropped && !c->asked;
	plan_set_factors(&c->plan, sampler_factor(&sim->sampler),
		sampler_stretch(&sim->sampler, cpu), sim->now);
	plan_drop(&c->plan, sim->now);
	set_waiter(sim, cpu);
}

/* As stops_take() of the engine. */
static void handle_stop(struct sim *sim, struct sim_thread *t)
{
	unsigned place = t->step.place;
	struct cpu_time cpu;
	bool valid;

	sim_tracer_work(sim, STOP_NS);
	cpu = read_cpu(sim, t);
	valid = t->hit && sampler_judge(&sim->sampler, &t->sample, &cpu, false);
	sim_resume(sim, t);
	t->asked = t->hit = false;
	if (!valid)
		return;
	(void)sampler_resumed(&sim->sampler, &t->sample, &cpu, sim->now);
	expect(sim, t, &sim->cpu[t->sample.cpu]);
	record(sim, place, t->sample.hit.due.weight_ns[0]);
}

/* As serve() of the engine. */
static void serve(struct sim *sim)
{
	struct sample_thread *hit = sim->hit;
	struct sim_thread *t = hit ? hit->owner : NULL;

	sim->hit = NULL;
	if (!t)
		return;
	sim->awake_ns = hit->hit.woke_ns;
	if (hit->hit.asleep) {
		take_sleeper(sim, t);
	} else if (sampler_confirm(&sim->sampler, hit)) {
		t->hit = ask(sim, t);
		if (!t->hit)
			sampler_lose(&sim->sampler, hit, false);
		sim->result->refused += !t->hit;
	}
}

/* As sampling_keep() of the engine. */
static void decide(struct sim *sim)
{
	if (sim->now < sim->decide_next_ns)
		return;
	sim->decide_next_ns = sim->now + DECIDE_NS;
	sampler_turn(&sim->sampler, sim->busy, sim->worked_ns > DECIDE_NS / 2);
	sim->busy = 0;
	sim->worked_ns = 0;
}

/* As sampling_wake() of the engine. */
static void wake_up(struct sim *sim)
{
	sim->awake_ns = sim->now;
	serve(sim);
	decide(sim);
}

static void reap(struct sim *sim, struct sim_thread *t)
{
	expect(sim, t, NULL);
	sampler_remove(&sim->sampler, &t->sample);
	t->state = SIM_UNUSED;
}

/* As lifecycle_drain(): stops, births and ends. */
static void drain(struct sim *sim)
{
	while (sim->reports) {
		struct sim_thread *t = sim->report[--sim->reports];

		t->reported = false;
		if (t->foreign)
			continue;
		if (t->state == SIM_STOPPED) {
			handle_stop(sim, t);
		} else if (t->state == SIM_BORN) {
			sim_tracer_work(sim, BIRTH_NS);
			if (sampler_add(&sim->sampler, &t->sample, t) == 0)
				sim_start(sim, t);
		} else if (t->state == SIM_ENDED) {
			sim_tracer_work(sim, BIRTH_NS);
			reap(sim, t);
		}
	}
}

/* As sampling_rest() of the engine. */
static void rest(struct sim *sim)
{
	sim->worked_ns += sim->now - sim->awake_ns;
	sampler_occupied(&sim->sampler, sim->tracer_cpu, sim->now - sim->awake_ns);
	sim->cpu[sim->tracer_cpu].occupied_until_ns = sim->now;
}

static void loop(struct sim *sim)
{
	uint64_t batch_ns = sim->options.duration_ns / SIM_BATCHES;

	sampler_set_period(&sim->sampler, 0, sim->options.period_ns);
	for (unsigned i = 0; i < sim->options.cpus; i++) {
		plan_set_period(&sim->cpu[i].plan, 0, sim->options.period_ns, sim->now);
		set_waiter(sim, i);
		sim_cpu_refresh(sim, &sim->cpu[i]);
	}
	for (;;) {
		rest(sim);
		(void)sim_tracer_sleep(sim, sim->options.duration_ns);
		sim_account(sim);
		if (sim->now >= sim->options.duration_ns)
			break;
		sim->batch = (unsigned)(sim->now / batch_ns);
		if (sim->batch >= SIM_BATCHES)
			sim->batch = SIM_BATCHES - 1;
		wake_up(sim);
		drain(sim);
		sim_tracer_work(sim, LOOP_NS);
	}
}

int sim_run(const struct sim_options *options, void (*begin)(struct sim *sim),
	struct sim_result *ret_result)
{
	int numbers[SIM_CPUS];
	struct sim *sim = calloc(1, sizeof(*sim));
	int r = -ENOMEM;

	*ret_result = (struct sim_result){0};
	if (!sim)
		return r;
	sim->options = *options;
	sim->result = ret_result;
	sim->turn = -1;
	plan_seed(&sim->random, options->seed * UINT64_C(0x9e3779b97f4a7c15) + 1);
	for (unsigned i = 0; i < SIM_CPUS; i++) {
		struct sim_cpu *c = &sim->cpu[i];

		numbers[i] = (int)i;
		c->queue = sim->queue[i];
		c->waiter_at_ns = c->next_ns = SIM_NEVER;
		c->arrives_ns[0] = c->arrives_ns[1] = c->exits_ns = SIM_NEVER;
		c->idle = i > 0;
		plan_init(&c->plan, (options->seed * SIM_CPUS + i) * UINT64_C(0xbf58476d1ce4e5b9));
	}
	r = sampler_init(&sim->sampler, &probe, sim, numbers, options->cpus,
		options->seed * UINT64_C(0x94d049bb133111eb) + 12345);
	if (r == 0) {
		sim->sampler.realtime = options->realtime;
		sim->cpu[0].ours = SIM_TRACER;
		sim->tracer_runs = true;
		begin(sim);
		drain(sim);
		loop(sim);
		ret_result->figures = sim->sampler.figures;
		sampler_release(&sim->sampler);
	}
	free(sim);
	return r;
}
