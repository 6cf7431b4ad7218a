/* SPDX-License-Identifier: MIT */
/* The races of docs/PTRACE.md: deaths, signals, group-stops, exec. */
#include "tests/kernel/races.h"

#include <sys/wait.h>

static const struct step newborn_thread[] = {TKILL(0, SIGURG), MARK, EXIT(0)};
static const struct step newborn_child[] = {MARK, EXIT_GROUP(4)};
static const struct step short_child[] = {RUN(1 * MS), EXIT_GROUP(0)};

/* The supervisor's stop request meets another stop of the thread. */
static const struct step met_image[] = {MARK, RUN(2 * MS), EXIT_GROUP(7)};
static const struct step met[] = {HANDLE(SIGUSR1, DISPOSITION_HANDLER), RUN(1 * MS),
	TKILL(0, SIGUSR1), RUN(1 * MS), TKILL(0, SIGUSR1), FORK(newborn_child), RUN(1 * MS),
	CLONE(newborn_thread), MARK, RUN(1 * MS), EXEC("/bin/image", met_image)};
HOOKED(met, (void)kernel_add_process(k, 100, 1, "/bin/met", met);)

static void interrupt_meets_other_stop(void **state)
{
	struct scene scene = following(met_build);

	(void)state;
	scene.options.max_stack = 4096;
	race(__func__, &scene);
	scene.options.wall = true;
	race(__func__, &scene);
	killed_anywhere(__func__, &scene, 100);
}

/* A thread other than the leader calls exec, and gets the leader's tid. */
static const struct step other[] = {RUN(20 * MS), MARK, EXIT(0)};
static const struct step execs[] = {
	RUN(1 * MS), STORE(KERNEL_DATA, 1), EXEC("/bin/next", met_image)};
static const struct step leader_runs[] = {
	CLONE(other), CLONE(execs), RUN(30 * MS), MARK, EXIT_GROUP(1)};
static const struct step leader_ends[] = {CLONE(other), CLONE(execs), RUN(500000), EXIT(0)};
HOOKED(other_execs, (void)kernel_add_process(k, 100, 1, "/bin/threads", leader_runs); k->cpus = 3;)
HOOKED(orphan_execs, (void)kernel_add_process(k, 100, 1, "/bin/threads", leader_ends);)

static void nothing_in_new_image(struct kernel *k, const struct engine_result *result)
{
	const struct group *g = kernel_group(k, 100);

	if (g->execs != 1 || !WIFEXITED(g->status) || WEXITSTATUS(g->status) != 7)
		kernel_fail(k, "%u execs, status 0x%x", g->execs, (unsigned)g->status);
	has_ended(k, result);
}

static void exec_from_other_thread(void **state)
{
	struct scene scene = following(other_execs_build);

	(void)state;
	scene.same = false; /* The order of the marks differs. */
	scene.check = nothing_in_new_image;
	race(__func__, &scene);
	killed_anywhere(__func__, &scene, 80);
	scene.build = orphan_execs_build;
	race(__func__, &scene);
}

/* SIGKILL comes at any instant of the supervisor's work. */
static const struct step killed[] = {CLONE(other), HANDLE(SIGUSR1, DISPOSITION_HANDLER),
	RUN(1 * MS), TKILL(0, SIGUSR1), FORK(short_child), RUN(2 * MS), EXIT_GROUP(0)};
static const struct step kills[] = {RUN(MS), KILL(100, SIGKILL), EXIT_GROUP(0)};
HOOKED(killed, (void)kernel_add_process(k, 100, 1, "/bin/killed", killed);
	(void)kernel_add_process(k, 50, 1, "/bin/kill", kills); k->cpus = 2;)

static void sigkill_while_stopped(void **state)
{
	struct scene scene = following(killed_build);

	(void)state;
	scene.same = false;
	scene.check = has_ended;
	scene.options.max_stack = 4096;
	race(__func__, &scene);
}

/*
 * A thread dies after a stop that the supervisor has not seen yet; zombies of threads and of their
 * leader.
 */
static const struct step ends[] = {TKILL(0, SIGURG), EXIT(0)};
static const struct step all_end[] = {
	CLONE(ends), CLONE(ends), RUN(500000), TKILL(0, SIGURG), EXIT_GROUP(9)};
HOOKED(all_end, (void)kernel_add_process(k, 100, 1, "/bin/end", all_end);)

static void two_statuses_for_one_tid(void **state)
{
	struct scene scene = following(all_end_build);

	(void)state;
	scene.check = has_ended;
	race(__func__, &scene);
}

