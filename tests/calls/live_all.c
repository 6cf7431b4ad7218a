/* SPDX-License-Identifier: MIT */
/* sprofil_all(3) on a live target: live_all DIRECTORY-OF-LIBRARY. */
#include <sprofil/all.h>
#include <sprofil/sprofil.h>

#include "client/all.h"
#include "client/include/sprofil/status.h"
#include "tests/calls/live.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define ROWS 200

static struct sprofil_function row[ROWS];
static volatile uint64_t sink;
static const char *library;

__attribute__((noinline)) static void hot_function(void)
{
	for (unsigned i = 0; i < 500000; i++)
		sink += i;
}

static struct sprofil_state status(void)
{
	struct sprofil_state s;

	assert_int_equal(sprofil_status(&s, sizeof(s)), 0);
	return s;
}

static uint64_t read_rows(void)
{
	long n = sprofil_all_read(row, ROWS);
	uint64_t sum = 0;

	assert_in_range(n, 0, ROWS);
	for (long i = 0; i < n; i++) {
		assert_true(row[i].ticks > 0);
		if (i)
			assert_true(row[i].ticks <= row[i - 1].ticks);
		sum += row[i].ticks;
	}
	memset(row + n, 0, (size_t)(ROWS - n) * sizeof(*row));
	return sum;
}

static const struct sprofil_function *row_of(const char *function)
{
	for (unsigned i = 0; i < ROWS && row[i].ticks; i++)
		if (!strcmp(row[i].function, function))
			return &row[i];
	return NULL;
}

static uint64_t ticks_of(const char *function)
{
	const struct sprofil_function *found = row_of(function);

	return found ? found->ticks : 0;
}

static uint64_t ticks_in(const char *function, const char *object)
{
	for (unsigned i = 0; i < ROWS && row[i].ticks; i++)
		if (!strcmp(row[i].function, function) && !strcmp(row[i].object, object))
			return row[i].ticks;
	return 0;
}

/* Runs @work until @function has @ticks ticks, at most 100 * @ticks times. */
static void run_until(void (*work)(void), const char *function, uint64_t ticks)
{
	(void)read_rows();
	for (unsigned i = 0; i < 100 * ticks && ticks_of(function) < ticks; i++) {
		work();
		(void)read_rows();
	}
	assert_true(ticks_of(function) >= ticks);
}

static void test_live_all__names_the_functions(void **state)
{
	const struct sprofil_function *found;
	char exe[4096] = "";
	struct sprofil_state s;

	(void)state;
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	assert_int_equal(status().tick_ns, LIVE_FAST_TICK_NS);
	run_until(hot_function, "hot_function", 30);
	assert_int_equal(sprofil_all_off(), 0);
	s = status();
	assert_int_equal(s.state, SPROFIL_OFF);
	assert_int_equal(read_rows(), s.counted);
	assert_int_equal(s.outside + s.full + s.faulted, 0);
	found = row_of("hot_function");
	assert_int_equal(found->address, (uintptr_t)hot_function);
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_string_equal(found->object, exe);
	hot_function();
	assert_int_equal(read_rows(), s.counted);
	assert_int_equal(sprofil_all(0), 0);
	(void)read_rows();
	assert_int_equal(ticks_of("hot_function"), 0);
	assert_int_equal(status().tick_ns, LIVE_TICK_NS);
	assert_int_equal(sprofil_all_off(), 0);
}

/* Ticks outside of all objects have a row without names. */
static void test_live_all__the_rest_is_counted_too(void **state)
{
	uint64_t counted;

	(void)state;
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	(void)read_rows(); /* until here, the rows are those of the test before */
	for (unsigned i = 0; i < 40 && !ticks_in("", ""); i++) {
		(void)live_spin(LIVE_A, 0.02);
		(void)read_rows();
	}
	assert_int_equal(sprofil_all_off(), 0);
	counted = status().counted;
	assert_int_equal(read_rows(), counted);
	assert_true(ticks_in("", "") > 0);
}

static size_t known_segments(void)
{
	size_t n;

	(void)all_lock(&n);
	all_unlock();
	return n;
}

static void (*loaded_work)(double seconds);

static void work_there(void)
{
	loaded_work(0.002);
}

