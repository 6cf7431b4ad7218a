/* SPDX-License-Identifier: MIT */
/* The tracing thread: what engine/sampling.c does, call for call, and its probe. */
#include "tests/unit/simulator.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

/* What it costs: files of /proc, an interrupt, a stop with its registers, a record, a wake-up. */
#define ACTIVITY_NS  1500
#define CPU_TIME_NS  1500
#define SWITCHED_NS  5000
#define LAST_CPU_NS  2000
#define ARRIVED_NS   5000
#define RUNNABLE_NS  3000
#define INTERRUPT_NS 2500
#define STOP_NS      8000
#define RECORD_NS    4000
#define LOOP_NS      2000
#define BIRTH_NS     15000
/* A running thread's figures are brought up to date so often. */
#define TICK_NS 4000000
/* As in engine/sampling.c. */
#define SPIN_NS       50000
#define LEAD_MOST_NS  100000
#define LEAD_SPARE_NS 8000
#define AWAIT_NS      100000

static bool is_there(const struct sim_thread *t)
{
	return t->state != SIM_ENDED && t->state != SIM_UNUSED;
}

static int probe_activity(void *context, struct sample_thread *s, struct activity *ret)
{
	struct sim_thread *t = s->owner;

	sim_tracer_work(context, ACTIVITY_NS);
	if (!is_there(t))
		return -ESRCH;
	/* One that has been asked already, or is stopped, is none to ask. */
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

/* The last tick of a CPU at which its thread's figures were brought up to date, or its switch. */
static uint64_t last_update(const struct sim *sim, const struct sim_thread *t)
{
	uint64_t offset = (unsigned)t->cpu * SIM_MS;
	uint64_t tick = (sim->now + offset) / TICK_NS * TICK_NS;

	tick = tick > offset ? tick - offset : 0;
	return tick > t->since_ns ? tick : t->since_ns;
}

static struct cpu_time read_cpu(struct sim *sim, const struct sim_thread *t)
{
	struct cpu_time cpu = {t->run_ns, t->wait_ns, t->slices};

	/* Booked up to some moment, it ran all the time since it was put there. */
	if (t->state == SIM_ON_CPU)
		cpu.run_ns = t->run_ns + last_update(sim, t) - sim->cpu[t->cpu].accounted_ns;
	return cpu;
}

static int probe_cpu_time(void *context, struct sample_thread *s, struct cpu_time *ret)
{
	struct sim_thread *t = s->owner;

	sim_tracer_work(context, CPU_TIME_NS);
	*ret = read_cpu(context, t);
	return is_there(t) ? 0 : -ESRCH;
}

static int probe_switched(void *context, struct sample_thread *s, uint64_t *ret_ns)
{
	struct sim_thread *t = s->owner;

	sim_tracer_work(context, SWITCHED_NS);
	*ret_ns = t->state == SIM_ON_CPU ? last_update(context, t) : t->stamp_ns;
	return is_there(t) ? 0 : -ESRCH;
}

static int probe_queued(void *context, struct sample_thread *s, uint64_t *ret_ns)
{
	struct sim_thread *t = s->owner;

	sim_tracer_work(context, SWITCHED_NS);
	*ret_ns = t->since_ns;
	return t->state == SIM_QUEUED ? 0 : -ESRCH;
}

static int probe_last_cpu(void *context, struct sample_thread *s)
{
	struct sim_thread *t = s->owner;

	sim_tracer_work(context, LAST_CPU_NS);
	return is_there(t) ? t->cpu : -ESRCH;
}

static int probe_arrived(void *context, unsigned cpu, struct arrival *ret)
{
	struct sim *sim = context;

	if (sim->options.no_stamps)
		return -ENODATA;
	/* A waiter reads its own. */
	if (cpu == sim->sampler.host)
		sim_tracer_work(sim, ARRIVED_NS);
	*ret = (struct arrival){sim->cpu[cpu].stamp_ns - SIM_FALL_ASLEEP_NS, sim->cpu[cpu].stamp_ns,
		sim->cpu[cpu].stamp_ns};
	return 0;
}

static bool probe_holds(void *context, unsigned cpu)
{
	struct sim *sim = context;

	return cpu == sim->sampler.host ? sim->came : sim->cpu[cpu].holds;
}

static uint64_t probe_now(void *context)
{
	return ((struct sim *)context)->now;
}

static int probe_runnable(void *context)
{
	struct sim *sim = context;
	int n = 0;

	sim_tracer_work(sim, RUNNABLE_NS);
	for (unsigned i = 0; i < sim->options.cpus; i++)
		n += (int)sim->cpu[i].queued + (sim->cpu[i].current != NULL);
	return n;
}

static const struct probe probe = {
	.activity = probe_activity,
	.cpu_time = probe_cpu_time,
	.switched = probe_switched,
	.queued = probe_queued,
	.last_cpu = probe_last_cpu,
	.arrived = probe_arrived,
	.holds = probe_holds,
	.now = probe_now,
	.runnable = probe_runnable,
};

static void record(struct sim *sim, uint64_t place, uint64_t weight_ns)
{
	sim->result->found[sim->batch][place] += (double)weight_ns;
	sim->result->samples++;
	sim_tracer_work(sim, RECORD_NS);
}

/* stops_ask() */
static bool ask(struct sim *sim, struct sim_thread *t)
{
	sim_tracer_work(sim, INTERRUPT_NS);
	if (t->asked || !is_there(t))
		return false;
	sim_interrupt(sim, t);
	t->asked = true;
	t->asked_ns = sim->now;
	return true;
}

/* look_take_tick(): where it slept is known with the order. */
static void take_sleeper(struct sim *sim, struct sim_thread *t)
{
	const struct sample_order *order = &t->sample.order;

	sampler_note(&t->sample, true);
	record(sim, order->activity.pc - 1, order->weight_ns[0]);
}

/* take_instant() */
static void take_instant(struct sim *sim, unsigned cpu, uint64_t planned, uint64_t woke)
{
	bool here = cpu == sim->sampler.host;
	struct sim_thread *there = sim->cpu[cpu].replaced, *t;
	struct sample_thread *found = sampler_instant(&sim->sampler, cpu, planned, planned, woke);

	t = found ? found->owner : NULL;
	if (there && there->foreign)
		there = NULL;
	sim->result->wrong += t && t != there;
	sim->result->missed += there && !t;

	if (t && found->order.asleep) {
		take_sleeper(sim, t);
		return;
	}
	if (!t)
		return;
	if (!ask(sim, t)) {
		sampler_lose(&sim->sampler, found);
		sim->result->refused++;
		return;
	}
	t->ordered = true;
	t->remote = !here;
	sampler_asked(&sim->sampler, found, !here);
	if (!here)
		sim->asked[sim->asked_n++] = t;
}

/* cpu_waiter_calls(): it has woken up */
static bool waiter_calls(const struct sim *sim, const struct sim_cpu *c)
{
	return (c->holds && c->woke_ns <= sim->now) || c->gave_up;
}

/* serve_waiter() */
static void serve_waiter(struct sim *sim, unsigned cpu, uint64_t now)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	if (!waiter_calls(sim, c))
		return;
	if (c->holds)
		take_instant(sim, cpu, c->order_ns, c->woke_ns);
	else
		sampler_miss(&sim->sampler, cpu, now, false);
	sampler_had(&sim->sampler, cpu, c->used_ns);
	sampler_let_go(&sim->sampler, cpu);
	c->used_ns = 0;
	c->waiter_order_ns = sampler_next(&sim->sampler, cpu);
	sim_waiter_set(sim, cpu, c->waiter_order_ns);
}

