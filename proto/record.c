/* SPDX-License-Identifier: MIT */
#include "proto/record.h"

#include <errno.h>
#include <string.h>

#include "proto/bytes.h"

static struct writer begin(
	uint8_t *to, size_t room, enum record_type type, unsigned flags, uint64_t time_ns)
{
	struct writer w = writer_over(to, room);

	put_u32(&w, 0);
	put_u16(&w, (uint16_t)type);
	put_u16(&w, (uint16_t)flags);
	put_u64(&w, time_ns);
	return w;
}

static int finish(struct writer *w, uint8_t *to)
{
	size_t bytes = (size_t)(w->p - to);
	size_t padded = (bytes + 7) & ~(size_t)7;
	struct writer size = writer_over(to, 4);

	if (w->bad || (size_t)(w->end - w->p) < padded - bytes)
		return -ENOSPC;
	memset(to + bytes, 0, padded - bytes);
	put_u32(&size, (uint32_t)padded);
	return (int)padded;
}

#define FIELD(type, member) WIRE(record_##type, member)
#define TEXT(type, member)  WIRE_TEXT(record_##type, member, RECORD_MAX_TEXT_BYTES)

/* The fields of each record behind its header. get_rest() reads what follows these fields. */
static const struct wire_field layouts[RECORD_TYPES][16] = {
	/* Behind the header RECORD_START has RECORD_VERSION (4 bytes), then these fields. */
	[RECORD_START] = {FIELD(start, machine), WIRE_UNUSED(2), FIELD(start, period_ns),
		FIELD(start, realtime_ns), FIELD(start, supervisor), FIELD(start, restarts),
		FIELD(start, lost_samples), FIELD(start, lost_ns)},
	[RECORD_PROCESS] = {FIELD(process, pid), FIELD(process, parent)},
	[RECORD_EXEC] = {FIELD(exec, pid), WIRE_UNUSED(4), TEXT(exec, path), TEXT(exec, name)},
	[RECORD_MAPS] = {FIELD(maps, pid), FIELD(maps, generation), FIELD(maps, offset),
		FIELD(maps, bytes)},
	[RECORD_THREAD] = {FIELD(thread, pid), FIELD(thread, tid), TEXT(thread, name)},
	[RECORD_SAMPLE] = {FIELD(sample, pid), FIELD(sample, tid), FIELD(sample, pc),
		FIELD(sample, sp), FIELD(sample, fp), FIELD(sample, weight_ns),
		FIELD(sample, syscall), FIELD(sample, machine), FIELD(sample, registers),
		FIELD(sample, stack_bytes), FIELD(sample, outer_bytes), FIELD(sample, stack_base),
		FIELD(sample, stack_limit), FIELD(sample, queue_ns), FIELD(sample, blocked_ns)},
	[RECORD_EXIT] = {FIELD(exit, pid), FIELD(exit, status), FIELD(exit, kernel_ns)},
	[RECORD_UNSAMPLED] = {FIELD(unsampled, cpu_ns), FIELD(unsampled, queue_ns),
		FIELD(unsampled, blocked_ns), TEXT(unsampled, path)},
	[RECORD_AUDIT] = {TEXT(audit, text)},
	[RECORD_END] = {TEXT(audit, text)},
	[RECORD_CPU] = {FIELD(cpu, pid), FIELD(cpu, tid), FIELD(cpu, cpu_ns)},
	[RECORD_SNAPSHOT] = {TEXT(audit, text)},
	[RECORD_SERVE] = {TEXT(audit, text)},
	[RECORD_RUNTIME] = {FIELD(runtime, pid), FIELD(runtime, tid), FIELD(runtime, id),
		FIELD(runtime, frames), FIELD(runtime, thread), FIELD(runtime, watch),
		FIELD(runtime, thread_word)},
	[RECORD_OBJECT] = {FIELD(object, pid), FIELD(object, id), FIELD(object, address),
		FIELD(object, bytes), FIELD(object, text_bytes)},
	[RECORD_MEMORY] = {FIELD(memory, pid), FIELD(memory, requested), FIELD(memory, address),
		FIELD(memory, bytes), WIRE_UNUSED(4)},
};

/* Writes a record that has no further data. */
static int put(uint8_t *to, size_t room, uint64_t time_ns, enum record_type type, unsigned flags,
	const void *record)
{
	struct writer w = begin(to, room, type, flags, time_ns);

	put_fields(&w, record, layouts[type]);
	return finish(&w, to);
}

