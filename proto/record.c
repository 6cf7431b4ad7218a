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

/* Pads to 8 bytes, fills in the size, and returns it. */
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

static void put_text(struct writer *w, const char *text)
{
	size_t n = text ? strnlen(text, RECORD_MAX_TEXT_BYTES) : 0;

	put_bytes(w, text, n);
	put_u8(w, 0);
}

/* Text up to its NUL. Unterminated text is an error. */
static const char *get_text(struct reader *r)
{
	const uint8_t *nul = memchr(r->p, 0, (size_t)(r->end - r->p));

	if (!nul) {
		r->bad = true;
		return "";
	}
	return (const char *)get_bytes(r, (size_t)(nul - r->p) + 1);
}

int record_put_start(uint8_t *to, size_t room, uint64_t time_ns, const struct record_start *start)
{
	struct writer w = begin(to, room, RECORD_START, start->flags, time_ns);
	size_t n = start->command_bytes;

	put_u32(&w, RECORD_VERSION);
	put_u16(&w, start->machine);
	put_u16(&w, 0);
	put_u64(&w, start->period_ns);
	put_u64(&w, start->realtime_ns);
	put_u32(&w, start->supervisor);
	put_u32(&w, start->restarts);
	put_u64(&w, start->lost_samples);
	put_u64(&w, start->lost_ns);
	put_bytes(&w, start->command, n > RECORD_MAX_TEXT_BYTES ? RECORD_MAX_TEXT_BYTES : n);
	return finish(&w, to);
}

int record_put_process(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, uint32_t pid, uint32_t parent)
{
	struct writer w = begin(to, room, RECORD_PROCESS, flags, time_ns);

	put_u32(&w, pid);
	put_u32(&w, parent);
	return finish(&w, to);
}

int record_put_exec(uint8_t *to, size_t room, uint64_t time_ns, uint32_t pid, const char *path,
	const char *name)
{
	struct writer w = begin(to, room, RECORD_EXEC, 0, time_ns);

	put_u32(&w, pid);
	put_u32(&w, 0);
	put_text(&w, path);
	put_text(&w, name);
	return finish(&w, to);
}

int record_put_maps(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, const struct record_maps *maps)
{
	struct writer w = begin(to, room, RECORD_MAPS, flags, time_ns);

	put_u32(&w, maps->pid);
	put_u32(&w, maps->generation);
	put_u32(&w, maps->offset);
	put_u32(&w, maps->bytes);
	put_bytes(&w, maps->text, maps->bytes);
	return finish(&w, to);
}

int record_put_thread(
	uint8_t *to, size_t room, uint64_t time_ns, uint32_t pid, uint32_t tid, const char *name)
{
	struct writer w = begin(to, room, RECORD_THREAD, 0, time_ns);

	put_u32(&w, pid);
	put_u32(&w, tid);
	put_text(&w, name);
	return finish(&w, to);
}

int record_put_exit(uint8_t *to, size_t room, uint64_t time_ns, const struct record_exit *exit)
{
	struct writer w = begin(to, room, RECORD_EXIT, 0, time_ns);

	put_u32(&w, exit->pid);
	put_u32(&w, exit->status);
	put_u64(&w, exit->kernel_ns);
	return finish(&w, to);
}

int record_put_cpu(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, const struct record_cpu *cpu)
{
	struct writer w = begin(to, room, RECORD_CPU, flags, time_ns);

	put_u32(&w, cpu->pid);
	put_u32(&w, cpu->tid);
	put_u64(&w, cpu->cpu_ns);
	return finish(&w, to);
}

int record_put_unsampled(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_unsampled *unsampled)
{
	struct writer w = begin(to, room, RECORD_UNSAMPLED, 0, time_ns);

	put_u64(&w, unsampled->cpu_ns);
	put_u64(&w, unsampled->queue_ns);
	put_u64(&w, unsampled->blocked_ns);
	put_text(&w, unsampled->path);
	return finish(&w, to);
}

