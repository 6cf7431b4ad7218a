/* SPDX-License-Identifier: MIT */
/* Steps for scripts of programs that call sprofil: their requests, counters and answers. */
#ifndef TESTS_KERNEL_CALLING_H
#define TESTS_KERNEL_CALLING_H

#include "tests/kernel/races.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "proto/call.h"

#define COUNTER (KERNEL_DATA + 64)
#define SEAL    (KERNEL_DATA + 1024)

static int answers[2] = {-1, -1};
static bool asked; /* a request has been written */

/*
 * Writes the request of a program to the supervisor's pipe, as client/perform_call.c does, and its
 * seal into the program's memory; the seal is wrong unless @sealed.
 */
static inline void request(
	struct kernel *k, struct task *t, uint32_t total, uint32_t flags, bool sealed)
{
	const struct call_region region = {
		.base = COUNTER, .bytes = 64, .offset = KERNEL_CODE + 0x100, .scale = 0x10000};
	const struct call_request q = {.pid = (uint32_t)(t->group->pid - t->group->outer),
		.tid = (uint32_t)(t->tid - t->group->outer),
		.answer = 7,
		.nonce = 0x1234567 + k->events,
		.seal = SEAL,
		.total = total,
		.count = (uint16_t)total,
		.dialect = CALL_NATIVE,
		.element = 4,
		.flags = flags};
	uint8_t message[CALL_MAX_BYTES];
	int n = call_put_request(message, sizeof(message), &q, &region);

	/* The supervisor does not trace, or not yet, so it cannot be asked. */
	if (!k->tracing || k->pipe_ends < 2)
		return;
	if (n < 0 || write(k->pipe_end[1], message, (size_t)n) != n) {
		kernel_fail(k, "the request is not written");
		return;
	}
	asked = true;
	call_put_seal(t->space->data + (SEAL - KERNEL_DATA), &q);
	if (!sealed)
		t->space->data[SEAL - KERNEL_DATA] ^= 1;
}

static inline void on(struct kernel *k, struct task *t)
{
	request(k, t, 1, CALL_FAST, true);
}

static inline void on_thread(struct kernel *k, struct task *t)
{
	request(k, t, 1, CALL_THREAD, true);
}

static inline void on_wall(struct kernel *k, struct task *t)
{
	request(k, t, 1, CALL_WALL | CALL_FAST, true);
}

static inline void status(struct kernel *k, struct task *t)
{
	request(k, t, 0, CALL_STATUS, true);
}

static inline void off(struct kernel *k, struct task *t)
{
	request(k, t, 0, 0, true);
}

static inline void off_thread(struct kernel *k, struct task *t)
{
	request(k, t, 0, CALL_THREAD, true);
}

static inline void forged(struct kernel *k, struct task *t)
{
	request(k, t, 1, 0, false);
}

static inline void protect(struct kernel *k, struct task *t)
{
	(void)k;
	t->space->readonly_data = true;
}

static inline uint32_t counter(const struct task *t)
{
	uint32_t sum = 0, word;

	for (size_t i = 0; i < 16; i++) {
		memcpy(&word, t->space->data + (COUNTER - KERNEL_DATA) + 4 * i, 4);
		sum += word;
	}
	return sum;
}

/* For counters with 24 ticks expected: e^-24 of them would be 0 by chance. */
static inline void is_counted(struct kernel *k, struct task *t)
{
	if (k->tracing && asked && counter(t) == 0)
		kernel_fail(k, "process %d: %u ticks", t->group->pid, counter(t));
	memset(t->space->data + (COUNTER - KERNEL_DATA), 0, 64);
}

static inline void is_not_counted(struct kernel *k, struct task *t)
{
	if (counter(t))
		kernel_fail(k, "process %d: %u ticks where there must be none", t->group->pid,
			counter(t));
}

static inline void build(struct kernel *k, const struct step *steps)
{
	(void)kernel_add_process(k, 100, 1, "/bin/calls", steps);
	k->object_fd = answers[1];
	asked = false;
	k->cpus = 2;
}

static inline unsigned count_answers(int expected_error)
{
	uint8_t data[CALL_ANSWER_BYTES + CALL_STATUS_BYTES];
	struct call_answer answer;
	unsigned n = 0;
	ssize_t got;

	while ((got = read(answers[0], data, CALL_ANSWER_BYTES)) == CALL_ANSWER_BYTES) {
		if (memcmp(data, "SPRT", 4) == 0) { /* a longer answer, with the status */
			got = read(answers[0], data, CALL_STATUS_BYTES - CALL_ANSWER_BYTES);
			continue;
		}
		n += call_get_answer(data, CALL_ANSWER_BYTES, &answer) == 0 &&
			answer.error == expected_error;
	}
	return n;
}

static inline struct scene calling(void (*builder)(struct kernel *k))
{
	return (struct scene){
		.build = builder, .options = {.follow = true, .serve_only = true, .ready_fd = -1}};
}

static inline int open_answers(void **state)
{
	(void)state;
	return pipe2(answers, O_NONBLOCK | O_CLOEXEC);
}

static inline int close_answers(void **state)
{
	(void)state;
	(void)close(answers[0]);
	return close(answers[1]);
}

#endif