int record_put_start(uint8_t *to, size_t room, uint64_t time_ns, const struct record_start *start)
{
	struct writer w = begin(to, room, RECORD_START, start->flags, time_ns);
	size_t n = start->command_bytes;

	put_u32(&w, RECORD_VERSION);
	put_fields(&w, start, layouts[RECORD_START]);
	put_bytes(&w, start->command, n > RECORD_MAX_TEXT_BYTES ? RECORD_MAX_TEXT_BYTES : n);
	return finish(&w, to);
}

int record_put_process(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, uint32_t pid, uint32_t parent)
{
	return put(to, room, time_ns, RECORD_PROCESS, flags, &(struct record_process){pid, parent});
}

int record_put_exec(uint8_t *to, size_t room, uint64_t time_ns, uint32_t pid, const char *path,
	const char *name)
{
	return put(to, room, time_ns, RECORD_EXEC, 0, &(struct record_exec){pid, path, name});
}

int record_put_maps(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, const struct record_maps *maps)
{
	struct writer w = begin(to, room, RECORD_MAPS, flags, time_ns);

	put_fields(&w, maps, layouts[RECORD_MAPS]);
	put_bytes(&w, maps->text, maps->bytes);
	return finish(&w, to);
}

int record_put_thread(
	uint8_t *to, size_t room, uint64_t time_ns, uint32_t pid, uint32_t tid, const char *name)
{
	return put(to, room, time_ns, RECORD_THREAD, 0, &(struct record_thread){pid, tid, name});
}

int record_put_exit(uint8_t *to, size_t room, uint64_t time_ns, const struct record_exit *exit)
{
	return put(to, room, time_ns, RECORD_EXIT, 0, exit);
}

int record_put_cpu(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, const struct record_cpu *cpu)
{
	return put(to, room, time_ns, RECORD_CPU, flags, cpu);
}

int record_put_unsampled(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_unsampled *unsampled)
{
	return put(to, room, time_ns, RECORD_UNSAMPLED, 0, unsampled);
}

int record_put_audit(uint8_t *to, size_t room, uint64_t time_ns, enum record_type type,
	uint16_t flags, const char *text)
{
	return put(to, room, time_ns, type, flags, &(struct record_audit){text});
}

static size_t padding_of(size_t bytes)
{
	return -bytes & 7;
}

int record_put_sample(uint8_t *to, size_t room, uint64_t time_ns, const struct record_sample *s)
{
	static const uint8_t zeros[8];
	struct writer w = begin(to, room, RECORD_SAMPLE, s->flags, time_ns);

	put_fields(&w, s, layouts[RECORD_SAMPLE]);
	for (unsigned i = 0; i < s->registers && i < RECORD_MAX_REGISTERS; i++)
		put_u64(&w, s->reg[i]);
	put_bytes(&w, s->stack, s->stack_bytes);
	if (s->outer_bytes) {
		put_bytes(&w, zeros, padding_of(s->stack_bytes));
		put_u64(&w, s->outer_base);
		if (s->flags & RECORD_SAMPLE_LEFT) {
			put_u64(&w, s->left_pc);
			put_u64(&w, s->left_sp);
		}
		put_bytes(&w, s->outer, s->outer_bytes);
	}
	return finish(&w, to);
}

size_t record_sample_bytes(const struct record_sample *s)
{
	size_t bytes = RECORD_SAMPLE_BYTES + 8 * (size_t)s->registers + s->stack_bytes +
		padding_of(s->stack_bytes);

	if (!s->outer_bytes)
		return bytes;
	return bytes + 8 + (s->flags & RECORD_SAMPLE_LEFT ? 16 : 0) + s->outer_bytes +
		padding_of(s->outer_bytes);
}

int record_put_runtime(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_runtime *runtime)
{
	struct writer w = begin(to, room, RECORD_RUNTIME, runtime->flags, time_ns);

	put_fields(&w, runtime, layouts[RECORD_RUNTIME]);
	put_bytes(&w, runtime->frame, (size_t)runtime->frames * RECORD_FRAME_WORDS * 8);
	return finish(&w, to);
}

size_t record_runtime_bytes(const struct record_runtime *runtime)
{
	return 72 + (size_t)runtime->frames * RECORD_FRAME_WORDS * 8;
}

static void put_padded(struct writer *w, const uint8_t *data, size_t bytes)
{
	static const uint8_t zeros[8];

	put_bytes(w, data, bytes);
	put_bytes(w, zeros, padding_of(bytes));
}

