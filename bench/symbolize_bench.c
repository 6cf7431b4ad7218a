/* SPDX-License-Identifier: MIT */
/*
 * Names addresses and prints them in the form of addr2line -a -f -i, so that the two can be
 * compared:
 *
 *	symbolize_bench [-c] [-n] [-s] [-t] [-d DIRS] (FILE | -p PID) < ADDRESSES
 *
 * With FILE the addresses are those in the file, with PID those in the process. -c prints names as
 * linked, not demangled; -n uses no debug information; -s says where names come from, on stdout; -t
 * asks twice and prints the times to stderr; DIRS are where debug files are.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/measure.h"
#include "symbolizer/module.h"

struct run {
	const char *path;
	int pid;
	bool linked, source, timed;
	struct symbolizer_options options;
	struct symbolizer *symbolizer;
	struct space *space;
	uint64_t *addresses;
	struct code_location *locations;
	struct frame_chain *chains;
	size_t n;
};

static double seconds(void)
{
	return (double)measure_now_ns() / 1e9;
}

static int read_addresses(struct run *run)
{
	size_t capacity = 0;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (run->n == capacity) {
			uint64_t *grown;

			capacity = capacity ? capacity * 2 : 1024;
			grown = realloc(run->addresses, capacity * sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			run->addresses = grown;
		}
		run->addresses[run->n++] = strtoull(line, NULL, 16);
	}
	run->locations = calloc(run->n + 1, sizeof(*run->locations));
	run->chains = calloc(run->n + 1, sizeof(*run->chains));
	return run->locations && run->chains ? 0 : -ENOMEM;
}

/* Makes a line of /proc/PID/maps in which the whole file is the only mapping. */
static int map_file(const struct run *run)
{
	char text[4096 + 128], path[4096];
	struct stat st;
	int n;

	if (!realpath(run->path, path) || stat(path, &st) != 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%x-%jx r-xp 00000000 00:00 0 %s\n", 0x1000,
		(uintmax_t)st.st_size + 0x1000, path);
	if (n < 0 || (size_t)n >= sizeof(text))
		return -ENAMETOOLONG;
	n = space_set_maps(run->space, text, (size_t)n);
	return n < 0 ? n : run->space->n == 1 ? 0 : -EINVAL;
}

static int map_process(const struct run *run)
{
	char path[64], *text = NULL;
	size_t bytes = 0;
	FILE *file;
	int rc = -errno;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", run->pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (getdelim(&text, &bytes, EOF, file) > 0)
		rc = space_set_maps(run->space, text, strlen(text));
	free(text);
	(void)fclose(file);
	return rc;
}

static void print_source(const struct run *run)
{
	struct module_info info;

	module_describe(run->locations[0].module, run->locations[0].svma, &info);
	printf("symbols: %s\nlines: %s\ndeleted: %d\nproblem: %s\n", info.symbols, info.lines,
		info.deleted, info.problem);
}

static void print_chain(const struct run *run, size_t i)
{
	printf("0x%016" PRIx64 "\n", run->addresses[i]);
	for (size_t j = 0; j < run->chains[i].n; j++) {
		const struct frame *frame = &run->chains[i].frame[j];
		const char *name = run->linked ? frame->symbol : frame->function;

		printf("%s\n%s:%u\n", name[0] && !frame->unnamed ? name : "??",
			frame->file[0] ? frame->file : "??", frame->line);
	}
	if (run->chains[i].n == 0)
		printf("??\n??:0\n");
}

static int run_all(struct run *run)
{
	double begin, first, second;
	int rc = symbolizer_new(&run->options, &run->symbolizer);

	if (rc == 0)
		rc = space_new(run->symbolizer, run->pid, &run->space);
	if (rc == 0)
		rc = read_addresses(run);
	if (rc == 0)
		rc = run->pid ? map_process(run) : map_file(run);
	if (rc)
		return rc;
	for (size_t i = 0; i < run->n; i++) {
		(void)space_find(run->space, run->addresses[i], &run->locations[i]);
		if (!run->pid)
			run->locations[i] =
				(struct code_location){.module = run->space->mappings[0].module,
					.svma = run->addresses[i]};
	}
	begin = seconds();
	rc = symbolizer_resolve(run->symbolizer, run->locations, run->n, run->chains);
	first = seconds();
	if (rc == 0 && run->timed)
		rc = symbolizer_resolve(run->symbolizer, run->locations, run->n, run->chains);
	second = seconds();
	if (rc)
		return rc;
	if (run->timed)
		fprintf(stderr, "%zu addresses: first %.3f s, again %.4f s\n", run->n,
			first - begin, second - first);
	if (run->source && run->n)
		print_source(run);
	for (size_t i = 0; i < run->n; i++)
		print_chain(run, i);
	return 0;
}

int main(int argc, char **argv)
{
	struct run run = {.options = {.size = sizeof(run.options)}};
	int c, rc;

	while ((c = getopt(argc, argv, "cd:np:st")) != -1) {
		switch (c) {
		case 'c': run.linked = true; break;
		case 'd': run.options.debug_directories = optarg; break;
		case 'n': run.options.no_debug_info = true; break;
		case 'p': run.pid = atoi(optarg); break;
		case 's': run.source = true; break;
		case 't': run.timed = true; break;
		default: return 2;
		}
	}
	run.path = argv[optind];
	if ((run.path != NULL) == (run.pid > 0)) {
		fprintf(stderr, "usage: %s [-cnst] [-d DIRS] (FILE | -p PID) < ADDRESSES\n",
			argv[0]);
		return 2;
	}
	rc = run_all(&run);
	free(run.locations);
	free(run.chains);
	free(run.addresses);
	space_free(run.space);
	symbolizer_free(run.symbolizer);
	if (rc)
		fprintf(stderr, "%s: %s\n", run.path ? run.path : "maps", strerror(-rc));
	return rc ? 1 : 0;
}