int record_put_audit(uint8_t *to, size_t room, uint64_t time_ns, enum record_type type,
	uint16_t flags, const char *text)
{
	struct writer w = begin(to, room, type, flags, time_ns);

	put_text(&w, text);
	return finish(&w, to);
}

static size_t padding_of(size_t bytes)
{
	return -bytes & 7;
}

int record_put_sample(uint8_t *to, size_t room, uint64_t time_ns, const struct record_sample *s)
{
	static const uint8_t zeros[8];
	struct writer w = begin(to, room, RECORD_SAMPLE, s->flags, time_ns);

	put_u32(&w, s->pid);
	put_u32(&w, s->tid);
	put_u64(&w, s->pc);
	put_u64(&w, s->sp);
	put_u64(&w, s->fp);
	put_u64(&w, s->weight_ns);
	put_u32(&w, (uint32_t)s->syscall);
	put_u16(&w, s->machine);
	put_u16(&w, s->registers);
	put_u32(&w, s->stack_bytes);
	put_u32(&w, s->outer_bytes);
	put_u64(&w, s->stack_base);
	put_u64(&w, s->stack_limit);
	put_u64(&w, s->queue_ns);
	put_u64(&w, s->blocked_ns);
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

	put_u32(&w, runtime->pid);
	put_u32(&w, runtime->tid);
	put_u32(&w, runtime->id);
	put_u32(&w, runtime->frames);
	put_u64(&w, runtime->thread);
	for (int i = 0; i < RUNTIME_WATCH_WORDS; i++)
		put_u64(&w, runtime->watch[i]);
	for (int i = 0; i < RUNTIME_THREAD_WORDS; i++)
		put_u64(&w, runtime->thread_word[i]);
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

	put_u32(&w, object->pid);
	put_u32(&w, object->id);
	put_u64(&w, object->address);
	put_u32(&w, object->bytes);
	for (int i = 0; i < RUNTIME_TEXTS; i++)
		put_u32(&w, object->text_bytes[i]);
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

	put_u32(&w, memory->pid);
	put_u32(&w, memory->requested);
	put_u64(&w, memory->address);
	put_u32(&w, memory->bytes);
	put_u32(&w, 0);
	put_padded(&w, memory->data, memory->bytes);
	return finish(&w, to);
}

size_t record_memory_bytes(const struct record_memory *memory)
{
	return 40 + memory->bytes + padding_of(memory->bytes);
}

static void get_runtime(struct reader *r, struct record_runtime *runtime)
{
	runtime->pid = get_u32(r);
	runtime->tid = get_u32(r);
	runtime->id = get_u32(r);
	runtime->frames = get_u32(r);
	runtime->thread = get_u64(r);
	for (int i = 0; i < RUNTIME_WATCH_WORDS; i++)
		runtime->watch[i] = get_u64(r);
	for (int i = 0; i < RUNTIME_THREAD_WORDS; i++)
		runtime->thread_word[i] = get_u64(r);
	runtime->frame = get_bytes(r, (size_t)runtime->frames * RECORD_FRAME_WORDS * 8);
}

static const uint8_t *get_padded(struct reader *r, size_t bytes)
{
	const uint8_t *data = get_bytes(r, bytes);

	(void)get_bytes(r, padding_of(bytes));
	return data;
}

static void get_object(struct reader *r, struct record_object *object)
{
	object->pid = get_u32(r);
	object->id = get_u32(r);
	object->address = get_u64(r);
	object->bytes = get_u32(r);
	for (int i = 0; i < RUNTIME_TEXTS; i++)
		object->text_bytes[i] = get_u32(r);
	object->data = get_padded(r, object->bytes);
	for (int i = 0; i < RUNTIME_TEXTS; i++)
		object->text[i] = get_padded(r, object->text_bytes[i]);
}

static void get_memory(struct reader *r, struct record_memory *memory)
{
	memory->pid = get_u32(r);
	memory->requested = get_u32(r);
	memory->address = get_u64(r);
	memory->bytes = get_u32(r);
	(void)get_u32(r);
	memory->data = get_padded(r, memory->bytes);
	r->bad |= memory->bytes > memory->requested;
}

