/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/bytes.h"
#include "proto/record.h"

/* Decodes @data. Each truncation, in an exact heap copy, is refused. */
static void decode(const uint8_t *data, int bytes, struct record *ret_record)
{
	struct record rec;

	assert_true(bytes >= RECORD_HEADER_BYTES);
	assert_int_equal(bytes % 8, 0);
	assert_int_equal(record_get(data, (size_t)bytes, ret_record), 0);
	for (size_t n = 0; n < (size_t)bytes; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		assert_non_null(cut);
		memcpy(cut, data, n);
		assert_int_equal(record_get(cut, n, &rec), -EPROTO);
		free(cut);
	}
}

static void test_record__sample_round_trip(void **state)
{
	uint8_t buffer[1024];
	struct record_sample s = {
		.flags = RECORD_SAMPLE_KERNEL | RECORD_SAMPLE_TRUNCATED,
		.pid = 12,
		.tid = 13,
		.pc = 0xfffffffffffffff1,
		.sp = 2,
		.fp = 3,
		.weight_ns = 4000000,
		.syscall = -1,
		.machine = 62,
		.registers = 17,
		.stack_bytes = 5,
		.stack_base = 6,
		.stack_limit = 7,
		.stack = (const uint8_t *)"stack",
		.queue_ns = 8,
		.blocked_ns = 9,
	};
	struct record rec;
	int bytes;

	(void)state;
	for (unsigned i = 0; i < s.registers; i++)
		s.reg[i] = UINT64_C(0x0102030405060708) * i;
	bytes = record_put_sample(buffer, sizeof(buffer), 99, &s);
	assert_int_equal(bytes, record_sample_bytes(&s));
	decode(buffer, bytes, &rec);
	assert_int_equal(rec.header.type, RECORD_SAMPLE);
	assert_int_equal(rec.header.time_ns, 99);
	assert_int_equal(rec.as.sample.flags, s.flags);
	assert_int_equal(rec.as.sample.pid, 12);
	assert_int_equal(rec.as.sample.tid, 13);
	assert_int_equal(rec.as.sample.pc, s.pc);
	assert_int_equal(rec.as.sample.sp, 2);
	assert_int_equal(rec.as.sample.fp, 3);
	assert_int_equal(rec.as.sample.weight_ns, 4000000);
	assert_int_equal(rec.as.sample.queue_ns, 8);
	assert_int_equal(rec.as.sample.blocked_ns, 9);
	assert_int_equal(rec.as.sample.syscall, -1);
	assert_int_equal(rec.as.sample.machine, 62);
	assert_int_equal(rec.as.sample.stack_base, 6);
	assert_int_equal(rec.as.sample.stack_limit, 7);
	assert_memory_equal(rec.as.sample.reg, s.reg, 8 * s.registers);
	assert_int_equal(rec.as.sample.stack_bytes, 5);
	assert_memory_equal(rec.as.sample.stack, "stack", 5);
	assert_int_equal(rec.as.sample.outer_bytes, 0);
	assert_int_equal(record_put_sample(buffer, (size_t)bytes - 1, 99, &s), -ENOSPC);
}

static void test_record__sample_with_two_pieces(void **state)
{
	uint8_t buffer[256];
	struct record_sample s = {.registers = 1,
		.reg = {1},
		.stack = (const uint8_t *)"inner",
		.stack_bytes = 5,
		.outer = (const uint8_t *)"interrupted",
		.outer_bytes = 11,
		.outer_base = 0x7fff0010};
	struct record rec;
	int bytes = record_put_sample(buffer, sizeof(buffer), 99, &s);

	(void)state;
	/* 104 fixed, 8 of registers, 8 of stack, 8 of the outer piece's address, 16 of its data. */
	assert_int_equal(bytes, 144);
	assert_int_equal(bytes, record_sample_bytes(&s));
	decode(buffer, bytes, &rec);
	assert_memory_equal(rec.as.sample.stack, "inner", 5);
	assert_int_equal(rec.as.sample.outer_bytes, 11);
	assert_true(rec.as.sample.outer_base == 0x7fff0010);
	assert_memory_equal(rec.as.sample.outer, "interrupted", 11);
	/* The second piece is a goroutine's stack: 16 bytes more say where it was left. */
	s.flags = RECORD_SAMPLE_LEFT;
	s.left_pc = 0x401000;
	s.left_sp = 0xc000010010;
	bytes = record_put_sample(buffer, sizeof(buffer), 99, &s);
	assert_int_equal(bytes, 160);
	assert_int_equal(bytes, record_sample_bytes(&s));
	decode(buffer, bytes, &rec);
	assert_int_equal(rec.as.sample.left_pc, 0x401000);
	assert_true(rec.as.sample.left_sp == 0xc000010010);
	assert_memory_equal(rec.as.sample.outer, "interrupted", 11);
}

