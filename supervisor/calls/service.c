/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/service.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc_file.h"
#include "supervisor/calls/session_ticks.h"
#include "supervisor/os/mem.h"
#include "supervisor/target/procfiles.h"
#include "supervisor/target/target.h"
#include "supervisor/target/tracee_memory.h"

/*
 * service_read() starts no further read of PIECE_BYTES when it has taken this long, in ns. Threads
 * that stop meanwhile have to wait, and any process of the user can keep the pipe full (test:
 * flood). What stays in the pipe is read in the engine's next round.
 */
#define TURN_NS      100000
#define PIECE_BYTES  512
#define BUFFER_BYTES (CALL_MAX_BYTES + PIECE_BYTES) /* A message and a piece behind it. */

/*
 * With a lower RLIMIT_NOFILE no calls are accepted. Answers need descriptors, and there might be
 * none left.
 */
#define FILES_LEAST 32

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int service_open(struct service *service)
{
	int fds[2], r;
	char name[64];
	struct rlimit files;
	struct stat st;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FILES_LEAST)
		return -EMFILE;
	service->buffer = mem_new(BUFFER_BYTES, 1);
	if (!service->buffer)
		return -ENOMEM;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0) {
		r = -errno;
		service_release(service);
		return r;
	}
	service->read_fd = fds[0];
	service->write_fd = fds[1];
	if (fstat(fds[0], &st) == 0) {
		service->inode = st.st_ino;
		service->answerer.device = st.st_dev;
		(void)snprintf(name, sizeof(name), CALL_MARK ":%d:%llu", fds[1],
			(unsigned long long)service->inode);
		service->mark_fd = memfd_create(name, MFD_CLOEXEC);
	}
	if (service->mark_fd < 0) {
		r = -errno;
		service_release(service);
		return r;
	}
	return 0;
}

void service_release(struct service *service)
{
	close_fd(&service->read_fd);
	close_fd(&service->write_fd);
	close_fd(&service->mark_fd);
	for (unsigned i = 0; i < SERVICE_ASSEMBLIES; i++) {
		free(service->coming[i].table.region);
		service->coming[i].table.region = NULL;
	}
	free(service->buffer);
	service->buffer = NULL;
}

static bool is_sealed(struct remote memory, const struct call_request *q)
{
	uint8_t seal[CALL_SEAL_BYTES];

	return remote_read(&memory, q->seal, seal, sizeof(seal)) == (ssize_t)sizeof(seal) &&
		call_seal_is_good(seal, q);
}

/*
 * Does the memory of @process, read through its thread @tid, hold the seal of @q? The seal proves
 * that this process has sent @q (proto/call.h).
 */
static bool has_seal(
	struct service *service, struct process *process, int tid, const struct call_request *q)
{
	procfiles_open_memory(service->answerer.files, process, tid);
	return is_sealed(tracee_memory_of(process, tid), q);
}

/* has_seal() for a process whose first thread may have ended. */
static bool any_has_seal(
	struct service *service, struct process *process, const struct call_request *q)
{
	return has_seal(service, process, procfiles_reader(process), q) ||
		(procfiles_find_reader(service->answerer.files, process) &&
			has_seal(service, process, procfiles_reader(process), q));
}

/*
 * Returns the number that the process or thread @id has in its own pid namespace: the last one of
 * "NSpid:\t4711\t12\n" in /proc/ID/status. Caches the number in *@kept, so that many requests with
 * wrong pids cost little.
 */
static int inner(int id, int *kept)
{
	char text[8192]; /* a process may have hundreds of groups */

	if (!*kept && proc_file_read(text, sizeof(text), "/proc/%d/status", id) > 0)
		*kept = proc_file_last_number(text, "NSpid", id);
	return *kept ? *kept : id;
}

static struct tracee *find_inner(
	const struct target *target, const struct process *process, int inner_tid)
{
	for (size_t i = 0; i < target->tracees; i++) {
		struct tracee *t = target->tracee[i];

		if (t->process == process && inner(t->tid, &t->inner_tid) == inner_tid)
			return t;
	}
	return NULL;
}

/* Returns the thread that sent @q; NULL: we do not trace it. */
static struct tracee *find_sender(struct service *service, const struct call_request *q)
{
	const struct target *target = service->sessions->target;
	struct tracee *t = target_find(target, (int)q->tid);

	if (t && t->process && t->process->pid == (int)q->pid &&
		has_seal(service, t->process, t->tid, q))
		return t;
	/* In another pid namespace, @q has the sender's pid and tid as of that namespace. */
	for (size_t i = 0; i < target->processes; i++) {
		struct process *p = target->process[i];

		if (p->pid == (int)q->pid || inner(p->pid, &p->inner_pid) != (int)q->pid)
			continue;
		if (!any_has_seal(service, p, q))
			continue;
		t = find_inner(target, p, (int)q->tid);
		if (t)
			return t;
	}
	return NULL;
}

static void drop(struct service_call *call)
{
	free(call->table.region);
	*call = (struct service_call){.pid = 0};
}

static struct service_call *find_coming(struct service *service, const struct tracee *t)
{
	for (unsigned i = 0; i < SERVICE_ASSEMBLIES; i++) {
		struct service_call *c = &service->coming[i];

		if (c->table.region && c->tid == t->tid && c->pid == t->process->pid)
			return c;
	}
	return NULL;
}

static bool has_ended(const struct service *service, const struct service_call *c)
{
	const struct tracee *t = target_find(service->sessions->target, c->tid);

	return !t || !t->process || t->process->pid != c->pid;
}

/*
 * Returns the incomplete table to drop for a new one, if all slots are taken. It is a table of the
 * process with the most incomplete tables: the one whose last piece came longest ago. So no process
 * can shut out others.
 */
