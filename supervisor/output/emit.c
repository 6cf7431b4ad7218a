/* SPDX-License-Identifier: MIT */
#include "supervisor/output/emit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/target/target.h"

/* Minimum interval of wake-ups of the analyst for samples. */
#define BELL_NS 50000000
/* After a request for memory, more are likely: for PROMPT_NS the interval is PROMPT_BELL_NS. */
#define PROMPT_BELL_NS 2000000
#define PROMPT_NS      200000000

/* Reserves room for a record whose text has @text_bytes, including NULs and padding. */
static uint8_t *reserve(struct emitter *emitter, size_t text_bytes, size_t *ret_room)
{
	*ret_room = RECORD_SAMPLE_BYTES + text_bytes + 16;
	return emitter->open ? ring_reserve(&emitter->ring, *ret_room, true) : NULL;
}

static void ring_bell(struct emitter *emitter)
{
	emitter->bell_owed = false;
	/* The pipe does not block: if it is full, enough wake-ups are pending. */
	if (write(emitter->bell_fd, "", 1) < 0 && errno == EPIPE)
		emitter->open = false;
}

static bool commit(struct emitter *emitter, int bytes)
{
	if (bytes < 0)
		return false;
	if (ring_commit(&emitter->ring, (size_t)bytes))
		ring_bell(emitter);
	return true;
}

void emit_bell(struct emitter *emitter, uint64_t now_ns)
{
	uint64_t wait_ns = now_ns < emitter->prompt_until_ns ? PROMPT_BELL_NS : BELL_NS;

	if (!emitter->bell_owed ||
		(now_ns - emitter->rung_ns < wait_ns && ring_is_half_empty(&emitter->ring)))
		return;
	emitter->rung_ns = now_ns;
	ring_bell(emitter);
}

bool emit_start(struct emitter *emitter, uint64_t now_ns, const struct record_start *start)
{
	size_t room;
	uint8_t *to = reserve(emitter, start->command_bytes, &room);

	return to && commit(emitter, record_put_start(to, room, now_ns, start));
}

bool emit_process(struct emitter *emitter, uint64_t now_ns, struct process *process)
{
	char name[PROCFS_NAME_BYTES];
	size_t room;
	uint8_t *to;

	if (process->announced)
		return true;
	procfs_read_name(process->pid, process->pid, name);
	to = reserve(emitter, 0, &room);
	if (!to ||
		!commit(emitter,
			record_put_process(to, room, now_ns, (uint16_t)process->flags,
				(uint32_t)process->pid, (uint32_t)process->parent)))
		return false;
	to = reserve(emitter, strlen(process->image->path) + sizeof(name), &room);
	process->announced = to &&
		commit(emitter,
			record_put_exec(to, room, now_ns, (uint32_t)process->pid,
				process->image->path, name));
	return process->announced;
}

bool emit_maps(struct emitter *emitter, uint64_t now_ns, struct process *process, const char *text,
	size_t bytes)
{
	size_t offset = 0;

	process->maps_generation++;
	do {
		size_t piece = bytes - offset, room;
		uint8_t *to;

		if (piece > RECORD_MAX_TEXT_BYTES)
			piece = RECORD_MAX_TEXT_BYTES;
		to = reserve(emitter, piece, &room);
		struct record_maps maps = {.pid = (uint32_t)process->pid,
			.generation = process->maps_generation,
			.offset = (uint32_t)offset,
			.bytes = (uint32_t)piece,
			.text = text + offset};
		if (!to ||
			!commit(emitter,
				record_put_maps(to, room, now_ns,
					offset + piece == bytes ? RECORD_MAPS_LAST : 0, &maps)))
			return false;
		offset += piece;
	} while (offset < bytes);
	return true;
}

bool emit_thread(struct emitter *emitter, uint64_t now_ns, const struct tracee *tracee)
{
	size_t room;
	uint8_t *to = reserve(emitter, sizeof(tracee->name), &room);

	return to &&
		commit(emitter,
			record_put_thread(to, room, now_ns, (uint32_t)tracee->process->pid,
				(uint32_t)tracee->tid, tracee->name));
}

