/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/os/descriptor.h"
#include "tests/clock.h"

static bool can_copy(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0), copy;

	copy = (int)syscall(SYS_pidfd_getfd, pidfd, 0, 0);
	(void)close(pidfd);
	if (copy >= 0)
		(void)close(copy);
	return copy >= 0;
}

/* The data are never read. *@ret_peer: the other end. */
static int full_socket(int *ret_peer)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	char block[65536] = {0};

	assert_int_equal(bind(listener, (struct sockaddr *)&address, bytes), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &bytes), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, bytes), 0);
	*ret_peer = accept(listener, NULL, NULL);
	assert_true(*ret_peer >= 0);
	(void)close(listener);
	while (send(fd, block, sizeof(block), MSG_DONTWAIT) > 0)
		;
	return fd;
}

/* Provokes the race closing_linger_blocks_nobody of docs/PTRACE.md (socket(7), SO_LINGER). */
static void test_descriptor__close_waits_for_no_lingering_socket(void **state)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = 2};
	double since;
	int peer, fd;

	(void)state;
	fd = full_socket(&peer);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	since = clock_s(CLOCK_MONOTONIC);
	assert_int_equal(close(fd), 0);
	assert_true(clock_s(CLOCK_MONOTONIC) - since > 1.5); /* a plain close blocks */
	(void)close(peer);

	fd = full_socket(&peer);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	since = clock_s(CLOCK_MONOTONIC);
	descriptor_close(fd);
	assert_true(clock_s(CLOCK_MONOTONIC) - since < 1);
	while (fcntl(fd, F_GETFD) >= 0 && clock_s(CLOCK_MONOTONIC) - since < 10)
		(void)usleep(10000);
	assert_true(clock_s(CLOCK_MONOTONIC) - since < 10);
	(void)close(peer);

	/* A socket that cannot linger is closed before the function returns. */
	fd = socket(AF_INET, SOCK_STREAM, 0);
	descriptor_close(fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void test_descriptor__time_outs_of_blocking_sockets_only(void **state)
{
	struct timeval wait = {.tv_usec = 40000};
	bool internet;
	int fd = socket(AF_INET, SOCK_DGRAM, 0), pipe_fd[2];

	(void)state;
	if (!can_copy())
		skip();
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
	assert_int_equal(descriptor_wait_ns(getpid(), getpid(), fd, false, &internet), 40000000);
	assert_true(internet);
	assert_int_equal(descriptor_wait_ns(getpid(), getpid(), fd, true, &internet), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(descriptor_wait_ns(getpid(), getpid(), fd, false, &internet), 0);
	(void)close(fd);
	assert_int_equal(pipe(pipe_fd), 0);
	assert_int_equal(descriptor_wait_ns(getpid(), getpid(), pipe_fd[0], false, &internet), 0);
	assert_int_equal(descriptor_wait_ns(getpid(), getpid(), 9999, false, &internet), 0);
	(void)close(pipe_fd[0]);
	(void)close(pipe_fd[1]);
}

static void test_descriptor__kinds(void **state)
{
	int pair[2], pipe_fd[2], zero = open("/dev/zero", O_RDONLY), file = open("/", O_RDONLY);

	(void)state;
	assert_int_equal(pipe(pipe_fd), 0);
	assert_int_equal(descriptor_kind(getpid(), getpid(), pipe_fd[1]), DESCRIPTOR_PIPE);
	assert_int_equal(descriptor_kind(getpid(), getpid(), zero), DESCRIPTOR_ENDLESS);
	assert_int_equal(descriptor_kind(getpid(), getpid(), file), DESCRIPTOR_OTHER);
	assert_int_equal(descriptor_kind(getpid(), getpid(), 9999), DESCRIPTOR_OTHER);
	if (can_copy()) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		assert_int_equal(descriptor_kind(getpid(), getpid(), pair[0]), DESCRIPTOR_STREAM);
		/* The peer closes with data unread: the connection is reset. */
		assert_int_equal(write(pair[0], "x", 1), 1);
		assert_int_equal(close(pair[1]), 0);
		assert_int_equal(descriptor_kind(getpid(), getpid(), pair[0]), DESCRIPTOR_OTHER);
		assert_int_equal(read(pair[0], pair, 1), -1);
		assert_int_equal(errno, ECONNRESET);
		assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
		assert_int_equal(descriptor_kind(getpid(), getpid(), pair[0]), DESCRIPTOR_OTHER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptor__close_waits_for_no_lingering_socket),
		cmocka_unit_test(test_descriptor__time_outs_of_blocking_sockets_only),
		cmocka_unit_test(test_descriptor__kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
