/* SPDX-License-Identifier: MIT */
/* monitor(3) and its variants on a live target, in every dialect that has them. */
#include <sprofil/sprofil.h>

#include "client/monitor.h"
#include "tests/calls/live.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int monitor_call(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);
typedef int monstartup_call(unsigned long lowpc, unsigned long highpc);

static const struct dialect {
	const char *name;
	monitor_call *monitor;
	monstartup_call *monstartup;
	uint64_t tick_ns;
	uint16_t hz;
} dialects[] = {
	{"hpux", sprofil_hpux_monitor, NULL, LIVE_TICK_NS, 100},
	{"irix", sprofil_irix_monitor, sprofil_irix_monstartup, LIVE_TICK_NS, 100},
	{"aix", sprofil_aix_monitor, sprofil_aix_monstartup, LIVE_AIX_TICK_NS, 60},
	{"sysv", sprofil_sysv_monitor, NULL, LIVE_TICK_NS, 100},
	{"native", sprofil_native_monitor, sprofil_native_monstartup, LIVE_TICK_NS, 100},
	{"glibc", NULL, sprofil_glibc_monstartup, LIVE_TICK_NS, 100},
};

#define DIALECTS  (sizeof(dialects) / sizeof(*dialects))
#define FUNCTIONS 3
#define HEAD      (24 + 16 * FUNCTIONS)
#define TEXT      4096

static void (*text_at(uint64_t address))(void)
{
	return (void (*)(void))(uintptr_t)address;
}

static uint64_t counted(void)
{
	struct sprofil_state s;

	assert_int_equal(sprofil_status(&s, sizeof(s)), 0);
	return s.counted;
}

/* Spins at @at until a tick is counted, for at most 1.6 s: 100 ticks of the slowest clock. */
static void spin(uint64_t at)
{
	uint64_t before = counted();

	for (unsigned i = 0; i < 40 && counted() == before; i++)
		(void)live_spin(at, 0.04);
	assert_true(counted() > before);
}

/* Header and counters lie where the manuals' struct hdr and struct cnt have them. */
static void test_live_monitor__counts_in_the_buffer(void **state)
{
	unsigned short *buffer = live_buffer(HEAD + TEXT, MAP_PRIVATE);
	const uint16_t *counter = (const uint16_t *)((const uint8_t *)buffer + HEAD);
	uint64_t address[2];
	uint16_t hz;
	int functions;

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		unsigned sum = 0;

		if (!d->monitor)
			continue;
		memset(buffer, 0x55, HEAD + TEXT);
		assert_int_equal(d->monitor(text_at(LIVE_A), text_at(LIVE_A + TEXT), buffer,
					 (HEAD + TEXT) / 2, FUNCTIONS),
			0);
		spin(LIVE_A + 0x100);
		assert_int_equal(sprofil_moncontrol(0), 1);
		memcpy(address, buffer, 16);
		memcpy(&functions, (uint8_t *)buffer + 16, 4);
		memcpy(&hz, (uint8_t *)buffer + 20, 2);
		assert_int_equal(address[0], LIVE_A);
		assert_int_equal(address[1], LIVE_A + TEXT);
		assert_int_equal(functions, FUNCTIONS);
		assert_int_equal(hz, d->hz);
		/* 2048 counters for 2048 words: scale 0xffff puts word 0x80 into counter 0x7f. */
		for (unsigned k = 0; k < TEXT / 2; k++)
			sum += counter[k];
		assert_int_equal(counter[0x7f], sum);
		assert_true(sum > 0);
		live_check_buffer(buffer, HEAD + TEXT);
		assert_int_equal(d->monitor(NULL, NULL, NULL, 0, 0), 0);
		assert_int_equal(access("mon.out", F_OK), 0);
		assert_int_equal(remove("mon.out"), 0);
	}
}

