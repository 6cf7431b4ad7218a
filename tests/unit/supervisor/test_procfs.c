/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/proc_file.h"
#include "supervisor/os/cpu_waiter.h"
#include "supervisor/os/pidfd.h"
#include "supervisor/os/proc_maps.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/procfs.h"

static void test_procfs__parses_schedstat(void **state)
{
	struct cpu_time cpu;

	(void)state;
	assert_int_equal(procfs_parse_cpu(CPU_SOURCE_SCHEDSTAT, "123456789 4567 89\n", &cpu), 0);
	assert_int_equal(cpu.run_ns, 123456789);
	assert_int_equal(cpu.wait_ns, 4567);
	assert_int_equal(cpu.slices, 89);
	assert_int_equal(procfs_parse_cpu(CPU_SOURCE_SCHEDSTAT, "", &cpu), -EPROTO);
	assert_int_equal(procfs_parse_cpu(CPU_SOURCE_SCHEDSTAT, "1 2", &cpu), -EPROTO);
	assert_int_equal(procfs_parse_cpu(CPU_SOURCE_SCHEDSTAT, "1 x 3", &cpu), -EPROTO);
}

static void test_procfs__parses_stat_with_any_name(void **state)
{
	struct cpu_time cpu;
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	assert_int_equal(
		procfs_parse_cpu(CPU_SOURCE_STAT,
			"7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 12 3 0 0 20 0 1 0 5\n", &cpu),
		0);
	assert_int_equal(cpu.run_ns, 15 * tick_ns);
	assert_int_equal(procfs_parse_cpu(CPU_SOURCE_STAT, "7 (sh) S 1 7", &cpu), -EPROTO);
	assert_int_equal(procfs_parse_cpu(CPU_SOURCE_STAT, "garbage", &cpu), -EPROTO);
}

static void test_procfs__counts_the_runnable_threads_of_the_machine(void **state)
{
	int fd = procfs_open_load();

	(void)state;
	assert_int_equal(procfs_parse_runnable("0.20 0.18 0.12 3/80 11206\n"), 3);
	assert_int_equal(procfs_parse_runnable("120.20 0.18 0.12 0/80 11206\n"), 0);
	assert_int_equal(procfs_parse_runnable("0.20 0.18 0.12 3\n"), -EPROTO);
	assert_int_equal(procfs_parse_runnable("0.20 0.18 0.12 x/80\n"), -EPROTO);
	assert_int_equal(procfs_parse_runnable("0.20 0.18\n"), -EPROTO);
	assert_int_equal(procfs_parse_runnable("0.20 0.18 0.12 99999999999/80\n"), -EPROTO);
	assert_int_equal(procfs_parse_runnable(""), -EPROTO);
	/* At least this thread is runnable. */
	assert_in_range(procfs_read_runnable(fd), 1, 100000);
	(void)close(fd);
}

static void test_procfs__parses_the_turn_of_a_thread(void **state)
{
	static const char text[] = "redis nr_switches (7, #threads: 5)\n-----\n"
				   "se.exec_start                    :      23722024.318874\n"
				   "se.vruntime                      :          1021.000001\n"
				   "se.sum_exec_runtime              :            12.000345\n"
				   "se.nr_migrations                 :                    2\n"
				   "nr_switches                      :                   77\n";
	struct turn turn;

	(void)state;
	assert_int_equal(procfs_parse_turn(text, &turn), 0);
	assert_int_equal(turn.switched_ns, UINT64_C(23722024318874));
	assert_int_equal(turn.run_ns, 12000345);
	/* Fields missing at the text's end are unknown. */
	assert_int_equal(procfs_parse_turn("a (7)\n-\nse.exec_start : 1.000002\n", &turn), 0);
	assert_int_equal(turn.switched_ns, 1000002);
	assert_int_equal(turn.run_ns, 0);
	assert_int_equal(procfs_parse_turn("a (7)\n-\nse.exec_start : 1.02\n", &turn), -EPROTO);
	assert_int_equal(procfs_parse_turn("a (7)\n-\nse.exec_start : x\n", &turn), -EPROTO);
	assert_int_equal(procfs_parse_turn("a (7)\n-\nse.exec_start\n", &turn), -EPROTO);
	assert_int_equal(procfs_parse_turn("", &turn), -EPROTO);
}

