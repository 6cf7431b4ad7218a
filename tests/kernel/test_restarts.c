/* SPDX-License-Identifier: MIT */
/* System calls that a stop or an ignored signal disturbs must end as if nothing had happened. */
#include "tests/kernel/races.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define MS INT64_C(1000000)

/* Signals that the target ignores by default; without a tracer they end no call. */
static const struct step ignored[] = {RUN(MS), KILL(100, SIGWINCH), RUN(2 * MS), KILL(100, SIGCHLD),
	RUN(3 * MS), KILL(100, SIGURG), RUN(20 * MS), KILL(100, SIGCONT), EXIT_GROUP(0)};
static const struct step often[] = {RUN(3 * MS), KILL(100, SIGWINCH), AGAIN(2, 20), EXIT_GROUP(0)};
static const struct step one_handled[] = {RUN(2 * MS), KILL(100, SIGUSR1), EXIT_GROUP(0)};
static const struct step stop_and_go[] = {
	RUN(2 * MS), KILL(100, SIGTSTP), RUN(2 * MS), KILL(100, SIGCONT), EXIT_GROUP(0)};

static const struct blocking epoll = {SYS_epoll_wait, {4, 0, 8, 30}, WAIT_MS, 3, 30 * MS, 0, -EINTR,
	2, 9 * MS, 0, 0, false, false};
static const struct blocking epoll_out = {
	SYS_epoll_wait, {4, 0, 8, 12}, WAIT_MS, 3, 12 * MS, 0, -EINTR, 0, 0, 0, 0, false, false};
static const struct blocking epoll_ever = {SYS_epoll_wait, {4, 0, 8, (uint64_t)-1}, WAIT_FOR_EVER,
	3, 0, 0, -EINTR, 2, 15 * MS, 0, 0, false, false};
static const struct blocking epoll_spec = {SYS_epoll_pwait2, {4, 0, 8, KERNEL_DATA}, WAIT_SPEC, 3,
	11 * MS, 0, -EINTR, 0, 0, 0, 0, false, false};
static const struct blocking sig_wait = {SYS_rt_sigtimedwait, {1, 2, KERNEL_DATA}, WAIT_SPEC, 2,
	11 * MS, -EAGAIN, -EINTR, 5, 8 * MS, 0, 0, false, false};
static const struct blocking random_bytes = {SYS_getrandom, {KERNEL_DATA, 4096, 0}, WAIT_FOR_EVER,
	0, 0, 0, -EINTR, 4096, 4 * MS, 1, 700, false, false};
/*
 * This transfer may be cut short, if the supervisor ends just after it has interrupted the call.
 * That is a limit that docs/PTRACE.md describes.
 */
static const struct blocking cut_bytes = {SYS_getrandom, {KERNEL_DATA, 4096, 0}, WAIT_FOR_EVER, 0,
	0, 0, -EINTR, 4096, 4 * MS, 1, 700, true, false};
static const struct blocking write_pipe = {SYS_write, {5, KERNEL_DATA, 4096}, WAIT_FOR_EVER, 0, 0,
	0, -EINTR, 4096, 4 * MS, 2, 1000, false, false};
static const struct blocking write_broken = {SYS_write, {5, KERNEL_DATA, 4096}, WAIT_FOR_EVER, 0, 0,
	0, -EINTR, 4096, 4 * MS, 2, 1000, true, true};
static const struct blocking write_parts = {SYS_writev, {5, KERNEL_DATA, 2}, WAIT_FOR_EVER, 0, 0, 0,
	-EINTR, 2, 4 * MS, 0, 0, true, false};
static const struct blocking receive = {SYS_recvfrom, {6, KERNEL_DATA, 64, 0}, WAIT_SOCKET, 0,
	20 * MS, -EAGAIN, -EINTR, 64, 9 * MS, 0, 0, false, false};
static const struct blocking receive_out = {SYS_recvfrom, {6, KERNEL_DATA, 64, 0}, WAIT_SOCKET, 0,
	20 * MS, -EAGAIN, -EINTR, 64, 0, 0, 0, false, false};
/* The peer of these transfers stalls after 700 bytes. */
static const struct blocking receive_part = {SYS_recvfrom, {6, KERNEL_DATA, 4096, MSG_WAITALL},
	WAIT_SOCKET, 0, 20 * MS, -EAGAIN, -EINTR, 4096, 0, 2, 700, false, false};
static const struct blocking write_part = {SYS_write, {6, KERNEL_DATA, 4096}, WAIT_SOCKET, 0,
	20 * MS, -EAGAIN, -EINTR, 4096, 0, 2, 700, false, false};
/* The peer takes 100 bytes between two signals. */
static const struct blocking write_slow = {SYS_write, {6, KERNEL_DATA, 4096}, WAIT_SOCKET, 0,
	20 * MS, -EAGAIN, -EINTR, 4096, 15 * MS, 2, 100, false, false};
