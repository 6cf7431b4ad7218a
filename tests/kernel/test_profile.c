/* SPDX-License-Identifier: MIT */
/* Facts about a target that change between two samples: its mappings, its leader, its runtime. */
#include "tests/kernel/races.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/runtime_table.h"

static const char *const analyst[] = {"/lib/analyst", NULL};
static char *const command[] = {(char *)"/bin/command", NULL};

static struct scene profiling(void (*build)(struct kernel *k))
{
	return (struct scene){.build = build,
		.options = {.follow = true,
			.analyst = analyst,
			.ring_bytes = 1 << 16,
			.max_stack = 4096}};
}

/*
 * A leader ends after a stop was requested of it: the stop never comes, and the leader's death is
 * reported only after that of the last thread.
 */
static const struct step stays[] = {RUN(2600 * MS), EXIT(0)};
static const struct step leader_leaves[] = {CLONE(stays), RUN(1000 * MS), EXIT(0)};

static void ends_when_asked(struct kernel *k, struct task *t)
{
	if (t->tid == 100 && t->state == TASK_RUNS && t->run_ns > (uint64_t)(20 * MS))
		kernel_end_task(k, t, 0);
}

static void count_exits(struct kernel *k, const struct record *r)
{
	if (r->header.type == RECORD_SAMPLE && r->as.sample.tid == 100 &&
		r->as.sample.syscall == SYS_exit)
		k->scratch++;
}

static void leader_build(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/leader", leader_leaves);
	k->cpus = 2;
	k->asking = ends_when_asked;
	k->record = count_exits;
}

static void is_sampled_in_exit(struct kernel *k, const struct engine_result *result)
{
	if (result->error || k->scratch != 1)
		kernel_fail(k, "%zu samples in exit, error %d", k->scratch, result->error);
}

static void leader_ends_while_asked(void **state)
{
	struct scene scene = profiling(leader_build);

	(void)state;
	scene.check = is_sampled_in_exit;
	scene.options.period_ns = 10 * MS;
	scene.options.duration_ns = 4000 * (uint64_t)MS;
	once(__func__, &scene);
	scene.options.wall = true;
	once(__func__, &scene);
}

/*
 * A process calls exec after a stop was requested of it for a sample. The stop never comes in the
 * old image, and that of the new one tells nothing about it: the exec's event becomes the sample,
 * or the instant is counted as late.
 */
static const struct step execs_again[2] = {RUN(3 * MS), EXEC("/bin/again", execs_again)};
static unsigned asked, in_exec;

static void execs_when_asked(struct kernel *k, struct task *t)
{
	if (t->tid != 100 || t->state != TASK_RUNS || t->run_ns < (uint64_t)(20 * MS))
		return;
	asked++;
	t->at = &execs_again[1];
	kernel_exec(k, t);
}

static void count_in_exec(struct kernel *k, const struct record *r)
{
	(void)k;
	in_exec += r->header.type == RECORD_SAMPLE && r->as.sample.syscall == SYS_execve &&
		!r->as.sample.pc;
}

static void execs_build(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/first", execs_again);
	k->asking = execs_when_asked;
	k->record = count_in_exec;
	asked = in_exec = 0;
}

static void is_sampled_or_late(struct kernel *k, const struct engine_result *result)
{
	unsigned long late = scene_figure(k, "late_instants") - scene_figure(k, "unproved_stops");

	if (result->error || asked < 10 || in_exec < 10 || in_exec + late != asked)
		kernel_fail(k, "%u asked, %u samples in exec, %lu late, error %d", asked, in_exec,
			late, result->error);
}

static void exec_meets_sample(void **state)
{
	struct scene scene = profiling(execs_build);

	(void)state;
	scene.check = is_sampled_or_late;
	scene.options.period_ns = 5 * MS;
	scene.options.duration_ns = 400 * (uint64_t)MS;
	once(__func__, &scene);
}

/*
 * A thread that is not the leader calls exec: it has the leader's tid some time before the event,
 * and may be killed meanwhile. Until the exec its CPU time belongs to its former tid.
 */
static const struct step next_image[] = {RUN(20 * MS), EXIT_GROUP(0)};
enum { EXEC_PC = KERNEL_CODE + 0x302 };

static void enters_exec(struct kernel *k, struct task *t)
{
	(void)k;
	t->word[16] = EXEC_PC;
}

static const struct step runs_and_execs[] = {
	RUN(100 * MS), DO(enters_exec), EXEC("/bin/next", next_image)};