static const struct step first_ends[] = {CLONE(other), CLONE(ends), RUN(500000), EXIT(3)};
HOOKED(first_ends, (void)kernel_add_process(k, 100, 1, "/bin/first", first_ends);)

static void leader_exits_first(void **state)
{
	struct scene scene = following(first_ends_build);

	(void)state;
	scene.check = has_ended;
	race(__func__, &scene);
}

/*
 * A parent polls a pidfd of its child, and collects the child when the pidfd is ready: a child that
 * ends, one that is killed, and one of several threads. The last one is waited for.
 */
static const struct step thread_of_child[] = {RUN(MS), EXIT(0)};
static const struct step watched_ends[] = {RUN(MS), EXIT_GROUP(4)};
static const struct step watched_kills[] = {RUN(MS), KILL(0, SIGKILL), END};
static const struct step watched_threads[] = {
	CLONE(thread_of_child), CLONE(thread_of_child), RUN(MS), EXIT_GROUP(5)};
/* The other thread ends the process later: doing so in the stop would end that stop. */
static const struct step ends_later[] = {RUN(20 * MS), EXIT_GROUP(4)};
static const struct step watched_leader[] = {CLONE(ends_later), RUN(MS / 2), EXIT(0)};
static const struct step polls[] = {FORK_PIDFD(watched_ends), POLL_PIDFD, MARK,
	FORK_PIDFD(watched_kills), POLL_PIDFD, MARK, FORK(watched_ends), WAIT, MARK, EXIT_GROUP(0)};
static const struct step polls_threads[] = {FORK_PIDFD(watched_threads), POLL_PIDFD, MARK,
	FORK_PIDFD(watched_leader), POLL_PIDFD, MARK, EXIT_GROUP(0)};
HOOKED(polls, (void)kernel_add_process(k, 100, 1, "/bin/polls", polls); k->cpus = 2;)
HOOKED(polls_threads, (void)kernel_add_process(k, 100, 1, "/bin/polls", polls_threads);
	k->cpus = 2;)

static void pidfd_meets_zombie(void **state)
{
	struct scene scene = following(polls_build);

	(void)state;
	scene.check = has_ended;
	race(__func__, &scene);
	killed_anywhere(__func__, &scene, 100);
	scene.build = polls_threads_build;
	race(__func__, &scene);
}

/*
 * Group-stops: one that begins while the target is traced, one that exists at the attach, one that
 * stays at the detach, and one that SIGCONT ends.
 */
static const struct step stopped[] = {CLONE(other), MARK, RUN(2 * MS), MARK, EXIT(0)};
static const struct step stops[] = {RUN(100000), KILL(100, SIGSTOP), RUN(8 * MS),
	KILL(100, SIGCONT), RUN(1 * MS), EXIT_GROUP(0)};
static const struct step stops_for_good[] = {KILL(100, SIGSTOP), EXIT_GROUP(0)};
HOOKED(stopped, (void)kernel_add_process(k, 100, 1, "/bin/stopped", stopped);
	(void)kernel_add_process(k, 50, 1, "/bin/stops", stops); k->cpus = 2;)
HOOKED(already_stopped, struct task *t = kernel_add_process(k, 100, 1, "/bin/stopped", stopped + 1);
	(void)kernel_add_process(k, 50, 1, "/bin/stops", stops); t->state = TASK_STOPPED;
	t->group_stopped = true; t->group->stop_signal = SIGSTOP;)
HOOKED(stays_stopped, (void)kernel_add_process(k, 100, 1, "/bin/stopped", stopped);
	(void)kernel_add_process(k, 50, 1, "/bin/stops", stops_for_good);)

static void group_stop_and_its_end(void **state)
{
	struct scene scene = following(stopped_build);

	(void)state;
	race(__func__, &scene);
	killed_anywhere(__func__, &scene, 60);
}

static void attach_to_stopped(void **state)
{
	struct scene scene = following(already_stopped_build);

	(void)state;
	race(__func__, &scene);
	scene.options.wall = true;
	race(__func__, &scene);
	killed_anywhere(__func__, &scene, 40);
}

static void is_still_stopped(struct kernel *k, const struct engine_result *result)
{
	(void)result;
	for (size_t i = 0; i < k->tasks; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].group->pid == 100 &&
			k->task[i].state != TASK_STOPPED)
			kernel_fail(k, "task %d does not stay stopped", k->task[i].tid);
}