static void test_live_monitor__moncontrol_suspends(void **state)
{
	unsigned short *buffer = live_buffer(24 + 64, MAP_PRIVATE);
	const uint16_t *counter = (const uint16_t *)((const uint8_t *)buffer + 24);

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		uint16_t before;

		assert_int_equal(sprofil_moncontrol(1), 0);
		if (!d->monitor)
			continue;
		assert_int_equal(
			d->monitor(text_at(LIVE_A), text_at(LIVE_A + 64), buffer, 12 + 32, 0), 0);
		assert_int_equal(sprofil_moncontrol(1), 1);
		spin(LIVE_A);
		assert_int_equal(sprofil_moncontrol(0), 1);
		assert_int_equal(sprofil_moncontrol(0), 0);
		before = counter[0];
		assert_true(before > 0);
		(void)live_spin(LIVE_A, 0.1);
		assert_int_equal(counter[0], before);
		assert_int_equal(sprofil_moncontrol(7), 0);
		spin(LIVE_A);
		assert_int_equal(d->monitor(NULL, NULL, NULL, 0, 0), 0);
		assert_true(counter[0] > before);
		before = counter[0];
		(void)live_spin(LIVE_A, 0.05);
		assert_int_equal(counter[0], before);
		assert_int_equal(sprofil_moncontrol(1), 0);
		assert_int_equal(remove("mon.out"), 0);
		assert_int_equal(d->monitor(NULL, NULL, NULL, 0, 0), 0);
		assert_int_equal(access("mon.out", F_OK), -1);
	}
}

static void test_live_monitor__monstartup_counts_by_four_bytes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		uint8_t file[20 + 41 + 2 * 16 + 1];
		uint16_t bin[16];
		uint64_t ticks;
		FILE *gmon;

		if (!d->monstartup)
			continue;
		assert_int_equal(d->monstartup(LIVE_B + 1, LIVE_B + 61), 0);
		spin(LIVE_B + 40);
		(void)live_spin(LIVE_B + 64, 0.05); /* past the counted text */
		ticks = counted();
		assert_int_equal(sprofil_mcleanup(), 0);
		gmon = fopen("gmon.out", "r");
		assert_non_null(gmon);
		assert_int_equal(fread(file, 1, sizeof(file), gmon), 20 + 41 + 2 * 16);
		(void)fclose(gmon);
		assert_int_equal(remove("gmon.out"), 0);
		assert_memory_equal(file, "gmon\1\0\0\0", 8);
		assert_int_equal(file[20 + 21], d->hz);
		memcpy(bin, file + 20 + 41, sizeof(bin));
		for (unsigned k = 0; k < 16; k++)
			assert_int_equal(bin[k], k == 10 ? ticks : 0);
	}
}

static size_t take_file(const char *path, uint8_t *to, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t n;

	assert_non_null(file);
	n = fread(to, 1, room, file);
	(void)fclose(file);
	assert_int_equal(remove(path), 0);
	return n;
}

/* As many counters as words of text, or as fit. The file has the cells of counted calls. */
static void test_live_monitor__the_head_and_the_calls(void **state)
{
	static const struct {
		uint64_t text;
		int bufsize;
		size_t counters;
		uint16_t scale;
	} rows[] = {
		{64, 500, 32, 0xffff}, {65, 500, 33, 0xffff},
		{6, 12 + 8 + 1, 1, 21845}, /* (65536 - 1) / 3 */
	};
	static unsigned short buffer[500];

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		for (unsigned k = 0; k < 3 && dialects[i].monitor; k++) {
			uint64_t cell[2] = {LIVE_A + 8, 4711 + k};
			uint8_t file[sizeof(buffer)];
			uint16_t scale;

			assert_int_equal(
				dialects[i].monitor(text_at(LIVE_A), text_at(LIVE_A + rows[k].text),
					buffer, rows[k].bufsize, 1),
				0);
			memcpy((uint8_t *)buffer + 24, cell, 16);
			assert_int_equal(dialects[i].monitor(NULL, NULL, NULL, 0, 0), 0);
			assert_int_equal(take_file("mon.out", file, sizeof(file)),
				24 + 16 + 2 * rows[k].counters);
			assert_memory_equal(file, buffer, 24 + 16 + 2 * rows[k].counters);
			memcpy(&scale, file + 22, 2);
			assert_int_equal(scale, rows[k].scale);
		}
	}
}

/* monstartup() extends the text to multiples of 4: a counter stands for 4 bytes of text. */
static void test_live_monitor__monstartup_takes_whole_counters(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		for (uint64_t more = 0; more < 4 && dialects[i].monstartup; more++) {
			uint8_t file[256];
			uint64_t low, high;

			assert_int_equal(
				dialects[i].monstartup(LIVE_B + 4 + more, LIVE_B + 61 + more), 0);
			assert_int_equal(sprofil_mcleanup(), 0);
			assert_int_equal(
				take_file("gmon.out", file, sizeof(file)), 20 + 41 + 2 * 15);
			memcpy(&low, file + 20 + 1, 8);
			memcpy(&high, file + 20 + 9, 8);
			assert_int_equal(low, LIVE_B + 4);
			assert_int_equal(high, LIVE_B + 64);
		}
	}
}

