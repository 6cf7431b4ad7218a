/* SPDX-License-Identifier: MIT */
/*
 * The mappings of the target's processes: when they are read again. What is executable is kept with
 * the process, and where stacks are; the text is handed on. The threads run meanwhile.
 */
#ifndef SUPERVISOR_MAPS_H
#define SUPERVISOR_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process;
struct procfiles;

struct maps_events {
	/* The maps of @process have been read. */
	void (*read)(void *context, struct process *process, const char *text);
	/* They are other ones than were announced last. Returns whether they could be handed on. */
	bool (*announce)(void *context, struct process *process, const char *text, size_t bytes,
		uint64_t now_ns);
};

struct maps_reader {
	struct procfiles *files;
	bool stacks; /* are copied, so where they end matters */
	const struct maps_events *events;
	void *context;
	char *text; /* of the last reading */
	size_t room;
};

void maps_release(struct maps_reader *reader);

/* A new image: what was known of the old one goes. */
void maps_forget(struct process *process);

/* Reads the maps. Of a process that is ending, what was known stays. */
void maps_read(struct maps_reader *reader, struct process *process, uint64_t now_ns);
/* Reads them if what the analyst has does not tell what is at @pc. */
void maps_cover(struct maps_reader *reader, struct process *process, uint64_t pc, uint64_t now_ns);
/* Learns where the stack at @sp ends, if that is not known or may have changed. */
void maps_cover_stack(
	struct maps_reader *reader, struct process *process, uint64_t sp, uint64_t now_ns);

#endif