static struct service_call *find_victim(struct service *service)
{
	struct service_call *victim = NULL;
	unsigned most = 0;

	for (unsigned i = 0; i < SERVICE_ASSEMBLIES; i++) {
		struct service_call *c = &service->coming[i];
		unsigned n = 0;

		for (unsigned k = 0; k < SERVICE_ASSEMBLIES; k++)
			n += service->coming[k].pid == c->pid;
		if (!victim || n > most || (n == most && c->last < victim->last)) {
			most = n;
			victim = c;
		}
	}
	return victim;
}

/*
 * Begins a new table. It takes the slot of this thread's incomplete table, else a free slot, else
 * the slot of find_victim(). Drops the tables of threads that have ended. NULL: out of memory.
 */
static struct service_call *begin(
	struct service *service, const struct tracee *t, const struct call_request *q)
{
	struct service_call *c = find_coming(service, t);

	for (unsigned i = 0; i < SERVICE_ASSEMBLIES; i++) {
		struct service_call *slot = &service->coming[i];

		if (slot->table.region && has_ended(service, slot))
			drop(slot);
		if (!c && !slot->table.region)
			c = slot;
	}
	if (!c)
		c = find_victim(service);
	drop(c);
	c->table.region = mem_new(q->total ? q->total : 1, sizeof(*c->table.region));
	if (!c->table.region)
		return NULL;
	c->pid = t->process->pid;
	c->tid = t->tid;
	call_assembly_begin(&c->table, q);
	return c;
}

/* Performs a call for the table of one thread. Returns 0 or an errno value. */
static int apply_to_thread(struct service *service, struct tracee *t, const struct service_call *w)
{
	const struct call_request *q = &w->table.head;

	if (q->total)
		return -session_set_thread(service->sessions, t, q->dialect, q->flags, q->element,
			w->table.region, q->total);
	session_clear_thread(service->sessions, t);
	return 0;
}

static bool is_fast(const struct call_request *q)
{
	return call_period_ns(q->dialect, q->flags) < call_period_ns(q->dialect, 0);
}

static void apply(struct service *service, struct tracee *t, const struct service_call *w)
{
	const struct call_request *q = &w->table.head;
	struct process *process = t->process;
	struct call_status status;
	bool tell = q->total == 0 && !(q->flags & CALL_THREAD);
	int error = 0;

	if (tell)
		session_status(service->sessions, process, !(q->flags & CALL_STATUS), &status);
	/*
	 * A status request stops its sender before it can go on. In that stop, the ticks that were
	 * kept for one are written.
	 */
	if (q->flags & CALL_STATUS)
		session_ask_stop(service->sessions, t);
	else if (q->total && is_fast(q) && service->restrict_fast)
		error = EACCES;
	else if (q->flags & CALL_THREAD)
		error = apply_to_thread(service, t, w);
	else if (q->total == 0)
		session_clear(service->sessions, process);
	else
		error = -session_set(service->sessions, process, q->dialect, q->flags, q->element,
			w->table.region, q->total);
	answer_send(&service->answerer, process, t->tid, q, error, tell ? &status : NULL);
}

/* has_seal() for a sender that we do not trace. */
static bool has_strange_seal(struct service *service, const struct call_request *q)
{
	static const int none = -1;
	struct pages *pages = &service->strange;

	*pages = (struct pages){.pagemap_fd = &none,
		.couriers = service->sessions->target->couriers,
		.away = pages->away};
	return is_sealed((struct remote){(int)q->pid, pages->couriers ? pages : NULL, NULL}, q);
}

static void handle_request(struct service *service, const struct call_request *q)
{
	struct tracee *t = find_sender(service, q);
	struct service_call *call;
	int r;

	if (!t) {
		if (has_strange_seal(service, q))
			answer_send(&service->answerer, NULL, (int)q->pid, q, ESRCH, NULL);
		return;
	}
	call = call_assembly_starts(q) ? begin(service, t, q) : find_coming(service, t);
	if (!call) {
		/* EBUSY: this table was dropped for another one; the client sends it again. */
		answer_send(&service->answerer, t->process, t->tid, q,
			call_assembly_starts(q) ? ENOMEM : EBUSY, NULL);
		return;
	}
	call->last = ++service->pieces;
	r = call_assembly_add(&call->table, q);
	if (r == 0)
		return;
	if (r > 0)
		apply(service, t, call);
	else
		answer_send(&service->answerer, t->process, t->tid, q, -r, NULL);
	drop(call);
}

void service_read(struct service *service)
{
	uint64_t end = clock_now() + TURN_NS;
	struct call_request q;
	bool drained = false;

	while (!drained && clock_now() < end) {
		size_t at = 0, used = 0;
		ssize_t n = read(service->read_fd, service->buffer + service->bytes, PIECE_BYTES);

		drained = n < PIECE_BYTES;
		if (n > 0)
			service->bytes += (size_t)n;
		while (call_scan(service->buffer + at, service->bytes - at, drained, &q, &used) ==
			1) {
			at += used;
			handle_request(service, &q);
		}
		at += used;
		service->bytes -= at;
		memmove(service->buffer, service->buffer + at, service->bytes);
	}
}

void service_announce(const struct service *service, int fd, int error)
{
	struct call_answer a = {
		.error = error, .descriptor = service->write_fd, .inode = service->inode};
	uint8_t data[CALL_ANSWER_BYTES];

	if (fd < 0)
		return;
	(void)call_put_answer(data, sizeof(data), &a);
	if (write(fd, data, sizeof(data)) < 0)
		errno = 0; /* The program is gone; the wait will report its end. */
	(void)close(fd);
}