static const struct step leader_ends[] = {CLONE(runs_and_execs), RUN(10 * MS), EXIT(0)};
static const struct step leader_sleeps[] = {CLONE(runs_and_execs), RUN(10 * MS), SLEEP(9000 * MS)};
static const struct step leader_wakes[] = {
	CLONE(runs_and_execs), RUN(MS), SLEEP(MS), AGAIN(2, 0)};
static const struct step kills_loading[] = {RUN(120 * MS), KILL(100, SIGKILL), EXIT_GROUP(0)};
static uint64_t charged[2]; /* CPU time that was reported of the thread, and of tid 100 */
static struct task *caller;
static uint64_t caller_ran_ns; /* CPU time of the caller before its exec */
static const struct step *leader;
static uint64_t loading_ns;
static bool killed_loading;
static bool is_watched; /* its parent has a pidfd: the leader is detached when it exits */
static const struct step parent_sleeps[] = {SLEEP(60000 * MS), EXIT_GROUP(0)};

static void charge(struct kernel *k, const struct record *r)
{
	if (r->header.type == RECORD_CPU)
		charged[r->as.cpu.tid == 100] += r->as.cpu.cpu_ns;
	if (r->header.type != RECORD_SAMPLE)
		return;
	if (r->as.sample.tid == 100 && r->as.sample.pc == EXEC_PC)
		kernel_fail(k, "the leader is seen in the call of the thread");
	if (r->as.sample.queue_ns >> 40 || r->as.sample.blocked_ns >> 40)
		kernel_fail(k, "thread %u waits for %lld and %lld ns", r->as.sample.tid,
			(long long)r->as.sample.queue_ns, (long long)r->as.sample.blocked_ns);
}

/* Notes what the thread has used when it gets the leader's tid; the leader is the first task. */
static void note_caller(struct kernel *k)
{
	for (size_t i = 0; i < k->tasks && !caller; i++)
		if (k->task[i].former && k->task[i].tid == 100) {
			caller = &k->task[i];
			caller_ran_ns = caller->run_ns;
		}
}

static void loading_build(struct kernel *k)
{
	struct task *first = kernel_add_process(k, 100, 1, "/bin/threads", leader);

	if (!leader) { /* It had ended when the process was attached to. */
		first->state = TASK_ZOMBIE;
		(void)kernel_add_thread(k, first, 101, runs_and_execs);
	}
	if (is_watched) {
		(void)kernel_add_process(k, 50, 1, "/bin/parent", parent_sleeps);
		first->group->parent = 50;
		first->group->watched = true;
	}
	if (killed_loading)
		(void)kernel_add_process(k, 51, 1, "/bin/kills", kills_loading);
	k->cpus = 2; /* one of them is also the supervisor's: the leader waits for it */
	k->load_ns = loading_ns;
	k->record = charge;
	k->each = note_caller;
	caller = NULL;
	charged[0] = charged[1] = 0;
}

/* Is all of @ran_ns charged, but for @lost_ns at most? */
static bool is_charged(uint64_t charged_ns, uint64_t ran_ns, uint64_t lost_ns)
{
	return charged_ns <= ran_ns && charged_ns + lost_ns >= ran_ns;
}

static void is_charged_once(struct kernel *k, const struct engine_result *result)
{
	uint64_t kernel = scene_figure(k, "kernel_cpu_ns"), image_ns;

	if (!caller)
		return; /* killed before its exec */
	/* A thread that is killed before the event has used a little more by then. */
	image_ns = kernel_group(k, 100)->execs ? caller->run_ns - caller_ran_ns : 0;
	caller_ran_ns = caller->run_ns - image_ns;
	/*
	 * The threads may have run before they were attached to. What the leader has used since it
	 * was last read is lost: 20 ms at most.
	 */
	if (result->error || !is_charged(charged[0], caller_ran_ns, MS) ||
		!is_charged(charged[1], image_ns + k->task[0].run_ns, 20 * (uint64_t)MS) ||
		kernel != charged[0] + charged[1])
		kernel_fail(k, "%llu ns of the thread, %llu of the leader, %llu in all",
			(unsigned long long)charged[0], (unsigned long long)charged[1],
			(unsigned long long)kernel);
}

