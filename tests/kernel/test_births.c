/* SPDX-License-Identifier: MIT */
/* The races of docs/PTRACE.md about new threads and processes. */
#include "tests/kernel/races.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

enum { FIRST_STOP = SIGTRAP | PTRACE_EVENT_STOP << 8 };

/* Lets a new thread stop for the first time before the supervisor sees its parent's event. */
static void stops_at_once(struct kernel *k)
{
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];

		if (t->state == TASK_RUNS && t->traced && !t->born && !t->killed)
			kernel_stop(k, t, STOP_TRAP, FIRST_STOP);
	}
}

/* The child's first stop and its parent's event come on two CPUs, in either order. */
static const struct step newborn_thread[] = {TKILL(0, SIGURG), MARK, EXIT(0)};
static const struct step newborn_child[] = {MARK, EXIT_GROUP(4)};
static const struct step newborn[] = {CLONE(newborn_thread), MARK, FORK(newborn_child), WAIT,
	VFORK(newborn_child), MARK, WAIT, RUN(3 * MS), EXIT(0)};
HOOKED(newborn, (void)kernel_add_process(k, 100, 1, "/bin/newborn", newborn);)
HOOKED(newborn_early, newborn_build(k); k->each = stops_at_once;)

static void newborn_stops_before_clone_event(void **state)
{
	struct scene scene = following(newborn_build);

	(void)state;
	race(__func__, &scene);
	killed_anywhere(__func__, &scene, 60);
	scene.build = newborn_early_build;
	race(__func__, &scene);
}

static const struct step unusual[] = {
	FORK_AS_CLONE(newborn_child), CLONE(newborn_thread), WAIT, RUN(MS), EXIT(0)};
HOOKED(unusual, (void)kernel_add_process(k, 100, 1, "/bin/unusual", unusual);)
HOOKED(unusual_early, unusual_build(k); k->each = stops_at_once;)

/* A child that is not followed is held only until its parent's event is seen. */
static void none_is_held(struct kernel *k, const struct engine_result *result)
{
	(void)result;
	if (k->longest_stop_ns > (uint64_t)(10 * MS))
		kernel_fail(k, "a thread stands in a stop for %llu us",
			(unsigned long long)k->longest_stop_ns / 1000);
}

static void children_not_followed(void **state)
{
	struct scene scene = following(newborn_build);

	(void)state;
	scene.options.follow = false;
	scene.check = none_is_held;
	race(__func__, &scene);
	scene.build = unusual_build;
	race(__func__, &scene);
	scene.build = unusual_early_build;
	race(__func__, &scene);
}

/* A child is killed before the supervisor learns of it by its parent's event. */
static const struct step short_child[] = {RUN(1 * MS), EXIT_GROUP(0)};
static const struct step short_parent[] = {FORK(short_child), RUN(4 * MS), WAIT, EXIT_GROUP(0)};
static const struct step killer[] = {RUN(1000), KILL(1000, SIGKILL), EXIT_GROUP(0)};
HOOKED(killed_child, (void)kernel_add_process(k, 100, 1, "/bin/parent", short_parent);
	(void)kernel_add_process(k, 50, 1, "/bin/killer", killer);)

/* The child dies at once. Its parent ends without reaping it. */
static void dies_at_once(struct kernel *k)
{
	struct task *t = kernel_find(k, 1000);

	if (!t || t->state != TASK_RUNS || t->killed)
		return;
	kernel_send(k, t, true, SIGKILL);
	kernel_end_task(k, t, t->group->status);
}

static const struct step keeps_zombie[] = {RUN(MS), FORK(short_child), RUN(4 * MS), EXIT_GROUP(0)};
HOOKED(dead_child, (void)kernel_add_process(k, 100, 1, "/bin/parent", keeps_zombie);
	k->each = dies_at_once;)

static void newborn_dies_before_clone_event(void **state)
{
	struct scene scene = following(killed_child_build);

	(void)state;
	scene.same = false; /* the kill may come before or after the victim's own end */
	scene.check = has_ended;
	race(__func__, &scene);
	scene.build = dead_child_build;
	race(__func__, &scene);
}

/*
 * A process is being stopped when one of its threads makes another: the first stop of the new one
 * is a group-stop, and may be seen before the event of its birth.
 */
