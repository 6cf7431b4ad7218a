/* SPDX-License-Identifier: MIT */
#include "opener/openings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "opener/opened.h"
#include "opener/regular.h"

void openings_release(struct openings *openings)
{
	free(openings->noted);
	openings->noted = NULL;
	openings->n = openings->room = 0;
	mounts_release(&openings->mounts);
}

static int elf(const struct opening *what, struct opened *opened)
{
	struct stat st;
	int fd = regular_open(-1, what->path, REGULAR_LINKS, &st);

	return opened_elf(fd, &st, opened);
}

static int stat_path(const struct opening *what, struct opened *opened)
{
	struct stat st;

	if (stat(what->path, &st) < 0)
		return -errno;
	opened_describe(opened, &st);
	return 0;
}

/* Is the source file readable by all users, or does a traced process's user own it? */
static bool is_credible(struct openings *o, uint32_t pid, int fd, const struct stat *st)
{
	struct noted noted;
	bool lives, credible = false;

	if (!o->guards || regular_is_public(fd))
		return true;
	if (pid)
		(void)openings_process(o, pid, &noted, &lives);
	(void)pthread_mutex_lock(&o->lock);
	for (size_t i = 0; i < o->n && !credible; i++)
		credible = o->noted[i].uid == st->st_uid;
	(void)pthread_mutex_unlock(&o->lock);
	return credible;
}

/* Tries the path in our root first, then below the process's root. */
static int source(struct openings *o, const struct opening *what)
{
	struct noted noted;
	struct stat st;
	bool lives;
	int fd = regular_open(-1, what->path, REGULAR_LINKS, &st);

	if (fd < 0 && what->path[0] == '/' && what->pid &&
		openings_process(o, what->pid, &noted, &lives) && lives)
		fd = regular_open_of((int)what->pid, what->path, REGULAR_LINKS, &st);
	if (fd < 0 || is_credible(o, what->pid, fd, &st))
		return fd;
	(void)close(fd);
	return -EACCES;
}

static int of_process(struct openings *o, const struct opening *what, struct opened *opened)
{
	struct noted noted;
	bool lives;

	if (!what->pid || !openings_process(o, what->pid, &noted, &lives) || !lives)
		return -ENOENT;
	switch (what->kind) {
	case OPENING_IMAGE: return openings_image(what);
	case OPENING_VDSO: return openings_vdso(what);
	case OPENING_CODE: return openings_code(what);
	case OPENING_THREADS: return openings_threads(what->pid);
	case OPENING_TITLE: return openings_title(what->pid, opened);
	default: return 0;
	}
}

static int perf_map(struct openings *o, const struct opening *what, struct opened *opened)
{
	struct noted owner = {.pid = what->pid, .inner_pid = what->pid, .uid = geteuid()};
	bool lives = false;

	/* A replayed capture has start 0: another process may have the pid now. */
	if (what->start)
		(void)openings_process(o, what->pid, &owner, &lives);
	if (what->kind == OPENING_PERF_MAP)
		return openings_perf_map(&owner, lives, opened);
	(void)snprintf(opened->text, sizeof(opened->text), "%s", what->path);
	return openings_jitdump(&owner, lives, opened);
}

static int output_log(const struct openings *o)
{
	int fd = o->log ? open(o->log, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd < 0 ? -ENOENT : fd;
	(void)close(fd);
	return -ENOENT;
}

static int statm(pid_t sender)
{
	char path[32];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/statm", sender);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_requested(
	struct openings *o, pid_t sender, const struct opening *what, struct opened *opened)
{
	bool view = o->view || !o->guards;

	switch (what->kind) {
	case OPENING_MAPPED:
		return mounts_detach(&o->mounts, what->pid, openings_mapped(what, opened));
	case OPENING_IMAGE:
	case OPENING_VDSO:
	case OPENING_CODE:
	case OPENING_TITLE:
	case OPENING_PROCESS: return of_process(o, what, opened);
	case OPENING_THREADS: return view ? of_process(o, what, opened) : -EPERM;
	case OPENING_ELF: return mounts_detach(&o->mounts, 0, elf(what, opened));
	case OPENING_JITDUMP:
	case OPENING_PERF_MAP: return perf_map(o, what, opened);
	case OPENING_STAT: return stat_path(what, opened);
	case OPENING_SOURCE: return view ? mounts_detach(&o->mounts, 0, source(o, what)) : -EPERM;
	case OPENING_LOG: return view ? output_log(o) : -EPERM;
	case OPENING_STATM: return statm(sender);
	default: return -ENOSYS;
	}
}

static bool has_descriptor(uint32_t kind)
{
	return kind != OPENING_PROCESS && kind != OPENING_STAT && kind != OPENING_TITLE;
}

void openings_answer(struct openings *openings, pid_t sender, const struct opening *what,
	struct opened *ret_opened)
{
	int r;

	*ret_opened = (struct opened){.sequence = what->sequence, .fd = -1};
	r = open_requested(openings, sender, what, ret_opened);
	if (r < 0)
		ret_opened->error = r;
	else if (has_descriptor(what->kind))
		ret_opened->fd = r;
}