static void test_procfs__parses_since_when_a_thread_waits(void **state)
{
	uint64_t ns = 0;

	(void)state;
	assert_int_equal(procfs_parse_queued("a (7)\nse.avg.util_avg     :      31\n"
					     "se.avg.last_update_time    :  56887693467648\n"
					     "se.avg.util_est            :      25\n",
				 &ns),
		0);
	assert_int_equal(ns, UINT64_C(56887693467648));
	assert_int_equal(procfs_parse_queued("a (7)\nse.avg.util_avg : 31\n", &ns), -EPROTO);
	assert_int_equal(procfs_parse_queued("a (7)\nse.avg.last_update_time : x\n", &ns), -EPROTO);
	assert_int_equal(procfs_parse_queued("", &ns), -EPROTO);
}

/* When this thread got a CPU after a sleep, by the scheduler's clock and CLOCK_MONOTONIC. */
static void test_procfs__arrivals_are_told_by_both_clocks(void **state)
{
	const struct timespec nap = {.tv_nsec = 2000000};
	int fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	struct arrival arrival;
	uint64_t before, woke;

	(void)state;
	if (fd < 0)
		skip(); /* CONFIG_SCHED_DEBUG is off */
	before = clock_now();
	(void)nanosleep(&nap, NULL);
	woke = clock_now();
	assert_int_equal(arrival_read(fd, woke, &arrival), 0);
	assert_true(arrival.first_ns <= arrival.last_ns);
	/* A scheduler tick may have renewed the stamp since. */
	assert_true(arrival.monotonic_ns >= before + (uint64_t)nap.tv_nsec);
	assert_true(arrival.monotonic_ns <= clock_now());
	(void)close(fd);
}

static void test_procfs__parses_the_last_cpu(void **state)
{
	(void)state;
	assert_int_equal(
		procfs_parse_last_cpu("7 (a) 3) R 1 7 7 0 -1 4194560 1 0 0 0 12 3 0 0 20 0 1 0 "
				      "5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 17 3 0 0\n"),
		3);
	assert_int_equal(procfs_parse_last_cpu("7 (sh) R 1 2 3\n"), -EPROTO);
	assert_int_equal(procfs_parse_last_cpu(""), -EPROTO);
	int fd = procfs_open("/proc/%d/task/%d/stat", getpid(), getpid());
	char text[PROCFS_STAT_BYTES];

	assert_true(procfs_read(fd, text, sizeof(text)) > 0);
	assert_in_range(procfs_parse_last_cpu(text), 0, 8191);
	assert_int_equal(close(fd), 0);
}

static void test_procfs__knows_where_the_stack_begins(void **state)
{
	uint64_t bottom = procfs_read_stack_bottom(getpid());

	(void)state;
	assert_int_equal(
		procfs_parse_stack_bottom("7 (a) 3) R 1 7 7 0 -1 4194560 1 0 0 0 12 3 0 0 20 0 1 0 "
					  "22 23 24 25 26 27 28 29 30\n"),
		28);
	assert_int_equal(procfs_parse_stack_bottom("7 (sh) R 1 2 3\n"), 0);
	/* Frames are below this address; the program's name, put there by the kernel, is above. */
	assert_true(bottom > (uintptr_t)&bottom && bottom < getauxval(AT_EXECFN));
}

