/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz entry over its own seeds, and over the files, and all files below the folders, of the
 * command line. The input of each part of the entry must be among them. With --write FOLDER, writes
 * the entry's own seeds to this folder instead.
 */
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;

	if (file && fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	if (size >= 0)
		data = malloc(size ? (size_t)size : 1);
	if (!data || fseek(file, 0, SEEK_SET) != 0 ||
		fread(data, 1, (size_t)size, file) != (size_t)size) {
		fprintf(stderr, "cannot read %s\n", path);
		size = -1;
	} else {
		(void)LLVMFuzzerTestOneInput(data, (size_t)size);
	}
	free(data);
	if (file)
		(void)fclose(file);
	return size < 0 ? -1 : 0;
}

static int write_seed(const char *folder, unsigned n, const uint8_t *data, size_t bytes)
{
	char path[4096];
	FILE *file;
	bool written;

	(void)snprintf(path, sizeof(path), "%s/seed%u", folder, n);
	file = fopen(path, "wb");
	written = file && fwrite(data, 1, bytes, file) == bytes;
	return file && fclose(file) == 0 && written ? 0 : -1;
}

/* Runs the entry's own seeds or, if there is a @folder, writes them to it. */
static unsigned use_seeds(const char *folder)
{
	uint8_t *data = malloc(FUZZ_SEED_BYTES);
	unsigned n = 0;
	size_t bytes;

	while (fuzz_seed && data && (bytes = fuzz_seed(n, data))) {
		if (bytes > FUZZ_SEED_BYTES)
			abort();
		if (!folder)
			(void)LLVMFuzzerTestOneInput(data, bytes);
		else if (write_seed(folder, n, data, bytes))
			break;
		n++;
	}
	free(data);
	return n;
}

/* Returns the number of parts whose end no input has reached. */
static unsigned count_missed(void)
{
	unsigned missed = 0;

	for (unsigned part = 0; part < fuzz_parts; part++) {
		if (fuzz_accepted >> part & 1)
			continue;
		printf("no input reaches the end of part %u\n", part);
		missed++;
	}
	return missed;
}

int main(int argc, char **argv)
{
	FTS *walk;
	FTSENT *entry;
	unsigned done, failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE-OR-FOLDER... | --write FOLDER\n", argv[0]);
		return 2;
	}
	if (strcmp(argv[1], "--write") == 0) {
		printf("%u seeds written\n", use_seeds(argv[2]));
		return 0;
	}
	done = use_seeds(NULL);
	walk = fts_open(argv + 1, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	while (walk && (entry = fts_read(walk))) {
		if (entry->fts_info != FTS_F)
			continue;
		if (replay(entry->fts_accpath))
			failed++;
		else
			done++;
	}
	if (walk)
		(void)fts_close(walk);
	printf("%u inputs replayed\n", done);
	return count_missed() || failed || !done;
}
