/* SPDX-License-Identifier: MIT */
#include "base/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void standard_hold(void)
{
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
	}
}

int standard_end_output(void)
{
	/* fflush() does not report a write that failed earlier; ferror() does. */
	int error = ferror(stdout) ? errno ? errno : EIO : 0;

	if (fflush(stdout) != 0)
		error = errno;
	return error == EPIPE ? 0 : -error;
}

/* Like standard_complain(), but allocates nothing: long messages are cut, non-ASCII becomes '?'. */
__attribute__((format(printf, 2, 0))) static void complain_in_place(
	const char *program, const char *format, va_list args)
{
	char line[512];

	(void)vsnprintf(line, sizeof(line), format, args);
	for (char *c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	(void)fprintf(stderr, "%s: %s\n", program, line);
}

void standard_complain(const char *program, const char *format, ...)
{
	char *line = NULL, *clean = NULL;
	va_list args, again;

	va_start(args, format);
	va_copy(again, args);
	if (vasprintf(&line, format, args) < 0)
		line = NULL;
	else
		clean = text_clean(line, false);
	if (clean)
		(void)fprintf(stderr, "%s: %s\n", program, clean);
	else
		complain_in_place(program, format, again);
	va_end(again);
	va_end(args);
	free(clean);
	free(line);
}

int standard_printed(const char *program, int failure)
{
	int error = standard_end_output();

	if (!error)
		return 0;
	standard_complain(program, "cannot write to standard output: %s", strerror(-error));
	return failure;
}
