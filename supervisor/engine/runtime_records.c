/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/runtime_records.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/target/tracee_memory.h"

/*
 * A runtime has a state of each of its threads. For a thread whose state is not known yet, at most
 * FIND_MOST states are searched, after the thread was resumed. If its state is not found, it is
 * searched for again after FIND_AGAIN_NS at the earliest.
 */
#define FIND_MOST     4096
#define FIND_AGAIN_NS 20000000
/* Code objects examined by one read. */
#define OBJECTS_AT_ONCE 32

void runtime_records_release(struct engine *engine)
{
	runtime_copy_release(&engine->runtimes.copy);
}

void runtime_records_request(struct engine *engine, const struct request *request)
{
	struct runtime_table table;
	struct process *process;

	if (runtime_table_take(&engine->runtimes.incoming, request, &table) <= 0)
		return;
	process = target_find_process(&engine->target, (int)table.pid);
	if (!process || runtime_copy_init(&engine->runtimes.copy) < 0)
		return;
	process->runtime = runtime_process_set(process->runtime, &table);
	/* Blocked threads were observed without the runtime's frames: they are examined again. */
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (t->process != process)
			continue;
		t->wall.seen = false;
		t->wall.here_ns = 0;
	}
}

void runtime_records_fork(const struct process *from, struct process *process)
{
	if (from->runtime)
		process->runtime = runtime_process_set(NULL, &from->runtime->table);
}

void runtime_records_go(struct engine *engine, const struct request *request)
{
	struct process *process = target_find_process(&engine->target, (int)request->index);

	if (process)
		process->stacks.g_below = (uint32_t)request->value;
}

void runtime_records_chunks(struct engine *engine, const struct request *request)
{
	struct process *process = target_find_process(&engine->target, (int)request->index);

	if (process)
		chunks_place_set(&process->stacks.chunks, request);
}

static ssize_t read_process(
	struct engine *engine, struct process *process, uint64_t at, void *to, size_t n)
{
	int tid = procfiles_reader(process);
	struct remote memory;
	ssize_t got;

	/*
	 * This opens the pagemap. Without the pagemap it is not known which pages are in memory. A
	 * helper thread (courier.h) would have to touch all, and might answer too late.
	 */
	procfiles_open_memory(&engine->files, process, tid);
	memory = tracee_memory_of(process, tid);
	got = remote_read(&memory, at, to, n);
	if (got == -ESRCH && procfiles_find_reader(&engine->files, process)) {
		memory = tracee_memory_of(process, procfiles_reader(process));
		got = remote_read(&memory, at, to, n);
	}
	return got;
}

void runtime_records_memory(struct engine *engine, const struct request *request)
{
	struct process *process = target_find_process(&engine->target, (int)request->index);
	static const uint64_t address_mask = REQUEST_MEMORY_END - 1;
	uint8_t data[UINT16_MAX];
	struct record_memory memory = {.pid = request->index,
		.requested = (uint32_t)(request->value >> 48),
		.address = request->value & address_mask,
		.data = data};
	ssize_t got = process
		? read_process(engine, process, memory.address, data, memory.requested)
		: -ESRCH;

	memory.bytes = got > 0 ? (uint32_t)got : 0;
	engine->runtimes.read_ns = clock_now();
	(void)emit_memory(&engine->emitter, engine->runtimes.read_ns, &memory);
}

void runtime_records_drop(struct process *process)
{
	process->stacks.g_below = 0;
	process->stacks.chunks = (struct chunks_place){0};
	runtime_process_free(process->runtime);
	process->runtime = NULL;
}

void runtime_records_forget_analyst(struct engine *engine)
{
	for (size_t i = 0; i < engine->target.processes; i++)
		runtime_records_drop(engine->target.process[i]);
	engine->runtimes.incoming.n = 0;
}

static ssize_t read_memory(
	void *context, const struct iovec *to, const struct iovec *from, size_t n)
{
	const struct tracee *t = context;
	const struct remote memory = tracee_memory_of(t->process, t->tid);

	return remote_read_vector(&memory, to, from, n);
}

void runtime_records_copy(
	struct engine *engine, struct tracee *t, const struct arch_snapshot *snapshot)
{
	const struct runtime_process *runtime = t->process->runtime;
	const struct runtime_source source = {read_memory, t, &engine->stack};

	engine->runtimes.copy.taken = false;
	if (!runtime)
		return;
	if (snapshot->thread_pointer)
		t->runtime.self = snapshot->thread_pointer;
	engine->runtimes.copy.tid = t->tid;
	runtime_copy_take(
		&engine->runtimes.copy, &runtime->table, &t->runtime, &source, t->tid, clock_now());
}

