/* SPDX-License-Identifier: MIT */
/*
 * sprofil_all(3): where the program spends its CPU time, in all that is loaded, function by
 * function, told by itself.
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

#define SPROFIL_ALL_FAST 1 /* a count each millisecond of CPU time, not each 10 ms */

/*
 * Counts from now on, from 0, in the program and in every shared library that is loaded, in place
 * of what sprofil() or profil() turned on. Turning off keeps the counts.
 *
 * Return 0, or -1 with errno: ENOMEM, EINVAL (@flags), and what sprofil() fails with.
 */
int sprofil_all(unsigned int flags);
int sprofil_all_off(void);

/*
 * What has been loaded since is counted as well; does nothing while sprofil_all() is off. Returns
 * @handle, and leaves errno alone. By the macro below each dlopen() of a file that includes this
 * header is followed by it; libraries that load others do not tell.
 */
void *sprofil_all_loaded(void *handle);
#ifndef SPROFIL_ALL_NO_DLOPEN
#define dlopen(file, mode) sprofil_all_loaded((dlopen)(file, mode))
#endif

struct sprofil_function {
	const char *function; /* as the linker knows it; "" no name is known */
	const char
		*object; /* path; "" the program's own is not known, or no object: all the rest */
	uint64_t ticks;
	uint64_t address; /* where it begins; of no name: a place with ticks */
};

/*
 * The functions that have ticks, most ticks first: at most @room of them to @to. Returns how many
 * there are in all, or -1 with errno ENOMEM. The texts stay as long as the process.
 */
long sprofil_all_read(struct sprofil_function *to, size_t room);

/* The first @rows of them as text to @fd. Returns 0, or -1 with errno ENOMEM or as of write(). */
int sprofil_all_print(int fd, unsigned int rows);

#ifdef __cplusplus
}
#endif

#endif