static void test_procfs__parses_activity(void **state)
{
	struct activity a;

	(void)state;
	assert_int_equal(procfs_parse_activity("running\n", &a), 0);
	assert_true(a.running);
	assert_int_equal(procfs_parse_activity("232 0x4 0x7ffd2b10 0x400 0xffffffff 0x0 0x0 "
					       "0x7ffe0010 0x7f1c0020\n",
				 &a),
		0);
	assert_false(a.running);
	assert_int_equal(a.syscall, 232);
	assert_int_equal(a.sp, 0x7ffe0010);
	assert_int_equal(a.pc, 0x7f1c0020);
	assert_int_equal(procfs_parse_activity("-1 0x7ffe0010 0x7f1c0020\n", &a), 0);
	assert_int_equal(a.syscall, -1);
	assert_int_equal(a.sp, 0x7ffe0010);
	assert_int_equal(procfs_parse_activity("", &a), -EPROTO);
	assert_int_equal(procfs_parse_activity("232\n", &a), -EPROTO);
	assert_int_equal(procfs_parse_activity("232 0x1\n", &a), -EPROTO);
}

static void test_procfs__finds_executable_mappings(void **state)
{
	const char *at = "55d0a000-55d0b000 r--p 00000000 08:01 1234    /usr/bin/xz\n"
			 "55d0b000-55d0c000 r-xp 00002000 08:01 1234    /usr/bin/a b\n"
			 "nonsense\n"
			 "9000-8000 r-xp 0 0:0 0\n"
			 "7fff0000-7fff1000 --xp 00000000 00:00 0 [vdso]";
	struct mapped_range range;

	(void)state;
	assert_true(proc_maps_next_executable(&at, &range));
	assert_int_equal(range.start, 0x55d0b000);
	assert_int_equal(range.end, 0x55d0c000);
	assert_int_equal(range.offset, 0x2000);
	assert_int_equal(range.inode, 1234);
	assert_true(proc_maps_next_executable(&at, &range));
	assert_int_equal(range.start, 0x7fff0000);
	assert_false(proc_maps_next_executable(&at, &range));
	assert_false(proc_maps_next_executable(&at, &range));
}

static void test_procfs__reads_this_process(void **state)
{
	int pid = getpid(), fd, group, parent, *tids = NULL;
	char path[4096], name[PROCFS_NAME_BYTES], call[PROCFS_CALL_BYTES], *text = NULL;
	size_t n = 0, room = 0, text_room = 0;
	struct mapped_range range, present;
	struct cpu_time cpu, later;
	struct activity a;
	const char *at;
	bool found = false;

	(void)state;
	fd = procfs_open("/proc/%d/task/%d/%s", pid, pid,
		procfs_cpu_source() == CPU_SOURCE_STAT ? "stat" : "schedstat");
	assert_true(fd >= 0);
	assert_int_equal(procfs_read_cpu(procfs_cpu_source(), fd, &cpu), 0);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(procfs_read_cpu(procfs_cpu_source(), fd, &later), 0);
	assert_true(later.run_ns >= cpu.run_ns);
	assert_int_equal(close(fd), 0);
	fd = procfs_open("/proc/%d/task/%d/syscall", pid, pid);
	assert_true(procfs_read(fd, call, sizeof(call)) > 0);
	assert_int_equal(procfs_parse_activity(call, &a), 0);
	assert_int_equal(a.syscall, SYS_pread64); /* the call by which this thread reads the file */
	assert_int_equal(close(fd), 0);
	assert_int_equal(proc_status_read_ids(pid, &group, &parent), 0);
	assert_int_equal(group, pid);
	assert_int_equal(parent, getppid());
	procfs_read_name(pid, pid, name);
	assert_string_equal(name, "test_procfs");
	procfs_read_exe(pid, path, sizeof(path));
	assert_non_null(strstr(path, "test_procfs"));
	assert_int_equal(procfs_read_threads(pid, &tids, &n, &room), 0);
	assert_int_equal(n, 1);
	assert_int_equal(tids[0], pid);
	assert_true(proc_maps_read(pid, &text, &text_room) > 0);
	fd = procfs_open("/proc/%d/maps", pid);
	for (at = text; proc_maps_next_executable(&at, &range);) {
		uintptr_t pc = (uintptr_t)&test_procfs__reads_this_process;
		int r;

		if (pc < range.start || pc >= range.end)
			continue;
		found = true;
		r = proc_maps_query(fd, pc, &present);
		if (r != -ENOTTY) {
			assert_int_equal(r, 0);
			assert_memory_equal(&range, &present, sizeof(range));
			assert_int_equal(proc_maps_query(fd, 1, &present), -ENOENT);
		}
	}
	assert_true(found);
	assert_int_equal(close(fd), 0);
	free(tids);
	free(text);
}