static void joins_group_stop(struct kernel *k)
{
	for (size_t i = 0; i < k->tasks && !k->scratch; i++) {
		struct task *t = &k->task[i];

		if (t->state != TASK_RUNS || !t->traced || t->born || t->killed)
			continue;
		k->scratch = 1;
		t->group->stop_signal = SIGSTOP;
		for (size_t other = 0; other < k->tasks; other++)
			k->task[other].stop_pending |= k->task[other].group == t->group;
		t->stop_pending = false;
		t->group_stopped = true;
		kernel_stop(k, t, STOP_GROUP, SIGSTOP | PTRACE_EVENT_STOP << 8);
	}
}

static const struct step makes_thread[] = {RUN(MS), CLONE(newborn_thread), MARK, RUN(MS), EXIT(0)};
static const struct step continues[] = {
	RUN(20 * MS), KILL(100, SIGCONT), AGAIN(2, 3), EXIT_GROUP(0)};
HOOKED(stopped_birth, (void)kernel_add_process(k, 100, 1, "/bin/births", makes_thread);
	(void)kernel_add_process(k, 50, 1, "/bin/continues", continues);
	k->each = joins_group_stop; k->cpus = 2;)

static void newborn_joins_group_stop(void **state)
{
	struct scene scene = following(stopped_birth_build);

	(void)state;
	race(__func__, &scene);
	killed_anywhere(__func__, &scene, 60);
}

/*
 * A child is killed while it is held. Its task is before that of its parent, so that its first stop
 * and its death are seen first. The supervisor looks for threads to release while there are any:
 * every 4 ms.
 */
static const struct step ends_first[] = {EXIT_GROUP(0)};
static const struct step held_parent[] = {
	RUN(MS), FORK(short_child), RUN(400 * MS), WAIT, EXIT_GROUP(0)};

static void kills_held(struct kernel *k, struct task *by)
{
	struct task *t = kernel_find(k, 1000);

	(void)by;
	if (!t || t->state != TASK_TRACED || t->stop_code)
		return;
	k->scratch++;
	kernel_send(k, t, true, SIGKILL);
	kernel_end_task(k, t, t->group->status);
}

static const struct step kills_often[] = {RUN(50000), DO(kills_held), AGAIN(2, 40), EXIT_GROUP(0)};
static size_t killed_held;
HOOKED(held_dies, (void)kernel_add_process(k, 40, 1, "/bin/first", ends_first);
	(void)kernel_add_process(k, 100, 1, "/bin/parent", held_parent);
	(void)kernel_add_process(k, 50, 1, "/bin/killer", kills_often); k->each = stops_at_once;
	k->cpus = 2;)

static void none_is_looked_for(struct kernel *k, const struct engine_result *result)
{
	(void)result;
	killed_held += k->scratch;
	if (k->sleeps > 60 || !kernel_group(k, 100)->ended)
		kernel_fail(k, "the supervisor wakes up %ld times", k->sleeps);
}

static void held_newborn_dies(void **state)
{
	struct scene scene = following(held_dies_build);

	(void)state;
	scene.same = false; /* the kill may come before or after the victim's own end */
	scene.check = none_is_looked_for;
	scene.options.period_ns = 200 * MS;
	killed_held = 0;
	race(__func__, &scene);
	assert_true(killed_held > 0);
}

/* A parent is killed before its event is seen: its child is held for 50 ms, not for ever. */
static const struct step makes_orphan[] = {RUN(1 * MS), FORK(newborn_child), MARK, EXIT_GROUP(0)};
static const struct step kills_parent[] = {RUN(1 * MS), KILL(100, SIGKILL), EXIT_GROUP(0)};
HOOKED(orphan, k->cpus = 3; k->each = stops_at_once;
	(void)kernel_add_process(k, 100, 1, "/bin/parent", makes_orphan);
	(void)kernel_add_process(k, 50, 1, "/bin/killer", kills_parent);)

static void orphan_is_released(struct kernel *k, const struct engine_result *result)
{
	const struct group *child = kernel_group(k, 1000);

	has_ended(k, result);
	if (child && (!child->ended || child->status != 4 << 8))
		kernel_fail(k, "the orphan ends with 0x%x", (unsigned)child->status);
}

static void parent_dies_before_clone_event(void **state)
{
	struct scene scene = following(orphan_build);

	(void)state;
	scene.same = false; /* the kill may come before or after the victim's own end */
	scene.check = orphan_is_released;
	scene.options.period_ns = 200 * MS;
	race(__func__, &scene);
	scene.options.follow = false;
	race(__func__, &scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newborn_stops_before_clone_event),
		cmocka_unit_test(newborn_dies_before_clone_event),
		cmocka_unit_test(newborn_joins_group_stop),
		cmocka_unit_test(held_newborn_dies),
		cmocka_unit_test(parent_dies_before_clone_event),
		cmocka_unit_test(children_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
