/* SPDX-License-Identifier: MIT */
/*
 * A program as written for System V: the whole text in one region, with the default scale of
 * cc -qp. Prints the address with most ticks.
 *
 *	cc sysv_profil.c $(pkg-config --cflags --libs sprofil-sysv)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SCALE 0x4000 /* buffer bytes : text bytes = 1:4, so a counter for each 8 bytes of text */

extern char __executable_start[], etext[];

static volatile unsigned long sink;

int main(void)
{
	size_t text = (size_t)(etext - __executable_start), bufsiz = text / 4 / 2 * 2 + 2, top = 0;
	unsigned short *buff = calloc(1, bufsiz);

	if (!buff)
		return EXIT_FAILURE;
	profil(buff, bufsiz, (size_t)__executable_start, SCALE);
	for (unsigned long i = 0; i < 1600000000; i++)
		sink = i;
	profil(NULL, 0, 0, 0);
	for (size_t i = 1; i < bufsiz / 2; i++)
		if (buff[i] > buff[top])
			top = i;
	printf("%u ticks at main+%ld\n", buff[top],
		(long)((size_t)__executable_start + 8 * top - (size_t)main));
	return buff[top] > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
