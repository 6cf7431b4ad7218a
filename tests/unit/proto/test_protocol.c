/* SPDX-License-Identifier: MIT */
/* Each encoder's output has the offsets and sizes that the tables of docs/PROTOCOL.md give. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/call.h"
#include "proto/opening.h"
#include "proto/piece.h"
#include "proto/record.h"
#include "proto/request.h"

struct field {
	const char *name;
	uint64_t value;
};

static char *document(void)
{
	static char text[65536];
	const char *path = getenv("SPROFIL_PROTOCOL_MD");
	FILE *file;
	size_t n;

	assert_non_null(path);
	file = fopen(path, "r");
	assert_non_null(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	assert_true(n > 0 && n < sizeof(text) - 1);
	assert_int_equal(fclose(file), 0);
	text[n] = '\0';
	return text;
}

static uint64_t value_at(const uint8_t *data, size_t bytes, unsigned offset, unsigned size)
{
	uint64_t v = 0;

	assert_true(size <= 8 && offset + size <= bytes);
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)data[offset + i] << 8 * i;
	return v;
}

static const struct field *find(const struct field *fields, const char *name)
{
	for (; fields->name; fields++)
		if (strcmp(fields->name, name) == 0)
			return fields;
	return NULL;
}

/*
 * Compares @data with the table under "### @section": the rows are @fields, without overlap. A row
 * of size "-" begins where its field's value says, within the message.
 */
static void check(
	const char *section, const uint8_t *data, size_t bytes, const struct field *fields)
{
	char heading[64], name[64], size_text[8];
	unsigned offset, end = 0, rows = 0, wanted = 0;
	const char *line;

	(void)snprintf(heading, sizeof(heading), "\n### %s\n", section);
	line = strstr(document(), heading);
	assert_non_null(line);
	line = strchr(line + 1, '\n') + 1;
	for (; *line == '|'; line = strchr(line, '\n') + 1) {
		const struct field *f;

		if (sscanf(line, "| %u | %7[-0-9] | %63[a-z_] |", &offset, size_text, name) != 3)
			continue;
		f = find(fields, name);
		if (!f)
			fail_msg("%s: no test of %s", section, name);
		assert_true(offset >= end);
		if (size_text[0] == '-') {
			assert_int_equal(offset, f->value);
			assert_true(offset <= bytes);
		} else {
			unsigned size = (unsigned)atoi(size_text);

			if (value_at(data, bytes, offset, size) != f->value)
				fail_msg("%s: %s is not at %u", section, name, offset);
			end = offset + size;
		}
		rows++;
	}
	while (fields[wanted].name)
		wanted++;
	assert_int_equal(rows, wanted);
}

#define MAGIC4(a, b, c, d) ((uint64_t)(a) | (b) << 8 | (c) << 16 | (uint64_t)(d) << 24)

