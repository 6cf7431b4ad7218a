/* SPDX-License-Identifier: MIT */
/* How a supervisor is found: client/find.c. This process is the supervisor. */
#include "client/find.c"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

/* A request pipe, and the memfd that names it. */
struct mark {
	int pipe[2], mark;
	uint64_t inode;
};

static uint64_t inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

/* @format: the memfd's name before descriptor and inode; NULL: the usual, with inode + @more. */
static struct mark mark_as(const char *format, int64_t more)
{
	struct mark m;
	char name[200];

	assert_int_equal(pipe2(m.pipe, O_CLOEXEC), 0);
	m.inode = inode_of(m.pipe[0]);
	(void)snprintf(name, sizeof(name), "sprofil-calls:%d:%llu", m.pipe[0],
		(unsigned long long)((int64_t)m.inode + more));
	if (format)
		(void)snprintf(name, sizeof(name), "%s%d:%llu", format, m.pipe[0],
			(unsigned long long)m.inode);
	m.mark = memfd_create(name, MFD_CLOEXEC);
	assert_true(m.mark >= 0);
	return m;
}

static void unmark(const struct mark *m)
{
	assert_int_equal(close(m->mark), 0);
	assert_int_equal(close(m->pipe[0]), 0);
	assert_int_equal(close(m->pipe[1]), 0);
}

/* @fd is the pipe's, does not block, and is closed by exec. */
static void check_pipe(int fd, const struct mark *m)
{
	char byte = 'x';

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "y", 1), 1);
	assert_int_equal(read(m->pipe[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	assert_int_equal(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE), O_NONBLOCK | O_WRONLY);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(close(fd), 0);
}

static void test_find__numbers(void **state)
{
	static const struct {
		uint64_t n;
		const char *text;
	} rows[] = {{0, "0"}, {9, "9"}, {10, "10"}, {90817, "90817"},
		{UINT64_MAX, "18446744073709551615"}};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		char text[32] = "before ";
		const char *at = text + 7;

		assert_ptr_equal(put_number(text + 7, rows[i].n), text + 7 + strlen(rows[i].text));
		assert_string_equal(text + 7, rows[i].text);
		assert_memory_equal(text, "before ", 7);
		text[7 + strlen(rows[i].text)] = ':';
		assert_int_equal(get_number(&at), rows[i].n);
		assert_int_equal(*at, ':');
		assert_int_equal(get_number(&at), 0);
		assert_int_equal(*at, ':');
	}
}

