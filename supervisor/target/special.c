/* SPDX-License-Identifier: MIT */
#include "supervisor/target/special.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/priority.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"

/* This much of an executable is searched for a name. */
#define SEARCH_BYTES ((size_t)16 << 20)
#define PART_BYTES   ((size_t)64 << 10)
#define STACK_BYTES  ((size_t)256 << 10)
/*
 * Maximum number of unanswered questions; more are not asked. A file system that never answers
 * would otherwise make them grow without limit.
 */
#define ASKED_MOST 64

enum kind {
	TRACES,    /* does the program's file contain the name "ptrace"? */
	PRIVILEGE, /* does the process lack the privileges that its file would give? */
};

/* What the examiner is asked, allocated; it has the question until it has sent it back. */
struct question {
	enum kind kind;
	int pid;
	const struct image *image; /* borrowed; not read by the examiner */
	int fd;                    /* descriptor (O_PATH) of the executable; owned */
	char status[4096];         /* PRIVILEGE: /proc/PID/status of the process */
	bool yes;                  /* the answer */
};

bool special_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities)
{
	const char *uids = proc_file_value(status, "Uid"), *gids = proc_file_value(status, "Gid");
	const char *permitted = proc_file_value(status, "CapPrm");
	const char *stays = proc_file_value(status, "NoNewPrivs");
	unsigned effective;

	if (!uids || !gids || !permitted || (stays && atoi(stays)))
		return false;
	if (mode & S_ISUID && sscanf(uids, "%*u %u", &effective) == 1 && effective != uid)
		return true;
	/*
	 * S_ISGID changes the process's group only if the file has the group's execute permission.
	 */
	if (mode & S_ISGID && mode & S_IXGRP && sscanf(gids, "%*u %u", &effective) == 1 &&
		effective != gid)
		return true;
	return capabilities && strtoull(permitted, NULL, 16) == 0;
}

static bool lost_privilege(const struct question *q)
{
	struct statvfs fs;
	struct stat st;
	char path[48];
	bool capabilities;

	if (fstat(q->fd, &st) < 0 || fstatvfs(q->fd, &fs) < 0 || fs.f_flag & ST_NOSUID)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", q->fd);
	capabilities = getxattr(path, "security.capability", NULL, 0) > 0;
	return (st.st_mode & (S_ISUID | S_ISGID) || capabilities) &&
		special_lost_privilege(q->status, st.st_mode, st.st_uid, st.st_gid, capabilities);
}

/* Is "ptrace" a name in the file? The parts that are read overlap by the name's length. */
static bool mentions_ptrace(const struct question *q)
{
	/* With NULs around it, "ptrace" is a whole entry of a string table. */
	static const char name[] = "\0ptrace";
	char path[48], part[PART_BYTES];
	size_t kept = 0, at = 0;
	bool found = false;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", q->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && !found && at < SEARCH_BYTES) {
		ssize_t n = read(fd, part + kept, sizeof(part) - kept);
		size_t whole;

		if (n <= 0)
			break;
		at += (size_t)n;
		whole = kept + (size_t)n;
		found = memmem(part, whole, name, sizeof(name)) != NULL;
		kept = whole < sizeof(name) - 1 ? whole : sizeof(name) - 1;
		memmove(part, part + whole - kept, kept);
	}
	if (fd >= 0)
		(void)close(fd);
	return found;
}

static void forget(struct question *q)
{
	if (q->fd >= 0)
		(void)close(q->fd);
	free(q);
}

/* The examiner's thread. */
static void *examine(void *context)
{
	int socket = (int)(intptr_t)context;
	struct question *q;

	(void)priority_any_cpu(pthread_self());
	while (recv(socket, &q, sizeof(q), 0) == sizeof(q)) {
		q->yes = q->kind == TRACES ? mentions_ptrace(q) : lost_privilege(q);
		if (send(socket, &q, sizeof(q), MSG_NOSIGNAL) != sizeof(q))
			forget(q);
	}
	(void)close(socket);
	return NULL;
}