static void test_protocol__calls(void **state)
{
	struct call_request q = {.pid = 0x11,
		.tid = 0x22,
		.answer = 0x33,
		.nonce = 0x4444444444444444,
		.seal = 0x5555555555555555,
		.total = 3,
		.first = 2,
		.count = 1,
		.dialect = CALL_SYSV,
		.element = 2,
		.flags = CALL_PLAIN};
	struct call_region region = {.base = 0x1111111111111111,
		.bytes = 0x2222222222222222,
		.offset = 0x3333333333333333,
		.limit = 0x4444444444444444,
		.scale = 0x55555555};
	struct call_answer answer = {.nonce = 0x1212121212121212,
		.error = 13,
		.descriptor = 7,
		.tick_ns = 0x3434343434343434,
		.inode = 0x5656565656565656};
	struct call_status status = {.state = CALL_HAS_ENDED,
		.reason = CALL_HIDDEN,
		.regions = 0x44,
		.dead = 1,
		.tick_ns = 0x5555555555555555,
		.counted = 0x1111111111111111,
		.outside = 0x2222222222222222,
		.full = 0x3333333333333333,
		.faulted = 0x6666666666666666,
		.lost = 0x7777777777777777,
		.first_dead = {0x66}};
	uint8_t data[CALL_MAX_BYTES], seal[CALL_SEAL_BYTES];
	uint32_t sum = UINT32_C(2166136261); /* FNV-1a */
	int n = call_put_request(data, sizeof(data), &q, &region);

	(void)state;
	assert_true(n > 0);
	for (int i = 0; i < n; i++)
		sum = (sum ^ (i >= 8 && i < 12 ? 0 : data[i])) * UINT32_C(16777619);
	check("Request", data, (size_t)n,
		(const struct field[]){{"magic", MAGIC4('S', 'P', 'R', 'Q')}, {"version", 1},
			{"size", 96}, {"checksum", sum}, {"pid", 0x11}, {"tid", 0x22},
			{"answer", 0x33}, {"nonce", q.nonce}, {"seal", q.seal}, {"total", 3},
			{"first", 2}, {"count", 1}, {"dialect", 4}, {"element", 2}, {"flags", 2},
			{"regions", 56}, {NULL, 0}});
	check("Region", data + 56, (size_t)n - 56,
		(const struct field[]){{"base", region.base}, {"bytes", region.bytes},
			{"offset", region.offset}, {"limit", region.limit}, {"scale", region.scale},
			{"zero", 0}, {NULL, 0}});
	call_put_seal(seal, &q);
	check("Seal", seal, sizeof(seal),
		(const struct field[]){
			{"magic", MAGIC4('S', 'P', 'R', 'F') | MAGIC4('S', 'E', 'A', 'L') << 32},
			{"nonce", q.nonce}, {"address", q.seal}, {"pid", 0x11}, {"tid", 0x22},
			{NULL, 0}});
	n = call_put_answer(data, sizeof(data), &answer);
	check("Answer", data, (size_t)n,
		(const struct field[]){{"magic", MAGIC4('S', 'P', 'R', 'A')}, {"version", 1},
			{"size", 40}, {"nonce", answer.nonce}, {"error", 13}, {"descriptor", 7},
			{"tick_ns", answer.tick_ns}, {"inode", answer.inode}, {NULL, 0}});
	n = call_put_status(data, sizeof(data), &status);
	check("Status", data, (size_t)n,
		(const struct field[]){{"magic", MAGIC4('S', 'P', 'R', 'T')}, {"version", 1},
			{"size", 128}, {"state", 2}, {"reason", 3}, {"regions", 0x44}, {"dead", 1},
			{"tick_ns", status.tick_ns}, {"counted", status.counted},
			{"outside", status.outside}, {"full", status.full},
			{"faulted", status.faulted}, {"lost", status.lost}, {"first_dead", 0x66},
			{NULL, 0}});
}

