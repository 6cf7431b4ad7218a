/* SPDX-License-Identifier: MIT */
#include "tools/analyst/delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opener/opener.h"
#include "profile/file.h"
#include "profile/profile.h"
#include "view/export/export.h"

/*
 * A FIFO without a reader cannot be opened. The kernel does not report when a reader comes, so the
 * opener is asked again after this time.
 */
#define READER_MS 50

static int begin(const struct delivery *d, struct opening *what, struct opened *opened,
	struct delivered *ret_delivered)
{
	struct pollfd peer = {.fd = d->peer_fd};
	int r;

	while ((r = opener_ask(d->opener, what, opened)) == -EAGAIN) {
		if (poll(&peer, 1, READER_MS) > 0)
			return -EINTR;
	}
	if (r < 0) {
		(void)snprintf(
			ret_delivered->why, sizeof(ret_delivered->why), "%.500s", opened->text);
		return r;
	}
	(void)snprintf(ret_delivered->name, sizeof(ret_delivered->name), "%s", opened->text);
	return 0;
}

static int end(const struct delivery *d, int r, struct delivered *ret_delivered)
{
	struct opening what = {.kind = r < 0 ? OPENING_ABANDON : OPENING_COMMIT};
	struct opened opened;
	int named = opener_ask(d->opener, &what, &opened);

	if (named == 0 && r == 0 && opened.text[0])
		(void)snprintf(ret_delivered->name, sizeof(ret_delivered->name), "%s", opened.text);
	return r < 0 ? r : named;
}

/*
 * Without a pipe to the supervisor, makes @fd blocking. With one, leaves @fd as it is: a write to a
 * FIFO must end when the supervisor does.
 */
static void let_block(const struct delivery *d, int fd)
{
	int flags = d->peer_fd < 0 ? fcntl(fd, F_GETFL) : -1;

	if (flags >= 0 && flags & O_NONBLOCK)
		(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

/* Makes the file's content. @why is that of struct delivered. */
static int export(const char *name, const struct profile *profile, char **ret_data, size_t *ret_n,
	char why[DELIVERY_WHY_BYTES])
{
	const struct report_options options = {.size = sizeof(options), .programs = true};
	char *problem = NULL;
	int r = export_for_file(name, profile, &options, ret_data, ret_n, &problem);

	if (problem && r < 0)
		(void)snprintf(why, DELIVERY_WHY_BYTES, "%s", problem);
	free(problem);
	return r;
}

int delivery_write(const struct delivery *d, uint32_t kind, uint32_t pid, const char *name,
	const struct profile *profile, struct delivered *ret_delivered)
{
	struct opening what = {
		.kind = kind, .pid = pid, .time = profile_realtime_ns(profile) / 1000000000};
	struct opened opened;
	char *data = NULL;
	size_t bytes = 0;
	int r;

	*ret_delivered = (struct delivered){.name = ""};
	if (d->snapshot)
		what.start = what.end = 1;
	(void)snprintf(what.path, sizeof(what.path), "%s", name);
	r = begin(d, &what, &opened, ret_delivered);
	if (r < 0)
		return r;
	r = export(ret_delivered->name, profile, &data, &bytes, ret_delivered->why);
	if (r >= 0) {
		let_block(d, opened.fd);
		r = file_write_fd(
			opened.fd, data, bytes, opened.flags & OPENED_IN_PLACE ? d->peer_fd : -1);
	}
	free(data);
	if (close(opened.fd) < 0 && r >= 0)
		r = -errno;
	return end(d, r < 0 ? r : 0, ret_delivered);
}

int delivery_print(const struct delivery *d, const struct profile *profile)
{
	char *data, why[DELIVERY_WHY_BYTES];
	size_t bytes;
	int r = export("-", profile, &data, &bytes, why);

	if (r < 0)
		return r;
	r = file_write_fd(STDOUT_FILENO, data, bytes, d->peer_fd);
	free(data);
	return r;
}

FILE *delivery_capture(const struct delivery *d, int *ret_error, struct delivered *ret_delivered)
{
	struct opening what = {.kind = OPENING_CAPTURE};
	struct opened opened;
	FILE *capture = NULL;
	int r;

	*ret_delivered = (struct delivered){.name = ""};
	r = begin(d, &what, &opened, ret_delivered);
	if (r == 0) {
		let_block(&(struct delivery){.peer_fd = -1}, opened.fd);
		r = end(d, 0, ret_delivered);
		capture = r == 0 ? fdopen(opened.fd, "w") : NULL;
		if (!capture) {
			r = r < 0 ? r : -errno;
			(void)close(opened.fd);
		}
	}
	*ret_error = r;
	return capture;
}
