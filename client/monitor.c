/* SPDX-License-Identifier: MIT */
#include "client/monitor.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>

#include "client/client.h"

#define TEXT_MOST (UINT64_C(1) << 32)
#define STEP      4u /* Bytes of text per counter of monstartup(). */

static struct monitor now; /* counter NULL: no histogram */
static int running;        /* number of our table; 0: there is none, or we turned it off */
/* After a failed call that may have put our table in force: client_table(); otherwise 0. */
static int doubtful;
static void *mapped; /* memory of monstartup()'s counters */
static size_t mapped_bytes;

/* Is our table in force? Another call of the program may have replaced it or turned it off. */
static bool is_running(void)
{
	return running && running == client_table();
}

/* Turns our table off if it is, or may be, in force. The table of another call is left alone. */
static int turn_off(void)
{
	struct client_call call = {.dialect = now.dialect, .element = 2};
	bool perhaps = doubtful && doubtful == client_table();
	int r = perhaps || is_running() ? client_run(&call) : 0;

	if (r == 0)
		running = doubtful = 0;
	return r;
}

static int turn_on(void)
{
	struct client_call call = {.dialect = now.dialect,
		.element = now.element,
		.count = 1,
		.one = {.base = (uint64_t)(uintptr_t)now.counter,
			.bytes = now.counters * now.element,
			.offset = now.low,
			.scale = now.scale * now.element / 2}};
	int r = client_run(&call);

	/*
	 * EPERM mostly means that nothing was sent: the table of another call must not be turned
	 * off. But our counters may be in use, so they stay mapped for good.
	 */
	if (r == -EPERM && client_has_table() && !is_running())
		mapped = NULL;
	else if (r == -ETIMEDOUT || r == -EPERM)
		doubtful = client_table();
	if (r < 0)
		return r;
	running = r;
	doubtful = 0;
	return 0;
}

/* Turns counting off and unmaps the counters. If turning off fails, the counters stay mapped. */
static int forget(void)
{
	int r = turn_off();

	if (r < 0)
		return r;
	now.counter = NULL;
	if (mapped)
		(void)munmap(mapped, mapped_bytes);
	mapped = NULL;
	return 0;
}

/* Turns counting on. On failure now.counter is NULL; counters possibly in use stay mapped. */
static int turn_on_first(void)
{
	int r = turn_on();

	if (r < 0)
		now.counter = NULL;
	if (r < 0 && !doubtful)
		(void)forget();
	return r;
}

/* Sets *@ret_start to the lowest address of the program's text. */
static int first_text(struct dl_phdr_info *info, size_t size, void *ret_start)
{
	uint64_t start = UINT64_MAX;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			start = MIN(start, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	*(uint64_t *)ret_start = start;
	return 1; /* Ends the iteration: the first object is the program itself. */
}

/*
 * Returns where a histogram from @low on begins. In all manuals, "monitor(2, etext, ...)" means the
 * whole program, so an address in the first page stands for the beginning of the text.
 */
static uint64_t start_of(uint64_t low)
{
	uint64_t start = low;

	if (low < 4096)
		(void)dl_iterate_phdr(first_text, &start);
	return start;
}

/* Starts counting in @buffer, @bufsize words of 2 bytes. */
static int start(enum call_dialect dialect, uint64_t low, uint64_t high, void *buffer, int bufsize,
	int nfunc)
{
	uint64_t words, head, room, counters;
	uint16_t hz = monitor_hz(dialect), scale;
	uint8_t *to = buffer;
	int r;

	if (bufsize < 0 || nfunc < 0)
		return -EINVAL;
	low = start_of(low);
	head = MONITOR_HDR_BYTES + (uint64_t)nfunc * MONITOR_CNT_BYTES;
	room = (uint64_t)bufsize * 2;
	if (low >= high || high - low > TEXT_MOST || room <= head)
		return -EINVAL;
	words = (high - low + 1) / 2;
	counters = MIN((room - head) / 2, words);
	/* With fewer counters the scale would be 0 or 1, which turns profiling off. */
	if (counters * 65536 < 2 * words + 1)
		return -EINVAL;
	r = forget();
	if (r < 0)
		return r;
	memset(to, 0, room);
	memcpy(to, &low, 8);
	memcpy(to + 8, &high, 8);
	memcpy(to + 16, &nfunc, 4);
	scale = (uint16_t)((counters * 65536 - 1) / words);
	memcpy(to + 20, &hz, 2);
	memcpy(to + 22, &scale, 2);
	now = (struct monitor){.dialect = dialect,
		.low = low,
		.high = high,
		.functions = (uint32_t)nfunc,
		.cells = to + MONITOR_HDR_BYTES,
		.counter = to + head,
		.counters = counters,
		.element = 2,
		.scale = scale};
	return turn_on_first();
}

static int finish(int (*write_file)(const struct monitor *monitor))
{
	int r, off;

	if (!now.counter)
		return forget(); /* Nothing was started, as far as is known. */
	off = turn_off();
	r = off < 0 ? off : write_file(&now);
	off = off < 0 ? off : forget();
	return r < 0 ? r : off;
}

static int monitor(enum call_dialect dialect, void (*lowpc)(void), void (*highpc)(void),
	void *buffer, int bufsize, int nfunc)
{
	if (!lowpc)
		return client_result(finish(monitor_write_mon));
	if (monitor_is_unwanted(dialect))
		return 0;
	return client_result(
		start(dialect, (uintptr_t)lowpc, (uintptr_t)highpc, buffer, bufsize, nfunc));
}

CLIENT_PUBLIC int sprofil_hpux_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc)
{
	return monitor(CALL_HPUX, lowpc, highpc, buffer, bufsize, nfunc);
}