static void test_protocol__records(void **state)
{
	static const uint64_t t = 0x7777777777777777;
	uint8_t data[4096] = {0};
	struct record_start start = {.machine = 62,
		.period_ns = 0x1111111111,
		.realtime_ns = 0x2222222222,
		.supervisor = 0x33,
		.restarts = 0x44,
		.lost_samples = 0x5555555555,
		.lost_ns = 0x6666666666,
		.command = "a",
		.command_bytes = 1};
	struct record_maps maps = {
		.pid = 1, .generation = 2, .offset = 3, .bytes = 4, .text = "text"};
	struct record_sample s = {.pid = 1,
		.tid = 2,
		.pc = 3,
		.sp = 4,
		.fp = 5,
		.weight_ns = 6,
		.syscall = 8,
		.machine = 9,
		.registers = 2,
		.stack_bytes = 11,
		.stack_base = 12,
		.stack_limit = 13,
		.stack = (const uint8_t *)"eleven byte",
		.outer_bytes = 5,
		.outer = (const uint8_t *)"outer",
		.queue_ns = 14,
		.blocked_ns = 15};
	int n = record_put_process(data, sizeof(data), t, 2, 0x1234, 0x5678);

	(void)state;
	assert_true(n > 0);
	check("Header", data, (size_t)n,
		(const struct field[]){{"size", (uint64_t)n}, {"type", 2}, {"flags", 2},
			{"time_ns", t}, {NULL, 0}});
	check("Process", data, (size_t)n,
		(const struct field[]){{"pid", 0x1234}, {"parent", 0x5678}, {NULL, 0}});
	n = record_put_start(data, sizeof(data), t, &start);
	check("Start", data, (size_t)n,
		(const struct field[]){{"version", 3}, {"machine", 62},
			{"period_ns", start.period_ns}, {"realtime_ns", start.realtime_ns},
			{"supervisor", 0x33}, {"restarts", 0x44},
			{"lost_samples", start.lost_samples}, {"lost_ns", start.lost_ns},
			{"command", 64}, {NULL, 0}});
	assert_int_equal(data[64], 'a');
	n = record_put_exec(data, sizeof(data), t, 0x12, "/p", "n");
	check("Exec", data, (size_t)n,
		(const struct field[]){{"pid", 0x12}, {"path", 24}, {NULL, 0}});
	assert_memory_equal(data + 24, "/p\0n", 5);
	n = record_put_maps(data, sizeof(data), t, 1, &maps);
	check("Maps", data, (size_t)n,
		(const struct field[]){{"pid", 1}, {"generation", 2}, {"offset", 3}, {"bytes", 4},
			{"text", 32}, {NULL, 0}});
	assert_memory_equal(data + 32, "text", 4);
	n = record_put_thread(data, sizeof(data), t, 1, 2, "name");
	check("Thread", data, (size_t)n,
		(const struct field[]){{"pid", 1}, {"tid", 2}, {"name", 24}, {NULL, 0}});
	assert_memory_equal(data + 24, "name", 5);
	n = record_put_sample(data, sizeof(data), t, &s);
	check("Sample", data, (size_t)n,
		(const struct field[]){{"pid", 1}, {"tid", 2}, {"pc", 3}, {"sp", 4}, {"fp", 5},
			{"weight_ns", 6}, {"syscall", 8}, {"machine", 9}, {"registers", 2},
			{"stack_bytes", 11}, {"outer_bytes", 5}, {"stack_base", 12},
			{"stack_limit", 13}, {"queue_ns", 14}, {"blocked_ns", 15}, {"data", 104},
			{NULL, 0}});
	n = record_put_exit(data, sizeof(data), t, &(struct record_exit){1, 2, 3});
	check("Exit", data, (size_t)n,
		(const struct field[]){{"pid", 1}, {"status", 2}, {"kernel_ns", 3}, {NULL, 0}});
	n = record_put_cpu(data, sizeof(data), t, RECORD_CPU_LAST,
		&(struct record_cpu){0x12, 0x34, 0x5566778899});
	check("Header", data, (size_t)n,
		(const struct field[]){
			{"size", 32}, {"type", 11}, {"flags", 1}, {"time_ns", t}, {NULL, 0}});
	check("Cpu", data, (size_t)n,
		(const struct field[]){
			{"pid", 0x12}, {"tid", 0x34}, {"cpu_ns", 0x5566778899}, {NULL, 0}});
	n = record_put_unsampled(
		data, sizeof(data), t, &(struct record_unsampled){0x1122334455, 0x66, 0x77, "/p"});
	check("Unsampled", data, (size_t)n,
		(const struct field[]){{"cpu_ns", 0x1122334455}, {"queue_ns", 0x66},
			{"blocked_ns", 0x77}, {"path", 40}, {NULL, 0}});
	n = record_put_audit(data, sizeof(data), t, RECORD_AUDIT, 0, "k v\n");
	check("Audit", data, (size_t)n, (const struct field[]){{"text", 16}, {NULL, 0}});
	assert_memory_equal(data + 16, "k v\n", 5);
}

