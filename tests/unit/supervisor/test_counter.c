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
	struct remote remote; /* tid 0 */
	uint8_t memory[4 * PAGE];
	bool no_read[4], no_write[4];
	int error;              /* of every transfer */
	unsigned reads, writes; /* number of calls */
};

/* Transfers page by page, as the kernel does: a piece may be cut at a page's end. */
static ssize_t move(struct fake *f, uint8_t *local, uint64_t there, size_t n, bool store)
{
	if (f->error)
		return -f->error;
	for (size_t k = 0; k < n; k++) {
		uint64_t at = there + k - BASE;

		if (at >= sizeof(f->memory) ||
			(store ? f->no_write[at / PAGE] : f->no_read[at / PAGE]))
			return k ? (ssize_t)k : -EFAULT;
		if (store)
			f->memory[at] = local[k];
		else
			local[k] = f->memory[at];
	}
	return (ssize_t)n;
}

ssize_t __real_remote_read_vector(
	const struct remote *remote, const struct iovec *to, const struct iovec *from, size_t n);
ssize_t __wrap_remote_read_vector(
	const struct remote *remote, const struct iovec *to, const struct iovec *from, size_t n);
ssize_t __real_remote_write(const struct remote *remote, uint64_t at, const void *from, size_t n);
ssize_t __wrap_remote_write(const struct remote *remote, uint64_t at, const void *from, size_t n);

ssize_t __wrap_remote_read_vector(
	const struct remote *remote, const struct iovec *to, const struct iovec *from, size_t n)
{
	struct fake *f = (struct fake *)(uintptr_t)remote;

	if (remote->tid)
		return __real_remote_read_vector(remote, to, from, n);
	assert_int_equal(n, 1);
	assert_int_equal(to->iov_len, from->iov_len);
	f->reads++;
	return move(f, to->iov_base, (uintptr_t)from->iov_base, from->iov_len, false);
}

ssize_t __wrap_remote_write(const struct remote *remote, uint64_t at, const void *from, size_t n)
{
	struct fake *f = (struct fake *)(uintptr_t)remote;

	if (remote->tid)
		return __real_remote_write(remote, at, from, n);
	f->writes++;
	return move(f, (uint8_t *)(uintptr_t)from, at, n, true);
}

/* Adds to a counter of @e bytes; the process must be accessible. */
static struct counter_result add_to(
	struct fake *f, unsigned e, enum region_overflow overflow, uint64_t address, uint64_t ticks)
{
	struct counter_result result = {.full = 4711};

	assert_int_equal(counter_add(&f->remote, address, e, ticks, overflow, &result), 0);
	return result;
}

static struct counter_result add(struct fake *f, unsigned e, uint64_t address, uint64_t ticks)
{
	return add_to(f, e, REGION_SATURATE, address, ticks);
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

		memset(f.memory, 0xaa, sizeof(f.memory));
		preset(&f, BASE + e, e, 0);
		assert_false(add(&f, e, BASE + e, 0x0102).faulted);
		assert_int_equal(value(&f, BASE + e, e), 0x0102);
		for (unsigned i = 0; i < sizeof(f.memory); i++)
			if (i < e || i >= 2 * e)
				assert_int_equal(f.memory[i], 0xaa);
	}
}

/* Each addition to a counter sees the one before. */
static void test_counter__two_threads_in_one_bin(void **state)
{
	struct fake f = {.memory = {0}};

	(void)state;
	(void)add(&f, 4, BASE + 64, 1);
	(void)add(&f, 4, BASE + 8, 2);
	(void)add(&f, 4, BASE + 64, 3);
	(void)add(&f, 4, BASE, 4);
	(void)add(&f, 4, BASE + 64, 5);
	assert_int_equal(value(&f, BASE + 64, 4), 9);
	assert_int_equal(value(&f, BASE + 8, 4), 2);
	assert_int_equal(value(&f, BASE, 4), 4);
	assert_int_equal(f.reads, 5);
	assert_int_equal(f.writes, 5);
}

/* Two buffers overlap by half a counter: each update adds to what the last one wrote. */
static void test_counter__overlapping_buffers(void **state)
{
	struct fake f = {.memory = {0}};

	(void)state;
	(void)add(&f, 4, BASE + 2, 1);
	(void)add(&f, 4, BASE, 0x10005);
	assert_int_equal(value(&f, BASE, 2), 5);
	assert_int_equal(
		value(&f, BASE + 2, 4), 2); /* 1 from the lower counter's upper half, plus 1 */
}

/* Each counter of a chain of overlaps keeps its upper half. */
static void test_counter__chain_of_overlaps(void **state)
{
	struct fake f = {.memory = {0}};

	(void)state;
	preset(&f, BASE + 4, 2, 40);
	preset(&f, BASE + 6, 2, 7);
	(void)add(&f, 4, BASE + 4, 3);
	(void)add(&f, 4, BASE + 2, 0x20002);
	(void)add(&f, 4, BASE, 0x10005);
	assert_int_equal(value(&f, BASE, 2), 5);
	assert_int_equal(value(&f, BASE + 2, 2), 1 + 2);
	assert_int_equal(value(&f, BASE + 4, 2), 40 + 2 + 3);
	assert_int_equal(value(&f, BASE + 6, 2), 7);
}

