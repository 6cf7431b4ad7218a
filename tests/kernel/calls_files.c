/* SPDX-License-Identifier: MIT */
/* The scripted kernel's answers to the supervisor's calls on files (calls.h). */
#include "tests/kernel/calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the real path of the file behind a task's descriptor; NULL: @path names no such file. */
static const char *of_descriptor(struct kernel *k, const char *path, const char *folder)
{
	char name[16];
	int pid, fd;

	if (sscanf(path, "/proc/%d/%15[a-z]/%d", &pid, name, &fd) != 3 ||
		strcmp(name, folder) != 0 || !kernel_find(k, pid))
		return NULL;
	(void)snprintf(
		k->object_path, sizeof(k->object_path), "/proc/self/%s/%d", folder, k->object_fd);
	return k->object_path;
}

/* Does @path name the link of a task's pidfd? */
static bool is_pidfd(struct kernel *k, const char *path)
{
	const struct group *g;
	int pid, fd;

	if (sscanf(path, "/proc/%d/fd/%d", &pid, &fd) != 2 || fd < KERNEL_PIDFD)
		return false;
	g = kernel_group(k, fd - KERNEL_PIDFD);
	return g && g->watched && g->parent == pid;
}

WRAP(int, statx, int at, const char *path, int flags, unsigned mask, struct statx *ret)
{
	struct kernel *k = in_use();
	const char *file = k ? of_descriptor(k, path, "fd") : NULL;

	return __real_statx(at, file ? file : path, flags, mask, ret);
}

WRAP(int, open64, const char *path, int flags, ...)
{
	struct kernel *k = in_use();
	const char *file = NULL;
	va_list arguments;
	mode_t mode;
	int r;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	if (k && k->object_fd >= 0 && (file = of_descriptor(k, path, "fd")) != NULL)
		path = file;
	else if (k && k->object_fd >= 0 && (file = of_descriptor(k, path, "fdinfo")) != NULL)
		path = file;
	r = k && !file ? kernel_open(k, path) : -1000;
	r = r == -1000 ? __real_open64(path, flags, mode) : (int)result_of(r);
	if (file && k->object_next >= 0) {
		k->object_fd = k->object_next;
		k->object_next = -1;
	}
	return r;
}

WRAP(ssize_t, pread64, int fd, void *to, size_t n, off64_t at)
{
	struct kernel *k = in_use();

	return k && kernel_is_file(k, fd) ? result_of(kernel_read_file(k, fd, to, n, (uint64_t)at))
					  : __real_pread64(fd, to, n, at);
}

static size_t read_signals(struct kernel *k, struct signalfd_siginfo *info, size_t n)
{
	size_t done = 0;

	if (k->child_pending && done < n)
		info[done++] = (struct signalfd_siginfo){.ssi_signo = SIGCHLD};
	k->child_pending = false;
	for (size_t i = 0; i < k->signals && done < n; i++) {
		if (!k->signal[i].signal || k->signal[i].at_ns > k->now_ns)
			continue;
		info[done++] = (struct signalfd_siginfo){.ssi_signo = (uint32_t)k->signal[i].signal,
			.ssi_code = k->signal[i].code,
			.ssi_pid = (uint32_t)k->signal[i].sender,
			.ssi_ptr = k->signal[i].value};
		k->signal[i].signal = 0;
	}
	return done;
}

WRAP(ssize_t, read, int fd, void *to, size_t n)
{
	struct kernel *k = in_use();
	size_t done;

	if (k && fd == SIGNAL_FD) {
		kernel_tick(k);
		done = read_signals(k, to, n / sizeof(struct signalfd_siginfo));
		return done ? (ssize_t)(done * sizeof(struct signalfd_siginfo))
			    : result_of(-EAGAIN);
	}
	if (k && kernel_is_file(k, fd)) {
		/*
		 * Only maps are read repeatedly: the first read gives all of them, the second the
		 * end.
		 */
		bool again = k->file[fd - 1000].id && k->reading_fd == fd;

		k->reading_fd = again ? -1 : fd;
		return again ? 0 : result_of(kernel_read_file(k, fd, to, n, 0));
	}
	for (size_t i = 0; k && k->reading && i < k->pipe_ends; i++)
		if (k->pipe_end[i] == fd)
			k->reading(k);
	return __real_read(fd, to, n);
}

