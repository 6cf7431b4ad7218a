/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/calls/counter.h"
#include "supervisor/os/remote.h"

#define BASE UINT64_C(0x10000)
#define PAGE 4096u

/* A target of four pages, each of which can be made unreadable or unwritable. */
struct fake {
	uint8_t memory[4 * PAGE];
	bool no_read[4], no_write[4];
	int error;              /* of every transfer */
	unsigned reads, writes; /* number of calls */
	unsigned vectors;       /* of all calls */
};

/* Transfers page by page, as the kernel does: a vector may be cut at a page's end. */
static ssize_t move(struct fake *f, const struct iovec *local, const struct iovec *remote,
	unsigned count, bool store)
{
	size_t done = 0;

	f->vectors += count;
	if (f->error)
		return -f->error;
	for (unsigned i = 0; i < count; i++) {
		for (size_t k = 0; k < remote[i].iov_len; k++) {
			uint64_t at = (uint64_t)(uintptr_t)remote[i].iov_base + k - BASE;
			uint8_t *byte = (uint8_t *)local[i].iov_base + k;

			if (at >= sizeof(f->memory) ||
				(store ? f->no_write[at / PAGE] : f->no_read[at / PAGE]))
				return done ? (ssize_t)done : -EFAULT;
			if (store)
				f->memory[at] = *byte;
			else
				*byte = f->memory[at];
			done++;
		}
	}
	return (ssize_t)done;
}

static ssize_t fake_read(
	void *context, const struct iovec *local, const struct iovec *remote, unsigned count)
{
	struct fake *f = context;

	f->reads++;
	return move(f, local, remote, count, false);
}

static ssize_t fake_write(
	void *context, const struct iovec *local, const struct iovec *remote, unsigned count)
{
	struct fake *f = context;

	f->writes++;
	return move(f, local, remote, count, true);
}

static int apply(struct fake *f, unsigned e, enum region_overflow overflow,
	struct counter_add *adds, unsigned count, bool *ret_stop)
{
	struct counter_memory m = {fake_read, fake_write, f};
	bool stop = false;
	int err = counter_apply(&m, e, overflow, adds, count, ret_stop ? ret_stop : &stop);

	return err;
}

static uint64_t value(const struct fake *f, uint64_t address, unsigned e)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < e; i++)
		v |= (uint64_t)f->memory[address - BASE + i] << 8 * i;
	return v;
}

static void preset(struct fake *f, uint64_t address, unsigned e, uint64_t v)
{
	for (unsigned i = 0; i < e; i++)
		f->memory[address - BASE + i] = (uint8_t)(v >> 8 * i);
}

/* Clauses HPUX-1, 1b, 7, 8, IRIX-14, SYSV-5. */
static void test_counter__sum(void **state)
{
	bool stop = false;

	(void)state;
	assert_int_equal(counter_sum(0xfffe, 1, 2, REGION_SATURATE, &stop), 0xffff);
	assert_int_equal(counter_sum(0xffff, 1, 2, REGION_SATURATE, &stop), 0xffff);
	assert_int_equal(counter_sum(0xfffe, 7, 2, REGION_SATURATE, &stop), 0xffff);
	assert_int_equal(counter_sum(0xfffffffe, 5, 4, REGION_SATURATE, &stop), 0xffffffff);
	assert_int_equal(counter_sum(65535, 3, 4, REGION_SATURATE, &stop), 65538);
	assert_int_equal(counter_sum(UINT64_MAX - 1, 5, 8, REGION_SATURATE, &stop), UINT64_MAX);
	assert_int_equal(
		counter_sum(UINT64_MAX, UINT64_MAX, 8, REGION_SATURATE, &stop), UINT64_MAX);
	assert_int_equal(counter_sum(0xffffffff, 3, 8, REGION_SATURATE, &stop), 0x100000002);
	assert_int_equal(counter_sum(40000, 1, 2, REGION_SATURATE, &stop), 40001);
	assert_false(stop);
	assert_int_equal(counter_sum(32765, 1, 2, REGION_STOP_AT_32767, &stop), 32766);
	assert_false(stop);
	assert_int_equal(counter_sum(32766, 1, 2, REGION_STOP_AT_32767, &stop), 32767);
	assert_true(stop);
	stop = false;
	assert_int_equal(counter_sum(32765, 100, 2, REGION_STOP_AT_32767, &stop), 32767);
	assert_true(stop);
	stop = false;
	assert_int_equal(counter_sum(40000, 1, 2, REGION_STOP_AT_32767, &stop), 40000);
	assert_true(stop);
}