static void test_procfs__the_dead_give_errors(void **state)
{
	int gone = 0x3fffffff, group, parent;
	char path[64], name[PROCFS_NAME_BYTES];

	(void)state;
	assert_int_equal(procfs_open("/proc/%d/task/%d/schedstat", gone, gone), -ENOENT);
	assert_true(proc_status_read_ids(gone, &group, &parent) < 0);
	procfs_read_exe(gone, path, sizeof(path));
	assert_string_equal(path, "");
	procfs_read_name(gone, gone, name);
	assert_string_equal(name, "");
}

/* The amount of executable mappings follows one more of them, and not the heap. */
static void test_procfs__executable_mappings_are_told_from_others(void **state)
{
	uint64_t before = 0, heap = 0, code = 0;
	void *page;

	(void)state;
	assert_int_equal(proc_status_parse_executable(
				 "Name:\ta\nVmExe:\t     104 kB\nVmLib:\t    1876 kB\n", &before),
		0);
	assert_int_equal(before, 1980);
	assert_int_equal(
		proc_status_parse_executable("Name:\tVmExe:\nVmLib:\t 3 kB\n", &before), -EPROTO);
	assert_int_equal(
		proc_status_parse_executable("\nVmExe:\t kB\nVmLib:\t 3 kB\n", &before), -EPROTO);
	assert_int_equal(proc_status_read_executable(getpid(), &before), 0);
	page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(proc_status_read_executable(getpid(), &heap), 0);
	assert_int_equal(heap, before);
	assert_int_equal(mprotect(page, 1 << 20, PROT_READ | PROT_EXEC), 0);
	assert_int_equal(proc_status_read_executable(getpid(), &code), 0);
	assert_int_equal(code, before + 1024);
	assert_int_equal(munmap(page, 1 << 20), 0);
}

static void test_procfs__parses_state_and_switches(void **state)
{
	uint64_t switches = 0, again = 0;
	struct kernel_time time;
	char letter = 0;

	(void)state;
	assert_int_equal(procfs_parse_state("7 (a) b) D 1 7 7 0\n", &letter), 0);
	assert_int_equal(letter, 'D');
	assert_int_equal(procfs_parse_kernel_time(
				 "7 (a) b) D 1 7 7 0 -1 64 123 4 5 6 77 88 9 9 20 0\n", &time),
		0);
	assert_int_equal(time.minor_faults, 123);
	assert_int_equal(time.major_faults, 5);
	assert_int_equal(time.system_ns, 88 * (1000000000 / sysconf(_SC_CLK_TCK)));
	assert_int_equal(procfs_parse_kernel_time("7 (a) D 1 7 7 0 -1 64 123 4 5", &time), -EPROTO);
	assert_int_equal(procfs_parse_state("7 (a", &letter), -EPROTO);
	assert_int_equal(procfs_parse_state("7 (a)", &letter), -EPROTO);
	assert_int_equal(proc_status_parse_switches("Name:\ta\nvoluntary_ctxt_switches:\t12\n"
						    "nonvoluntary_ctxt_switches:\t3\n",
				 &switches),
		0);
	assert_int_equal(switches, 15);
	assert_int_equal(
		proc_status_parse_switches("Name:\ta\nvoluntary_ctxt_switches:\t12\n", &switches),
		-EPROTO);
	/* A timed sleep of this thread is at least one switch. */
	assert_int_equal(proc_status_read_switches(getpid(), &switches), 0);
	assert_int_equal(usleep(1000), 0);
	assert_int_equal(proc_status_read_switches(getpid(), &again), 0);
	assert_true(again > switches);
}

