/* SPDX-License-Identifier: MIT */
/* Turns -errno into the result of a C function, with errno. */
#include "client/client.h"

#include <errno.h>

int client_result(int r)
{
	if (r >= 0)
		return 0;
	errno = -r;
	return -1;
}