static const struct blocking poll_filtered = {SYS_poll, {KERNEL_DATA, 1, 25}, WAIT_MS, 2, 25 * MS,
	0, -516, 1, 9 * MS, 0, 0, false, false};
static const struct blocking io = {SYS_io_uring_enter, {3, 1, 1}, WAIT_FOR_EVER, 0, 0, 0, -EINTR, 1,
	5 * MS, 0, 0, true, false};

#define CALLS(name, call)                                                                 \
	static const struct step name##_steps[] = {                                       \
		RUN(MS), CALL(call), MARK, RUN(MS / 2), CALL(call), MARK, EXIT_GROUP(3)}; \
	static void name##_build(struct kernel *k)                                        \
	{                                                                                 \
		build(k, name##_steps);                                                   \
	}

static const struct step *disturber = ignored;
static int object = -1;
static bool filtered;

static void build(struct kernel *k, const struct step *steps)
{
	const int64_t spec[2] = {0, 11 * MS};
	struct task *t = kernel_add_process(k, 100, 1, "/bin/calls", steps);

	(void)kernel_add_process(k, 50, 1, "/bin/sends", disturber);
	memcpy(t->space->data, spec, sizeof(spec));
	t->group->handler[SIGUSR1] = DISPOSITION_HANDLER;
	t->group->filtered = filtered;
	k->cpus = 2;
	k->object_fd = object;
}

CALLS(epoll, &epoll)
CALLS(epoll_out, &epoll_out)
CALLS(epoll_ever, &epoll_ever)
CALLS(epoll_spec, &epoll_spec)
CALLS(sig_wait, &sig_wait)
CALLS(random_bytes, &random_bytes)
CALLS(cut_bytes, &cut_bytes)
CALLS(write_pipe, &write_pipe)
CALLS(write_broken, &write_broken)
CALLS(write_parts, &write_parts)
CALLS(receive, &receive)
CALLS(receive_out, &receive_out)
CALLS(receive_part, &receive_part)
CALLS(write_part, &write_part)
CALLS(write_slow, &write_slow)
CALLS(poll_filtered, &poll_filtered)
CALLS(io, &io)

static void play(const char *name, void (*builder)(struct kernel *k), const struct step *who)
{
	struct scene scene = {.build = builder,
		.same = true,
		.same_calls = who == ignored || who == often,
		.options = {.follow = true}};

	disturber = who;
	race(name, &scene);
}

static void blocked_call_sees_no_eintr(void **state)
{
	(void)state;
	play("epoll_wait", epoll_build, ignored);
	play("epoll_wait without a time-out", epoll_ever_build, ignored);
	play("sigtimedwait", sig_wait_build, ignored);
}

/* The first stop of a process is that of a signal: with this plan, none is requested before. */
static void late_build(struct kernel *k)
{
	epoll_spec_build(k);
	k->plan = 1;
}

static void first_stop_restarts(void **state)
{
	(void)state;
	play(__func__, late_build, ignored);
}

static void timeout_is_not_stretched(void **state)
{
	(void)state;
	play("epoll_wait", epoll_out_build, ignored);
	play("epoll_pwait2", epoll_spec_build, ignored);
	play("epoll_wait, often", epoll_out_build, often);
	play("epoll_pwait2, often", epoll_spec_build, often);
}

static void handler_still_interrupts_blocked_call(void **state)
{
	(void)state;
	play("a handler", epoll_build, one_handled);
	play("a handler and a time-out", epoll_out_build, one_handled);
}

static void stop_still_interrupts_blocked_call(void **state)
{
	(void)state;
	play("a group-stop", epoll_build, stop_and_go);
	play("a group-stop and a time-out", epoll_spec_build, stop_and_go);
}

static void transfer_is_not_cut_short(void **state)
{
	int pipe_fds[2];

	(void)state;
	play("getrandom", random_bytes_build, ignored);
	assert_int_equal(pipe(pipe_fds), 0);
	object = pipe_fds[1];
	play("write", write_pipe_build, ignored);
	play("writev", write_parts_build, ignored);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
	object = -1;
}

/* The calls' descriptor is a socket whose reads and writes time out after 20 ms. */
static void open_timed(int fds[2])
{
	const struct timeval wait = {0, 20000};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
	assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)), 0);
	object = fds[0];
}

static void close_object(const int fds[2])
{
	(void)close(fds[0]);
	(void)close(fds[1]);
	object = -1;
}

static void timed_call_is_not_cut_short(void **state)
{
	int fds[2];

	(void)state;
	open_timed(fds);
	play("recv", receive_build, ignored);
	play("recv and its time-out", receive_out_build, ignored);
	play("recv and a handler", receive_out_build, one_handled);
	close_object(fds);
}