/* A library loaded by the macro dlopen is counted, also after it was unloaded and loaded again. */
static void test_live_all__libraries_that_are_loaded_later(void **state)
{
	struct sprofil_state s;
	void *handle;
	uint32_t before;
	uint64_t ticks;
	size_t known;

	(void)state;
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	before = status().regions;
	assert_null(dlopen("/nonexistent", RTLD_NOW));
	assert_non_null(strstr(dlerror(), "/nonexistent"));
	handle = dlopen(library, RTLD_NOW);
	assert_non_null(handle);
	assert_int_equal(status().regions, before + 1);
	loaded_work = (void (*)(double))dlsym(handle, "loaded_work");
	known = known_segments();
	run_until(work_there, "loaded_work", 20);
	ticks = ticks_of("loaded_work");
	assert_string_equal(row_of("loaded_work")->object, library);
	assert_int_equal(dlclose(handle), 0);
	assert_true(ticks_of("loaded_work") >= ticks);
	handle = dlopen(library, RTLD_NOW);
	assert_int_equal(status().regions, before + 1);
	loaded_work = (void (*)(double))dlsym(handle, "loaded_work");
	work_there();
	assert_int_equal(known_segments(), known);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(dlclose(handle), 0);
	handle = dlopen(library, RTLD_NOW);
	s = status();
	assert_int_equal(s.state, SPROFIL_OFF);
	assert_int_equal(dlclose(handle), 0);
	(void)read_rows();
	assert_true(ticks_of("loaded_work") >= ticks);
}

/* Asserts that the client knows each executable segment once; adds their number to *@context. */
static int is_known(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	unsigned *found = context;
	size_t n;
	const struct all_segment *segment = all_lock(&n);

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
		unsigned same = 0;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		for (size_t k = 0; k < n; k++)
			same += segment[k].loaded && !strcmp(segment[k].path, path) &&
				segment[k].start <= start && start - segment[k].start < ALL_STEP &&
				segment[k].end >= end && segment[k].end - end < ALL_STEP &&
				segment[k].end % ALL_STEP == 0;
		assert_int_equal(same, 1);
		++*found;
	}
	all_unlock();
	return 0;
}

static unsigned regions_of_what_is_loaded(void)
{
	unsigned found = 0;

	(void)dl_iterate_phdr(is_known, &found);
	return found + 1; /* plus the region for all other ticks */
}

/* Returns the descriptor of a copy of the library; *@ret_path is its path while it is open. */
static int copy_of_library(char *ret_path, size_t room)
{
	int from = open(library, O_RDONLY | O_CLOEXEC), to = memfd_create("other", MFD_CLOEXEC);

	assert_true(from >= 0 && to >= 0);
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	assert_int_equal(close(from), 0);
	(void)snprintf(ret_path, room, "/proc/self/fd/%d", to);
	return to;
}

/* A copy of the library gets a table of its own, even at the unloaded library's addresses. */
static void test_live_all__another_library_in_the_place_of_one(void **state)
{
	char path[64];
	int fd = copy_of_library(path, sizeof(path));
	void *handle;

	(void)state;
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	assert_int_equal(status().regions, regions_of_what_is_loaded());
	handle = dlopen(library, RTLD_NOW);
	assert_int_equal(status().regions, regions_of_what_is_loaded());
	assert_int_equal(dlclose(handle), 0);
	handle = dlopen(path, RTLD_NOW);
	assert_int_equal(status().regions, regions_of_what_is_loaded());
	loaded_work = (void (*)(double))dlsym(handle, "loaded_work");
	run_until(work_there, "loaded_work", 20);
	assert_string_equal(row_of("loaded_work")->object, path);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(dlclose(handle), 0);
	assert_int_equal(close(fd), 0);
}