/* HPUX-14, IRIX-12: only the bytes of one counter change. */
static void test_counter__width(void **state)
{
	(void)state;
	for (unsigned e = 2; e <= 8; e *= 2) {
		struct fake f = {.memory = {0}};
		struct counter_add add = {.address = BASE + e, .ticks = 0x0102};

		memset(f.memory, 0xaa, sizeof(f.memory));
		preset(&f, BASE + e, e, 0);
		assert_int_equal(apply(&f, e, REGION_SATURATE, &add, 1, NULL), 0);
		assert_false(add.faulted);
		assert_int_equal(value(&f, BASE + e, e), 0x0102);
		for (unsigned i = 0; i < sizeof(f.memory); i++)
			if (i < e || i >= 2 * e)
				assert_int_equal(f.memory[i], 0xaa);
	}
}

/* Two additions to a counter are one update: the second of two updates would undo the first. */
static void test_counter__two_threads_in_one_bin(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add adds[] = {
		{.address = BASE + 64, .ticks = 1},
		{.address = BASE + 8, .ticks = 2},
		{.address = BASE + 64, .ticks = 3},
		{.address = BASE, .ticks = 4},
		{.address = BASE + 64, .ticks = 5},
	};

	(void)state;
	assert_int_equal(apply(&f, 4, REGION_SATURATE, adds, 5, NULL), 0);
	assert_int_equal(value(&f, BASE + 64, 4), 9);
	assert_int_equal(value(&f, BASE + 8, 4), 2);
	assert_int_equal(value(&f, BASE, 4), 4);
	assert_int_equal(f.reads, 1);
	assert_int_equal(f.writes, 1);
}

/* Two buffers overlap by half a counter: each update adds to what the last one wrote. */
static void test_counter__overlapping_buffers(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add adds[] = {
		{.address = BASE + 2, .ticks = 1},
		{.address = BASE, .ticks = 0x10005},
	};

	(void)state;
	assert_int_equal(apply(&f, 4, REGION_SATURATE, adds, 2, NULL), 0);
	assert_int_equal(value(&f, BASE, 2), 5);
	assert_int_equal(
		value(&f, BASE + 2, 4), 2); /* 1 from the lower counter's upper half, plus 1 */
}

/* Each counter of a chain of overlaps is updated once, and keeps its upper half. */
static void test_counter__chain_of_overlaps(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add adds[] = {
		{.address = BASE + 4, .ticks = 3},
		{.address = BASE + 2, .ticks = 0x20002},
		{.address = BASE, .ticks = 0x10005},
	};

	(void)state;
	preset(&f, BASE + 4, 2, 40);
	preset(&f, BASE + 6, 2, 7);
	assert_int_equal(apply(&f, 4, REGION_SATURATE, adds, 3, NULL), 0);
	assert_int_equal(value(&f, BASE, 2), 5);
	assert_int_equal(value(&f, BASE + 2, 2), 1 + 2);
	assert_int_equal(value(&f, BASE + 4, 2), 40 + 2 + 3);
	assert_int_equal(value(&f, BASE + 6, 2), 7);
	assert_int_equal(f.reads, 3);
}

static void test_counter__fault_leaves_the_others(void **state)
{
	struct counter_add adds[] = {
		{.address = BASE + 8, .ticks = 1},
		{.address = BASE + PAGE, .ticks = 1},
		{.address = BASE + PAGE + 4, .ticks = 1},
		{.address = BASE + 2 * PAGE, .ticks = 1},
		{.address = BASE + 4 * PAGE, .ticks = 1},
		{.address = 0, .ticks = 1},
	};

	(void)state;
	for (unsigned how = 0; how < 2; how++) {
		struct fake f = {.memory = {0}};

		f.no_read[1] = how == 0; /* the fault occurs while reading, or while writing */
		f.no_write[1] = true;
		assert_int_equal(apply(&f, 4, REGION_SATURATE, adds, 6, NULL), 0);
		assert_false(adds[0].faulted);
		assert_true(adds[1].faulted);
		assert_true(adds[2].faulted);
		assert_false(adds[3].faulted);
		assert_true(adds[4].faulted);
		assert_true(adds[5].faulted);
		assert_int_equal(value(&f, BASE + 8, 4), 1);
		assert_int_equal(value(&f, BASE + PAGE, 8), 0);
		assert_int_equal(value(&f, BASE + 2 * PAGE, 4), 1);
	}
}

