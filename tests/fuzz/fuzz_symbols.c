/* SPDX-License-Identifier: MIT */
/* The input is an ELF file, whose symbols sprofil_all() reads within the user's program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/all.h"
#include "tests/fuzz/fuzz.h"

enum { SYMBOLS, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct all_symbol *symbol = NULL;
	char path[64], *names = NULL;
	size_t n = 0;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (all_symbols(path, &symbol, &names, &n) == 0) {
		for (size_t i = 0; i < n; i++) {
			if (i && symbol[i].address < symbol[i - 1].address)
				abort();
			(void)strlen(symbol[i].name);
			fuzz_accept(SYMBOLS);
		}
	}
	free(symbol);
	free(names);
	(void)close(fd);
	return 0;
}
