/* SPDX-License-Identifier: MIT */
#include "client/client.h"

#include <errno.h>

int client_result(int r)
{
	if (r >= 0)
		return 0;
	errno = -r;
	return -1;
}
