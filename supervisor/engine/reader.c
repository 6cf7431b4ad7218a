/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mount_list.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/procfs.h"

/* How long the start of a fresh analyst may be put off while requested stops have not come. */
#define QUIET_MOST_NS 100000000
/*
 * Pause from a failed start to the next try, in ns. It is four times as long after each further
 * failure in a row: 1, 4, 16, 64, 256 s. Tries in short intervals would not help if the start fails
 * because of a limit of processes or of memory.
 */
#define START_AGAIN_NS CLOCK_SECOND_NS

static size_t join_command(char *const argv[], char *to, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; argv && argv[i]; i++) {
		size_t bytes = strlen(argv[i]) + 1;

		if (bytes > room - n)
			break;
		memcpy(to + n, argv[i], bytes);
		n += bytes;
	}
	return n ? n - 1 : 0;
}

/* Returns the analyst's argv, freed by the caller, with --skip for files on which analysts died. */
static const char **analyst_command(struct engine *engine, const char *pieces)
{
	const char *const *given = engine->options->analyst;
	size_t n = 0;
	const char **argv;

	while (given[n])
		n++;
	argv = mem_new(n + 2 * engine->reader.skips + 5, sizeof(*argv));
	if (!argv)
		return NULL;
	memcpy(argv, given, n * sizeof(*argv));
	for (unsigned i = 0; i < engine->reader.skips; i++) {
		argv[n++] = "--skip";
		argv[n++] = engine->reader.skip[i];
	}
	if (engine->options->server) {
		argv[n++] = "--segment";
		argv[n++] = serving_next_segment(&engine->serving);
	}
	if (pieces[0]) {
		argv[n++] = "--pieces";
		argv[n++] = pieces;
	}
	return argv;
}

void reader_note_mounts(struct engine *engine)
{
	if (!engine->options->analyst)
		return;
	engine->reader.mounts = mount_list_text();
	if (!engine->reader.mounts)
		engine->reader.mounts = procfs_read_text("/proc/self/mountinfo");
}

/*
 * Notes a failed start and the time of the next try. Warns at the first failure of a row and when
 * no try is left. A dump tries no more: it would be over by then.
 */
static void put_off_start(struct engine *engine, int error)
{
	struct reader *reader = &engine->reader;
	bool again = reader->failures < READER_RESTARTS_MOST && !engine->options->dump;

	if (!again || !reader->failures)
		say_line(&engine->say, SAY_WARNING, "cannot start the analyst %s: %s%s; %s",
			engine->options->analyst[0], strerror(-error),
			error == -EFBIG
				? " (the memory that it shares with us counts for 'ulimit -f')"
				: fds_remedy(error),
			again ? "the profile has no samples until a later try succeeds"
			      : "there will be no profile");
	reader->missing = true;
	reader->again_ns = again ? clock_now() + (START_AGAIN_NS << 2 * reader->failures) : 0;
	reader->failures++;
}

void reader_start(struct engine *engine)
{
	const struct engine_options *options = engine->options;
	char command[4096];
	struct record_start start = {
		.flags = (uint16_t)((options->wall ? RECORD_START_WALL : 0) |
			(options->wall_first ? RECORD_START_WALL_FIRST : 0)),
		.machine = arch_native.machine,
		.period_ns = engine->audit.period_ns,
		.realtime_ns = clock_read(CLOCK_REALTIME),
		.supervisor = (uint32_t)getpid(),
		.restarts = (uint32_t)engine->audit.analyst_restarts,
		.lost_samples = engine->audit.lost_samples,
		.command = command,
		.command_bytes = join_command(options->command, command, sizeof(command)),
	};
	const char **argv;
	char before[24] = "";
	int more[PIECES_HELD], r;
	size_t n = held_pieces_list(&engine->rotation.pieces, more);

	if (options->serve_only || !options->analyst)
		return;
	if (engine->audit.analyst_restarts > READER_RESTARTS_MOST) {
		say_line(&engine->say, SAY_WARNING,
			"the analyst died %d times; the command goes on without a profile",
			READER_RESTARTS_MOST + 1);
		engine->reader.missing = true;
		return;
	}
	for (size_t i = 0; i < engine->target.images; i++)
		start.lost_ns += engine->target.image[i]->lost_ns;
	summons_unpin(&engine->sampling.summons); /* the analyst would inherit the affinity */
	if (options->server) {
		more[0] = options->server->pieces_fd;
		n = 1;
	} else if (n) {
		(void)snprintf(before, sizeof(before), "%zu", n - 1);
	}
	argv = analyst_command(engine, before);
	r = argv ? link_start(&engine->reader.link, argv, options->ring_bytes,
			   engine->reader.mounts, more, n)
		 : -ENOMEM;
	free(argv);
	if (r < 0) {
		put_off_start(engine, r);
		return;
	}
	engine->reader.missing = false;
	engine->reader.failures = 0;
	engine->serving.segment += options->server != NULL;
	held_pieces_set_writer(&engine->rotation.pieces, engine->reader.link.pid);
	engine->emitter = (struct emitter){.ring = engine->reader.link.ring,
		.open = true,
		.bell_fd = engine->reader.link.bell_fd};
	(void)emit_start(&engine->emitter, clock_now(), &start);
}