WRAP(int, close, int fd)
{
	struct kernel *k = in_use();

	if (k && kernel_is_file(k, fd))
		return kernel_close_file(k, fd);
	if (k && fd >= SIGNAL_FD && fd <= PIDFD)
		return 0;
	if (k && k->tracing && !k->elsewhere && lingers(fd))
		kernel_fail(k, "the tracing thread closes a socket that may linger");
	for (size_t i = 0; k && i < k->pipe_ends; i++)
		if (k->pipe_end[i] == fd)
			k->pipe_end[i] = -1;
	return __real_close(fd);
}

WRAP(int, ioctl, int fd, unsigned long request, ...)
{
	struct kernel *k = in_use();
	va_list arguments;
	void *data;

	va_start(arguments, request);
	data = va_arg(arguments, void *);
	va_end(arguments);
	return k && kernel_is_file(k, fd) ? (int)result_of(-ENOTTY)
					  : __real_ioctl(fd, request, data);
}

WRAP(ssize_t, readlink, const char *path, char *to, size_t n)
{
	struct kernel *k = in_use();
	struct task *t;
	size_t bytes;
	int pid, used = 0;

	if (k && is_pidfd(k, path)) {
		memcpy(to, "anon_inode:[pidfd]", 18);
		return 18;
	}
	if (k && of_descriptor(k, path, "fd"))
		return __real_readlink(k->object_path, to, n);
	if (!k || sscanf(path, "/proc/%d/exe%n", &pid, &used) != 1 || !used)
		return __real_readlink(path, to, n);
	t = kernel_find(k, pid);
	if (!t || t->state == TASK_ZOMBIE)
		return result_of(-ENOENT);
	bytes = strlen(t->group->exe);
	bytes = bytes < n ? bytes : n;
	memcpy(to, t->group->exe, bytes);
	return (ssize_t)bytes;
}

WRAP(int, fstatfs64, int fd, struct statfs64 *ret)
{
	struct kernel *k = in_use();

	if (!k || !kernel_is_file(k, fd))
		return __real_fstatfs64(fd, ret);
	ret->f_type = PROC_SUPER_MAGIC;
	return 0;
}

/* The folders that are read are /proc/PID/task and /proc/PID/fd. */
WRAP(DIR *, opendir, const char *path)
{
	struct kernel *k = in_use();
	struct group *g;
	int pid;

	char name[8];

	if (!k || sscanf(path, "/proc/%d/%7[a-z]", &pid, name) != 2)
		return __real_opendir(path);
	kernel_point(k);
	g = kernel_group(k, pid);
	k->folder_of = NULL;
	for (size_t i = 0; g && i < k->tasks; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].group == g)
			k->folder_of = g;
	k->folder_at = 0;
	k->folder_is_fd = strcmp(name, "fd") == 0;
	if (!k->folder_of)
		errno = ENOENT;
	return k->folder_of ? (DIR *)&k->folder_of : NULL;
}

/* The next descriptor of the process k->folder_of: 0, and its pidfds. */
static struct dirent64 *next_descriptor(struct kernel *k)
{
	int number = -1;

	if (k->folder_at == 0)
		number = 0;
	while (number < 0 && k->folder_at > 0 && k->folder_at <= k->groups) {
		const struct group *g = k->group[k->folder_at - 1];

		if (g->watched && g->parent == k->folder_of->pid)
			number = KERNEL_PIDFD + g->pid;
		else
			k->folder_at++;
	}
	k->folder_at++;
	(void)snprintf(k->entry.d_name, sizeof(k->entry.d_name), "%d", number);
	return number < 0 ? NULL : (struct dirent64 *)&k->entry;
}

WRAP(struct dirent64 *, readdir64, DIR *folder)
{
	struct kernel *k = in_use();

	if (!k || folder != (DIR *)&k->folder_of)
		return __real_readdir64(folder);
	if (k->folder_is_fd)
		return next_descriptor(k);
	while (k->folder_at < k->tasks) {
		const struct task *t = &k->task[k->folder_at++];

		if (t->state == TASK_NONE || t->group != k->folder_of)
			continue;
		(void)snprintf(k->entry.d_name, sizeof(k->entry.d_name), "%d", t->tid);
		return (struct dirent64 *)&k->entry;
	}
	return NULL;
}

WRAP(int, closedir, DIR *folder)
{
	struct kernel *k = in_use();

	return k && folder == (DIR *)&k->folder_of ? 0 : __real_closedir(folder);
}

WRAP(int, getrlimit64, int resource, struct rlimit64 *ret)
{
	struct kernel *k = in_use();

	if (!k || resource != RLIMIT_NOFILE)
		return __real_getrlimit64(resource, ret);
	*ret = (struct rlimit64){(rlim64_t)k->file_limit, (rlim64_t)k->file_limit};
	return 0;
}