static void test_live_all__many_libraries(void **state)
{
	enum { LIBRARIES = 70 };
	static void *handle[LIBRARIES];
	static int fd[LIBRARIES];
	char path[64];

	(void)state;
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	for (unsigned i = 0; i < LIBRARIES; i++) {
		fd[i] = copy_of_library(path, sizeof(path));
		handle[i] = dlopen(path, RTLD_NOW);
		assert_int_equal(status().regions, regions_of_what_is_loaded());
	}
	for (unsigned i = 0; i < LIBRARIES; i++) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd[i]);
		loaded_work = (void (*)(double))dlsym(handle[i], "loaded_work");
		for (unsigned k = 0; k < 1000 && !ticks_in("loaded_work", path); k++) {
			work_there();
			(void)read_rows();
		}
		assert_true(ticks_in("loaded_work", path) > 0);
	}
	assert_int_equal(sprofil_all_off(), 0);
	for (unsigned i = 0; i < LIBRARIES; i++) {
		assert_int_equal(dlclose(handle[i]), 0);
		assert_int_equal(close(fd[i]), 0);
	}
}

/* After a later sprofil(), neither a loaded library nor sprofil_all_off() changes the table. */
static void test_live_all__a_table_of_the_program(void **state)
{
	unsigned counts[4] = {0};
	struct prof p = {counts, sizeof(counts), LIVE_A, 0x10000};
	void *handle;

	(void)state;
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	handle = dlopen(library, RTLD_NOW);
	assert_non_null(handle);
	assert_int_equal(status().regions, 1);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(status().state, SPROFIL_ON);
	assert_int_equal(status().regions, 1);
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
	assert_int_equal(dlclose(handle), 0);
	handle = dlopen(library, RTLD_NOW);
	assert_int_equal(status().state, SPROFIL_OFF);
	assert_int_equal(dlclose(handle), 0);
}

static void test_live_all__prints_a_table(void **state)
{
	int fd = memfd_create("table", MFD_CLOEXEC);
	char text[16384] = "", first[64];

	(void)state;
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	run_until(hot_function, "hot_function", 20);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(sprofil_all_print(fd, 1), 0);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_int_equal(sprofil_all_print(fd, ROWS), 0);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	(void)read_rows();
	(void)snprintf(first, sizeof(first), "%% %8u  hot_function  (live_all)\n",
		(unsigned)ticks_of("hot_function"));
	assert_non_null(strstr(text, first));
	assert_int_equal(live_errno(sprofil_all_print(-1, 1)), EBADF);
	assert_int_equal(close(fd), 0);
}

static atomic_bool turned_off;
static _Atomic pid_t turner;

static void *turn_off(void *unused)
{
	(void)unused;
	atomic_store(&turner, gettid());
	(void)sprofil_all_off();
	atomic_store(&turned_off, true);
	return NULL;
}

static bool turner_sleeps(void)
{
	char path[48], text[512] = "";
	const char *state = NULL;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)atomic_load(&turner));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		state = strstr(text, ") ");
	if (fd >= 0)
		(void)close(fd);
	return state && state[2] == 'S';
}

/* While one thread reads the segments, an "off" by another one waits. */
static void test_live_all__one_thread_at_a_time(void **state)
{
	pthread_t thread;
	size_t n;

	(void)state;
	assert_int_equal(sprofil_all(0), 0);
	assert_int_equal(sprofil_all_off(), 0);
	(void)all_lock(&n);
	assert_int_equal(pthread_create(&thread, NULL, turn_off, NULL), 0);
	for (unsigned i = 0; i < 12000 && !turner_sleeps() && !atomic_load(&turned_off); i++)
		(void)usleep(5000);
	assert_true(turner_sleeps());
	assert_false(atomic_load(&turned_off));
	all_unlock();
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(atomic_load(&turned_off));
}

static void test_live_all__errors(void **state)
{
	(void)state;
	assert_int_equal(live_errno(sprofil_all(2)), EINVAL);
	assert_int_equal(sprofil_all_off(), 0);
	assert_ptr_equal(sprofil_all_loaded(NULL), NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_all__names_the_functions),
		cmocka_unit_test(test_live_all__the_rest_is_counted_too),
		cmocka_unit_test(test_live_all__libraries_that_are_loaded_later),
		cmocka_unit_test(test_live_all__another_library_in_the_place_of_one),
		cmocka_unit_test(test_live_all__many_libraries),
		cmocka_unit_test(test_live_all__a_table_of_the_program),
		cmocka_unit_test(test_live_all__prints_a_table),
		cmocka_unit_test(test_live_all__one_thread_at_a_time),
		cmocka_unit_test(test_live_all__errors),
	};

	if (argc != 2 || !(library = realpath(argv[1], NULL)))
		return 2;
	return live_run(tests);
}