static void test_record__offsets_are_those_of_the_table(void **state)
{
	uint8_t buffer[256];
	struct record_sample s = {.pid = 0x11223344,
		.weight_ns = 0x55,
		.stack_limit = 0x66,
		.syscall = 0x77,
		.machine = 0x88,
		.registers = 1,
		.reg = {0x99},
		.queue_ns = 0xbb,
		.blocked_ns = 0xcc};

	(void)state;
	assert_int_equal(record_put_sample(buffer, sizeof(buffer), 0xaa, &s), 112);
	assert_int_equal(buffer[0], 112);
	assert_int_equal(buffer[4], RECORD_SAMPLE);
	assert_int_equal(buffer[8], 0xaa);
	assert_int_equal(buffer[16], 0x44);
	assert_int_equal(buffer[19], 0x11);
	assert_int_equal(buffer[48], 0x55);
	assert_int_equal(buffer[56], 0x77);
	assert_int_equal(buffer[60], 0x88);
	assert_int_equal(buffer[80], 0x66);
	assert_int_equal(buffer[88], 0xbb);
	assert_int_equal(buffer[96], 0xcc);
	assert_int_equal(buffer[104], 0x99);
}

static void test_record__start_round_trip(void **state)
{
	uint8_t buffer[256];
	struct record_start start = {.machine = 62,
		.period_ns = 4000000,
		.realtime_ns = 1,
		.supervisor = 2,
		.restarts = 3,
		.lost_samples = 4,
		.lost_ns = 5,
		.command = "xz\0-9",
		.command_bytes = 5,
		.flags = RECORD_START_WALL};
	struct record rec;

	(void)state;
	decode(buffer, record_put_start(buffer, sizeof(buffer), 7, &start), &rec);
	assert_int_equal(rec.as.start.flags, RECORD_START_WALL);
	assert_int_equal(rec.as.start.machine, 62);
	assert_int_equal(rec.as.start.period_ns, 4000000);
	assert_int_equal(rec.as.start.supervisor, 2);
	assert_int_equal(rec.as.start.restarts, 3);
	assert_int_equal(rec.as.start.lost_samples, 4);
	assert_int_equal(rec.as.start.lost_ns, 5);
	assert_int_equal(rec.as.start.command_bytes, 5);
	assert_memory_equal(rec.as.start.command, "xz\0-9", 5);
}

static void test_record__life_round_trip(void **state)
{
	uint8_t b[256];
	struct record rec;
	struct record_maps maps = {
		.pid = 1, .generation = 2, .offset = 3, .bytes = 4, .text = "abcd"};

	(void)state;
	decode(b, record_put_process(b, sizeof(b), 1, RECORD_PROCESS_FORKED, 5, 6), &rec);
	assert_int_equal(rec.header.flags, RECORD_PROCESS_FORKED);
	assert_int_equal(rec.as.process.pid, 5);
	assert_int_equal(rec.as.process.parent, 6);
	decode(b, record_put_exec(b, sizeof(b), 1, 5, "/bin/ls", "ls"), &rec);
	assert_string_equal(rec.as.exec.path, "/bin/ls");
	assert_string_equal(rec.as.exec.name, "ls");
	decode(b, record_put_maps(b, sizeof(b), 1, RECORD_MAPS_LAST, &maps), &rec);
	assert_int_equal(rec.as.maps.generation, 2);
	assert_int_equal(rec.as.maps.offset, 3);
	assert_int_equal(rec.as.maps.bytes, 4);
	assert_memory_equal(rec.as.maps.text, "abcd", 4);
	decode(b, record_put_thread(b, sizeof(b), 1, 5, 7, "worker"), &rec);
	assert_int_equal(rec.as.thread.tid, 7);
	assert_string_equal(rec.as.thread.name, "worker");
	decode(b,
		record_put_exit(b, sizeof(b), 1, &(struct record_exit){5, RECORD_EXIT_DETACHED, 7}),
		&rec);
	assert_int_equal(rec.as.exit.status, RECORD_EXIT_DETACHED);
	assert_int_equal(rec.as.exit.kernel_ns, 7);
	decode(b,
		record_put_unsampled(
			b, sizeof(b), 1, &(struct record_unsampled){77, 88, 99, "/bin/ls"}),
		&rec);
	assert_int_equal(rec.as.unsampled.cpu_ns, 77);
	assert_int_equal(rec.as.unsampled.queue_ns, 88);
	assert_int_equal(rec.as.unsampled.blocked_ns, 99);
	assert_string_equal(rec.as.unsampled.path, "/bin/ls");
	decode(b, record_put_audit(b, sizeof(b), 1, RECORD_END, RECORD_END_PIECE, "stops 3\n"),
		&rec);
	assert_int_equal(rec.header.type, RECORD_END);
	assert_int_equal(rec.header.flags, RECORD_END_PIECE);
	assert_string_equal(rec.as.audit.text, "stops 3\n");
}