static bool has_waiter(const struct sample_cpu *c)
{
	return c->way != SAMPLE_HOSTED;
}

/* use_waiters() */
static void use_waiters(struct sim *sim)
{
	for (unsigned i = 0; i < sim->options.cpus; i++) {
		bool waits = has_waiter(&sim->sampler.cpu[i]);
		uint64_t next = waits ? sampler_next(&sim->sampler, i) : SIM_NEVER;

		if (sim->cpu[i].waiter_order_ns != next) {
			sim->cpu[i].waiter_order_ns = next;
			sim_waiter_set(sim, i, next);
		}
	}
}

/* take_ways() */
static void take_ways(struct sim *sim, uint64_t now)
{
	unsigned before = sim->sampler.host, host;

	if (now < sim->sampler.ways_next_ns)
		return;
	host = sampler_ways(&sim->sampler, now);
	if (host != before)
		sim_tracer_move(sim, before);
	use_waiters(sim);
}

static void forget_asked(struct sim *sim, const struct sim_thread *t)
{
	for (size_t i = 0; i < sim->asked_n; i++) {
		if (sim->asked[i] == t) {
			sim->asked[i] = sim->asked[--sim->asked_n];
			return;
		}
	}
}

/* stops_take() */
static void handle_stop(struct sim *sim, struct sim_thread *t)
{
	uint64_t seen = sim->now;
	bool in_call = t->phase != SIM_BODY || t->step.kind != SIM_RUN, valid;
	unsigned place = t->step.place;
	struct cpu_time cpu;

	forget_asked(sim, t);
	sim_tracer_work(sim, STOP_NS);
	cpu = read_cpu(sim, t);
	valid = t->ordered &&
		sampler_judge(&sim->sampler, &t->sample, &cpu, SAMPLE_IN_PROGRAM, t->asked_ns);
	sim_resume(sim, t);
	t->asked = t->ordered = false;
	if (!valid)
		return;
	sampler_resumed(&sim->sampler, &t->sample, &cpu, sim->now, sim->now - seen);
	sampler_note(&t->sample, in_call);
	record(sim, place, t->sample.order.weight_ns[0]);
}