bool emit_cpu(struct emitter *emitter, uint64_t now_ns, const struct record_cpu *cpu, bool last)
{
	size_t room;
	uint8_t *to = reserve(emitter, 0, &room);

	return to &&
		commit(emitter, record_put_cpu(to, room, now_ns, last ? RECORD_CPU_LAST : 0, cpu));
}

bool emit_exit(struct emitter *emitter, uint64_t now_ns, const struct record_exit *exit)
{
	size_t room;
	uint8_t *to = reserve(emitter, 0, &room);

	return to && commit(emitter, record_put_exit(to, room, now_ns, exit));
}

bool emit_unsampled(
	struct emitter *emitter, uint64_t now_ns, const struct record_unsampled *unsampled)
{
	size_t room;
	uint8_t *to = reserve(emitter, strlen(unsampled->path), &room);

	return to && commit(emitter, record_put_unsampled(to, room, now_ns, unsampled));
}

bool emit_audit(struct emitter *emitter, uint64_t now_ns, enum record_type type, uint16_t flags,
	const char *text)
{
	size_t room;
	uint8_t *to = reserve(emitter, strlen(text), &room);

	return to && commit(emitter, record_put_audit(to, room, now_ns, type, flags, text));
}

void emit_describe_stack(const struct stack_copy *copy, const struct arch_snapshot *snapshot,
	struct record_sample *sample)
{
	sample->registers = snapshot->registers;
	memcpy(sample->reg, snapshot->reg, snapshot->registers * sizeof(*sample->reg));
	sample->stack = copy->inner.data;
	sample->stack_base = copy->inner.base;
	sample->stack_bytes = (uint32_t)copy->inner.bytes;
	sample->stack_limit = copy->limit;
	sample->outer = copy->outer.data;
	sample->outer_base = copy->outer.base;
	sample->outer_bytes = (uint32_t)copy->outer.bytes;
	if (copy->left_sp && copy->outer.bytes) {
		sample->flags |= RECORD_SAMPLE_LEFT;
		sample->left_pc = copy->left_pc;
		sample->left_sp = copy->left_sp;
	}
	if (copy->truncated)
		sample->flags |= RECORD_SAMPLE_TRUNCATED;
}

bool emit_sample(struct emitter *emitter, uint64_t now_ns, const struct record_sample *sample)
{
	size_t room = record_sample_bytes(sample);
	uint8_t *to = emitter->open ? ring_reserve(&emitter->ring, room, false) : NULL;
	int bytes = to ? record_put_sample(to, room, now_ns, sample) : -ENOSPC;

	if (bytes < 0)
		return false;
	if (ring_commit(&emitter->ring, (size_t)bytes))
		emitter->bell_owed = true;
	emit_bell(emitter, now_ns);
	return true;
}

static bool commit_with_sample(struct emitter *emitter, int bytes)
{
	if (bytes > 0 && ring_commit(&emitter->ring, (size_t)bytes))
		emitter->bell_owed = true;
	return bytes > 0;
}

bool emit_runtime(struct emitter *emitter, uint64_t now_ns, const struct record_runtime *runtime)
{
	size_t room = record_runtime_bytes(runtime);
	uint8_t *to = emitter->open ? ring_reserve(&emitter->ring, room, false) : NULL;

	return to && commit_with_sample(emitter, record_put_runtime(to, room, now_ns, runtime));
}

bool emit_object(struct emitter *emitter, uint64_t now_ns, const struct record_object *object)
{
	size_t room = record_object_bytes(object);
	uint8_t *to = emitter->open ? ring_reserve(&emitter->ring, room, false) : NULL;

	return to && commit_with_sample(emitter, record_put_object(to, room, now_ns, object));
}

bool emit_memory(struct emitter *emitter, uint64_t now_ns, const struct record_memory *memory)
{
	size_t room = record_memory_bytes(memory);
	uint8_t *to = emitter->open ? ring_reserve(&emitter->ring, room, false) : NULL;

	emitter->prompt_until_ns = now_ns + PROMPT_NS;
	return to && commit(emitter, record_put_memory(to, room, now_ns, memory));
}
