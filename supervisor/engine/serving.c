/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/serving.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "proto/request.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/figures.h"

/* Requests handled per call; the sampler waits meanwhile. */
#define READ_MOST 8

void serving_begin(struct serving *serving, const struct engine_options *options)
{
	const struct engine_server *server = options->server;

	serving->fd = server ? server->request_fd : -1;
}

const char *serving_next_segment(struct serving *serving)
{
	(void)snprintf(serving->segment_text, sizeof(serving->segment_text), "%" PRIu32,
		serving->segment + 1);
	return serving->segment_text;
}

/*
 * Asks the analyst for a piece, the profile of its records up to now, if the ring has room; else
 * serving_poll() tries again. First reports the CPU time of all threads: usually it is reported
 * once a second, so the piece would lack up to a second.
 */
static void order_piece(struct engine *engine)
{
	char text[FIGURES_BYTES];
	uint64_t now = clock_now();

	engine->serving.asked = true;
	if (!engine->emitter.open || engine->rotation.paused_ns ||
		!ring_is_half_empty(&engine->emitter.ring))
		return;
	cpu_account_report_all(engine, now);
	now = clock_now();
	if (figures_print(engine, now, text) &&
		emit_audit(&engine->emitter, now, RECORD_SERVE, 0, text))
		engine->serving.asked = false;
}

static void handle_request(struct engine *engine, const struct request *request)
{
	switch (request->type) {
	case REQUEST_SERVE: order_piece(engine); break;
	case REQUEST_FREEZE:
		if (engine->options->server->on_demand)
			counting_freeze(engine, request->value);
		break;
	default: break;
	}
}

static void leave(struct engine *engine)
{
	engine->serving.fd = -1;
	engine->serving.asked = false;
	say_line(&engine->say, SAY_WARNING, "the server has ended before its time%s",
		engine->options->server->on_demand ? ", and the profiling with it"
						   : "; the profiling goes on");
	if (engine->options->server->on_demand)
		engine->timing.stop = true;
}

void serving_read(struct engine *engine)
{
	uint8_t message[REQUEST_BYTES];
	struct request request;

	for (unsigned i = 0; i < READ_MOST && engine->serving.fd >= 0; i++) {
		ssize_t n = read(engine->serving.fd, message, sizeof(message));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n != (ssize_t)sizeof(message)) {
			leave(engine);
			return;
		}
		if (request_get(message, &request) == 0)
			handle_request(engine, &request);
	}
}

void serving_poll(struct engine *engine)
{
	if (engine->serving.asked)
		order_piece(engine);
}