static void without_descriptors(int (*find)(const struct mark *m), const struct mark *m)
{
	struct rlimit limit, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(find(m), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int find_pipe(const struct mark *m)
{
	return open_pipe((uint32_t)getpid(), m->pipe[0], m->inode);
}

static int find_all(const struct mark *m)
{
	(void)m;
	return search((uint32_t)getpid());
}

static void test_find__opens_a_pipe_and_nothing_else(void **state)
{
	struct mark m = mark_as(NULL, 0);
	uint32_t self = (uint32_t)getpid();
	char name[16];
	int input, dir;

	(void)state;
	check_pipe(open_pipe(self, m.pipe[0], m.inode), &m);
	check_pipe(open_pipe(self, m.pipe[1], m.inode), &m);
	assert_int_equal(open_pipe(self, m.pipe[0], m.inode + 1), -ENOENT);
	assert_int_equal(open_pipe(self, m.mark, inode_of(m.mark)), -ENOENT);
	assert_int_equal(open_pipe(self, 1000, m.inode), -ENOENT);
	assert_int_equal(open_pipe(0x3ffffff, m.pipe[0], m.inode), -ENOENT);
	without_descriptors(find_pipe, &m);
	/* Descriptor 0 is closed, so the pipe gets it. */
	input = dup(0);
	(void)close(0);
	client_forget();
	assert_int_equal(find_pipe(&m), 0);
	check_pipe(0, &m);
	dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(dir, 0);
	dir = dup(dir);
	(void)close(0);
	(void)snprintf(name, sizeof(name), "%d", m.mark);
	assert_int_equal(open_marked(dir, name, self), 0);
	assert_int_equal(client_supervisor(), self);
	check_pipe(0, &m);
	assert_int_equal(close(dir), 0);
	client_forget();
	check_pipe(find_all(&m), &m);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	assert_int_equal(number_in("/proc/self/status", "\nPid:\t"), self);
	assert_int_equal(client_supervisor(), self);
	client_forget();
	if (input >= 0) {
		assert_int_equal(dup2(input, 0), 0);
		assert_int_equal(close(input), 0);
	}
	unmark(&m);
}

/* What number_in() finds in a file of @text after @more bytes of @filling. */
static int64_t number_of(const char *filling, size_t more, const char *text)
{
	int fd = memfd_create("status", MFD_CLOEXEC), next = dup(2), r;
	char path[64];

	assert_true(fd >= 0 && next >= 0);
	for (size_t i = 0; i < more; i++)
		assert_int_equal(write(fd, filling, 1), 1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(close(next), 0);
	r = (int)number_in(path, "\nTracerPid:\t");
	assert_int_equal(dup(2), next); /* no descriptor stays open */
	assert_int_equal(close(next), 0);
	assert_int_equal(close(fd), 0);
	return r;
}

static void test_find__the_number_behind_a_key(void **state)
{
	(void)state;
	assert_int_equal(number_of("", 0, "Name:\tx\nTracerPid:\t9081\nUid:\t1\n"), 9081);
	assert_int_equal(number_of("", 0, "Name:\tx\nTracerPid:\t0\nUid:\t1\n"), 0);
	assert_int_equal(number_of("", 0, "Name:\tTracerPid:\t9081\n"), -ENODATA);
	assert_int_equal(number_of("", 0, ""), -ENODATA);
	/* Text read before is no part of the number. */
	assert_int_equal(number_of("9", 1500, ""), -ENODATA);
	assert_int_equal(number_of("", 0, "\nTracerPid:\t12"), 12);
	/* The number is found in the first 1,023 bytes. */
	assert_int_equal(number_of("x", 1023 - 14, "\nTracerPid:\t12"), 12);
	assert_int_equal(number_of("x", 1024 - 14, "\nTracerPid:\t12"), 1);
	assert_int_equal(number_in("/nonexistent", "\nTracerPid:\t"), -ENODATA);
}

/* The result of the search for the mark that mark_as() makes. */
static int result_of(const char *format, int64_t more)
{
	struct mark m = mark_as(format, more);
	int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	char name[16];

	assert_true(dir >= 0);
	(void)snprintf(name, sizeof(name), "%d", m.mark);
	client_forget();
	errno = EACCES; /* errno of an earlier call */
	fd = open_marked(dir, name, (uint32_t)getpid());
	assert_int_equal(client_supervisor(), fd < 0 ? 0 : getpid());
	if (fd >= 0)
		check_pipe(fd, &m);
	client_forget();
	assert_int_equal(close(dir), 0);
	unmark(&m);
	return fd < 0 ? fd : 0;
}

static void test_find__marks(void **state)
{
	int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int others[3];

	(void)state;
	assert_int_equal(result_of(NULL, 0), 0);
	assert_int_equal(result_of("sprofil-calls:", 0), 0);
	assert_int_equal(result_of(NULL, 1), -EACCES); /* another pipe's inode */
	assert_int_equal(result_of("sprofil-callx:", 0), -ENOENT);
	assert_int_equal(result_of("sprofil-calls;", 0), -ENOENT);
	assert_int_equal(result_of("sprofil-calls:9999999999", 0), -ENOENT);
	assert_int_equal(result_of("sprofil-calls:;", 0), -ENOENT);
	assert_int_equal(result_of("x", 0), -ENOENT);
	assert_int_equal(open_marked(dir, "4711", (uint32_t)getpid()), -ENOENT);
	/* The greatest descriptor, where nothing is open; one more; too many digits. */
	others[0] = memfd_create("sprofil-calls:2147483647:1", MFD_CLOEXEC);
	others[1] = memfd_create("sprofil-calls:2147483648:1", MFD_CLOEXEC);
	others[2] = memfd_create("sprofil-calls:00000000000000000000000000000000000000000000000000"
				 "0000000000000000000000000000000000000000000000000000000000000:1",
		MFD_CLOEXEC);
	for (unsigned i = 0; i < 3; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "%d", others[i]);
		assert_int_equal(
			open_marked(dir, name, (uint32_t)getpid()), i == 0 ? -EACCES : -ENOENT);
		assert_int_equal(close(others[i]), 0);
	}
	assert_int_equal(close(dir), 0);
}

static void test_find__among_many_descriptors(void **state)
{
	enum { OTHERS = 150 };
	int others[OTHERS], next;
	struct mark wrong, m;

	(void)state;
	assert_int_equal(search((uint32_t)getpid()), -EPERM);
	assert_int_equal(search(0x3ffffff), -EACCES);
	wrong = mark_as(NULL, 1);
	assert_int_equal(search((uint32_t)getpid()), -EACCES);
	without_descriptors(find_all, &wrong);
	for (unsigned i = 0; i < OTHERS; i++)
		assert_true((others[i] = dup(2)) >= 0);
	m = mark_as(NULL, 0);
	next = dup(2);
	assert_int_equal(close(next), 0);
	check_pipe(search((uint32_t)getpid()), &m);
	assert_int_equal(dup(2), next); /* no descriptor stays open */
	assert_int_equal(close(next), 0);
	unmark(&wrong);
	unmark(&m);
	for (unsigned i = 0; i < OTHERS; i++)
		assert_int_equal(close(others[i]), 0);
	client_forget();
}

static pthread_barrier_t barrier;
static pid_t tid;

static void *wait_there(void *unused)
{
	tid = (pid_t)syscall(SYS_gettid);
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	return unused;
}

/* This test is not traced, so only a remembered supervisor can be found. */
static void test_find__what_is_remembered(void **state)
{
	struct mark m = mark_as(NULL, 0);
	pthread_t thread;

	(void)state;
	assert_int_equal(client_supervisor(), 0);
	assert_int_equal(client_find(), -ENOENT);
	client_remember((uint32_t)getpid(), m.pipe[0], m.inode);
	assert_int_equal(client_supervisor(), getpid());
	check_pipe(client_find(), &m);
	check_pipe(client_find(), &m);
	/* The inode of a remembered pipe has changed: it is forgotten. */
	client_remember((uint32_t)getpid(), m.pipe[0], m.inode + 1);
	assert_int_equal(client_find(), -ENOENT);
	assert_int_equal(client_supervisor(), 0);
	/* The tid of a tracing thread is remembered, the pid of its process returned. */
	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_there, NULL), 0);
	(void)pthread_barrier_wait(&barrier);
	client_remember((uint32_t)tid, m.pipe[0], m.inode);
	assert_int_equal(client_supervisor(), getpid());
	(void)pthread_barrier_wait(&barrier);
	assert_int_equal(pthread_join(thread, NULL), 0);
	client_remember(0x3ffffff, m.pipe[0], m.inode); /* no such process */
	assert_int_equal(client_supervisor(), 0x3ffffff);
	client_forget();
	assert_int_equal(client_supervisor(), 0);
	assert_int_equal(pthread_barrier_destroy(&barrier), 0);
	unmark(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find__numbers),
		cmocka_unit_test(test_find__opens_a_pipe_and_nothing_else),
		cmocka_unit_test(test_find__the_number_behind_a_key),
		cmocka_unit_test(test_find__marks),
		cmocka_unit_test(test_find__among_many_descriptors),
		cmocka_unit_test(test_find__what_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
