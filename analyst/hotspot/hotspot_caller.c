/* SPDX-License-Identifier: MIT */
/* Reading the copied stack and setting the caller, for frames of all kinds. */
#include "analyst/hotspot/hotspot_internal.h"

bool hotspot_read_stack(const struct hotspot_step *step, uint64_t address, uint64_t *ret_word)
{
	return step->frame->read(step->frame->reader, address, ret_word);
}

void hotspot_set_caller(struct hotspot_step *step, uint64_t at, uint64_t fp)
{
	uint64_t pc;

	if (!hotspot_read_stack(step, at, &pc))
		return;
	step->caller.found = true;
	step->caller.pc = pc;
	step->caller.sp = at + 8;
	step->caller.fp = fp;
}

void hotspot_set_caller_saved(struct hotspot_step *step, uint64_t at)
{
	uint64_t fp = 0;

	if (hotspot_read_stack(step, at - 8, &fp))
		hotspot_set_caller(step, at, fp);
}

int hotspot_is_return(struct hotspot_step *step, uint64_t pc)
{
	struct hotspot_blob *blob;

	if (!hotspot_is_code(step->hotspot, pc))
		return 0;
	return hotspot_blob_find(step->hotspot, pc - 1, &blob);
}
