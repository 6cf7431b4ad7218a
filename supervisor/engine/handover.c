/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/handover.h"

#include <string.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"

/* A name is read again after four times the time it has been unchanged, within these bounds. */
#define NAME_LEAST_NS (CLOCK_SECOND_NS / 100)
#define NAME_MOST_NS  (60 * CLOCK_SECOND_NS)

static uint64_t name_wait(uint64_t unchanged_ns)
{
	uint64_t wait = 4 * unchanged_ns;

	return wait < NAME_LEAST_NS ? NAME_LEAST_NS : wait > NAME_MOST_NS ? NAME_MOST_NS : wait;
}

void handover_announce(struct engine *engine, struct tracee *t, uint64_t pc, uint64_t now)
{
	struct process *process = t->process;
	char name[PROCFS_NAME_BYTES];

	(void)emit_process(&engine->emitter, now, process);
	maps_cover(&engine->maps, process, pc, now);
	if (now < t->name_again_ns)
		return;
	procfs_read_name(process->pid, t->tid, name);
	if (name[0] && strcmp(name, t->name) != 0) {
		t->name_since_ns = now;
		memcpy(t->name, name, sizeof(name));
		if (!emit_thread(&engine->emitter, now, t)) {
			t->name[0] = '\0';
			t->name_again_ns = 0;
			return;
		}
	}
	if (!name[0])
		t->name_since_ns = now; /* unreadable: it is read again soon */
	t->name_again_ns = now + name_wait(now - t->name_since_ns);
}

void handover_paid(struct engine *engine, struct tracee *t, const struct waiting *paid)
{
	wall_pay(&t->wall, paid);
	waiting_add(&t->image->sent, paid);
	waiting_add(&engine->audit.waited, paid);
}

void handover_sample(struct engine *engine, struct tracee *t, struct record_sample *sample,
	uint64_t weight_ns, uint64_t now)
{
	/* The thread is runnable: only its time in the run queue belongs to this sample. */
	const struct waiting waited = {.queue_ns = t->wall.queue_ns};

	if (t->left_out) {
		runtime_records_forget(engine);
		return; /* The stop was only for a table of a session. */
	}
	engine->audit.found_ns += weight_ns;
	sample->weight_ns = weight_ns;
	sample->pid = (uint32_t)t->process->pid;
	sample->tid = (uint32_t)t->tid;
	sample->queue_ns = waited.queue_ns;
	runtime_records_hand_over(engine, t, now);
	if (!emit_sample(&engine->emitter, now, sample)) {
		engine->audit.lost_samples++;
		return;
	}
	handover_paid(engine, t, &waited);
	engine->audit.ticks++;
}
