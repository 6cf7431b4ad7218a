/* SPDX-License-Identifier: MIT */
/*
 * Compares the sampler's results in the simulator with the truth. Each batch of a run gives, for
 * each location, the difference between found and true time. Batches are independent, so their
 * scatter gives the variance, whatever the program does. Student's t tests the share of each
 * location, and the found ratio of all.
 *
 * Results known to be wrong, for a reason in simulator_programs.c, are only printed.
 *
 * TRUTH=1: all numbers of CPUs at both rates in all classes (tests/truth.sh). SIMULATOR_TIMES=50:
 * TRUTH=1 with runs that are 50 times longer (tests/long.sh). SIMULATOR_SEED=7: another seed.
 * SIMULATOR_ONLY=pool: only scenarios whose names contain "pool". SIMULATOR_FILES=3: files of /proc
 * take three times as long to read. -v: prints a table, in which "ran" is the number of CPUs that
 * the target used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/supervisor/simulator_programs.h"

/* In 1 of 1e7 cases, t with 63 degrees of freedom exceeds this; a run has up to ten tests. */
#define LIMIT_T 5.9
/* Duration of a run in periods. */
#define PERIODS 6000
/* Delay in a virtual machine from an interrupt to the thread that it wakes. */
#define SLOW_NS (15 * SIM_US)
/* Locations with fewer samples per batch are tested together. */
#define LEAST_SAMPLES 4

/* Longest time from an interrupt to an idle CPU's first instruction on some virtual machines. */
#define IDLE_NS (200 * SIM_US)

#define FEW_CPUS  8
#define MANY_CPUS 16

struct verdict {
	double found, found_t; /* the found ratio, less 1; its t */
	double ran_ns;         /* CPU time of the target */
	/* bias of the worst location's share, as part of the whole; its t */
	double share, share_t;
	unsigned place;
};

static bool loud, whole;
static unsigned long times = 1, seed = 1, files = 1;
static const char *only;

static double t_of(const double *x, size_t n)
{
	double mean = 0, square = 0;

	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (x[i] - mean) * (x[i] - mean);
	return square > 0 ? mean / sqrt(square / (double)(n - 1) / (double)n) : 0;
}

static struct verdict judge(const struct sim_result *r, unsigned places, double period_ns)
{
	double found = 0, truth = 0, there[SIM_PLACES] = {0}, all_f[SIM_BATCHES] = {0},
	       all_t[SIM_BATCHES] = {0}, x[SIM_BATCHES];
	struct verdict v = {0};

	for (unsigned b = 0; b < SIM_BATCHES; b++) {
		for (unsigned p = 0; p < places; p++) {
			all_f[b] += r->found[b][p];
			all_t[b] += r->truth[b][p];
			there[p] += r->truth[b][p];
		}
		found += all_f[b];
		truth += all_t[b];
		x[b] = all_f[b] - all_t[b];
	}
	v.found = found / truth - 1;
	v.ran_ns = truth;
	v.found_t = t_of(x, SIM_BATCHES);
	for (unsigned p = 0; p < places; p++) {
		double share = there[p] / truth, sum = 0, t;

		if (there[p] < LEAST_SAMPLES * SIM_BATCHES * period_ns)
			continue;
		for (unsigned b = 0; b < SIM_BATCHES; b++) {
			x[b] = r->found[b][p] - share * all_f[b] -
				(r->truth[b][p] - share * all_t[b]);
			sum += x[b];
		}
		t = t_of(x, SIM_BATCHES);
		if (fabs(t) >= fabs(v.share_t)) {
			v.share_t = t;
			v.share = sum / found;
			v.place = p;
		}
	}
	return v;
}

static const char *class_name(const struct sim_options *o)
{
	return o->slow_ns ? "slow" : o->realtime ? "real time" : o->idle_ns ? "fair idle" : "fair";
}