static void test_counter__fault_changes_nothing(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 2; how++) {
		struct fake f = {.memory = {0}};

		f.no_read[1] = how == 0; /* the fault occurs while reading, or while writing */
		f.no_write[1] = true;
		assert_false(add(&f, 4, BASE + 8, 1).faulted);
		assert_true(add(&f, 4, BASE + PAGE, 1).faulted);
		assert_true(add(&f, 4, BASE + PAGE + 4, 1).faulted);
		assert_false(add(&f, 4, BASE + 2 * PAGE, 1).faulted);
		assert_true(add(&f, 4, BASE + 4 * PAGE, 1).faulted);
		assert_true(add(&f, 4, 0, 1).faulted);
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

		memset(f.memory, 0xaa, sizeof(f.memory)); /* the counter's neighbours */
		preset(&f, across, 4, 0x5ffff);           /* both halves change */
		before = f;
		f.no_write[bad] = true;
		assert_true(add(&f, 4, across, 1).faulted);
		assert_memory_equal(f.memory, before.memory, sizeof(f.memory));
		f.no_write[bad] = false;
		assert_false(add(&f, 4, across, 1).faulted);
		assert_int_equal(value(&f, across, 4), 0x60000);
		preset(&f, across, 4, 0x5ffff);
		assert_memory_equal(f.memory, before.memory, sizeof(f.memory));
	}
}

static void test_counter__not_readable_is_not_written(void **state)
{
	struct fake f = {.memory = {0}};

	(void)state;
	preset(&f, BASE, 4, 70000);
	f.no_read[0] = true;
	assert_true(add(&f, 4, BASE, 3).faulted);
	assert_int_equal(f.writes, 0);
	assert_false(add(&f, 4, BASE + PAGE, 4).faulted);
	assert_int_equal(value(&f, BASE, 4), 70000);
	assert_int_equal(value(&f, BASE + PAGE, 4), 4);
}

/* Ticks that do not fit into a counter are reported. */
static void test_counter__full_ticks_are_told(void **state)
{
	struct fake f = {.memory = {0}};
	struct counter_result result;

	(void)state;
	preset(&f, BASE, 2, 65535 - 4);
	assert_int_equal(add(&f, 2, BASE, 5).full, 1);
	assert_int_equal(add(&f, 2, BASE + 2, 6).full, 0);
	assert_int_equal(add(&f, 2, BASE, 7).full, 7);
	preset(&f, BASE, 2, 32765);
	result = add_to(&f, 2, REGION_STOP_AT_32767, BASE, 5);
	assert_true(result.stop);
	assert_int_equal(result.full, 3);
	/* An inaccessible counter is no full one. */
	f.no_write[0] = true;
	preset(&f, BASE, 2, 65534);
	result = add(&f, 2, BASE, 5);
	assert_true(result.faulted);
	assert_int_equal(result.full, 0);
}

static void test_counter__process_is_gone(void **state)
{
	struct fake f = {.memory = {0}, .error = ESRCH};
	struct counter_result result = {.full = 4711};

	(void)state;
	assert_int_equal(counter_add(&f.remote, BASE, 2, 1, REGION_SATURATE, &result), -ESRCH);
	f.error = EPERM;
	assert_int_equal(counter_add(&f.remote, BASE, 2, 1, REGION_SATURATE, &result), -EPERM);
	f.error = ETIMEDOUT;
	assert_int_equal(counter_add(&f.remote, BASE, 2, 1, REGION_SATURATE, &result), -ETIMEDOUT);
	assert_int_equal(result.full, 4711);
	f.error = 0;
	assert_int_equal(value(&f, BASE, 2), 0);
}

static void test_counter__stop_leaves_the_counter_at_32767(void **state)
{
	struct fake f = {.memory = {0}};

	(void)state;
	preset(&f, BASE + 2, 2, 32765);
	assert_false(add_to(&f, 2, REGION_STOP_AT_32767, BASE + 2, 1).stop);
	assert_true(add_to(&f, 2, REGION_STOP_AT_32767, BASE + 2, 9).stop);
	assert_int_equal(value(&f, BASE, 4), 32767u << 16);
}

/* A full counter is not written, so nothing can fault. */
static void test_counter__full_counter_is_left_alone(void **state)
{
	struct fake f = {.memory = {0}};

	(void)state;
	preset(&f, BASE, 2, 0xffff);
	assert_false(add(&f, 2, BASE, 9).faulted);
	assert_int_equal(f.writes, 0);
	assert_int_equal(value(&f, BASE, 4), 0xffff);
}

/* Real calls on a real child: a read-only page faults and is unchanged (CONFORMANCE 2.6). */
static void test_counter__real_memory(void **state)
{
	uint8_t *page =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)page;
	const uint64_t counter[] = {at, at + PAGE, at + PAGE - 1, at + 2 * PAGE};
	struct counter_result result;
	struct remote remote = {0};
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
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(
			counter_add(&remote, counter[i], 2, 3, REGION_SATURATE, &result), 0);
		assert_int_equal(result.faulted, i > 0);
	}
	assert_int_equal(page[0], 4);
	for (unsigned i = 1; i < 3 * PAGE; i++)
		assert_int_equal(page[i], 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(counter_add(&remote, at, 2, 3, REGION_SATURATE, &result), -ESRCH);
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
		cmocka_unit_test(test_counter__fault_changes_nothing),
		cmocka_unit_test(test_counter__fault_in_half_a_counter_changes_nothing),
		cmocka_unit_test(test_counter__not_readable_is_not_written),
		cmocka_unit_test(test_counter__full_ticks_are_told),
		cmocka_unit_test(test_counter__process_is_gone),
		cmocka_unit_test(test_counter__stop_leaves_the_counter_at_32767),
		cmocka_unit_test(test_counter__full_counter_is_left_alone),
		cmocka_unit_test(test_counter__real_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