static void exec_before_its_event(void **state)
{
	static const struct step *const leaders[] = {
		leader_ends, leader_sleeps, leader_wakes, NULL};
	static const uint64_t takes_ns[] = {0, 50 * MS, 2500 * MS};
	struct scene scene = profiling(loading_build);

	(void)state;
	scene.check = is_charged_once;
	scene.options.period_ns = 10 * MS;
	scene.options.duration_ns = 4000 * (uint64_t)MS;
	for (unsigned i = 0; i < 48; i++) {
		leader = leaders[i % 4];
		loading_ns = takes_ns[i / 4 % 3];
		scene.options.wall = i / 12 % 2;
		is_watched = i >= 24;
		killed_loading = false;
		some(__func__, &scene);
		killed_loading = loading_ns != 0 && leader;
		some(__func__, &scene);
	}
}

/*
 * A library is mapped between two samples: the record of the new mappings must come before the
 * later samples.
 */
static void maps_library(struct kernel *k, struct task *t)
{
	(void)k;
	t->group->libraries++;
}

static const struct step loads[] = {RUN(60 * MS), DO(maps_library), RUN(60 * MS), DO(maps_library),
	RUN(60 * MS), EXIT_GROUP(0)};

/*
 * Keeps the number of libraries in the last record of mappings, and counts the samples that came
 * while a library was missing in it.
 */
static void follow_maps(struct kernel *k, const struct record *r)
{
	unsigned *late = k->context;

	if (r->header.type == RECORD_MAPS) {
		char text[2048] = "";
		size_t n = r->as.maps.bytes;

		memcpy(text, r->as.maps.text, n < sizeof(text) ? n : sizeof(text) - 1);
		k->scratch =
			strstr(text, "/lib/late1.so") ? 2 : strstr(text, "/lib/late0.so") != NULL;
	}
	if (r->header.type == RECORD_SAMPLE && kernel_group(k, 100)->libraries > k->scratch)
		++*late;
}

static unsigned late_samples;

static void maps_build(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/loads", loads);
	late_samples = 0;
	k->context = &late_samples;
	k->record = follow_maps;
}

static void maps_are_told(struct kernel *k, const struct engine_result *result)
{
	/*
	 * A few samples may be late: one is on its way at the change, and once mappings are stable
	 * they are checked only every few samples.
	 */
	if (result->error || k->scratch != 2 || late_samples > 20)
		kernel_fail(k, "%zu libraries are told, %u samples before that", k->scratch,
			late_samples);
}

static void maps_change_between_samples(void **state)
{
	struct scene scene = profiling(maps_build);

	(void)state;
	scene.check = maps_are_told;
	some(__func__, &scene);
}

/* Without process_vm_readv, stacks are read through /proc/PID/mem, also after an exec. */
static const struct step new_image[] = {RUN(60 * MS), EXIT_GROUP(0)};
static const struct step execs_once[] = {RUN(60 * MS), EXEC("/bin/new", new_image)};
static unsigned stacks[2], without; /* stacks of the old and the new image; samples without one */

static void count_stacks(struct kernel *k, const struct record *r)
{
	if (r->header.type != RECORD_SAMPLE)
		return;
	if (r->as.sample.stack_bytes)
		stacks[kernel_group(k, 100)->execs > 0]++;
	else
		without++;
}

static void refusing_build(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/old", execs_once);
	k->no_memory_calls = true;
	stacks[0] = stacks[1] = without = 0;
	k->record = count_stacks;
}

static void has_stacks(struct kernel *k, const struct engine_result *result)
{
	if (result->error || stacks[0] < 10 || stacks[1] < 10 || without)
		kernel_fail(k, "stacks: %u, %u of the new image, %u missing", stacks[0], stacks[1],
			without);
}

static void memory_calls_are_refused(void **state)
{
	struct scene scene = profiling(refusing_build);

	(void)state;
	scene.check = has_stacks;
	once(__func__, &scene);
}

/*
 * A thread that is not the leader calls exec right after a sleep in which it was observed: what it
 * still owes of its waiting time goes where it was observed, under the tid that it had then. The
 * analyst forgets where a thread was observed with its last report of CPU time.
 */
static const struct step sleeps_and_execs[] = {
	RUN(MS), SLEEP(20 * MS), EXEC("/bin/new", new_image)};
static const struct step leader_waits[] = {
	CLONE(sleeps_and_execs), RUN(MS), SLEEP(1000 * MS), EXIT_GROUP(1)};
static bool observed[2]; /* the leader, the other thread */

