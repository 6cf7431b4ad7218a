/* SPDX-License-Identifier: MIT */
#include "supervisor/target/examiner.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/priority.h"

/* This much of an executable is searched for a name. */
#define SEARCH_BYTES ((size_t)16 << 20)
#define PART_BYTES   ((size_t)64 << 10)
#define STACK_BYTES  ((size_t)256 << 10)
/* Maximum number of open questions. Further ones are refused: a file system may never answer. */
#define ASKED_MOST 64

bool examiner_lost_privilege(
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
	/* Without the group's execute permission, S_ISGID does not change the group. */
	if (mode & S_ISGID && mode & S_IXGRP && sscanf(gids, "%*u %u", &effective) == 1 &&
		effective != gid)
		return true;
	return capabilities && strtoull(permitted, NULL, 16) == 0;
}

static bool lost_privilege(const struct examiner_question *q)
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
		examiner_lost_privilege(q->status, st.st_mode, st.st_uid, st.st_gid, capabilities);
}

/* Is "ptrace" a name in the file? The parts that are read overlap by the name's length. */
static bool mentions_ptrace(const struct examiner_question *q)
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

void examiner_forget(struct examiner_question *q)
{
	if (q->fd >= 0)
		(void)close(q->fd);
	free(q);
}

static void *examine(void *context)
{
	int socket = (int)(intptr_t)context;
	struct examiner_question *q;

	(void)priority_any_cpu(pthread_self());
	while (recv(socket, &q, sizeof(q), 0) == sizeof(q)) {
		q->yes = q->kind == EXAMINER_TRACES ? mentions_ptrace(q) : lost_privilege(q);
		if (send(socket, &q, sizeof(q), MSG_NOSIGNAL) != sizeof(q))
			examiner_forget(q);
	}
	(void)close(socket);
	return NULL;
}

/* The thread inherits neither real-time priority nor a CPU from the tracing thread. */
static bool start(struct examiner *examiner)
{
	const struct sched_param fair = {.sched_priority = 0};
	pthread_attr_t attributes;
	pthread_t thread;
	int pair[2];
	bool started = false;

	examiner->failed = true;
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
	examiner->socket = pair[0];
	examiner->started = true;
	examiner->failed = false;
	return true;
}

bool examiner_ask(struct examiner *examiner, struct examiner_question *question)
{
	if (examiner->failed || examiner->asked == ASKED_MOST ||
		(!examiner->started && !start(examiner)) ||
		send(examiner->socket, &question, sizeof(question), MSG_DONTWAIT | MSG_NOSIGNAL) !=
			sizeof(question))
		return false;
	examiner->asked++;
	return true;
}

struct examiner_question *examiner_answer(struct examiner *examiner, int most_ms)
{
	struct pollfd answered = {.fd = examiner->socket, .events = POLLIN};
	struct examiner_question *q;

	if (!examiner->asked || (most_ms && poll(&answered, 1, most_ms) <= 0) ||
		recv(examiner->socket, &q, sizeof(q), MSG_DONTWAIT) != sizeof(q))
		return NULL;
	examiner->asked--;
	return q;
}

void examiner_release(struct examiner *examiner)
{
	if (examiner->started)
		(void)close(examiner->socket);
	examiner->started = false;
}
