/* SPDX-License-Identifier: MIT */
/* The races of docs/PTRACE.md, each in every order that the kernel may give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernel/explore.h"
#include "tests/kernel/scene.h"

/* Orders with so many early choices are played, and so many at random. */
enum { EARLY = 2, RANDOM = 2000, MOST = 40000 };

static const int target[] = {100};

static void judge(const char *name, const struct explored *e)
{
	if (e->failed)
		print_message("%s, after %lu orders: %s\n%s\n", name, e->orders, e->failure,
			e->log ? e->log : "");
	else if (getenv("KERNEL_ORDERS"))
		print_message("%s: %lu orders%s\n", name, e->orders, e->complete ? ", all" : "");
	free(e->log);
	assert_false(e->failed);
}

static void play(const char *name, struct scene *scene)
{
	const char *seed = getenv("KERNEL_SEED"), *count = getenv("KERNEL_COUNT");
	struct explored e;

	scene->pids = target;
	scene->pids_n = 1;
	e = explore_all(scene_play, scene, EARLY, MOST);
	judge(name, &e);
	e = explore_random(scene_play, scene, seed ? strtoull(seed, NULL, 0) : 1,
		count ? strtoul(count, NULL, 0) : RANDOM);
	judge(name, &e);
}

/* newborn_stops_before_clone_event: the child's first stop and its parent's event. */
static const struct step newborn_thread[] = {MARK, EXIT(0)};
static const struct step newborn[] = {CLONE(newborn_thread), MARK, RUN(3000000), EXIT(0)};

static void newborn_build(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/newborn", newborn);
}

static void newborn_stops_before_clone_event(void **state)
{
	struct scene scene = {.build = newborn_build, .same = true, .options = {.follow = true}};

	(void)state;
	play("newborn_stops_before_clone_event", &scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newborn_stops_before_clone_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