/* A counter lies on a writable page and on one that is not. */
static void test_counter__fault_in_half_a_counter_changes_nothing(void **state)
{
	uint64_t across = BASE + PAGE - 2;

	(void)state;
	for (unsigned bad = 0; bad < 2; bad++) {
		struct fake f = {.memory = {0}}, before;
		struct counter_add add = {.address = across, .ticks = 1};

		memset(f.memory, 0xaa, sizeof(f.memory)); /* the counter's neighbours */
		preset(&f, across, 4, 0x5ffff);           /* both halves change */
		before = f;
		f.no_write[bad] = true;
		assert_int_equal(apply(&f, 4, REGION_SATURATE, &add, 1, NULL), 0);
		assert_true(add.faulted);
		assert_memory_equal(f.memory, before.memory, sizeof(f.memory));
		assert_int_equal(f.vectors, f.reads + f.writes);
		f.no_write[bad] = false;
		assert_int_equal(apply(&f, 4, REGION_SATURATE, &add, 1, NULL), 0);
		assert_false(add.faulted);
		assert_int_equal(value(&f, across, 4), 0x60000);
		preset(&f, across, 4, 0x5ffff);
		assert_memory_equal(f.memory, before.memory, sizeof(f.memory));
	}
}

static void test_counter__not_readable_is_not_written(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add adds[2] = {
		{.address = BASE, .ticks = 3}, {.address = BASE + PAGE, .ticks = 4}};

	(void)state;
	preset(&f, BASE, 4, 70000);
	f.no_read[0] = true;
	assert_int_equal(apply(&f, 4, REGION_SATURATE, adds, 2, NULL), 0);
	assert_true(adds[0].faulted);
	assert_false(adds[1].faulted);
	assert_int_equal(value(&f, BASE, 4), 70000);
	assert_int_equal(value(&f, BASE + PAGE, 4), 4);
}

/* Ticks that do not fit into a counter are reported once, even for several additions. */
static void test_counter__full_ticks_are_told(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add adds[3] = {{.address = BASE, .ticks = 5},
		{.address = BASE + 2, .ticks = 6}, {.address = BASE, .ticks = 7}};
	bool stop;

	(void)state;
	preset(&f, BASE, 2, 65535 - 4);
	assert_int_equal(apply(&f, 2, REGION_SATURATE, adds, 3, NULL), 0);
	assert_int_equal(adds[0].full, 8);
	assert_int_equal(adds[1].full, 0);
	assert_int_equal(adds[2].full, 0);
	assert_int_equal(apply(&f, 2, REGION_SATURATE, adds, 1, NULL), 0);
	assert_int_equal(adds[0].full, 5);
	preset(&f, BASE, 2, 32765);
	assert_int_equal(apply(&f, 2, REGION_STOP_AT_32767, adds, 1, &stop), 0);
	assert_true(stop);
	assert_int_equal(adds[0].full, 3);
	/* An inaccessible counter is no full one. */
	f.no_write[0] = true;
	preset(&f, BASE, 2, 65534);
	assert_int_equal(apply(&f, 2, REGION_SATURATE, adds, 1, NULL), 0);
	assert_true(adds[0].faulted);
	assert_int_equal(adds[0].full, 0);
}

static void test_counter__as_many_as_a_batch(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add adds[COUNTER_BATCH + 1] = {
		{.address = BASE, .ticks = 1}, {.address = BASE, .ticks = 1, .full = 7}};

	(void)state;
	assert_int_equal(apply(&f, 8, REGION_SATURATE, adds, 1, NULL), 0);
	assert_int_equal(adds[1].full, 7);
	assert_int_equal(value(&f, BASE, 8), 1);
	f.reads = f.writes = 0;
	for (unsigned i = 0; i <= COUNTER_BATCH; i++)
		adds[i] =
			(struct counter_add){.address = BASE + 8 * (COUNTER_BATCH - i), .ticks = 1};
	assert_int_equal(apply(&f, 8, REGION_SATURATE, adds, COUNTER_BATCH + 1, NULL), -EINVAL);
	assert_int_equal(f.reads + f.writes, 0);
	assert_int_equal(apply(&f, 8, REGION_SATURATE, adds, COUNTER_BATCH, NULL), 0);
	assert_int_equal(f.reads, 1); /* adjacent counters do not overlap */
	assert_int_equal(f.writes, 1);
	for (unsigned i = 1; i <= COUNTER_BATCH; i++)
		assert_int_equal(value(&f, BASE + 8 * i, 8), 1);
}

