/* SPDX-License-Identifier: MIT */
/*
 * Frames of languages with a runtime of their own (docs/RUNTIMES.md): the tables that the analyst
 * has sent, and the records for it. supervisor/target/runtime.h reads the frames.
 */
#ifndef SUPERVISOR_RUNTIMES_H
#define SUPERVISOR_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/request.h"
#include "proto/runtime.h"
#include "supervisor/target/runtime.h"

struct arch_snapshot;
struct engine;
struct process;
struct tracee;

struct runtimes {
	struct runtime_incoming incoming;
	struct runtime_copy copy; /* allocated with the first table */
	size_t examined; /* processes that the analyst has examined, for --dump */
};

void runtimes_release(struct engine *engine);

/* A request of type REQUEST_RUNTIME. */
void runtimes_request(struct engine *engine, const struct request *request);

/* REQUEST_GO: where goroutines are found (supervisor/target/goroutine.h). */
void runtimes_go(struct engine *engine, const struct request *request);

/* A forked child has its parent's runtime at the same addresses. */
void runtimes_fork(const struct process *from, struct process *process);
/* Another image, or another analyst, which sends its tables again. */
void runtimes_drop(struct process *process);
void runtimes_forget_analyst(struct engine *engine);

/*
 * In the stop, after the stack was copied, or while the thread is known to be blocked: reads the
 * thread's frames. Returns at once in a process without a runtime.
 */
void runtimes_copy(struct engine *engine, struct tracee *t, const struct arch_snapshot *snapshot);

/*
 * After the resume, just before the sample is sent, with the same time: sends what was read. Or it
 * is not used.
 */
void runtimes_hand_over(struct engine *engine, struct tracee *t, uint64_t now);
void runtimes_forget(struct engine *engine);

#endif