static void detach_leaves_stopped(void **state)
{
	struct scene scene = following(stays_stopped_build);

	(void)state;
	scene.same = false; /* How many steps the target does before it stops differs. */
	scene.check = is_still_stopped;
	scene.options.duration_ns = 20 * (uint64_t)MS;
	race(__func__, &scene);
}

/*
 * The supervisor detaches from threads that run, from one that sleeps, and from a parent in vfork.
 */
static const struct step sleeper[] = {SLEEP(40 * MS), MARK, EXIT(0)};
static const struct step vforked[] = {SLEEP(30 * MS), EXEC("/bin/child", met_image)};
static const struct step detached[] = {CLONE(sleeper), CLONE(other), VFORK(vforked), WAIT, EXIT(0)};
HOOKED(detached, (void)kernel_add_process(k, 100, 1, "/bin/detached", detached);)

static void detach_running_sleeping_in_vfork(void **state)
{
	struct scene scene = following(detached_build);

	(void)state;
	scene.options.duration_ns = 5 * (uint64_t)MS;
	race(__func__, &scene);
	scene.options.duration_ns = 35 * (uint64_t)MS;
	race(__func__, &scene);
}

/* Real-time signals arrive once each, whatever the supervisor does. */
static const struct step many_signals[] = {KILL(100, 40), KILL(100, 41), RUN(700000), KILL(100, 40),
	KILL(100, SIGWINCH), RUN(700000), AGAIN(6, 4), EXIT_GROUP(0)};
static const struct step takes_signals[] = {HANDLE(40, DISPOSITION_HANDLER),
	HANDLE(41, DISPOSITION_HANDLER), RUN(6 * MS), MARK, SLEEP(2 * MS), RUN(2 * MS), EXIT(0)};
HOOKED(signals, (void)kernel_add_process(k, 100, 1, "/bin/takes", takes_signals);
	(void)kernel_add_process(k, 50, 1, "/bin/sends", many_signals);
	kernel_group(k, 100)->handler[40] = kernel_group(k, 100)->handler[41] = DISPOSITION_HANDLER;
	k->cpus = 2;)

static void signal_during_sample(void **state)
{
	struct scene scene = following(signals_build);

	(void)state;
	race(__func__, &scene);
}

static void signal_survives_our_death(void **state)
{
	struct scene scene = following(signals_build);

	(void)state;
	killed_anywhere(__func__, &scene, 150);
}

/* A thread in D state: the others go on, and the missed stop is counted. */
static void gets_stuck(struct kernel *k, struct task *t)
{
	(void)k;
	t->state = TASK_STUCK;
}
static const struct step stuck[] = {RUN(2 * MS), DO(gets_stuck), EXIT(0)};
static const struct step beside[] = {CLONE(stuck), RUN(20 * MS), MARK, EXIT(0)};
HOOKED(stuck, (void)kernel_add_process(k, 100, 1, "/bin/stuck", beside); k->cpus = 2;)

static void unstoppable_thread(void **state)
{
	struct scene scene = following(stuck_build);

	(void)state;
	scene.options.duration_ns = 200 * (uint64_t)MS;
	scene.same = false; /* The run does not end as without the supervisor. */
	race(__func__, &scene);
}

/* A new thread gets the tid of one that has just ended. */
static const struct step many_births[] = {
	CLONE(newborn_thread), RUN(100000), FORK(newborn_child), WAIT, AGAIN(4, 3), EXIT(0)};
HOOKED(reused, (void)kernel_add_process(k, 100, 1, "/bin/births", many_births);
	k->tid_reused_at_once = true;)

static void tid_reused(void **state)
{
	struct scene scene = following(reused_build);

	(void)state;
	scene.same = false; /* Processes get the same pid. */
	scene.check = has_ended;
	race(__func__, &scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupt_meets_other_stop),
		cmocka_unit_test(exec_from_other_thread),
		cmocka_unit_test(sigkill_while_stopped),
		cmocka_unit_test(two_statuses_for_one_tid),
		cmocka_unit_test(leader_exits_first),
		cmocka_unit_test(pidfd_meets_zombie),
		cmocka_unit_test(group_stop_and_its_end),
		cmocka_unit_test(attach_to_stopped),
		cmocka_unit_test(detach_leaves_stopped),
		cmocka_unit_test(detach_running_sleeping_in_vfork),
		cmocka_unit_test(signal_during_sample),
		cmocka_unit_test(signal_survives_our_death),
		cmocka_unit_test(unstoppable_thread),
		cmocka_unit_test(tid_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