static bool run(const char *name, void (*begin)(struct sim *sim), unsigned places,
	const struct sim_options *options, bool known)
{
	static struct sim_result result;
	struct verdict v;
	bool right;

	assert_int_equal(sim_run(options, begin, &result), 0);
	v = judge(&result, places, (double)options->period_ns);
	right = fabs(v.found_t) < LIMIT_T && fabs(v.share_t) < LIMIT_T;
	if (loud || (!right && !known))
		print_message(
			"%-20s %4.0f %-9s %u found %+6.2f (t %+5.1f) share %+6.2f (t %+5.1f, "
			"place %u) ran %.3f samples %llu, late %llu, unproved %llu, refused %llu, "
			"wrong %llu, missed %llu%s\n",
			name, 1e9 / (double)options->period_ns, class_name(options), options->cpus,
			v.found * 100, v.found_t, v.share * 100, v.share_t, v.place,
			v.ran_ns / (double)options->duration_ns, (unsigned long long)result.samples,
			(unsigned long long)result.figures.late,
			(unsigned long long)result.figures.unproved,
			(unsigned long long)result.refused, (unsigned long long)result.wrong,
			(unsigned long long)result.missed,
			right           ? ""
				: known ? " (known)"
					: " WRONG");
	return right || known;
}

static const uint64_t periods[] = {4 * SIM_MS, SIM_MS};
static const unsigned cpus[] = {1, 2, FEW_CPUS, MANY_CPUS, 64};

/*
 * Does run @k belong to the quick suite (without TRUTH)? With real-time priority and fast
 * interrupts: up to FEW_CPUS at both rates; MANY_CPUS, which take long, at the higher rate; 64
 * never. In other classes: up to FEW_CPUS, at the lower and the higher rate in turn.
 */
static bool is_quick(const struct sim_options *o, size_t k)
{
	bool plain = o->realtime && !o->slow_ns;

	if (o->cpus > FEW_CPUS)
		return o->cpus == MANY_CPUS && plain && k % 2;
	return plain || k % 2 != k / 2 % 2;
}

static void test_all(bool realtime, uint64_t slow_ns, uint64_t idle_ns)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < scenarios_n; i++) {
		const struct scenario *s = &scenarios[i];

		if (only && !strstr(s->name, only))
			continue;
		for (size_t k = 0; k < 10; k++) {
			struct sim_options o = {.cpus = cpus[k / 2],
				.period_ns = periods[k % 2],
				.seed = seed,
				.files = (unsigned)files,
				.realtime = realtime,
				.slow_ns = slow_ns,
				.idle_ns = idle_ns};

			o.duration_ns = PERIODS * times * o.period_ns;
			if (!whole && !is_quick(&o, k))
				continue;
			if (!s->cpus || s->cpus == o.cpus)
				wrong += !run(s->name, s->begin, s->places, &o,
					s->bias || (!realtime && s->fair_bias) ||
						(slow_ns && s->slow_bias));
		}
	}
	assert_int_equal(wrong, 0);
}

static void test_simulator__in_real_time(void **state)
{
	(void)state;
	test_all(true, 0, 0);
}

/* In a virtual machine, a thread woken before the instant is found before it runs. */
static void test_simulator__interrupts_are_slow(void **state)
{
	(void)state;
	test_all(true, SLOW_NS, 0);
}

static void test_simulator__in_the_fair_class(void **state)
{
	(void)state;
	test_all(false, 0, 0);
}

/* An idle CPU's timer may be late, but not its instant: no thread ran in between. */
static void test_simulator__in_the_fair_class_on_slow_idle_cpus(void **state)
{
	(void)state;
	test_all(false, 0, IDLE_NS);
}

static void test_simulator__random_programs(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 24 && (!only || strstr("random", only)); i++) {
		struct sim_options o = {.cpus = cpus[i % 3],
			.period_ns = periods[i / 3 % 2],
			.seed = seed * 1000 + i,
			.realtime = i / 6 % 2 == 0};
		char name[32];

		o.duration_ns = PERIODS * times * o.period_ns;
		(void)snprintf(name, sizeof(name), "random %u", i);
		wrong += !run(name, scenario_random, SCENARIO_RANDOM_PLACES, &o, !o.realtime);
	}
	assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulator__in_real_time),
		cmocka_unit_test(test_simulator__interrupts_are_slow),
		cmocka_unit_test(test_simulator__in_the_fair_class),
		cmocka_unit_test(test_simulator__in_the_fair_class_on_slow_idle_cpus),
		cmocka_unit_test(test_simulator__random_programs),
	};
	const char *text = getenv("SIMULATOR_TIMES");

	loud = argc > 1 && strcmp(argv[1], "-v") == 0;
	times = text ? strtoul(text, NULL, 10) : 1;
	text = getenv("SIMULATOR_SEED");
	seed = text ? strtoul(text, NULL, 10) : 1;
	text = getenv("SIMULATOR_FILES");
	files = text ? strtoul(text, NULL, 10) : 1;
	only = getenv("SIMULATOR_ONLY");
	whole = times > 1 || only || getenv("TRUTH");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
