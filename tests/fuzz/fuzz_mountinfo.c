/* SPDX-License-Identifier: MIT */
/* The input is the text of a /proc/PID/mountinfo, in which the target's mounts are named. */
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/courier.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long as it is: a byte too far is seen. */
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if ((courier_may_write(text, 8, 1) || courier_may_write(text, 0, 45)) &&
		!strstr(text, " - "))
		abort();
	free(text);
	return 0;
}