static void follow_observed(struct kernel *k, const struct record *r)
{
	bool *of;

	if (r->header.type == RECORD_CPU && r->header.flags & RECORD_CPU_LAST)
		observed[r->as.cpu.tid != 100] = false;
	if (r->header.type != RECORD_SAMPLE || !(r->as.sample.flags & RECORD_SAMPLE_BLOCKED))
		return;
	of = &observed[r->as.sample.tid != 100];
	if (r->as.sample.flags & RECORD_SAMPLE_AGAIN && !*of)
		kernel_fail(k, "thread %u waits where it was never observed", r->as.sample.tid);
	*of = true;
}

static void sleeper_build(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/old", leader_waits);
	k->cpus = 2;
	observed[0] = observed[1] = false;
	k->record = follow_observed;
}

static void has_executed(struct kernel *k, const struct engine_result *result)
{
	if (result->error || kernel_group(k, 100)->execs != 1 || !k->records.blocked_ns)
		kernel_fail(k, "%u execs, error %d", kernel_group(k, 100)->execs, result->error);
}

static void waiting_thread_execs(void **state)
{
	struct scene scene = profiling(sleeper_build);

	(void)state;
	scene.check = has_executed;
	scene.options.wall = true;
	some(__func__, &scene);
}

/*
 * A command outlives the tracing thread. With PR_SET_PDEATHSIG it dies when the thread ends that
 * forked it, so it must not be the tracing thread's child.
 */
static const struct step lives_on[] = {RUN(50 * MS), MARK, EXIT_GROUP(5)};
static const struct step commanded[] = {EXEC("/bin/command", lives_on)};

static void nobody(struct kernel *k)
{
	k->cpus = 2;
}

static void has_lived_on(struct kernel *k, const struct engine_result *result)
{
	const struct group *g = kernel_group(k, result->command_pid);

	if (!g || g->marks != 1 || g->status != 5 << 8)
		kernel_fail(k, "the command ends with 0x%x", g ? (unsigned)g->status : 0);
}

static void pdeathsig(void **state)
{
	struct scene scene = profiling(nobody);

	(void)state;
	scene.command = commanded;
	scene.options.command = command;
	scene.options.duration_ns = 5 * (uint64_t)MS;
	scene.check = has_lived_on;
	some(__func__, &scene);
}

/*
 * An interpreter in the target's memory: a thread state with two frames in a chunk; each frame's
 * code object has a name. The analyst sends the table when it has seen the process.
 */
enum {
	HEAD = KERNEL_DATA + 40,
	GROUP = KERNEL_DATA + 0x100,
	THREAD = KERNEL_DATA + 0x200,
	CHUNK = KERNEL_DATA + 0x400,
	CODE = KERNEL_DATA + 0x800,
	NAME = KERNEL_DATA + 0xa00
};

static const struct runtime_table interpreter = {
	.pid = 100,
	.id = 0x30b,
	.threads_head = HEAD,
	.group_next = 0,
	.group_threads = 16,
	.thread_bytes = 312,
	.thread_next = 8,
	.thread_tid = 160,
	.thread_self = 152,
	.thread_frame = 56,
	.frame_behind = RUNTIME_NONE,
	.thread_word = {56, RUNTIME_NONE},
	.thread_chunk = RUNTIME_NONE,
	.watch = {KERNEL_DATA, KERNEL_DATA + 8},
	.frame_bytes = 72,
	.frame_word = {48, 32, 56, 64},
	.object_bytes = 144,
	.key = {112, 128, 136, 72, 16},
	.text = {{112, 16, 72, 4}, {128, 16, 72, 4}, {136, 16, 72, 1}},
};

static void poke(struct task *t, uint64_t at, uint64_t word)
{
	memcpy(t->space->data + (at - KERNEL_DATA), &word, sizeof(word));
}

static void interpret(struct task *t)
{
	poke(t, HEAD, GROUP);
	poke(t, GROUP + 16, THREAD);
	poke(t, THREAD + 160, 100);
	poke(t, THREAD + 56, CHUNK + 100);
	poke(t, CHUNK + 100 + 48, CHUNK);
	poke(t, CHUNK + 100 + 32, CODE);
	poke(t, CHUNK + 48, 0);
	poke(t, CHUNK + 32, CODE + 200);
	for (unsigned i = 0; i < 2; i++) {
		poke(t, CODE + 200 * i + 112, NAME);
		poke(t, CODE + 200 * i + 72, i + 1);
	}
	poke(t, NAME + 16, 4);
	memcpy(t->space->data + (NAME + 72 - KERNEL_DATA), "spin", 4);
}

