/* SPDX-License-Identifier: MIT */
#include "tools/front/find_processes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/procfs.h"
#include "tools/front/containers.h"

static bool is_called(int pid, const char *name)
{
	char text[PATH_MAX];
	const char *slash;

	procfs_read_name(pid, pid, text);
	if (text[0] && strcmp(text, name) == 0)
		return true;
	procfs_read_exe(pid, text, sizeof(text));
	slash = strrchr(text, '/');
	return slash && strcmp(slash + 1, name) == 0;
}

/* Have all threads ended, so that only the process's exit status is left? */
static bool has_ended(int pid)
{
	int *tids = NULL;
	size_t n = 0, room = 0, left = 0;

	if (procfs_read_threads(pid, &tids, &n, &room) == 0) {
		for (size_t i = 0; i < n; i++)
			left += !proc_status_is_zombie(tids[i]);
	}
	free(tids);
	return !left;
}

static int add(struct process_list *list, int pid)
{
	return array_add(&list->pid, &list->room, &list->n, pid);
}

/*
 * Adds the processes for which @is_meant is true. Those of them that have ended are not added, but
 * counted in *@ret_ended.
 */
static int find(struct process_list *list, bool (*is_meant)(int pid, const char *what),
	const char *what, size_t *ret_ended)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int r = 0;

	*ret_ended = 0;
	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name);

		if (pid <= 0 || pid == getpid() || !is_meant(pid, what))
			continue;
		if (has_ended(pid))
			++*ret_ended;
		else
			r = add(list, pid);
	}
	(void)closedir(dir);
	return r;
}

int find_processes_by_name(const char *name, struct process_list *list, size_t *ret_ended)
{
	return find(list, is_called, name, ret_ended);
}

static bool is_in_cgroup(int pid, const char *name)
{
	char text[CGROUP_TEXT_BYTES];

	return cgroup_read(pid, text) == 0 && cgroup_is_in(text, name);
}

int find_processes_by_cgroup(const char *name, struct process_list *list)
{
	size_t ended;

	return find(list, is_in_cgroup, name, &ended);
}

static bool is_in_container(int pid, const char *id)
{
	char text[CGROUP_TEXT_BYTES], own[CGROUP_ID_BYTES];

	return cgroup_read(pid, text) == 0 && cgroup_container(text, own) &&
		strncmp(own, id, strlen(id)) == 0;
}

static bool is_in_machine(int pid, const char *name)
{
	char text[CGROUP_TEXT_BYTES];

	return cgroup_read(pid, text) == 0 && cgroup_is_of_machine(text, name);
}

/* Do the processes from index @from on belong to different containers? *@ret_ids: two ids. */
static bool is_ambiguous(
	const struct process_list *list, size_t from, char ret_ids[2][CGROUP_ID_BYTES])
{
	char text[CGROUP_TEXT_BYTES];

	ret_ids[0][0] = '\0';
	for (size_t i = from; i < list->n; i++) {
		if (cgroup_read(list->pid[i], text) < 0 || !cgroup_container(text, ret_ids[1]))
			continue;
		if (ret_ids[0][0] && strcmp(ret_ids[0], ret_ids[1]) != 0)
			return true;
		memcpy(ret_ids[0], ret_ids[1], CGROUP_ID_BYTES);
	}
	return false;
}

int find_processes_by_container(
	const char *name, struct process_list *list, char ret_ids[2][CGROUP_ID_BYTES])
{
	size_t ended, from = list->n;
	char id[CGROUP_ID_BYTES];
	int r;

	/* What looks like the beginning of an id is first tried as a name. */
	if (containers_find(name, id))
		return find(list, is_in_container, id, &ended);
	r = find(list, is_in_machine, name, &ended);
	if (r < 0 || list->n > from || !containers_is_id(name))
		return r;
	r = find(list, is_in_container, name, &ended);
	if (r == 0 && is_ambiguous(list, from, ret_ids))
		r = -ENOTUNIQ;
	return r;
}

struct kin {
	int pid, parent;
	bool below;
};

static int read_kin(struct kin **ret_kin, size_t *ret_n)
{
	DIR *dir = opendir("/proc");
	struct kin *kin = NULL;
	size_t n = 0, room = 0;
	struct dirent *entry;
	int r = dir ? 0 : -errno;

	while (r == 0 && (entry = readdir(dir))) {
		struct kin one = {.pid = atoi(entry->d_name)};
		int self;

		if (one.pid <= 0 || one.pid == getpid() ||
			proc_status_read_ids(one.pid, &self, &one.parent) < 0)
			continue;
		r = array_add(&kin, &room, &n, one);
		if (r < 0)
			break;
	}
	if (dir)
		(void)closedir(dir);
	if (r < 0) {
		free(kin);
		return r;
	}
	*ret_kin = kin;
	*ret_n = n;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct kin *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool is_kin(const struct kin *kin, size_t n, int parent, int root)
{
	const struct kin key = {.pid = parent}, *found;

	if (parent == root)
		return true;
	found = bsearch(&key, kin, n, sizeof(*kin), by_pid);
	return found && found->below;
}

int find_processes_below(int pid, struct process_list *list)
{
	struct kin *kin;
	bool changed = true;
	size_t n;
	int r = read_kin(&kin, &n);

	if (r < 0)
		return r;
	qsort(kin, n, sizeof(*kin), by_pid);
	while (changed) {
		changed = false;
		for (size_t i = 0; i < n; i++) {
			if (kin[i].below || !is_kin(kin, n, kin[i].parent, pid))
				continue;
			kin[i].below = changed = true;
		}
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		if (kin[i].below && !has_ended(kin[i].pid))
			r = add(list, kin[i].pid);
	}
	free(kin);
	return r;
}