static void test_protocol__runtimes(void **state)
{
	static const uint8_t bytes[40] = {1};
	uint8_t data[256];
	struct record rec;
	int n;

	(void)state;
	n = record_put_runtime(data, sizeof(data), 1,
		&(struct record_runtime){.pid = 1,
			.tid = 2,
			.id = 3,
			.frames = 1,
			.thread = 0x1122334455,
			.watch = {4, 5},
			.thread_word = {6, 7},
			.frame = bytes});
	check("Runtime", data, (size_t)n,
		(const struct field[]){{"pid", 1}, {"tid", 2}, {"id", 3}, {"frames", 1},
			{"thread", 0x1122334455}, {"lock", 4}, {"locked", 5}, {"first", 6},
			{"second", 7}, {"frame", 72}, {NULL, 0}});
	assert_memory_equal(data + 72, bytes, sizeof(bytes));
	n = record_put_object(data, sizeof(data), 1,
		&(struct record_object){.pid = 1,
			.id = 2,
			.address = 0x1122334455,
			.bytes = 9,
			.text_bytes = {1, 2, 3},
			.data = bytes,
			.text = {bytes, bytes, bytes}});
	check("Object", data, (size_t)n,
		(const struct field[]){{"pid", 1}, {"id", 2}, {"address", 0x1122334455},
			{"bytes", 9}, {"file_bytes", 1}, {"name_bytes", 2}, {"lines_bytes", 3},
			{"data", 48}, {NULL, 0}});
	assert_int_equal(n, 48 + 16 + 3 * 8);
	n = record_put_memory(data, sizeof(data), 1,
		&(struct record_memory){.pid = 1,
			.requested = 20,
			.address = 0x1122334455,
			.bytes = 9,
			.data = bytes});
	check("Memory", data, (size_t)n,
		(const struct field[]){{"pid", 1}, {"requested", 20}, {"address", 0x1122334455},
			{"bytes", 9}, {"data", 40}, {NULL, 0}});
	assert_int_equal(n, 40 + 16);
	assert_memory_equal(data + 40, bytes, 9);
	assert_int_equal(record_get(data, (size_t)n, &rec), 0);
	assert_int_equal(rec.as.memory.bytes, 9);
	data[20] = 8; /* more than were requested */
	assert_int_equal(record_get(data, (size_t)n, &rec), -EPROTO);
}

static void test_protocol__requests(void **state)
{
	struct request request = {.type = REQUEST_FREEZE, .value = 1};
	uint8_t data[REQUEST_BYTES];

	(void)state;
	request_put(data, &request);
	check("Wish", data, sizeof(data),
		(const struct field[]){{"type", 2}, {"index", 0}, {"value", 1}, {NULL, 0}});
	request = (struct request){.type = REQUEST_RUNTIME, .index = 3, .value = 0x1122334455};
	request_put(data, &request);
	check("Wish", data, sizeof(data),
		(const struct field[]){
			{"type", 7}, {"index", 3}, {"value", 0x1122334455}, {NULL, 0}});
}

static void test_protocol__openings(void **state)
{
	static struct opening q = {.sequence = 1,
		.kind = OPENING_MAPPED,
		.pid = 2,
		.plain_bytes = 3,
		.start = 4,
		.end = 5,
		.inode = 6,
		.major = 7,
		.minor = 8,
		.time = 9,
		.path = "/a b"};
	static struct opened a = {.sequence = 1,
		.error = -2,
		.flags = 3,
		.device = 4,
		.inode = 5,
		.bytes = 6,
		.mtime_ns = 7,
		.text = "why"};
	uint8_t data[OPENING_BYTES_MOST];
	size_t bytes = opening_put(data, &q);

	(void)state;
	check("Opening", data, bytes,
		(const struct field[]){{"sequence", 1}, {"kind", OPENING_MAPPED}, {"pid", 2},
			{"plain_bytes", 3}, {"start", 4}, {"end", 5}, {"inode", 6}, {"major", 7},
			{"minor", 8}, {"time", 9}, {"path_bytes", 4},
			{"path", OPENING_REQUEST_HEAD}, {NULL, 0}});
	bytes = opened_put(data, &a);
	check("Opened", data, bytes,
		(const struct field[]){{"sequence", 1}, {"error", 2}, {"flags", 3}, {"device", 4},
			{"inode", 5}, {"bytes", 6}, {"mtime_ns", 7}, {"text_bytes", 3},
			{"text", OPENING_ANSWER_HEAD}, {NULL, 0}});
}

static void test_protocol__pieces(void **state)
{
	const struct piece piece = {PIECE_WHOLE, 7, 0x1122334455, 0x1122334466};
	uint8_t data[PIECE_BYTES];

	(void)state;
	piece_put(data, &piece);
	check("Piece", data, sizeof(data),
		(const struct field[]){{"magic", PIECE_MAGIC}, {"kind", PIECE_WHOLE},
			{"segment", 7}, {"zero", 0}, {"began_ns", 0x1122334455},
			{"until_ns", 0x1122334466}, {NULL, 0}});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_protocol__calls),
		cmocka_unit_test(test_protocol__records),
		cmocka_unit_test(test_protocol__runtimes),
		cmocka_unit_test(test_protocol__requests),
		cmocka_unit_test(test_protocol__openings),
		cmocka_unit_test(test_protocol__pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