void reader_died(struct engine *engine, int status)
{
	engine->reader.died_ns = clock_now();
	engine->reader.status = status;
}

/*
 * The samples that the dead analyst had are lost: the CPU time for which they stand is reported as
 * unattributed.
 */
static void replace(struct engine *engine)
{
	char path[RING_WORKING_ON_BYTES];
	struct target *target = &engine->target;
	int status = engine->reader.status;

	ring_read_note(&engine->reader.link.ring, path);
	say_line(&engine->say, SAY_WARNING, "the analyst (pid %d) %s %d%s%s; %llu sample%s lost%s",
		engine->reader.link.pid,
		status & 0x7f ? "was killed by signal" : "ended with status",
		status & 0x7f ? status & 0x7f : status >> 8, path[0] ? " while it read " : "", path,
		(unsigned long long)engine->audit.ticks, engine->audit.ticks == 1 ? " is" : "s are",
		engine->audit.analyst_restarts < READER_RESTARTS_MOST ? ", a fresh one goes on"
								      : "");
	if (path[0] &&
		engine->reader.skips < sizeof(engine->reader.skip) / sizeof(*engine->reader.skip))
		memcpy(engine->reader.skip[engine->reader.skips++], path, sizeof(path));
	for (size_t i = 0; i < target->images; i++) {
		target->image[i]->lost_ns += target->image[i]->sent_ns;
		target->image[i]->sent_ns = 0;
	}
	blocked_scan_forget_analyst(engine);
	engine->audit.lost_samples += engine->audit.ticks;
	engine->audit.ticks = 0;
	engine->audit.analyst_restarts++;
	reader_forget(engine);
	reader_begin(engine);
}

/*
 * Closes the accounts first. So the CPU time used while there was no analyst is unattributed: it
 * must not go to later samples.
 */
static void try_again(struct engine *engine)
{
	bool counting = engine->counting;

	counting_set(engine, false);
	reader_begin(engine);
	counting_set(engine, counting);
}

bool reader_poll(struct engine *engine, uint64_t now, bool last)
{
	struct reader *reader = &engine->reader;
	uint64_t due = reader->died_ns ? reader->died_ns : reader->again_ns;

	if (!due || (!last && now < due) ||
		(!last && now - due < QUIET_MOST_NS && !stops_are_over(engine)))
		return false;
	if (last)
		reader->failures = READER_RESTARTS_MOST; /* nobody polls after this try */
	reader->again_ns = 0;
	if (reader->died_ns) {
		reader->died_ns = 0;
		replace(engine);
	} else {
		try_again(engine);
	}
	return true;
}

void reader_forget(struct engine *engine)
{
	struct target *target = &engine->target;

	link_release(&engine->reader.link);
	runtime_records_forget_analyst(engine);
	engine->emitter = (struct emitter){.bell_fd = -1}; /* its ring and its doorbell are gone */
	for (size_t i = 0; i < target->processes; i++) {
		target->process[i]->announced =
			launch_is_before_exec(&engine->launch, target->process[i]->pid);
		target->process[i]->maps_announced = false;
	}
	for (size_t i = 0; i < target->tracees; i++) {
		target->tracee[i]->name[0] = '\0';
		target->tracee[i]->name_again_ns = 0;
	}
}

void reader_begin(struct engine *engine)
{
	reader_start(engine);
	sampling_set_periods(engine);
	/* Processes that do nothing from now on belong in the profile, too. */
	for (size_t i = 0; i < engine->target.processes; i++)
		(void)emit_process(&engine->emitter, clock_now(), engine->target.process[i]);
}

void reader_release(struct reader *reader)
{
	link_release(&reader->link);
	free(reader->mounts);
}