static uint64_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &pages), 1);
	(void)fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The library unmaps its counters only once, and so nothing that the program maps there later. */
static void test_live_monitor__monstartup_gives_its_counters_back(void **state)
{
	static unsigned short buffer[100];
	const uint64_t text = 1 << 26;

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		uint64_t before, bytes;
		uint8_t *own;

		if (!d->monstartup)
			continue;
		/* The first call and stdio allocate memory that they keep. */
		assert_int_equal(d->monstartup(LIVE_A, LIVE_A + 64), 0);
		assert_int_equal(sprofil_mcleanup(), 0);
		before = address_space();
		assert_int_equal(d->monstartup(LIVE_A, LIVE_A + text), 0);
		bytes = text / 4 * (d->hz == 60 ? 2 : 4);
		assert_in_range(address_space() - before, bytes, bytes + (1 << 20));
		/* monstartup()'s counters give way to a buffer, to another call's, to none. */
		assert_int_equal(sprofil_native_monitor(
					 text_at(LIVE_A), text_at(LIVE_A + 64), buffer, 100, 0),
			0);
		assert_in_range(address_space(), before, before + (1 << 20));
		assert_int_equal(d->monstartup(LIVE_A, LIVE_A + text), 0);
		assert_int_equal(d->monstartup(LIVE_A, LIVE_A + 64), 0);
		assert_in_range(address_space(), before, before + (1 << 20));
		own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(own, MAP_FAILED);
		assert_int_equal(sprofil_mcleanup(), 0);
		assert_int_equal(munmap(own, bytes), 0);
		own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(own, MAP_FAILED);
		assert_int_equal(sprofil_native_monitor(
					 text_at(LIVE_A), text_at(LIVE_A + 64), buffer, 100, 0),
			0);
		assert_int_equal(sprofil_native_monitor(NULL, NULL, NULL, 0, 0), 0);
		own[0] = own[4095] = 1;
		assert_int_equal(munmap(own, 4096), 0);
		assert_int_equal(remove("mon.out"), 0);
		assert_int_equal(remove("gmon.out"), 0);
	}
}

/* 0: profiling is off. */
static uint64_t tick_in_force(void)
{
	struct sprofil_state s;

	assert_int_equal(sprofil_status(&s, sizeof(s)), 0);
	return s.state == SPROFIL_ON ? s.tick_ns : 0;
}

/*
 * moncontrol(0) and mcleanup() leave alone a table that sprofil() put in force; mcleanup() still
 * writes the file. moncontrol(1) replaces the table.
 */
static void test_live_monitor__a_table_of_the_program(void **state)
{
	unsigned counts[4] = {0};
	struct prof p = {counts, sizeof(counts), LIVE_A, 0x10000};

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];

		if (!d->monstartup)
			continue;
		assert_int_equal(d->monstartup(LIVE_A, LIVE_A + 64), 0);
		assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT | PROF_FAST), 0);
		assert_int_equal(sprofil_moncontrol(0), 0);
		assert_int_equal(tick_in_force(), LIVE_FAST_TICK_NS);
		assert_int_equal(sprofil_moncontrol(1), 0);
		assert_int_equal(tick_in_force(), d->tick_ns);
		assert_int_equal(sprofil_moncontrol(1), 1);
		assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT | PROF_FAST), 0);
		assert_int_equal(sprofil_mcleanup(), 0);
		assert_int_equal(tick_in_force(), LIVE_FAST_TICK_NS);
		assert_int_equal(remove("gmon.out"), 0);
		assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
		assert_int_equal(tick_in_force(), 0);
	}
}

static void *finish(void *ret_result)
{
	*(int *)ret_result = sprofil_native_monitor(NULL, NULL, NULL, 0, 0);
	return NULL;
}

static bool is_off(void)
{
	struct sprofil_state s;

	return sprofil_status(&s, sizeof(s)) == 0 && s.state == SPROFIL_OFF;
}

/* Opening mon.out, here a FIFO, waits for a reader. Profiling must be off by then. */
static void test_live_monitor__is_off_while_it_writes(void **state)
{
	static unsigned short buffer[12 + 32];
	uint8_t file[sizeof(buffer) + 1];
	pthread_t thread;
	int result = 1;

	(void)state;
	assert_int_equal(mkfifo("mon.out", 0600), 0);
	assert_int_equal(
		sprofil_native_monitor(text_at(LIVE_A), text_at(LIVE_A + 64), buffer, 12 + 32, 0),
		0);
	assert_int_equal(pthread_create(&thread, NULL, finish, &result), 0);
	for (unsigned i = 0; i < 2000 && !is_off(); i++)
		(void)usleep(5000);
	assert_true(is_off());
	assert_int_equal(take_file("mon.out", file, sizeof(file)), sizeof(buffer));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(result, 0);
}

