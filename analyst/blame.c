/* SPDX-License-Identifier: MIT */
#include "analyst/blame.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define FILE_SECONDS_MOST 120

int blame_init(struct blame *blame, char *note)
{
	blame->note = note;
	blame->own_note = false;
	if (note)
		return 0;
	note = mmap(
		NULL, BLAME_NOTE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (note == MAP_FAILED)
		return -errno;
	blame->note = note;
	blame->own_note = true;
	return 0;
}

void blame_release(struct blame *blame)
{
	if (blame->own_note)
		(void)munmap(blame->note, BLAME_NOTE_BYTES);
	blame->note = NULL;
}

bool blame_add(struct blame *blame, const char *path)
{
	for (size_t i = 0; i < blame->files; i++) {
		struct blamed *file = &blame->file[i];

		if (strcmp(file->path, path) != 0)
			continue;
		if (file->skip == SYMBOLIZER_SKIP_FILE)
			return false;
		file->skip = SYMBOLIZER_SKIP_FILE;
		return true;
	}
	if (blame->files == BLAME_MOST || !path[0])
		return false;
	(void)strncpy(blame->file[blame->files].path, path, BLAME_NOTE_BYTES - 1);
	blame->file[blame->files++].skip = SYMBOLIZER_SKIP_DEBUG_INFO;
	return true;
}

void blame_working_on(void *context, const char *path)
{
	struct blame *blame = context;
	struct itimerval limit = {.it_value = {.tv_sec = path ? FILE_SECONDS_MOST : 0}};
	size_t n = path ? strnlen(path, BLAME_NOTE_BYTES - 1) : 0;

	memcpy(blame->note, path ? path : "", n);
	blame->note[n] = '\0';
	(void)setitimer(ITIMER_PROF, &limit, NULL);
}

enum symbolizer_skip blame_skip(void *context, const char *path)
{
	const struct blame *blame = context;

	for (size_t i = 0; i < blame->files; i++) {
		/* The noted path may have been cut to BLAME_NOTE_BYTES - 1 bytes. */
		if (strncmp(blame->file[i].path, path, BLAME_NOTE_BYTES - 1) == 0)
			return blame->file[i].skip;
	}
	return SYMBOLIZER_SKIP_NOTHING;
}