CLIENT_PUBLIC int sprofil_irix_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc)
{
	return monitor(CALL_IRIX, lowpc, highpc, buffer, bufsize, nfunc);
}

CLIENT_PUBLIC int sprofil_aix_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc)
{
	return monitor(CALL_AIX, lowpc, highpc, buffer, bufsize, nfunc);
}

CLIENT_PUBLIC int sprofil_sysv_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc)
{
	return monitor(CALL_SYSV, lowpc, highpc, buffer, bufsize, nfunc);
}

CLIENT_PUBLIC int sprofil_native_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc)
{
	return monitor(CALL_NATIVE, lowpc, highpc, buffer, bufsize, nfunc);
}

/*
 * Counts in memory of our own: one counter for each 4 bytes of text, for the bins of gmon.out.
 * Counters have 4 bytes if the dialect allows it: at 100 Hz, 16 bits are full after 11 minutes.
 */
static int start_up(enum call_dialect dialect, uint64_t low, uint64_t high)
{
	unsigned element = dialect == CALL_AIX ? 2 : 4;
	size_t counters;
	void *at;
	int r;

	low = start_of(low) & ~(uint64_t)(STEP - 1);
	if (low >= high || high - low > TEXT_MOST)
		return -EINVAL;
	high = (high + STEP - 1) & ~(uint64_t)(STEP - 1);
	counters = (high - low) / STEP;
	r = forget();
	if (r < 0)
		return r;
	at = mmap(NULL, counters * element, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	if (at == MAP_FAILED)
		return -ENOMEM;
	mapped = at;
	mapped_bytes = counters * element;
	now = (struct monitor){.dialect = dialect,
		.low = low,
		.high = high,
		.counter = at,
		.counters = counters,
		.element = element,
		.scale = 0x10000 * 2 / STEP};
	return turn_on_first();
}

CLIENT_PUBLIC int sprofil_irix_monstartup(unsigned long lowpc, unsigned long highpc)
{
	return client_result(
		monitor_is_unwanted(CALL_IRIX) ? 0 : start_up(CALL_IRIX, lowpc, highpc));
}

CLIENT_PUBLIC int sprofil_aix_monstartup(unsigned long lowpc, unsigned long highpc)
{
	return client_result(start_up(CALL_AIX, lowpc, highpc));
}

CLIENT_PUBLIC int sprofil_glibc_monstartup(unsigned long lowpc, unsigned long highpc)
{
	return client_result(start_up(CALL_GLIBC, lowpc, highpc));
}

CLIENT_PUBLIC int sprofil_native_monstartup(unsigned long lowpc, unsigned long highpc)
{
	return client_result(start_up(CALL_NATIVE, lowpc, highpc));
}

CLIENT_PUBLIC int sprofil_moncontrol(int mode)
{
	bool was = is_running();
	int r = 0;

	/* No histogram, for example because PROFDIR is empty: nothing to do. */
	if (now.counter && !(mode && was))
		r = mode ? turn_on() : turn_off();
	return r < 0 ? client_result(r) : was;
}

CLIENT_PUBLIC int sprofil_mcleanup(void)
{
	return client_result(finish(monitor_write_gmon));
}