static void *live_on(void *context)
{
	char byte;

	(void)!read(*(int *)context, &byte, 1);
	_exit(0);
}

/* The first thread has ended; another one shows the maps. */
static void test_procfs__finds_a_thread_that_lives(void **state)
{
	int hold[2], tid;
	siginfo_t info;
	pthread_t thread;
	char *text = NULL;
	size_t room = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(proc_file_living_thread(getpid()), getpid());
	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(hold[1]);
		if (pthread_create(&thread, NULL, live_on, &hold[0]) != 0)
			_exit(1);
		syscall(SYS_exit, 0);
	}
	(void)close(hold[0]);
	for (tid = pid; tid == pid; tid = proc_file_living_thread(pid))
		(void)sched_yield();
	assert_int_equal(proc_maps_read(pid, &text, &room), 0);
	assert_true(proc_maps_read(tid, &text, &room) > 0);
	free(text);
	(void)close(hold[1]);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED), 0);
	assert_int_equal(info.si_status, 0);
}

static void test_pidfd__parses_the_pid(void **state)
{
	(void)state;
	assert_int_equal(pidfd_parse("pos:\t0\nflags:\t02000002\nmnt_id:\t15\nino:\t70\n"
				     "Pid:\t4711\nNSpid:\t4711\n"),
		4711);
	/* The process has been reaped. */
	assert_int_equal(pidfd_parse("pos:\t0\nPid:\t-1\nNSpid:\t-1\n"), -1);
	assert_int_equal(pidfd_parse("pos:\t0\nflags:\t02\n"), -EPROTO);
	assert_int_equal(pidfd_parse("pos:\t0\nPid:\tx\n"), -EPROTO);
	assert_int_equal(pidfd_parse(""), -EPROTO);
}

static void test_pidfd__finds_that_of_a_child(void **state)
{
	pid_t child = fork(), other;
	int fd;

	(void)state;
	if (child == 0)
		for (;;)
			(void)pause();
	other = fork();
	if (other == 0)
		for (;;)
			(void)pause();
	fd = (int)syscall(SYS_pidfd_open, child, 0);
	assert_true(fd >= 0);
	assert_int_equal(pidfd_find(getpid(), child), fd);
	assert_int_equal(pidfd_find(getpid(), other), -ENXIO);
	assert_true(pidfd_is_of(getpid(), fd, child));
	assert_false(pidfd_is_of(getpid(), fd, other));
	assert_false(pidfd_is_of(getpid(), 0, child));
	assert_int_equal(pidfd_find(child, child), -ENOENT);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(pidfd_find(getpid(), child), -ENXIO);
	assert_int_equal(pidfd_find(child, child), -ESRCH);
	assert_int_equal(close(fd), 0);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_procfs__parses_schedstat),
		cmocka_unit_test(test_procfs__parses_stat_with_any_name),
		cmocka_unit_test(test_procfs__counts_the_runnable_threads_of_the_machine),
		cmocka_unit_test(test_procfs__parses_since_when_a_thread_waits),
		cmocka_unit_test(test_procfs__arrivals_are_told_by_both_clocks),
		cmocka_unit_test(test_procfs__parses_the_last_cpu),
		cmocka_unit_test(test_procfs__parses_the_turn_of_a_thread),
		cmocka_unit_test(test_procfs__knows_where_the_stack_begins),
		cmocka_unit_test(test_procfs__parses_activity),
		cmocka_unit_test(test_procfs__executable_mappings_are_told_from_others),
		cmocka_unit_test(test_procfs__parses_state_and_switches),
		cmocka_unit_test(test_procfs__finds_executable_mappings),
		cmocka_unit_test(test_procfs__reads_this_process),
		cmocka_unit_test(test_procfs__the_dead_give_errors),
		cmocka_unit_test(test_procfs__finds_a_thread_that_lives),
		cmocka_unit_test(test_pidfd__parses_the_pid),
		cmocka_unit_test(test_pidfd__finds_that_of_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
