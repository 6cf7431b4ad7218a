/* SPDX-License-Identifier: MIT */
#include "analyst/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *output_rank(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *rank = getenv(names[i]);

		if (rank && rank[0] && strspn(rank, "0123456789") == strlen(rank))
			return rank;
	}
	return "0";
}

static void put_value(FILE *out, char what, const struct output_facts *facts)
{
	char stamp[32];
	struct tm tm;

	switch (what) {
	case 'p': (void)fprintf(out, "%u", facts->pid); break;
	case 'n':
		for (const char *p = facts->name; *p; p++)
			(void)fputc(*p == '/' ? '_' : *p, out);
		break;
	case 't':
		if (localtime_r(&facts->time, &tm) &&
			strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
			(void)fputs(stamp, out);
		break;
	case 'r': (void)fputs(facts->rank, out); break;
	case '%': (void)fputc('%', out); break;
	default:
		(void)fputc('%', out);
		(void)fputc(what, out);
		break;
	}
}

int output_name(const char *pattern, const struct output_facts *facts, char **ret_name)
{
	char *name = NULL;
	size_t bytes;
	FILE *out = open_memstream(&name, &bytes);
	bool failed;

	if (!out)
		return -ENOMEM;
	for (const char *p = pattern; *p; p++) {
		if (*p == '%' && p[1])
			put_value(out, *++p, facts);
		else
			(void)fputc(*p, out);
	}
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		free(name);
		return -ENOMEM;
	}
	*ret_name = name;
	return 0;
}

static int write_all(int fd, const uint8_t *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int write_in_place(const char *path, const uint8_t *data, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, data, bytes);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

/* Writes beside @path and renames. The mode is that of the file replaced, or of a new one. */
static int write_beside(const char *path, mode_t mode, const uint8_t *data, size_t bytes)
{
	char *beside;
	int fd, r;

	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0) {
		r = -errno;
		free(beside);
		return r;
	}
	r = write_all(fd, data, bytes);
	if (r == 0 && fchmod(fd, mode) < 0)
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(beside, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(beside);
	free(beside);
	return r;
}

static mode_t new_file_mode(void)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return 0666 & ~mask;
}

int output_write(const char *path, const uint8_t *data, size_t bytes)
{
	char real[PATH_MAX];
	struct stat st;

	if (strcmp(path, "-") == 0)
		return write_all(STDOUT_FILENO, data, bytes);
	if (stat(path, &st) < 0)
		return errno == ENOENT ? write_beside(path, new_file_mode(), data, bytes) : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return write_in_place(path, data, bytes);
	if (access(path, W_OK) < 0)
		return -errno;
	/* The file behind a link is replaced, not the link. */
	return write_beside(
		realpath(path, real) ? real : path, st.st_mode & 07777, data, bytes);
}
