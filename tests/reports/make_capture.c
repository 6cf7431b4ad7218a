/* SPDX-License-Identifier: MIT */
/*
 * make_capture CAPTURE PROGRAM [cut] <LINES: writes a capture of PROGRAM without running it. A line
 * is an address of the ELF file, in hexadecimal, and its number of samples of 1 ms. With "cut" each
 * sample has a stack of zeros, so that only unwind information could tell its callers. The
 * capture's time is now, so source files are older.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "proto/record.h"

#define MS        1000000
#define PIE_BASE  UINT64_C(0x555555554000)
#define STACK_TOP UINT64_C(0x7ffffffff000)

enum { PID = 4000, PAGE = 4096, STACK_BYTES = 256, X86_64_REGISTERS = 17 };

struct maker {
	FILE *capture;
	uint64_t now;
	uint64_t bias;
	uint64_t samples;
	uint16_t machine;
	uint8_t record[RECORD_MAX_TEXT_BYTES + 256];
};

/* As in /proc/PID/maps, an octal escape stands for a newline. */
static void print_name(char *to, size_t room, const char *name)
{
	size_t used = 0;

	for (; *name && used + 5 < room; name++)
		used += (size_t)snprintf(
			to + used, room - used, *name == '\n' ? "\\012" : "%c", *name);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void put(struct maker *m, int bytes)
{
	if (bytes < 0 || fwrite(m->record, 1, (size_t)bytes, m->capture) != (size_t)bytes)
		die("record");
	m->now += MS;
}

static void put_maps(struct maker *m, const char *program)
{
	char text[8192], name[4096];
	size_t used = 0;
	FILE *f = fopen(program, "rb");
	struct stat st;
	Elf64_Ehdr head;

	print_name(name, sizeof(name), program);
	if (!f || fstat(fileno(f), &st) < 0 || fread(&head, sizeof(head), 1, f) != 1)
		die(program);
	m->machine = head.e_machine;
	m->bias = head.e_type == ET_DYN ? PIE_BASE : 0;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		Elf64_Phdr segment;
		uint64_t start, end;

		if (fseek(f, (long)(head.e_phoff + i * sizeof(segment)), SEEK_SET) < 0 ||
			fread(&segment, sizeof(segment), 1, f) != 1)
			die(program);
		if (segment.p_type != PT_LOAD)
			continue;
		start = (segment.p_vaddr + m->bias) & ~(uint64_t)(PAGE - 1);
		end = (segment.p_vaddr + m->bias + segment.p_memsz + PAGE - 1) &
			~(uint64_t)(PAGE - 1);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%" PRIx64 "-%" PRIx64 " r%c%cp %08" PRIx64 " %02x:%02x %" PRIu64 " %s\n",
			start, end, segment.p_flags & PF_W ? 'w' : '-',
			segment.p_flags & PF_X ? 'x' : '-',
			segment.p_offset & ~(uint64_t)(PAGE - 1), major(st.st_dev),
			minor(st.st_dev), (uint64_t)st.st_ino, name);
		if (used >= sizeof(text))
			exit(1);
	}
	(void)fclose(f);
	put(m,
		record_put_maps(m->record, sizeof(m->record), m->now, RECORD_MAPS_LAST,
			&(struct record_maps){.pid = PID,
				.generation = 1,
				.bytes = (uint32_t)used,
				.text = text}));
}

static void put_samples(struct maker *m, uint64_t svma, uint64_t count, int cut)
{
	static const uint8_t stack[STACK_BYTES];
	struct record_sample sample = {.pid = PID,
		.tid = PID,
		.pc = svma + m->bias,
		.weight_ns = MS,
		.syscall = -1,
		.machine = m->machine};

	if (cut) {
		sample.sp = sample.stack_base = STACK_TOP - STACK_BYTES;
		sample.stack_limit = STACK_TOP;
		sample.stack_bytes = STACK_BYTES;
		sample.stack = stack;
		sample.registers = X86_64_REGISTERS;
		sample.reg[7] = sample.sp;
		sample.reg[16] = sample.pc;
	}
	for (uint64_t i = 0; i < count; i++, m->samples++)
		put(m, record_put_sample(m->record, sizeof(m->record), m->now, &sample));
}

int main(int argc, char **argv)
{
	struct timespec now;
	struct maker m = {.now = UINT64_C(100000000000)};
	const char *program = argv[2], *name;
	uint64_t svma, count;
	char figures[256];

	if (argc < 3)
		return 2;
	name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
	m.capture = fopen(argv[1], "wb");
	if (!m.capture ||
		fwrite(CAPTURE_MAGIC, 1, CAPTURE_MAGIC_BYTES, m.capture) != CAPTURE_MAGIC_BYTES)
		die(argv[1]);
	if (clock_gettime(CLOCK_REALTIME, &now) < 0)
		die("clock_gettime");
	put(&m,
		record_put_start(m.record, sizeof(m.record), m.now,
			&(struct record_start){.period_ns = MS,
				.realtime_ns =
					(uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec,
				.command = program,
				.command_bytes = strlen(program) + 1}));
	put(&m, record_put_process(m.record, sizeof(m.record), m.now, 0, PID, 0));
	put(&m, record_put_exec(m.record, sizeof(m.record), m.now, PID, program, name));
	put_maps(&m, program);
	put(&m, record_put_thread(m.record, sizeof(m.record), m.now, PID, PID, name));
	while (scanf("%" SCNx64 " %" SCNu64, &svma, &count) == 2)
		put_samples(&m, svma, count, argc > 3 && strcmp(argv[3], "cut") == 0);
	put(&m,
		record_put_cpu(m.record, sizeof(m.record), m.now, RECORD_CPU_LAST,
			&(struct record_cpu){PID, PID, m.samples * MS}));
	put(&m,
		record_put_exit(m.record, sizeof(m.record), m.now,
			&(struct record_exit){.pid = PID, .kernel_ns = m.samples * MS}));
	(void)snprintf(figures, sizeof(figures),
		"kernel_cpu_ns %" PRIu64 "\ninstants %" PRIu64 "\n", m.samples * MS, m.samples);
	put(&m, record_put_audit(m.record, sizeof(m.record), m.now, RECORD_END, 0, figures));
	return fclose(m.capture) != 0;
}