static void get_start(struct reader *r, struct record_start *start)
{
	if (get_u32(r) != RECORD_VERSION)
		r->bad = true;
	start->machine = get_u16(r);
	(void)get_u16(r);
	start->period_ns = get_u64(r);
	start->realtime_ns = get_u64(r);
	start->supervisor = get_u32(r);
	start->restarts = get_u32(r);
	start->lost_samples = get_u64(r);
	start->lost_ns = get_u64(r);
	start->command = (const char *)r->p;
	start->command_bytes = (size_t)(r->end - r->p);
	while (start->command_bytes && start->command[start->command_bytes - 1] == '\0')
		start->command_bytes--;
}

static void get_maps(struct reader *r, struct record_maps *maps)
{
	maps->pid = get_u32(r);
	maps->generation = get_u32(r);
	maps->offset = get_u32(r);
	maps->bytes = get_u32(r);
	maps->text = (const char *)get_bytes(r, maps->bytes);
}

static void get_sample(struct reader *r, uint16_t flags, struct record_sample *s)
{
	s->pid = get_u32(r);
	s->tid = get_u32(r);
	s->pc = get_u64(r);
	s->sp = get_u64(r);
	s->fp = get_u64(r);
	s->weight_ns = get_u64(r);
	s->syscall = (int32_t)get_u32(r);
	s->machine = get_u16(r);
	s->registers = get_u16(r);
	s->stack_bytes = get_u32(r);
	s->outer_bytes = get_u32(r);
	s->stack_base = get_u64(r);
	s->stack_limit = get_u64(r);
	s->queue_ns = get_u64(r);
	s->blocked_ns = get_u64(r);
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
	switch (rec.header.type) {
	case RECORD_START:
		rec.as.start.flags = rec.header.flags;
		get_start(&r, &rec.as.start);
		break;
	case RECORD_PROCESS:
		rec.as.process.pid = get_u32(&r);
		rec.as.process.parent = get_u32(&r);
		break;
	case RECORD_EXEC:
		rec.as.exec.pid = get_u32(&r);
		(void)get_u32(&r);
		rec.as.exec.path = get_text(&r);
		rec.as.exec.name = get_text(&r);
		break;
	case RECORD_MAPS: get_maps(&r, &rec.as.maps); break;
	case RECORD_THREAD:
		rec.as.thread.pid = get_u32(&r);
		rec.as.thread.tid = get_u32(&r);
		rec.as.thread.name = get_text(&r);
		break;
	case RECORD_SAMPLE:
		rec.as.sample.flags = rec.header.flags;
		get_sample(&r, rec.header.flags, &rec.as.sample);
		break;
	case RECORD_EXIT:
		rec.as.exit.pid = get_u32(&r);
		rec.as.exit.status = get_u32(&r);
		rec.as.exit.kernel_ns = get_u64(&r);
		break;
	case RECORD_CPU:
		rec.as.cpu.pid = get_u32(&r);
		rec.as.cpu.tid = get_u32(&r);
		rec.as.cpu.cpu_ns = get_u64(&r);
		break;
	case RECORD_UNSAMPLED:
		rec.as.unsampled.cpu_ns = get_u64(&r);
		rec.as.unsampled.queue_ns = get_u64(&r);
		rec.as.unsampled.blocked_ns = get_u64(&r);
		rec.as.unsampled.path = get_text(&r);
		break;
	case RECORD_RUNTIME:
		rec.as.runtime.flags = rec.header.flags;
		get_runtime(&r, &rec.as.runtime);
		break;
	case RECORD_OBJECT: get_object(&r, &rec.as.object); break;
	case RECORD_MEMORY: get_memory(&r, &rec.as.memory); break;
	case RECORD_AUDIT:
	case RECORD_SNAPSHOT:
	case RECORD_SERVE:
	case RECORD_END: rec.as.audit.text = get_text(&r); break;
	default: break;
	}
	if (r.bad)
		return -EPROTO;
	*ret_record = rec;
	return 0;
}