/* The thread inherits neither real-time priority nor a CPU from the tracing thread. */
static bool start(struct special *special)
{
	const struct sched_param fair = {.sched_priority = 0};
	pthread_attr_t attributes;
	pthread_t thread;
	int pair[2];
	bool started = false;

	special->failed = true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	if (pthread_attr_init(&attributes) == 0) {
		(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
		(void)pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
		(void)pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
		(void)pthread_attr_setschedparam(&attributes, &fair);
		started = pthread_create(
				  &thread, &attributes, examine, (void *)(intptr_t)pair[1]) == 0;
		(void)pthread_attr_destroy(&attributes);
	}
	if (!started) {
		(void)close(pair[0]);
		(void)close(pair[1]);
		return false;
	}
	special->socket = pair[0];
	special->started = true;
	special->failed = false;
	return true;
}

/*
 * Only processes in our user namespace are examined. In another one, a set-user-ID file has no
 * effect if its owner does not exist in that namespace, so a warning might be wrong.
 */
static bool in_our_user_namespace(int pid)
{
	char path[48];
	struct stat ours, its;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return stat("/proc/self/ns/user", &ours) == 0 && stat(path, &its) == 0 &&
		ours.st_ino == its.st_ino;
}

/* Have we CAP_SYS_PTRACE? Then a traced program keeps the privileges that its file gives. */
static bool keeps_privileges(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &head, data) == 0 && data[0].effective & 1u << CAP_SYS_PTRACE;
}

/*
 * Sends the examiner a question; never blocks. O_PATH opens the executable without accessing its
 * file system. False: the question was not sent.
 */
static bool ask_examiner(struct special *special, const struct process *process, enum kind kind)
{
	struct question *q = mem_new(1, sizeof(*q));
	char path[48];

	if (!q)
		return false;
	*q = (struct question){
		.kind = kind, .pid = process->pid, .image = process->image, .fd = -1};
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", process->pid);
	q->fd = open(path, O_PATH | O_CLOEXEC);
	if (kind == PRIVILEGE)
		(void)proc_file_read(q->status, sizeof(q->status), "/proc/%d/status", process->pid);
	if (q->fd >= 0 && !special->failed && special->asked < ASKED_MOST &&
		(special->started || start(special)) &&
		send(special->socket, &q, sizeof(q), MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof(q)) {
		special->asked++;
		return true;
	}
	forget(q);
	return false;
}

void special_see_child(struct special *special, const struct process *parent)
{
	if (special->said_tracer || parent->image->traces_asked)
		return;
	parent->image->traces_asked = ask_examiner(special, parent, TRACES);
}

void special_see_exec(struct special *special, const struct process *process)
{
	if (!special->privileges_known)
		special->keeps_privileges = keeps_privileges();
	special->privileges_known = true;
	if (special->said_privilege || special->keeps_privileges ||
		!in_our_user_namespace(process->pid))
		return;
	(void)ask_examiner(special, process, PRIVILEGE);
}

static void warn_user(struct special *special, const struct question *q)
{
	bool *said = q->kind == TRACES ? &special->said_tracer : &special->said_privilege;

	if (!q->yes || *said)
		return;
	*said = true;
	if (q->kind == TRACES)
		say_line(special->say, SAY_NOTE,
			"%s (pid %d) seems to trace its children, which are traced already: if it "
			"fails, use "
			"--no-follow, which leaves them to it",
			q->image->path, q->pid);
	else
		say_line(special->say, SAY_WARNING,
			"%s (pid %d) runs without its set-user-ID privilege or file capabilities, "
			"which the kernel keeps from a "
			"program that is traced; profile as root, or attach with -p once it runs",
			q->image->path, q->pid);
}

/* Returns the next answered question, which the caller forgets; NULL: none within @most_ms. */
static struct question *answer(struct special *special, int most_ms)
{
	struct pollfd answered = {.fd = special->socket, .events = POLLIN};
	struct question *q;

	if (!special->asked || (most_ms && poll(&answered, 1, most_ms) <= 0) ||
		recv(special->socket, &q, sizeof(q), MSG_DONTWAIT) != sizeof(q))
		return NULL;
	special->asked--;
	return q;
}

void special_poll(struct special *special, int most_ms)
{
	struct question *q;

	while ((q = answer(special, most_ms))) {
		warn_user(special, q);
		forget(q);
	}
}

void special_release(struct special *special)
{
	if (special->started)
		(void)close(special->socket);
	special->started = false;
}
