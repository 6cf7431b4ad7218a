/* SPDX-License-Identifier: MIT */
/*
 * Writes mon.out, in the layout of monitor.h, and gmon.out as gprof of binutils reads it:
 *
 *   header      0  "gmon"
 *               4  version, 1        u32
 *               8  12 bytes of 0
 *   histogram   0  tag, 0            u8
 *               1  low address       u64   as in the ELF file
 *               9  high address      u64
 *              17  number of bins    u32
 *              21  ticks per second  u32
 *              25  "seconds", padded with 0 to 15 bytes
 *              40  's'
 *              41  the bins          u16 each
 *
 * Counts beyond 16 bits go to further histograms of the same range, which gprof adds up.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "client/client.h"
#include "client/monitor.h"

struct out {
	int fd, error;
	size_t used;
	uint8_t data[4096];
};

static void flush(struct out *out)
{
	size_t done = 0;

	while (done < out->used && !out->error) {
		ssize_t n = write(out->fd, out->data + done, out->used - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			out->error = -errno;
	}
	out->used = 0;
}

static void put(struct out *out, const void *from, size_t bytes)
{
	const uint8_t *data = from;

	while (bytes) {
		size_t n = sizeof(out->data) - out->used;

		if (n > bytes)
			n = bytes;
		memcpy(out->data + out->used, data, n);
		out->used += n;
		data += n;
		bytes -= n;
		if (out->used == sizeof(out->data))
			flush(out);
	}
}

static void put_u16(struct out *out, uint16_t value)
{
	put(out, &value, sizeof(value));
}

static void put_u32(struct out *out, uint32_t value)
{
	put(out, &value, sizeof(value));
}

static void put_u64(struct out *out, uint64_t value)
{
	put(out, &value, sizeof(value));
}

/* Calls client_environment(). A set-user-ID program does not trust its environment: -ENOENT. */
static int get_variable(const char *name, char *to, size_t room)
{
	return getauxval(AT_SECURE) ? -ENOENT : client_environment(name, to, room);
}

/* Does the dialect's manual describe PROFDIR? */
static bool knows_profdir(enum call_dialect dialect)
{
	return dialect == CALL_SYSV || dialect == CALL_IRIX || dialect == CALL_NATIVE;
}

bool monitor_is_unwanted(enum call_dialect dialect)
{
	char value[1];

	return knows_profdir(dialect) && get_variable("PROFDIR", value, sizeof(value)) == 0;
}

/* Like the original implementations, overwrites an existing file and follows no link. */
static int out_open(struct out *out, const char *path)
{
	out->error = 0;
	out->used = 0;
	out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	return out->fd < 0 ? -errno : 0;
}

static int out_close(struct out *out)
{
	flush(out);
	if (close(out->fd) < 0 && !out->error)
		out->error = -errno;
	return out->error;
}

struct search {
	uint64_t pc, bias;
};

static int contains(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uint64_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || search->pc < from ||
			search->pc - from >= info->dlpi_phdr[i].p_memsz)
			continue;
		search->bias = info->dlpi_addr;
		return 1;
	}
	return 0;
}

/* Returns the load bias of the object that contains the histogram's text. */
static uint64_t bias_of(const struct monitor *monitor)
{
	struct search search = {.pc = monitor->low, .bias = 0};

	(void)dl_iterate_phdr(contains, &search);
	return search.bias;
}

static uint32_t count_at(const struct monitor *monitor, size_t i)
{
	if (monitor->element == 2)
		return ((const volatile uint16_t *)monitor->counter)[i];
	return ((const volatile uint32_t *)monitor->counter)[i];
}

/* Writes histogram @part: of each count, the part above @part * UINT16_MAX, at most UINT16_MAX. */
static void put_counters(struct out *out, const struct monitor *monitor, uint32_t part)
{
	for (size_t i = 0; i < monitor->counters; i++) {
		uint64_t count = count_at(monitor, i), before = (uint64_t)part * UINT16_MAX;
		uint64_t rest = count > before ? count - before : 0;
		uint16_t value = (uint16_t)(rest > UINT16_MAX ? UINT16_MAX : rest);

		put(out, &value, sizeof(value));
	}
}

uint16_t monitor_hz(enum call_dialect dialect)
{
	return (uint16_t)((1000000000 + call_period_ns(dialect, 0) / 2) /
		call_period_ns(dialect, 0));
}

int monitor_write_mon(const struct monitor *monitor)
{
	uint64_t bias = bias_of(monitor);
	char directory[1024], path[1024 + 300] = "mon.out";
	struct out out;
	int r;

	if (knows_profdir(monitor->dialect) &&
		get_variable("PROFDIR", directory, sizeof(directory)) > 0)
		(void)snprintf(path, sizeof(path), "%s/%d.%.255s", directory, (int)getpid(),
			program_invocation_short_name);
	r = out_open(&out, path);
	if (r < 0)
		return r;
	put_u64(&out, monitor->low - bias);
	put_u64(&out, monitor->high - bias);
	put_u32(&out, monitor->functions);
	put_u16(&out, monitor_hz(monitor->dialect));
	put_u16(&out, monitor->scale);
	put(&out, monitor->cells, (size_t)monitor->functions * MONITOR_CNT_BYTES);
	put_counters(&out, monitor, 0);
	return out_close(&out);
}

int monitor_write_gmon(const struct monitor *monitor)
{
	uint64_t bias = bias_of(monitor);
	char prefix[1024], path[1024 + 16] = "gmon.out";
	uint32_t most = 0;
	struct out out;
	int r;

	if (get_variable("GMON_OUT_PREFIX", prefix, sizeof(prefix)) > 0)
		(void)snprintf(path, sizeof(path), "%s.%d", prefix, (int)getpid());
	r = out_open(&out, path);
	if (r < 0)
		return r;
	for (size_t i = 0; i < monitor->counters; i++)
		most = count_at(monitor, i) > most ? count_at(monitor, i) : most;
	put(&out, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	for (uint32_t part = 0; part == 0 || (uint64_t)part * UINT16_MAX < most; part++) {
		put(&out, "", 1);
		put_u64(&out, monitor->low - bias);
		put_u64(&out, monitor->high - bias);
		put_u32(&out, (uint32_t)monitor->counters);
		put_u32(&out, monitor_hz(monitor->dialect));
		put(&out, "seconds\0\0\0\0\0\0\0\0s", 16);
		put_counters(&out, monitor, part);
	}
	return out_close(&out);
}
