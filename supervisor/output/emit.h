/* SPDX-License-Identifier: MIT */
/*
 * Writes records into the ring. Events (births, images, maps, names, ends) that do not fit are sent
 * again later: a flag in the tables says whether the analyst has them. Samples that do not fit are
 * counted.
 */
#ifndef SUPERVISOR_EMIT_H
#define SUPERVISOR_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/record.h"
#include "proto/ring.h"

struct arch_snapshot;
struct process;
struct stack_copy;
struct tracee;

struct emitter {
	struct ring ring;
	bool open;        /* the ring has a reader */
	int bell_fd;      /* pipe to the analyst; a byte wakes it */
	bool bell_owed;   /* samples are in the ring and the analyst sleeps: it must be woken */
	uint64_t rung_ns; /* when the analyst was last woken for samples */
	/* Until then, samples wake it sooner: what they need of the target's memory may go. */
	uint64_t prompt_until_ns;
};

/* Results of all: false if the record could not be written (ring full, no reader). */
bool emit_start(struct emitter *emitter, uint64_t now_ns, const struct record_start *start);
/* Sends the process and its image if the analyst does not have them yet. */
bool emit_process(struct emitter *emitter, uint64_t now_ns, struct process *process);
bool emit_maps(struct emitter *emitter, uint64_t now_ns, struct process *process, const char *text,
	size_t bytes);
bool emit_thread(struct emitter *emitter, uint64_t now_ns, const struct tracee *tracee);
bool emit_cpu(struct emitter *emitter, uint64_t now_ns, const struct record_cpu *cpu, bool last);
bool emit_exit(struct emitter *emitter, uint64_t now_ns, const struct record_exit *exit);
bool emit_unsampled(
	struct emitter *emitter, uint64_t now_ns, const struct record_unsampled *unsampled);
bool emit_audit(struct emitter *emitter, uint64_t now_ns, enum record_type type, uint16_t flags,
	const char *text);

/* Describes registers and stack pieces in a sample, which borrows the copy. */
void emit_describe_stack(const struct stack_copy *copy, const struct arch_snapshot *snapshot,
	struct record_sample *sample);
bool emit_sample(struct emitter *emitter, uint64_t now_ns, const struct record_sample *sample);
/* Records that precede a sample, and are lost with it if the ring is full. */
bool emit_runtime(struct emitter *emitter, uint64_t now_ns, const struct record_runtime *runtime);
/* Wakes the analyst at once: samples wait for it. */
bool emit_memory(struct emitter *emitter, uint64_t now_ns, const struct record_memory *memory);
bool emit_object(struct emitter *emitter, uint64_t now_ns, const struct record_object *object);

/*
 * Wakes the analyst for samples in the ring, if that is due. The analyst is not woken for each
 * sample: a process that runs briefly after every tick makes the scheduler migrate the target.
 * Events wake the analyst at once, because it has to open files while their process lives.
 */
void emit_bell(struct emitter *emitter, uint64_t now_ns);

#endif
