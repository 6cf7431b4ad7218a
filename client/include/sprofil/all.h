/* SPDX-License-Identifier: MIT */
/*
 * sprofil_all(3): a program measures where it and its libraries spend CPU time, by function.
 *
 *	sprofil_all(0);
 *	work();
 *	sprofil_all_print(2, 20);		the 20 functions with most of the time, to stderr
 */
#ifndef SPROFIL_ALL_H
#define SPROFIL_ALL_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPROFIL_ALL_FAST 1 /* one count per millisecond of CPU time instead of one per 10 ms */

/*
 * sprofil_all() starts counting at 0, in the program and in every shared library that is loaded; it
 * replaces what sprofil() or profil() turned on. sprofil_all_off() stops, and keeps the counts.
 * Both return 0, or -1 with errno: ENOMEM, EINVAL (@flags), and the errors of sprofil().
 */
int sprofil_all(unsigned int flags);
int sprofil_all_off(void);

/*
 * Counts in newly loaded objects, too; does nothing while sprofil_all() is off. Returns @handle;
 * errno is unchanged. The macro below adds this call to each dlopen() of a source file that
 * includes this header. A dlopen() in a library does not make this call.
 */
void *sprofil_all_loaded(void *handle);
#ifndef SPROFIL_ALL_NO_DLOPEN
#define dlopen(file, mode) sprofil_all_loaded((dlopen)(file, mode))
#endif

struct sprofil_function {
	const char *function; /* name; "": no symbol is known */
	/* path of the file that has it; "": in no file, or in the program, with unknown path */
	const char *object;
	uint64_t ticks;
	uint64_t address; /* of its first byte; without a name: the first address with ticks */
};

/*
 * Writes the functions that have ticks to @to, most ticks first, at most @room of them. Returns how
 * many functions have ticks, or -1 with errno ENOMEM. The strings are never freed.
 */
long sprofil_all_read(struct sprofil_function *to, size_t room);

/* Writes the first @rows functions as text to @fd. 0; -1: errno is ENOMEM or set by write(). */
int sprofil_all_print(int fd, unsigned int rows);

#ifdef __cplusplus
}
#endif

#endif