/*
 * A transfer whose peer stalls ends at its time-out, however often it is woken. A write to a UNIX
 * socket begins its time-out anew with each part, so it lasts as long as the peer takes something.
 */
static void transfer_keeps_its_deadline(void **state)
{
	int fds[2];

	(void)state;
	open_timed(fds);
	play("recv", receive_part_build, often);
	play("write", write_part_build, often);
	play("recv, ignored signals", receive_part_build, ignored);
	play("a slow peer", write_slow_build, often);
	close_object(fds);
}

static void restart_meets_filter(void **state)
{
	(void)state;
	filtered = true;
	play("poll under a filter", poll_filtered_build, ignored);
	filtered = false;
	play("poll without one", poll_filtered_build, ignored);
}

/*
 * The reader goes away while the supervisor completes a transfer: the rest fails with SIGPIPE, and
 * must not be tried again and again. The program sees a short transfer and one SIGPIPE.
 */
static void broken_build(struct kernel *k)
{
	write_broken_build(k);
	kernel_group(k, 100)->handler[SIGPIPE] = DISPOSITION_HANDLER;
}

/*
 * An ignored SIGPIPE stops a traced thread as any signal does. That stop must not make the
 * supervisor restart the transfer.
 */
static void broken_unheard_build(struct kernel *k)
{
	write_broken_build(k);
	kernel_group(k, 100)->handler[SIGPIPE] = DISPOSITION_IGNORE;
}

static void is_told_once(struct kernel *k, const struct engine_result *result)
{
	const struct group *g = kernel_group(k, 100);

	(void)result;
	if (!g->ended || g->marks != 2 || g->delivered[SIGPIPE] > 2 || k->events > 2000)
		kernel_fail(k, "%u of 2 calls, %u signals, %lu events", g->marks,
			g->delivered[SIGPIPE], k->events);
}

static void reader_goes_away(void **state)
{
	struct scene scene = {
		.build = broken_build, .check = is_told_once, .options = {.follow = true}};
	int pipe_fds[2];

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	object = pipe_fds[1];
	disturber = ignored;
	race(__func__, &scene);
	disturber = often;
	race(__func__, &scene);
	scene.build = broken_unheard_build;
	race(__func__, &scene);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
	object = -1;
}

/*
 * The deadline of a call that a handler has ended must not be used for the next call. Each call is
 * disturbed first, because the supervisor keeps a deadline only for disturbed calls.
 */
static const struct step handler_between[] = {RUN(3 * MS), KILL(100, SIGWINCH), RUN(3 * MS),
	KILL(100, SIGUSR1), RUN(MS), KILL(100, SIGWINCH), EXIT_GROUP(0)};

static void handler_ends_timed_call(void **state)
{
	int fds[2];

	(void)state;
	open_timed(fds);
	play("recv", receive_out_build, handler_between);
	play("epoll_wait", epoll_out_build, handler_between);
	close_object(fds);
}

/*
 * The supervisor closes its copy of a socket with SO_LINGER in a thread of its own, because the
 * close may block.
 */
static void closing_linger_blocks_nobody(void **state)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = 2};
	const struct timeval wait = {0, 20000};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
	object = fd;
	play("recv", receive_build, ignored);
	play("a time-out", receive_out_build, often);
	(void)close(fd);
	object = -1;
}

/* io_uring_enter is not restarted, but counted: its submissions are already taken. */
static void io_uring_is_left_alone(void **state)
{
	struct scene scene = {.build = io_build, .same = true, .options = {.follow = true}};

	(void)state;
	disturber = ignored;
	race("io_uring_enter", &scene);
}

/* The supervisor ends, or is killed, while calls are restarted. */
static void end_meets_restart(void **state)
{
	struct scene scene = {.build = epoll_build, .same = true, .options = {.follow = true}};

	(void)state;
	disturber = ignored;
	for (uint64_t ms = 1; ms < 12; ms++) {
		scene.options.duration_ns = ms * (uint64_t)MS;
		once("the end", &scene);
		scene.build = cut_bytes_build;
		once("the end of a transfer", &scene);
		scene.build = epoll_build;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocked_call_sees_no_eintr),
		cmocka_unit_test(first_stop_restarts),
		cmocka_unit_test(timeout_is_not_stretched),
		cmocka_unit_test(handler_still_interrupts_blocked_call),
		cmocka_unit_test(stop_still_interrupts_blocked_call),
		cmocka_unit_test(transfer_is_not_cut_short),
		cmocka_unit_test(timed_call_is_not_cut_short),
		cmocka_unit_test(transfer_keeps_its_deadline),
		cmocka_unit_test(restart_meets_filter),
		cmocka_unit_test(reader_goes_away),
		cmocka_unit_test(handler_ends_timed_call),
		cmocka_unit_test(closing_linger_blocks_nobody),
		cmocka_unit_test(io_uring_is_left_alone),
		cmocka_unit_test(end_meets_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
