/* SPDX-License-Identifier: MIT */
/*
 * Records into the ring. Events (births, images, maps, names, ends) that do not fit are said again
 * later: each carries a flag in the tables that tells whether the analyst has it. Samples that do
 * not fit are counted.
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
	bool open;        /* somebody reads the ring */
	int bell_fd;      /* pipe to the analyst; a byte wakes it */
	bool bell_owed;   /* samples lie in the ring, and the analyst sleeps */
	uint64_t rung_ns; /* when samples last woke it */
};

/* Each returns false when the record could not be written (ring full, nobody reads). */
bool emit_start(struct emitter *emitter, uint64_t now_ns, const struct record_start *start);
/* The process and its image, if the analyst does not have them yet. */
bool emit_process(struct emitter *emitter, uint64_t now_ns, struct process *process);
bool emit_maps(struct emitter *emitter, uint64_t now_ns, struct process *process, const char *text,
	size_t bytes);
bool emit_thread(struct emitter *emitter, uint64_t now_ns, const struct tracee *tracee);
bool emit_cpu(
	struct emitter *emitter, uint64_t now_ns, const struct record_cpu *cpu, bool last);
bool emit_exit(struct emitter *emitter, uint64_t now_ns, const struct record_exit *exit);
bool emit_unsampled(
	struct emitter *emitter, uint64_t now_ns, const struct record_unsampled *unsampled);
bool emit_audit(struct emitter *emitter, uint64_t now_ns, enum record_type type, uint16_t flags,
	const char *text);

/* Puts the registers and the pieces of the stack into a sample, which borrows the copy. */
void emit_describe_stack(const struct stack_copy *copy, const struct arch_snapshot *snapshot,
	struct record_sample *sample);
bool emit_sample(struct emitter *emitter, uint64_t now_ns, const struct record_sample *sample);

/*
 * Wakes the analyst for samples that lie in the ring, if that is due. Not for each of them: a
 * process that runs for a moment after every tick makes the scheduler move the target about. Events
 * wake it at once; it has to open files while their process lives.
 */
void emit_bell(struct emitter *emitter, uint64_t now_ns);

#endif