/* In dialects with PROFDIR, an empty one means that no profile is wanted. */
static void test_live_monitor__what_is_unwanted(void **state)
{
	unsigned short buffer[100] = {0};

	(void)state;
	assert_int_equal(setenv("PROFDIR", "", 1), 0);
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		bool unwanted = d->monitor && strcmp(d->name, "hpux") && strcmp(d->name, "aix");

		if (!d->monitor)
			continue;
		assert_int_equal(
			d->monitor(text_at(LIVE_A), text_at(LIVE_A + 64), buffer, 100, 0), 0);
		assert_int_equal(buffer[0] == 0 && buffer[1] == 0, unwanted);
		assert_int_equal(sprofil_moncontrol(1), !unwanted);
		assert_int_equal(d->monitor(NULL, NULL, NULL, 0, 0), 0);
		assert_int_equal(remove("mon.out"), unwanted ? -1 : 0);
		memset(buffer, 0, sizeof(buffer));
	}
	assert_int_equal(sprofil_irix_monstartup(LIVE_A, LIVE_A + 64), 0);
	assert_int_equal(sprofil_mcleanup(), 0);
	assert_int_equal(access("gmon.out", F_OK), -1);
	assert_int_equal(unsetenv("PROFDIR"), 0);
}

/* Finds the executable segment of the first object, the program. */
static int find_text(struct dl_phdr_info *info, size_t size, void *ret_start)
{
	unsigned found = 0;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
			continue;
		*(uint64_t *)ret_start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		found++;
	}
	assert_int_equal(found, 1);
	return 1;
}

/* Address 2 stands for the program's beginning, as in the manuals. */
static void test_live_monitor__two_stands_for_the_beginning(void **state)
{
	extern char etext;
	static unsigned short buffer[12 + 65536];
	uint64_t low, text = 0;

	(void)state;
	(void)dl_iterate_phdr(find_text, &text);
	assert_int_equal(sprofil_native_monitor(text_at(2), text_at((uintptr_t)&etext), buffer,
				 sizeof(buffer) / 2, 0),
		0);
	memcpy(&low, buffer, 8);
	assert_int_equal(low, text);
	assert_true(low > 4096);
	assert_true(low <= (uintptr_t)test_live_monitor__two_stands_for_the_beginning);
	assert_true((uintptr_t)&etext - low < 1 << 24);
	(void)live_burn(0.05);
	assert_int_equal(sprofil_native_monitor(NULL, NULL, NULL, 0, 0), 0);
	assert_int_equal(remove("mon.out"), 0);
	/* So does each address in the first page. Address 4096 stands for itself. */
	assert_int_equal(sprofil_native_monitor(text_at(4095), text_at((uintptr_t)&etext), buffer,
				 sizeof(buffer) / 2, 0),
		0);
	assert_memory_equal(buffer, &low, 8);
	low = 4096;
	assert_int_equal(
		sprofil_native_monitor(text_at(low), text_at(low + 64), buffer, 100, 0), 0);
	assert_memory_equal(buffer, &low, 8);
	assert_int_equal(sprofil_native_monitor(NULL, NULL, NULL, 0, 0), 0);
	assert_int_equal(remove("mon.out"), 0);
}

/* 4 GiB of text are accepted; a byte more is refused. */
static void test_live_monitor__the_most_text(void **state)
{
	static unsigned short buffer[1 << 18];
	const uint64_t most = UINT64_C(1) << 32;

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];

		if (d->monitor) {
			assert_int_equal(d->monitor(text_at(LIVE_A), text_at(LIVE_A + most), buffer,
						 1 << 18, 0),
				0);
			assert_int_equal(d->monitor(NULL, NULL, NULL, 0, 0), 0);
			assert_int_equal(remove("mon.out"), 0);
			assert_int_equal(live_errno(d->monitor(text_at(LIVE_A),
						 text_at(LIVE_A + most + 1), buffer, 1 << 18, 0)),
				EINVAL);
		}
		if (d->monstartup) {
			/* ENOMEM: too little memory for the counters. */
			assert_true(d->monstartup(LIVE_A, LIVE_A + most) == 0 || errno == ENOMEM);
			assert_int_equal(
				live_errno(d->monstartup(LIVE_A, LIVE_A + most + 1)), EINVAL);
			assert_int_equal(d->monstartup(LIVE_A, LIVE_A + 4), 0);
			assert_int_equal(sprofil_mcleanup(), 0);
			assert_int_equal(remove("gmon.out"), 0);
		}
	}
}

