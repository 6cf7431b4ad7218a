/* SPDX-License-Identifier: MIT */
/*
 * Writes records into the ring. Events (births, images, maps, names, ends) that do not fit are sent
 * later: flags in the target's tables say what the analyst has. Samples that do not fit are lost,
 * and counted by the callers.
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
	/*
	 * Until this time (CLOCK_MONOTONIC) samples wake the analyst sooner. It will probably
	 * request memory of the target that belongs to these samples, and the target may soon
	 * change that memory.
	 */
	uint64_t prompt_until_ns;
};

/* Each bool result is false if the record could not be written (ring full, no reader). */
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

/* Enters registers and stack pieces in @sample, which then borrows the memory of @copy. */
void emit_describe_stack(const struct stack_copy *copy, const struct arch_snapshot *snapshot,
	struct record_sample *sample);
bool emit_sample(struct emitter *emitter, uint64_t now_ns, const struct record_sample *sample);
/* Writes frames that belong to the next sample. Does not wake the analyst: that sample does. */
bool emit_runtime(struct emitter *emitter, uint64_t now_ns, const struct record_runtime *runtime);
/* Wakes the analyst at once, because it has samples that wait for this memory. */
bool emit_memory(struct emitter *emitter, uint64_t now_ns, const struct record_memory *memory);
/* Writes an object that the next sample needs. Does not wake the analyst: that sample does. */
bool emit_object(struct emitter *emitter, uint64_t now_ns, const struct record_object *object);

/*
 * Wakes the analyst for samples in the ring, if that is due. It is not woken for each sample: a
 * process that runs briefly after every tick makes the scheduler migrate the target. Events wake
 * the analyst at once: it must open files while their process lives.
 */
void emit_bell(struct emitter *emitter, uint64_t now_ns);

#endif
