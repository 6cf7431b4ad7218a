/* SPDX-License-Identifier: MIT */
/* Runs a fuzz entry over the files, and all files below the folders, of the command line. */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
	FTS *walk;
	FTSENT *entry;
	unsigned done = 0, failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE-OR-FOLDER...\n", argv[0]);
		return 2;
	}
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
	return failed || !done;
}