/* stops_collect() */
static void collect(struct sim *sim)
{
	uint64_t until = sim->now + (sim->options.cpus > 1 ? SPIN_NS : 0);

	while (sim->asked_n && sim->now < until) {
		for (size_t i = sim->asked_n; i-- > 0;) {
			struct sim_thread *t = sim->asked[i];

			if (t->state == SIM_STOPPED)
				handle_stop(sim, t);
			else
				sim_tracer_work(sim, 1000);
			if (i > sim->asked_n)
				i = sim->asked_n;
		}
	}
	sim->asked_n = 0;
}

static uint64_t awaited_at(const struct sim *sim)
{
	for (unsigned i = 0; i < sim->options.cpus; i++)
		if (sim->sampler.cpu[i].way == SAMPLE_AWAITED)
			return sim->cpu[i].waiter_order_ns;
	return SIM_NEVER;
}

/* await_waiter() */
static uint64_t await_waiter(struct sim *sim)
{
	uint64_t at = awaited_at(sim), late;

	if (!sim->lead_at_ns || sim->now < sim->lead_at_ns || at == SIM_NEVER)
		return sim->now;
	late = sim->now - sim->lead_at_ns;
	late = late < LEAD_MOST_NS ? late : LEAD_MOST_NS;
	sim->lead_ns += ((int64_t)(late + LEAD_SPARE_NS) - (int64_t)sim->lead_ns) / 8;
	sim->lead_at_ns = 0;
	while (sim->now < at + AWAIT_NS) {
		for (unsigned i = 0; i < sim->options.cpus; i++)
			if (waiter_calls(sim, &sim->cpu[i]))
				return sim->now;
		sim_tracer_work(sim, 300);
	}
	return sim->now;
}

/* is_deferred() */
static bool is_deferred(struct sim *sim, uint64_t planned)
{
	if ((sim->came && planned <= sim->cpu[sim->sampler.host].stamp_ns) || sim->deferred)
		return false;
	sim->deferred = true;
	return true;
}