static void test_record__cpu_round_trip(void **state)
{
	const struct record_cpu cpu = {5, 6, UINT64_C(0x1234567890)};
	struct record rec;
	uint8_t b[32];

	(void)state;
	decode(b, record_put_cpu(b, sizeof(b), 1, RECORD_CPU_LAST, &cpu), &rec);
	assert_int_equal(rec.header.type, RECORD_CPU);
	assert_int_equal(rec.header.flags, RECORD_CPU_LAST);
	assert_int_equal(rec.as.cpu.pid, 5);
	assert_int_equal(rec.as.cpu.tid, 6);
	assert_int_equal(rec.as.cpu.cpu_ns, 0x1234567890);
	assert_int_equal(record_put_cpu(b, sizeof(b) - 1, 1, 0, &cpu), -ENOSPC);
}

static void test_record__another_version_is_refused(void **state)
{
	const struct record_start start = {.command = ""};
	struct record rec;
	uint8_t b[128];
	int bytes = record_put_start(b, sizeof(b), 1, &start);

	(void)state;
	b[16] = RECORD_VERSION - 1;
	assert_int_equal(record_get(b, (size_t)bytes, &rec), -EPROTO);
}

static void test_record__unterminated_text_is_refused(void **state)
{
	uint8_t b[256];
	struct record rec;
	int bytes;

	(void)state;
	bytes = record_put_audit(b, sizeof(b), 1, RECORD_AUDIT, 0, "1234567");
	assert_int_equal(bytes, 24);
	b[23] = 'x';
	assert_int_equal(record_get(b, 24, &rec), -EPROTO);
}

static void test_record__too_many_registers_are_refused(void **state)
{
	uint8_t b[1024] = {0};
	struct record_sample s = {.registers = 2};
	struct record rec;
	int bytes;

	(void)state;
	bytes = record_put_sample(b, sizeof(b), 1, &s);
	b[62] = RECORD_MAX_REGISTERS + 1;
	assert_int_equal(record_get(b, (size_t)bytes, &rec), -EPROTO);
}

static void test_record__unknown_type_is_skipped(void **state)
{
	uint8_t b[64];
	struct record rec;
	int bytes;

	(void)state;
	bytes = record_put_audit(b, sizeof(b), 1, RECORD_AUDIT, 0, "x");
	b[4] = 200;
	assert_int_equal(record_get(b, (size_t)bytes, &rec), 0);
	assert_int_equal(rec.header.type, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record__sample_round_trip),
		cmocka_unit_test(test_record__sample_with_two_pieces),
		cmocka_unit_test(test_record__offsets_are_those_of_the_table),
		cmocka_unit_test(test_record__start_round_trip),
		cmocka_unit_test(test_record__life_round_trip),
		cmocka_unit_test(test_record__cpu_round_trip),
		cmocka_unit_test(test_record__another_version_is_refused),
		cmocka_unit_test(test_record__unterminated_text_is_refused),
		cmocka_unit_test(test_record__too_many_registers_are_refused),
		cmocka_unit_test(test_record__unknown_type_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
