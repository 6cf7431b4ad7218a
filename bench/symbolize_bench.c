/* SPDX-License-Identifier: MIT */
/*
 * Names addresses of one ELF file, as addr2line -f -i -a -e FILE does, and prints them in its
 * form, so that the two can be compared: symbolize_bench FILE < ADDRESSES. With -t the answers are
 * asked for twice and the times are printed to stderr.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "symbolizer/module.h"

static double seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t read_addresses(uint64_t **ret_addresses)
{
	uint64_t *addresses = NULL;
	size_t n = 0, capacity = 0;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (n == capacity) {
			uint64_t *grown;

			capacity = capacity ? capacity * 2 : 1024;
			grown = realloc(addresses, capacity * sizeof(*addresses));
			if (!grown) {
				free(addresses);
				return 0;
			}
			addresses = grown;
		}
		addresses[n++] = strtoull(line, NULL, 16);
	}
	*ret_addresses = addresses;
	return n;
}

/* Maps whose one line maps the file's first executable segment where the file says it is. */
static int map_file(struct space *space, const char *path)
{
	struct stat st;
	char text[4096 + 128];
	int n;

	if (stat(path, &st) != 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%x-%jx r-xp 00000000 00:00 0 %s\n", 0x1000,
		(uintmax_t)st.st_size + 0x1000, path);
	if (n < 0 || (size_t)n >= sizeof(text))
		return -ENAMETOOLONG;
	return space_set_maps(space, text, (size_t)n);
}

static void print_chain(uint64_t svma, const struct frame_chain *chain)
{
	printf("0x%016" PRIx64 "\n", svma);
	for (size_t i = 0; i < chain->n; i++) {
		const struct frame *frame = &chain->frame[i];

		printf("%s\n%s:%u\n", frame->function[0] ? frame->function : "??",
			frame->file[0] ? frame->file : "??", frame->line);
	}
	if (chain->n == 0)
		printf("??\n??:0\n");
}

static int run(struct symbolizer *symbolizer, const char *path, bool timed)
{
	struct frame_chain *chains = NULL;
	struct place *places = NULL;
	uint64_t *addresses = NULL;
	struct space *space = NULL;
	size_t n = read_addresses(&addresses);
	double begin, first, second;
	int rc = space_new(symbolizer, 0, &space);

	if (rc == 0)
		rc = map_file(space, path);
	places = calloc(n + 1, sizeof(*places));
	chains = calloc(n + 1, sizeof(*chains));
	if (rc == 0 && (!places || !chains || !addresses || space->n != 1))
		rc = -EINVAL;
	for (size_t i = 0; i < n && rc == 0; i++)
		places[i] = (struct place){
			.module = space->mappings[0].module, .svma = addresses[i]};
	begin = seconds();
	if (rc == 0)
		rc = symbolizer_resolve(symbolizer, places, n, chains);
	first = seconds();
	if (rc == 0 && timed)
		rc = symbolizer_resolve(symbolizer, places, n, chains);
	second = seconds();
	for (size_t i = 0; i < n && rc == 0; i++)
		print_chain(addresses[i], &chains[i]);
	if (rc == 0 && timed)
		fprintf(stderr, "%zu addresses: first %.3f s, again %.4f s\n", n, first - begin,
			second - first);
	if (rc == 0) {
		struct module_info info;

		module_describe(places[0].module, 0, &info);
		fprintf(stderr, "symbols: %s, lines: %s%s%s\n", info.symbols, info.lines,
			info.problem[0] ? ", problem: " : "", info.problem);
	}
	free(places);
	free(chains);
	free(addresses);
	space_free(space);
	return rc;
}

int main(int argc, char **argv)
{
	bool timed = argc > 1 && strcmp(argv[1], "-t") == 0;
	struct symbolizer_options options = {.size = sizeof(options)};
	struct symbolizer *symbolizer = NULL;
	int rc;

	if (argc != 2 + timed) {
		fprintf(stderr, "usage: %s [-t] FILE < ADDRESSES\n", argv[0]);
		return 2;
	}
	rc = symbolizer_new(&options, &symbolizer);
	if (rc == 0)
		rc = run(symbolizer, argv[1 + timed], timed);
	symbolizer_free(symbolizer);
	if (rc) {
		fprintf(stderr, "%s: %s\n", argv[1 + timed], strerror(-rc));
		return 1;
	}
	return 0;
}
