/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/rotate.h"

#include <signal.h>
#include <stddef.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "proto/record.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/figures.h"
#include "supervisor/engine/signals.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/waiter.h"

/* A file lasts at least this long, even if it reaches --rotate's size before. */
#define FILE_LEAST_NS 1000000000
/* If a file is due to end but may_end() forbids that, the next check is after this time. */
#define LOOK_NS 100000000
/*
 * Before a change of files, sampling pauses until all stops are over, at most PAUSE_MOST_NS. This
 * is checked every PAUSE_LOOK_NS.
 */
#define PAUSE_LOOK_NS 200000
#define PAUSE_MOST_NS 50000000

static void note_figures(struct engine *engine)
{
	struct rotation *rotation = &engine->rotation;

	rotation->sampled = engine->sampling.sampler.figures;
	rotation->calls = engine->sessions.figures;
	rotation->repaired = engine->restarter.repaired;
	rotation->unrepaired = engine->restarter.unrepaired;
	rotation->undelivered = engine->couriers.given_up;
	rotation->cost_ns = engine->bounds.cost.total_ns;
	rotation->cpu_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

void rotate_begin(struct engine *engine, uint64_t now)
{
	uint64_t every_ns = engine->options->rotate_ns;

	engine->rotation.began_ns = now;
	engine->rotation.again_ns = every_ns ? now + every_ns : 0;
}

/* Returns a random number above 0 and below 2^53, so that JSON keeps all digits. */
static uint64_t new_number(void)
{
	uint64_t number = 0;

	(void)!getrandom(&number, sizeof(number), GRND_NONBLOCK);
	return ((number ^ clock_read(CLOCK_REALTIME)) >> 12) | 1;
}

int rotate_prepare(struct engine *engine)
{
	const struct engine_options *options = engine->options;

	if (!engine->audit.recording && (options->snapshots || options->rotate_ns)) {
		engine->audit.recording = new_number();
		engine->audit.recording_file = 1;
	}
	return engine->options->ring ? held_pieces_begin(&engine->rotation.pieces) : 0;
}

/*
 * File names contain the time in seconds, and must differ. So a file lasts FILE_LEAST_NS at least.
 * The analyst is not trusted to wait for that: if it asks earlier, its request is postponed. The
 * request is not dropped, as the analyst asks only once.
 */
void rotate_wanted(struct engine *engine, uint64_t now)
{
	struct rotation *rotation = &engine->rotation;
	uint64_t at = rotation->began_ns + FILE_LEAST_NS;

	if (!engine->options->rotate_bytes || rotation->paused_ns)
		return;
	if (at < now)
		at = now;
	if (!rotation->again_ns || at < rotation->again_ns)
		rotation->again_ns = at;
}

static bool was_named(const struct engine_options *options, int pid)
{
	for (size_t i = 0; i < options->pids_n; i++) {
		if (options->pids[i] == pid)
			return true;
	}
	return false;
}

void rotate_process_ended(struct engine *engine, int pid, uint32_t status)
{
	if (!engine->options->ring || status == RECORD_EXIT_DETACHED || !WIFSIGNALED((int)status) ||
		!was_named(engine->options, pid))
		return;
	if (engine->target.tracees)
		figures_snapshot(engine);
	else
		engine->rotation.asked = true;
}

uint16_t rotate_end_flags(const struct engine *engine)
{
	const struct engine_result *result = engine->result;

	if (result->error && !engine->life.begun_called)
		return RECORD_END_REFUSED;
	if (!engine->options->ring || engine->rotation.asked || result->stopped_by ||
		(result->command_ended && WIFSIGNALED(result->command_status)))
		return 0;
	return RECORD_END_UNASKED;
}

void rotate_put_off(struct engine *engine, uint64_t now)
{
	struct rotation *rotation = &engine->rotation;

	if (rotation->paused_ns) {
		rotation->paused_ns = 0;
		counting_set(engine, !engine->timing.frozen);
	}
	rotation->began_ns = now;
	if (rotation->again_ns && rotation->again_ns < now + FILE_LEAST_NS)
		rotation->again_ns = now + FILE_LEAST_NS;
}

static struct rotation_writer *free_writer(struct rotation *rotation)
{
	for (size_t i = 0; i < ROTATE_WRITERS; i++) {
		if (!rotation->writer[i].pid)
			return &rotation->writer[i];
	}
	return NULL;
}

static void end_file(struct engine *engine, struct rotation_writer *writer, uint64_t now)
{
	char text[FIGURES_BYTES];

	counting_settle(engine);
	(void)figures_print(engine, now, text);
	(void)emit_audit(&engine->emitter, now, RECORD_END,
		engine->options->ring ? RECORD_END_PIECE : RECORD_END_ROTATED, text);
	writer->pid = engine->reader.link.pid;
	writer->fd = link_finish(&engine->reader.link);
	reader_forget(engine);
	for (size_t i = 0; i < engine->target.images; i++) {
		engine->target.image[i]->sent_ns = 0;
		engine->target.image[i]->sent = (struct waiting){0};
	}
}

static void begin_file(struct engine *engine, uint64_t now)
{
	const struct self_audit *before = &engine->audit;
	char text[FIGURES_BYTES];

	engine->sampling.question = (struct audit_histogram){0};
	engine->audit = (struct self_audit){.period_ns = before->period_ns,
		.began_ns = now,
		.realtime = before->realtime,
		.processes = engine->target.processes,
		.threads = engine->target.tracees,
		.recording = before->recording,
		.recording_file = before->recording_file + 1,
		.continued_processes = engine->target.processes,
		.continued_threads = engine->target.tracees,
		.chooses = before->chooses,
		.chosen_threads = choice_count(engine),
		.unwatched_threads = before->unwatched_threads,
		.wall = before->wall};
	note_figures(engine);
	if (rotate_prepare(engine) < 0)
		say_line(&engine->say, SAY_WARNING,
			"--ring has no memory for another piece: a part of it will be missing");
	reader_begin(engine);
	/*
	 * The figures say that the file continues a run (@recording_file). They are sent at once,
	 * so that the file says so even if we are killed within a second.
	 */
	if (figures_print(engine, now, text))
		(void)emit_audit(&engine->emitter, now, RECORD_AUDIT, 0, text);
	counting_set(engine, !engine->timing.frozen);
}

/*
 * May the file end now? Not before the command's exec, when there is nothing to write. Not if the
 * ring is full: the last record, which has the figures, would be lost. The file then goes on.
 */
static bool may_end(struct engine *engine)
{
	return engine->counting && engine->emitter.open && !engine->reader.died_ns &&
		(!engine->options->command || engine->life.executed) &&
		ring_is_half_empty(&engine->emitter.ring) && free_writer(&engine->rotation);
}

void rotate_poll(struct engine *engine, uint64_t now)
{
	struct rotation *rotation = &engine->rotation;

	if (!rotation->again_ns || now < rotation->again_ns)
		return;
	if (!rotation->paused_ns) {
		rotation->again_ns = now + LOOK_NS;
		if (!may_end(engine))
			return;
		rotation->paused_ns = now;
		counting_set(engine, false);
	}
	/*
	 * Waits until requested stops are over: a thread that stops while the next analyst is
	 * started would stay stopped for milliseconds. A thread that cannot stop (D state) delays
	 * the file by PAUSE_MOST_NS at most.
	 *
	 * An analyst that died in the pause writes no file, and its pid has been reaped:
	 * reader_poll() replaces it within 0.1 s, and rotate_put_off() ends the pause (test:
	 * analyst_dies_in_pause).
	 */
	if (engine->reader.died_ns ||
		(!stops_are_over(engine) && now - rotation->paused_ns < PAUSE_MOST_NS)) {
		rotation->again_ns = now + PAUSE_LOOK_NS;
		return;
	}
	rotation->paused_ns = 0;
	end_file(engine, free_writer(rotation), now);
	now = clock_now();
	begin_file(engine, now);
	/*
	 * The least duration of a file counts from its first record. The time of that record, to
	 * the second, is in the file's name.
	 */
	rotate_begin(engine, clock_now());
}

static void clear_writer(struct rotation *rotation, int pid)
{
	for (size_t i = 0; i < ROTATE_WRITERS; i++) {
		struct rotation_writer *writer = &rotation->writer[i];

		if (writer->pid != pid)
			continue;
		if (writer->fd >= 0)
			(void)close(writer->fd);
		*writer = (struct rotation_writer){.fd = -1};
	}
}

void rotate_forget(struct rotation *rotation, int pid)
{
	held_pieces_writer_gone(&rotation->pieces, pid);
	clear_writer(rotation, pid);
}

/*
 * The analyst may hang, as on a dead network file system. *@orders counts the signals that request
 * the end: from the second one on, each kills the analyst.
 */
static void join(struct engine *engine, int pid, unsigned *orders)
{
	const struct timespec second = {1, 0};
	struct waiter_result seen;
	sigset_t signals;
	siginfo_t info;
	int status;

	signals_handled(&signals);
	while (waiter_peek(pid, &seen) == 0 && seen.kind != WAITER_GONE) {
		if (sigtimedwait(&signals, &info, &second) < 0 ||
			!signals_is_control(info.si_signo) ||
			signals_pass_on(engine->result, &info))
			continue;
		if (++*orders > 1)
			(void)kill(pid, SIGKILL);
	}
	(void)waiter_join(pid, &status);
}

void rotate_join(struct engine *engine)
{
	struct rotation *rotation = &engine->rotation;
	unsigned orders = 0;

	for (size_t i = 0; i < ROTATE_WRITERS; i++) {
		int pid = rotation->writer[i].pid;

		if (!pid)
			continue;
		clear_writer(rotation, pid);
		join(engine, pid, &orders);
		held_pieces_writer_gone(&rotation->pieces, pid);
	}
}
