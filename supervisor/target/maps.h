/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/PID/maps of the target's processes, and decides when to read it again. Executable
 * ranges and stack ranges are stored in struct process; the callbacks get the text of the file. The
 * threads run during a reading.
 */
#ifndef SUPERVISOR_MAPS_H
#define SUPERVISOR_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process;
struct procfiles;

struct maps_events {
	/* Called when the maps of @process have been read. */
	void (*read)(void *context, struct process *process, const char *text);
	/* Executable mappings changed. False: @text was not sent; the next reading retries. */
	bool (*announce)(void *context, struct process *process, const char *text, size_t bytes,
		uint64_t now_ns);
};

struct maps_reader {
	struct procfiles *files;
	bool stacks; /* stacks are copied, so the ends of their mappings are needed */
	const struct maps_events *events;
	void *context;
	char *text; /* text of the maps at the last reading */
	size_t room;
};

void maps_release(struct maps_reader *reader);

/* Call when the process has a new image: forgets the old image's mappings. */
void maps_forget(struct process *process);

/* Reads the maps. If the process is ending, the previous maps are kept. */
void maps_read(struct maps_reader *reader, struct process *process, uint64_t now_ns);
/*
 * Reads the maps if the text that was last sent to the analyst may not describe @pc or its callers.
 */
void maps_cover(struct maps_reader *reader, struct process *process, uint64_t pc, uint64_t now_ns);
/* Finds the end of the stack at @sp if it is unknown or may have changed. */
void maps_cover_stack(
	struct maps_reader *reader, struct process *process, uint64_t sp, uint64_t now_ns);

#endif