/* Without a supervisor profiling never began, so no file is written. */
static void test_live_monitor__what_cannot_be_turned_on(void **state)
{
	static unsigned short buffer[100];
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		if (setenv("SPROFIL_SUPERVISOR", "/nonexistent", 1) < 0 ||
			sprofil_native_monstartup(LIVE_A, LIVE_A + 64) != -1 || errno != EPERM)
			_exit(1);
		if (sprofil_mcleanup() != 0 || access("gmon.out", F_OK) == 0)
			_exit(2);
		if (sprofil_native_monitor(text_at(LIVE_A), text_at(LIVE_A + 64), buffer, 100, 0) !=
				-1 ||
			errno != EPERM)
			_exit(3);
		if (sprofil_native_monitor(NULL, NULL, NULL, 0, 0) != 0 ||
			access("mon.out", F_OK) == 0)
			_exit(4);
		_exit(sprofil_moncontrol(1) == 0 ? 0 : 5);
	}
	live_reap(pid);
}

static void test_live_monitor__errors(void **state)
{
	static unsigned short buffer[1 << 18];

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];

		if (d->monitor) {
			/*
			 * Refused: an empty range, a small buffer, less than 1 counter per 64 KiB.
			 */
			assert_int_equal(live_errno(d->monitor(
						 text_at(LIVE_A), text_at(LIVE_A), buffer, 100, 0)),
				EINVAL);
			assert_int_equal(live_errno(d->monitor(text_at(LIVE_A),
						 text_at(LIVE_A + 64), buffer, 12, 0)),
				EINVAL);
			assert_int_equal(live_errno(d->monitor(text_at(LIVE_A),
						 text_at(LIVE_A + 64), buffer, 100, 11)),
				EINVAL);
			assert_int_equal(live_errno(d->monitor(text_at(LIVE_A),
						 text_at(LIVE_A + 64), buffer, -1, 0)),
				EINVAL);
			assert_int_equal(live_errno(d->monitor(text_at(LIVE_A),
						 text_at(LIVE_A + 65536), buffer, 13, 0)),
				EINVAL);
			/* Text beyond the limit of 4 GiB, with a buffer that is large enough. */
			assert_int_equal(
				live_errno(d->monitor(text_at(LIVE_A),
					text_at(LIVE_A + (UINT64_C(1) << 33)), buffer, 1 << 18, 0)),
				EINVAL);
		}
		if (d->monstartup) {
			assert_int_equal(live_errno(d->monstartup(LIVE_A, LIVE_A)), EINVAL);
			assert_int_equal(
				live_errno(d->monstartup(LIVE_A, LIVE_A + (UINT64_C(1) << 33))),
				EINVAL);
		}
	}
}

static char directory[] = "/tmp/live_monitor.XXXXXX";

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_monitor__counts_in_the_buffer),
		cmocka_unit_test(test_live_monitor__moncontrol_suspends),
		cmocka_unit_test(test_live_monitor__monstartup_counts_by_four_bytes),
		cmocka_unit_test(test_live_monitor__the_head_and_the_calls),
		cmocka_unit_test(test_live_monitor__monstartup_takes_whole_counters),
		cmocka_unit_test(test_live_monitor__monstartup_gives_its_counters_back),
		cmocka_unit_test(test_live_monitor__a_table_of_the_program),
		cmocka_unit_test(test_live_monitor__is_off_while_it_writes),
		cmocka_unit_test(test_live_monitor__what_is_unwanted),
		cmocka_unit_test(test_live_monitor__the_most_text),
		cmocka_unit_test(test_live_monitor__two_stands_for_the_beginning),
		cmocka_unit_test(test_live_monitor__errors),
	};
	const struct CMUnitTest with_children[] = {
		cmocka_unit_test(test_live_monitor__what_cannot_be_turned_on),
	};
	int r;

	if (!mkdtemp(directory) || chdir(directory) < 0)
		return 1;
	r = live_run_with_children(with_children) + live_run(tests);
	return chdir("/") < 0 || rmdir(directory) < 0 || r;
}