/* sampling_wake() */
static void wake_up(struct sim *sim)
{
	uint64_t now = await_waiter(sim);

	for (unsigned i = 0; i < sim->options.cpus; i++) {
		uint64_t next = sampler_next(&sim->sampler, i);

		if (has_waiter(&sim->sampler.cpu[i]))
			serve_waiter(sim, i, now);
		else if (now >= next && !is_deferred(sim, next))
			take_instant(sim, i, next, now);
	}
	collect(sim);
	if (!sim->asked_n)
		take_ways(sim, now);
}

static void reap(struct sim *sim, struct sim_thread *t)
{
	forget_asked(sim, t);
	sampler_remove(&sim->sampler, &t->sample);
	t->state = SIM_UNUSED;
}

/* lifecycle_drain(): stops, births and ends. */
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

/* sampling_rest(), sampling_next() */
static uint64_t rest(struct sim *sim)
{
	uint64_t next = sim->options.duration_ns, awaited = awaited_at(sim);

	sampler_had(&sim->sampler, sim->sampler.host, sim->now - sim->used_since_ns);
	for (unsigned i = 0; i < sim->options.cpus; i++) {
		uint64_t at = has_waiter(&sim->sampler.cpu[i]) ? SIM_NEVER
							       : sampler_next(&sim->sampler, i);

		next = at < next ? at : next;
	}
	sim->lead_at_ns = 0;
	if (awaited != SIM_NEVER && awaited - sim->lead_ns < next)
		next = sim->lead_at_ns = awaited - sim->lead_ns;
	return next;
}

static void loop(struct sim *sim)
{
	uint64_t batch_ns = sim->options.duration_ns / SIM_BATCHES;

	take_ways(sim, sim->now);
	sampler_set_period(&sim->sampler, 0, sim->options.period_ns, sim->now);
	use_waiters(sim);
	for (;;) {
		uint64_t next = rest(sim);

		sim->used_since_ns = sim->now;
		sim->came = sim_tracer_sleep(sim, next);
		sim->deferred = sim->deferred && !sim->came;
		if (sim->came) {
			sim->used_since_ns = sim->cpu[sim->sampler.host].stamp_ns;
			sampler_let_go(&sim->sampler, sim->sampler.host);
		}
		sim_account(sim);
		if (sim->now >= sim->options.duration_ns)
			break;
		sim->batch = (unsigned)(sim->now / batch_ns);
		if (sim->batch >= SIM_BATCHES)
			sim->batch = SIM_BATCHES - 1;
		sim->bell = false;
		wake_up(sim);
		drain(sim);
		sim_tracer_work(sim, LOOP_NS);
	}
}

int sim_run(const struct sim_options *options, void (*begin)(struct sim *sim),
	struct sim_result *ret_result)
{
	const int numbers[SIM_CPUS] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct sim *sim = calloc(1, sizeof(*sim));
	int r = -ENOMEM;

	*ret_result = (struct sim_result){0};
	if (!sim)
		return r;
	sim->options = *options;
	sim->result = ret_result;
	sim->lead_ns = 40000;
	plan_seed(&sim->random, options->seed * UINT64_C(0x9e3779b97f4a7c15) + 1);
	for (unsigned i = 0; i < SIM_CPUS; i++) {
		struct sim_cpu *c = &sim->cpu[i];

		c->queue = sim->queue[i];
		c->waiter_at_ns = c->waiter_order_ns = c->next_ns = SIM_NEVER;
		c->arrives_ns[0] = c->arrives_ns[1] = c->exits_ns = SIM_NEVER;
		c->idle = i > 0;
	}
	r = sampler_init(&sim->sampler, &probe, sim, numbers, options->cpus,
		options->seed * UINT64_C(0xbf58476d1ce4e5b9) + 12345);
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
