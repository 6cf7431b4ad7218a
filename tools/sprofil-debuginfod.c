/* SPDX-License-Identifier: MIT */
/*
 * sprofil-debuginfod BUILD-ID: downloads a debug file from the servers of DEBUGINFOD_URLS into the
 * cache of libdebuginfod, where the symbolizer looks for it. Prints "progress DONE ALL" lines, and
 * at the end "path PATH".
 *
 * It is a separate program because it links network code. Programs that read profiles and ELF files
 * must not link such code.
 */
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/standard.h"
#include "tools/inspector/debuginfod.h"

static int tell(debuginfod_client *client, long done, long all)
{
	(void)client;
	if (done > 0 && all > 0)
		printf("progress %ld %ld\n", done, all);
	/* Non-zero ends the download: nobody reads the output any more. */
	return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	debuginfod_client *client;
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;
	int fd;

	standard_hold();
	if (argc != 2 || strspn(argv[1], "0123456789abcdef") != strlen(argv[1])) {
		fputs("sprofil-debuginfod is started by sprofreport doctor\n", stderr);
		return DEBUGINFOD_USAGE;
	}
	if (!urls || !urls[0])
		return DEBUGINFOD_NO_URLS;
	/* Longest silence of a server, and longest download, in seconds. */
	(void)setenv("DEBUGINFOD_TIMEOUT", "15", 0);
	(void)setenv("DEBUGINFOD_MAXTIME", "120", 0);
	client = debuginfod_begin();
	if (!client)
		return DEBUGINFOD_FAILED;
	debuginfod_set_progressfn(client, tell);
	fd = debuginfod_find_debuginfo(client, (const unsigned char *)argv[1], 0, &path);
	debuginfod_end(client);
	if (fd >= 0)
		(void)close(fd);
	if (path)
		printf("path %s\n", path);
	free(path);
	return fd >= 0                             ? 0
		: fd == -ENOENT                    ? DEBUGINFOD_NOT_FOUND
		: fd == -ETIME || fd == -ETIMEDOUT ? DEBUGINFOD_TIME_OUT
						   : DEBUGINFOD_FAILED;
}
