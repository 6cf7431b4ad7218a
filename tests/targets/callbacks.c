/* SPDX-License-Identifier: MIT */
/*
 * callbacks LIBRARY SECONDS: opens a library (callbacks_lib.c) and lets it work for that CPU time:
 *
 *	weigh, by_weight, libc's qsort, sort_all, callbacks_run, main
 *	weigh, by_weight, libc's bsearch, find_all, callbacks_run, main
 *
 * Prints "ready" when the library has been opened.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	unsigned (*run)(double);

	if (!library) {
		(void)fprintf(stderr, "%s\n", argc > 2 ? dlerror() : "callbacks LIBRARY SECONDS");
		return 2;
	}
	*(void **)&run = dlsym(library, "callbacks_run");
	if (!run)
		return 2;
	(void)puts("ready");
	(void)fflush(stdout);
	(void)printf("%u\n", run(atof(argv[2])));
	return 0;
}