static void test_counter__process_is_gone(void **state)
{
	struct fake f = {.memory = {0}, .error = ESRCH};
	struct counter_add add = {.address = BASE, .ticks = 1};

	(void)state;
	assert_int_equal(apply(&f, 2, REGION_SATURATE, &add, 1, NULL), -ESRCH);
	f.error = EPERM;
	assert_int_equal(apply(&f, 2, REGION_SATURATE, &add, 1, NULL), -EPERM);
	f.error = 0;
	assert_int_equal(value(&f, BASE, 2), 0);
}

static void test_counter__stop_leaves_the_counter_at_32767(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add add = {.address = BASE + 2, .ticks = 9};
	bool stop = false;

	(void)state;
	preset(&f, BASE + 2, 2, 32765);
	assert_int_equal(apply(&f, 2, REGION_STOP_AT_32767, &add, 1, &stop), 0);
	assert_true(stop);
	assert_int_equal(value(&f, BASE, 4), 32767u << 16);
}

/* A full counter is not written, so nothing can fault. */
static void test_counter__full_counter_is_left_alone(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_add add = {.address = BASE, .ticks = 9};

	(void)state;
	preset(&f, BASE, 2, 0xffff);
	assert_int_equal(apply(&f, 2, REGION_SATURATE, &add, 1, NULL), 0);
	assert_int_equal(f.writes, 0);
	assert_int_equal(value(&f, BASE, 4), 0xffff);
}

/* Real calls on a real child: a read-only page faults and is unchanged (CONFORMANCE 2.6). */
static void test_counter__real_memory(void **state)
{
	uint8_t *page =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)page;
	struct counter_add adds[] = {
		{.address = at, .ticks = 3},
		{.address = at + PAGE, .ticks = 3},
		{.address = at + PAGE - 1, .ticks = 3},
		{.address = at + 2 * PAGE, .ticks = 3},
	};
	struct remote remote = {0};
	struct counter_memory m;
	bool stop = false;
	int status;
	pid_t pid;

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	memset(page, 1, 3 * PAGE);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)mprotect(page + PAGE, PAGE, PROT_READ);
		(void)munmap(page + 2 * PAGE, PAGE);
		(void)raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	remote.tid = pid;
	m = counter_memory_of(&remote);
	assert_int_equal(counter_apply(&m, 2, REGION_SATURATE, adds, 4, &stop), 0);
	assert_false(adds[0].faulted);
	assert_true(adds[1].faulted);
	assert_true(adds[2].faulted);
	assert_true(adds[3].faulted);
	assert_int_equal(page[0], 4);
	for (unsigned i = 1; i < 3 * PAGE; i++)
		assert_int_equal(page[i], 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(counter_apply(&m, 2, REGION_SATURATE, adds, 4, &stop), -ESRCH);
	assert_int_equal(munmap(page, 3 * PAGE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter__sum),
		cmocka_unit_test(test_counter__width),
		cmocka_unit_test(test_counter__two_threads_in_one_bin),
		cmocka_unit_test(test_counter__overlapping_buffers),
		cmocka_unit_test(test_counter__chain_of_overlaps),
		cmocka_unit_test(test_counter__fault_leaves_the_others),
		cmocka_unit_test(test_counter__fault_in_half_a_counter_changes_nothing),
		cmocka_unit_test(test_counter__not_readable_is_not_written),
		cmocka_unit_test(test_counter__full_ticks_are_told),
		cmocka_unit_test(test_counter__as_many_as_a_batch),
		cmocka_unit_test(test_counter__process_is_gone),
		cmocka_unit_test(test_counter__stop_leaves_the_counter_at_32767),
		cmocka_unit_test(test_counter__full_counter_is_left_alone),
		cmocka_unit_test(test_counter__real_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
