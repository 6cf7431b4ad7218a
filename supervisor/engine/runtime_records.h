/* SPDX-License-Identifier: MIT */
/*
 * Frames of languages with a runtime of their own (docs/RUNTIMES.md): keeps the tables that the
 * analyst sends, and sends it the frames that supervisor/target/runtime_copy.h has read.
 */
#ifndef SUPERVISOR_RUNTIME_RECORDS_H
#define SUPERVISOR_RUNTIME_RECORDS_H

#include <stdint.h>

#include "proto/request.h"
#include "proto/runtime_table.h"
#include "supervisor/target/runtime_copy.h"

struct arch_snapshot;
struct engine;
struct process;
struct tracee;

struct runtime_records {
	struct runtime_incoming incoming;
	struct runtime_copy copy; /* allocated with the first table */
	uint64_t read_ns;         /* when memory was last requested; 0: never */
};

void runtime_records_release(struct engine *engine);

/* Handles REQUEST_RUNTIME, one word of a table. With the last word the process gets the table. */
void runtime_records_request(struct engine *engine, const struct request *request);

/*
 * Handles REQUEST_GO: how many bytes below the thread pointer the pointer to the goroutine is
 * (goroutine.h).
 */
void runtime_records_go(struct engine *engine, const struct request *request);

/*
 * Handles REQUEST_CHUNKS_BASE and _CHUNKS, which say where Java keeps the frames of its virtual
 * threads (chunks.h).
 */
void runtime_records_chunks(struct engine *engine, const struct request *request);

/* Handles REQUEST_MEMORY: sends memory of a process, which may run. Call outside stop windows. */
void runtime_records_memory(struct engine *engine, const struct request *request);

/* Gives a forked child a copy of its parent's table: it has the runtime at the same addresses. */
void runtime_records_fork(const struct process *from, struct process *process);
/* Call when the process has a new image: drops its table. */
void runtime_records_drop(struct process *process);
/* Call when another analyst takes over, which sends its own tables: drops all tables. */
void runtime_records_forget_analyst(struct engine *engine);

/*
 * Reads the thread's frames if its process has a runtime. Call in the stop after the stack was
 * copied, or while the thread is known to be blocked.
 */
void runtime_records_copy(
	struct engine *engine, struct tracee *t, const struct arch_snapshot *snapshot);

/* Sends the frames just read. Call after the resume, just before the sample, with the same @now. */
void runtime_records_hand_over(struct engine *engine, struct tracee *t, uint64_t now);
/* Drops the frames just read. Call instead of runtime_records_hand_over() if no sample is sent. */
void runtime_records_forget(struct engine *engine);

#endif
