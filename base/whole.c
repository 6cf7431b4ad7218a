/* SPDX-License-Identifier: MIT */
#include "base/whole.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int whole_write(int fd, const void *from, size_t bytes, int most_ms)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};
	const char *data = from;

	while (bytes) {
		ssize_t n = write(fd, data, bytes);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n < 0 && errno == EAGAIN && poll(&room, 1, most_ms) == 0)
			return -ETIMEDOUT;
		if (n > 0) {
			data += n;
			bytes -= (size_t)n;
		}
	}
	return 0;
}
