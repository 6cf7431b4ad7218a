/* SPDX-License-Identifier: MIT */
#include "view/code.h"

#include <stdlib.h>

void code_forget(struct code_object *object)
{
	free(object->instruction);
	free(object->frame);
	free(object->owned);
	object->instruction = NULL;
	object->frame = NULL;
	object->owned = NULL;
	object->instructions_n = object->frames = 0;
}