int record_put_object(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_object *object)
{
	struct writer w = begin(to, room, RECORD_OBJECT, 0, time_ns);

	put_fields(&w, object, layouts[RECORD_OBJECT]);
	put_padded(&w, object->data, object->bytes);
	for (int i = 0; i < RUNTIME_TEXTS; i++)
		put_padded(&w, object->text[i], object->text_bytes[i]);
	return finish(&w, to);
}

size_t record_object_bytes(const struct record_object *object)
{
	size_t bytes = 48 + object->bytes + padding_of(object->bytes);

	for (int i = 0; i < RUNTIME_TEXTS; i++)
		bytes += object->text_bytes[i] + padding_of(object->text_bytes[i]);
	return bytes;
}

int record_put_memory(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_memory *memory)
{
	struct writer w = begin(to, room, RECORD_MEMORY, 0, time_ns);

	put_fields(&w, memory, layouts[RECORD_MEMORY]);
	put_padded(&w, memory->data, memory->bytes);
	return finish(&w, to);
}

size_t record_memory_bytes(const struct record_memory *memory)
{
	return 40 + memory->bytes + padding_of(memory->bytes);
}

static const uint8_t *get_padded(struct reader *r, size_t bytes)
{
	const uint8_t *data = get_bytes(r, bytes);

	(void)get_bytes(r, padding_of(bytes));
	return data;
}

static void get_object(struct reader *r, struct record_object *object)
{
	object->data = get_padded(r, object->bytes);
	for (int i = 0; i < RUNTIME_TEXTS; i++)
		object->text[i] = get_padded(r, object->text_bytes[i]);
}

static void get_start(struct reader *r, struct record_start *start)
{
	start->command = (const char *)r->p;
	start->command_bytes = (size_t)(r->end - r->p);
	while (start->command_bytes && start->command[start->command_bytes - 1] == '\0')
		start->command_bytes--;
}

static void get_sample(struct reader *r, uint16_t flags, struct record_sample *s)
{
	if (s->registers > RECORD_MAX_REGISTERS) {
		r->bad = true;
		s->registers = 0;
	}
	for (unsigned i = 0; i < s->registers; i++)
		s->reg[i] = get_u64(r);
	s->stack = get_bytes(r, s->stack_bytes);
	if (!s->outer_bytes)
		return;
	(void)get_bytes(r, padding_of(s->stack_bytes));
	s->outer_base = get_u64(r);
	if (flags & RECORD_SAMPLE_LEFT) {
		s->left_pc = get_u64(r);
		s->left_sp = get_u64(r);
	}
	s->outer = get_bytes(r, s->outer_bytes);
}

static void get_rest(struct reader *r, struct record *rec)
{
	switch (rec->header.type) {
	case RECORD_START:
		rec->as.start.flags = rec->header.flags;
		get_start(r, &rec->as.start);
		break;
	case RECORD_MAPS: rec->as.maps.text = (const char *)get_bytes(r, rec->as.maps.bytes); break;
	case RECORD_SAMPLE:
		rec->as.sample.flags = rec->header.flags;
		get_sample(r, rec->header.flags, &rec->as.sample);
		break;
	case RECORD_RUNTIME:
		rec->as.runtime.flags = rec->header.flags;
		rec->as.runtime.frame =
			get_bytes(r, (size_t)rec->as.runtime.frames * RECORD_FRAME_WORDS * 8);
		break;
	case RECORD_OBJECT: get_object(r, &rec->as.object); break;
	case RECORD_MEMORY:
		rec->as.memory.data = get_padded(r, rec->as.memory.bytes);
		r->bad |= rec->as.memory.bytes > rec->as.memory.requested;
		break;
	default: break;
	}
}

int record_get(const uint8_t *data, size_t bytes, struct record *ret_record)
{
	struct reader r = reader_over(data, bytes);
	struct record rec = {.header = {0}};

	rec.header.size = get_u32(&r);
	rec.header.type = get_u16(&r);
	rec.header.flags = get_u16(&r);
	rec.header.time_ns = get_u64(&r);
	if (rec.header.size != bytes || bytes % 8)
		return -EPROTO;
	if (rec.header.type < RECORD_TYPES) {
		if (rec.header.type == RECORD_START && get_u32(&r) != RECORD_VERSION)
			r.bad = true;
		get_fields(&r, &rec.as, layouts[rec.header.type]);
		get_rest(&r, &rec);
	}
	if (r.bad)
		return -EPROTO;
	*ret_record = rec;
	return 0;
}