static bool send_object(struct engine *engine, const struct tracee *t, uint64_t address,
	const uint8_t *data, uint64_t now)
{
	const struct runtime_table *table = &t->process->runtime->table;
	const struct runtime_source source = {read_memory, (void *)t, NULL};
	static const size_t most = RUNTIME_TEXT_BYTES_MOST;
	/* The pieces copied in the stop are no longer needed: their memory is reused. */
	uint8_t *room = engine->runtimes.copy.data;
	struct record_object object = {.pid = table->pid,
		.id = table->id,
		.address = address,
		.bytes = table->object_bytes,
		.data = data};

	object.pid = (uint32_t)t->process->pid;
	for (int i = 0; i < RUNTIME_TEXTS; i++) {
		object.text[i] = room + (size_t)i * most;
		object.text_bytes[i] = (uint32_t)runtime_text_read(
			&table->text[i], data, &source, room + (size_t)i * most);
	}
	return emit_object(&engine->emitter, now, &object);
}

/* Reads code objects, and sends those that the analyst does not have or that have changed. */
static void send_objects(struct engine *engine, const struct tracee *t, const uint64_t *address,
	size_t n, uint64_t now)
{
	struct runtime_process *runtime = t->process->runtime;
	const size_t bytes = runtime->table.object_bytes;
	uint8_t data[OBJECTS_AT_ONCE * RUNTIME_OBJECT_BYTES_MOST];
	struct iovec to[OBJECTS_AT_ONCE], from[OBJECTS_AT_ONCE];
	ssize_t got;

	for (size_t i = 0; i < n; i++) {
		to[i] = (struct iovec){data + i * bytes, bytes};
		from[i] = (struct iovec){(void *)(uintptr_t)address[i], bytes};
	}
	got = read_memory((void *)(uintptr_t)t, to, from, n);
	for (size_t i = 0; got > 0 && i < (size_t)got / bytes; i++) {
		uint64_t hash = runtime_object_hash(&runtime->table, data + i * bytes);
		struct runtime_object *object = runtime_object_find(runtime, address[i]);

		if (object && object->hash != hash &&
			send_object(engine, t, address[i], data + i * bytes, now))
			object->hash = hash;
	}
}

static void hand_over_objects(struct engine *engine, const struct tracee *t, uint64_t now)
{
	const struct runtime_copy *copy = &engine->runtimes.copy;
	struct runtime_process *runtime = t->process->runtime;
	uint64_t address[OBJECTS_AT_ONCE];
	size_t n = 0;

	runtime->stamp++;
	for (size_t i = 0; i < copy->frames; i++) {
		uint64_t at = copy->frame[i * RECORD_FRAME_WORDS + 2] & ~runtime->table.tag;
		struct runtime_object *object = at ? runtime_object_find(runtime, at) : NULL;

		if (!object || object->stamp == runtime->stamp)
			continue;
		object->stamp = runtime->stamp;
		address[n++] = at;
		if (n == OBJECTS_AT_ONCE) {
			send_objects(engine, t, address, n, now);
			n = 0;
		}
	}
	if (n)
		send_objects(engine, t, address, n, now);
}

void runtime_records_forget(struct engine *engine)
{
	engine->runtimes.copy.taken = false;
}

void runtime_records_hand_over(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct runtime_copy *copy = &engine->runtimes.copy;
	struct runtime_process *runtime = t->process->runtime;
	const struct runtime_source source = {read_memory, t, NULL};
	struct record_runtime record;

	if (!copy->taken || copy->tid != t->tid || !runtime)
		return;
	copy->taken = false;
	record = (struct record_runtime){
		.flags = copy->flags,
		.pid = (uint32_t)t->process->pid,
		.tid = (uint32_t)t->tid,
		.id = runtime->table.id,
	};
	if (copy->flags & RECORD_RUNTIME_UNKNOWN) {
		if (now >= t->runtime.again_ns) {
			t->runtime.address = runtime_find_thread(
				&runtime->table, &source, t->tid, t->runtime.self, FIND_MOST);
			t->runtime.again_ns = now + FIND_AGAIN_NS;
		}
	} else {
		record.thread = copy->thread;
		memcpy(record.watch, copy->watch, sizeof(record.watch));
		memcpy(record.thread_word, copy->thread_word, sizeof(record.thread_word));
		record.frames = (uint32_t)copy->frames;
		record.frame = (const uint8_t *)copy->frame;
		runtime_thread_learn(&t->runtime, &runtime->table, copy);
		hand_over_objects(engine, t, now);
	}
	(void)emit_runtime(&engine->emitter, now, &record);
}