/* The interpreter frees a code object and puts another one at its address. */
static void another_object(struct kernel *k, struct task *t)
{
	(void)k;
	poke(t, CODE + 72, 99);
}

/* This thread's state is freed: its frames are unknown. */
static void no_frames(struct kernel *k, struct task *t)
{
	(void)k;
	poke(t, THREAD + 160, 12345);
}

static const struct step interprets[] = {RUN(40 * MS), DO(another_object), RUN(40 * MS),
	DO(no_frames), RUN(40 * MS), FORK(stays), EXEC("/bin/other", stays)};

static void send_table(struct kernel *k)
{
	uint8_t requests[RUNTIME_REQUEST_BYTES];

	if (!k->analysts || k->scratch || !k->records.n[RECORD_SAMPLE])
		return;
	k->scratch = 1;
	runtime_table_put(requests, &interpreter);
	if (write(k->analyst[0].request_fd, requests, sizeof(requests)) < 0)
		kernel_fail(k, "the request pipe is closed");
}

/* @bare: samples of a running thread without frames, after the first that had some. */
static struct {
	unsigned with_frames, unknown, objects, texts, running, bare;
	uint64_t frames_ns; /* when frames were sent last, which are those of the next sample */
} seen;

static void see(struct kernel *k, const struct record *r)
{
	(void)k;
	if (r->header.type == RECORD_RUNTIME && r->as.runtime.flags & RECORD_RUNTIME_UNKNOWN)
		seen.unknown++;
	else if (r->header.type == RECORD_RUNTIME)
		seen.with_frames += r->as.runtime.frames == 2;
	if (r->header.type == RECORD_RUNTIME)
		seen.frames_ns = r->header.time_ns;
	if (r->header.type == RECORD_SAMPLE && seen.with_frames &&
		!(r->as.sample.flags & RECORD_SAMPLE_BLOCKED)) {
		seen.running++;
		seen.bare += seen.frames_ns != r->header.time_ns;
	}
	if (r->header.type != RECORD_OBJECT)
		return;
	seen.objects++;
	seen.texts += r->as.object.text_bytes[0] > 0;
}

static void build_with(struct kernel *k, const struct step *program)
{
	interpret(kernel_add_process(k, 100, 1, "/bin/interpreter", program));
	memset(&seen, 0, sizeof(seen));
	k->asleep = send_table;
	k->record = see;
}

static void interpreter_build(struct kernel *k)
{
	build_with(k, interprets);
}

static void frames_are_told(struct kernel *k, const struct engine_result *result)
{
	if (result->error || seen.with_frames < 10 || seen.unknown < 10)
		kernel_fail(
			k, "%u samples with frames, %u unknown", seen.with_frames, seen.unknown);
	/* The program has two code objects. A third replaces one of them. Each is sent once. */
	if (seen.objects != 3 || seen.texts != 3)
		kernel_fail(k, "%u objects, %u with a text", seen.objects, seen.texts);
}

static void frames_of_an_interpreter(void **state)
{
	struct scene scene = profiling(interpreter_build);

	(void)state;
	scene.check = frames_are_told;
	once(__func__, &scene);
	scene.options.wall = true;
	once(__func__, &scene);
}

/*
 * A stop is the first that is seen of a thread after it slept. Its waiting time is sent before the
 * sample of the stop, and leaves the frames that were copied in the stop to that sample.
 */
static const struct step naps[] = {RUN(12 * MS), SLEEP(30 * MS), AGAIN(2, 5), EXIT(0)};

static void napping_build(struct kernel *k)
{
	build_with(k, naps);
}

static void frames_are_of_the_stop(struct kernel *k, const struct engine_result *result)
{
	if (result->error || seen.running < 5 || seen.bare)
		kernel_fail(k, "%u of %u samples have no frames", seen.bare, seen.running);
}

static void frames_after_a_sleep(void **state)
{
	struct scene scene = profiling(napping_build);

	(void)state;
	scene.check = frames_are_of_the_stop;
	scene.options.wall = true;
	some(__func__, &scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leader_ends_while_asked),
		cmocka_unit_test(exec_meets_sample),
		cmocka_unit_test(exec_before_its_event),
		cmocka_unit_test(maps_change_between_samples),
		cmocka_unit_test(memory_calls_are_refused),
		cmocka_unit_test(waiting_thread_execs),
		cmocka_unit_test(pdeathsig),
		cmocka_unit_test(frames_of_an_interpreter),
		cmocka_unit_test(frames_after_a_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
