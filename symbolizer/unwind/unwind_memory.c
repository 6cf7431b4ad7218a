/* SPDX-License-Identifier: MIT */
/* A thread's last stack. Frames are reused where registers and stack bytes are unchanged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/unwind/unwind_internal.h"

enum { KEPT_MOST = 12, BLOCK_BYTES = 1024 };

/* A frame with its registers. These and the stack's bytes decide about all frames further out. */
struct noted {
	uint64_t sp, pc, known;
	uint64_t kept[KEPT_MOST];
	unsigned searches;
	bool exact;
	struct unwind_frame frame;
};

struct list {
	struct noted *noted;
	size_t n, room;
};

struct unwind_memory {
	struct list old;   /* frames of the kept stack, outermost first */
	struct list fresh; /* frames of the current stack, innermost first */
	uint8_t *data;     /* the kept stack's bytes, at the end of the buffer; owned */
	size_t room, bytes;
	uint64_t end;       /* address behind the last byte; 0: empty */
	uint64_t same_from; /* from this address on, the new stack equals the old one */
	const struct unwind_machine *machine;
	/* The cursor has passed the elements of @old from @at on; only those before may match. */
	size_t at;
	enum unwind_end how;
	const char *why;
};

struct unwind_memory *unwind_memory_new(void)
{
	return calloc(1, sizeof(struct unwind_memory));
}

void unwind_memory_clear(struct unwind_memory *memory)
{
	memory->end = 0;
	memory->old.n = 0;
}

void unwind_memory_free(struct unwind_memory *memory)
{
	if (!memory)
		return;
	free(memory->old.noted);
	free(memory->fresh.noted);
	free(memory->data);
	free(memory);
}

/* Counts equal bytes backwards from addresses @a and @b, at most @bytes: a multiple of 8. */
static size_t same_tail(const uint8_t *a, const uint8_t *b, size_t bytes)
{
	size_t same = 0;

	while (bytes - same >= BLOCK_BYTES &&
		memcmp(a - same - BLOCK_BYTES, b - same - BLOCK_BYTES, BLOCK_BYTES) == 0)
		same += BLOCK_BYTES;
	while (bytes - same >= 8 && memcmp(a - same - 8, b - same - 8, 8) == 0)
		same += 8;
	return same;
}

void unwind_memory_compare(struct unwind_memory *memory, const struct unwind_input *input,
	const struct unwind_machine *machine)
{
	const struct unwind_piece *piece = &input->piece[0];
	size_t bytes = piece->bytes < memory->bytes ? piece->bytes : memory->bytes;

	memory->fresh.n = 0;
	memory->same_from = UINT64_MAX;
	memory->at = memory->old.n;
	if (!memory->end || memory->end != piece->base + piece->bytes || input->piece[1].bytes ||
		memory->machine != machine) {
		unwind_memory_clear(memory);
		memory->machine = machine;
		return;
	}
	memory->same_from = memory->end -
		same_tail(memory->data + memory->room, piece->data + piece->bytes, bytes);
}

static void copy_kept(const struct cursor *cursor, uint64_t kept[KEPT_MOST])
{
	uint64_t mask = cursor->machine->kept;

	for (unsigned i = 0; mask && i < KEPT_MOST; i++, mask &= mask - 1)
		kept[i] = cursor->reg[__builtin_ctzll(mask)];
}

size_t unwind_memory_match(struct unwind_memory *memory, const struct cursor *cursor)
{
	const struct noted *old = memory->old.noted;
	uint64_t kept[KEPT_MOST] = {0};
	size_t at = memory->at;

	if (cursor->sp < memory->same_from || !cursor->machine)
		return 0;
	while (at && old[at - 1].sp < cursor->sp)
		at--;
	memory->at = at;
	if (!at || old[at - 1].sp != cursor->sp || old[at - 1].pc != cursor->pc ||
		old[at - 1].exact != cursor->exact || old[at - 1].searches != cursor->searches ||
		old[at - 1].known != (cursor->known & cursor->machine->kept))
		return 0;
	copy_kept(cursor, kept);
	return memcmp(kept, old[at - 1].kept, sizeof(kept)) == 0 ? at : 0;
}

void unwind_memory_take(const struct unwind_memory *memory, size_t n,
	struct unwind_frame *ret_frames, struct unwind_result *result)
{
	for (size_t i = 0; i < n; i++)
		ret_frames[i] = memory->old.noted[n - 1 - i].frame;
	result->end = memory->how;
	result->why = memory->why;
}

static int room_for(struct list *list, size_t n)
{
	return array_grow(&list->noted, &list->room, n);
}

int unwind_memory_note(struct unwind_memory *memory, const struct cursor *cursor)
{
	struct list *fresh = &memory->fresh;
	struct noted *noted;

	if (!cursor->machine)
		return 0;
	if (room_for(fresh, fresh->n + 1) < 0)
		return -ENOMEM;
	noted = &fresh->noted[fresh->n];
	*noted = (struct noted){.sp = cursor->sp,
		.pc = cursor->pc,
		.exact = cursor->exact,
		.searches = cursor->searches,
		.known = cursor->known & cursor->machine->kept,
		.frame = cursor->unwinder->frame[fresh->n]};
	copy_kept(cursor, noted->kept);
	fresh->n++;
	return 0;
}

/* Copies changed bytes in front of the unchanged ones. -ENOMEM. */
static int keep_bytes(struct unwind_memory *memory, const struct unwind_piece *piece)
{
	size_t fresh = piece->bytes;

	if (memory->end && memory->same_from != UINT64_MAX)
		fresh = piece->bytes - (size_t)(memory->end - memory->same_from);
	if (piece->bytes > memory->room) {
		size_t room = piece->bytes + piece->bytes / 2;
		uint8_t *grown = malloc(room);

		if (!grown)
			return -ENOMEM;
		free(memory->data);
		memory->data = grown;
		memory->room = room;
		fresh = piece->bytes;
	}
	memcpy(memory->data + memory->room - piece->bytes, piece->data, fresh);
	memory->bytes = piece->bytes;
	memory->end = piece->base + piece->bytes;
	return 0;
}

void unwind_memory_keep(struct unwind_memory *memory, const struct unwind_input *input,
	const struct unwind_result *result)
{
	struct list *old = &memory->old, *fresh = &memory->fresh;

	/*
	 * unwind_memory_match() relies on stack pointers that ascend outwards. From one piece of
	 * the stack to another they may descend, so a stack of two pieces is not kept. Nor is a
	 * stack with frames that were not noted.
	 */
	if (input->piece[1].bytes || !input->piece[0].bytes ||
		fresh->n + result->reused != result->n || room_for(old, result->n) < 0 ||
		keep_bytes(memory, &input->piece[0]) < 0) {
		unwind_memory_clear(memory);
		return;
	}
	for (size_t i = 0; i < fresh->n; i++)
		old->noted[result->reused + i] = fresh->noted[fresh->n - 1 - i];
	old->n = result->n;
	memory->how = result->end;
	memory->why = result->why;
}
