/* SPDX-License-Identifier: MIT */
/*
 * Each dialect checks the arguments as its system's manual says, in this order
 * (docs/CONFORMANCE.md, C15): E2BIG, EINVAL (flags), EACCES, EFAULT (profp), EINVAL (table), EFAULT
 * (tvp).
 */
#include "client/dialects.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "client/client.h"

#define SC_PROFIL_MAX 0x5350
#define STRICT_ENV    "SPROFIL_STRICT"

/* Flags of the native header, HP-UX and IRIX. */
enum { USHORT = 1, UINT = 2, FAST = 4, UINT64 = 8 };
/* Flags of glibc. */
enum { GLIBC_UINT = 1, GLIBC_FAST = 2, GLIBC_UINT64 = 8 };

/*
 * struct prof of the native dialect, HP-UX and IRIX, in the machine's own byte order:
 *    0  8  pr_base
 *    8  4  pr_size
 *   16  8  pr_off (pr_offset)
 *   24  4  pr_scale
 */
static void decode_irix(const uint8_t entry[CLIENT_ENTRY_BYTES], struct call_region *ret_region)
{
	uint32_t bytes;

	*ret_region = (struct call_region){0};
	memcpy(&ret_region->base, entry, 8);
	memcpy(&bytes, entry + 8, 4);
	memcpy(&ret_region->offset, entry + 16, 8);
	memcpy(&ret_region->scale, entry + 24, 4);
	ret_region->bytes = bytes;
}

/*
 * struct prof of glibc:
 *    0  8  pr_base
 *    8  8  pr_size
 *   16  8  pr_off
 *   24  8  pr_scale
 */
static void decode_glibc(const uint8_t entry[CLIENT_ENTRY_BYTES], struct call_region *ret_region)
{
	uint64_t scale;

	*ret_region = (struct call_region){0};
	memcpy(&ret_region->base, entry, 8);
	memcpy(&ret_region->bytes, entry + 8, 8);
	memcpy(&ret_region->offset, entry + 16, 8);
	memcpy(&scale, entry + 24, 8);
	ret_region->scale = scale > UINT32_MAX ? UINT32_MAX : (uint32_t)scale;
}

/* Is the region an overflow bin? */
static bool is_bin(const struct call_region *region)
{
	return region->offset == 0 && region->scale == 2;
}

static int check_bin_is_last(const struct client_call *call, uint32_t i,
	const struct call_region *region, const struct call_region *before)
{
	(void)before;
	return is_bin(region) && i + 1 < call->count ? -EINVAL : 0;
}

__extension__ typedef unsigned __int128 u128;

/* Returns the end of the text that has counters; rounds up, as supervisor/calls/region.c does. */
static u128 end_of(const struct call_region *region)
{
	uint32_t scale = region->scale ? region->scale : 1;

	return region->offset + (((u128)region->bytes << 16) + scale - 1) / scale;
}

/* A set-user-ID program does not trust its environment. */
static bool is_strict(void)
{
	char value[1];

	return !getauxval(AT_SECURE) &&
		client_environment(STRICT_ENV, value, sizeof(value)) != -ENOENT;
}

/*
 * On page 2, HP-UX's manual permits regions in any order, overlapping regions, and overflow bins
 * with several counters. Page 3 forbids all three, but is followed only if is_strict().
 */
static int check_hpux(const struct client_call *call, uint32_t i, const struct call_region *region,
	const struct call_region *before)
{
	/* At most 2^46 bytes of text: their counters have 2^46 * pr_scale / 65536 bytes. */
	uint64_t most = (UINT64_C(1) << 30) * region->scale;

	if (region->bytes == 0 || region->bytes % call->element || region->bytes > most)
		return -EINVAL;
	if (is_bin(region) && i + 1 < call->count)
		return -EINVAL;
	if (is_bin(region))
		return region->bytes != call->element && is_strict() ? -EINVAL : 0;
	if (before && end_of(before) > region->offset && is_strict())
		return -EINVAL;
	return 0;
}

static bool fast_is_restricted(void)
{
	char value[2];

	return client_environment(CALL_RESTRICT_ENV, value, sizeof(value)) == 1 && value[0] == '1';
}

/* Returns the bytes of a counter; 0: @width_flags is not exactly one width. */
static unsigned element_of(unsigned width_flags)
{
	switch (width_flags) {
	case USHORT: return 2;
	case UINT: return 4;
	case UINT64: return 8;
	default: return 0;
	}
}

static int run_table(struct client_call *call, const void *profp, int profcnt, struct timeval *tvp)
{
	if (call_period_ns(call->dialect, call->flags) < call_period_ns(call->dialect, 0) &&
		fast_is_restricted())
		return -EACCES;
	call->table = profp;
	call->count = (uint32_t)profcnt;
	call->tick = tvp;
	/* NULL must not reach client_run(): it stands for a call with a single region. */
	if (!profp)
		return -EFAULT;
	return client_run(call);
}

static int turn_off(enum call_dialect dialect, uint32_t more)
{
	struct client_call call = {.dialect = dialect, .flags = more & CALL_THREAD, .element = 2};

	return client_run(&call);
}

/* sprofil() of the native dialect, HP-UX and IRIX. @more: further flags of the request. */
static int run_irix(enum call_dialect dialect, unsigned allowed, const void *profp, int profcnt,
	struct timeval *tvp, unsigned flags, uint32_t more)
{
	struct client_call call = {.dialect = dialect,
		.decode = decode_irix,
		.check = dialect == CALL_HPUX ? check_hpux : check_bin_is_last};

	if (profcnt == 0 && dialect != CALL_IRIX)
		return turn_off(dialect, more);
	if (profcnt <= 0 || profcnt > CALL_MAX_REGIONS)
		return -E2BIG;
	call.element = element_of(flags & ~(unsigned)FAST);
	if (!call.element || flags & ~allowed)
		return -EINVAL;
	call.flags = (flags & FAST ? CALL_FAST : 0) | more;
	return run_table(&call, profp, profcnt, tvp);
}

/* profil() is sprofil() with one entry, without the checks of the dialect. */
int client_run_buffer(enum call_dialect dialect, uint32_t flags, const void *buff, size_t bufsiz,
	size_t offset, unsigned scale)
{
	struct client_call call = {.dialect = dialect,
		.flags = flags,
		.element = 2,
		.count = 1,
		.one = {.base = (uint64_t)(uintptr_t)buff,
			.bytes = bufsiz,
			.offset = offset,
			.scale = scale}};

	return client_run(&call);
}

int dialects_native(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags, uint32_t more)
{
	return run_irix(
		CALL_NATIVE, USHORT | UINT | UINT64 | FAST, profp, profcnt, tvp, flags, more);
}

CLIENT_PUBLIC int sprofil_native_sprofil(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	return client_result(dialects_native(profp, profcnt, tvp, flags, 0));
}

CLIENT_PUBLIC int sprofil_native_profil(
	unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	return client_result(client_run_buffer(CALL_NATIVE, 0, buff, bufsiz, offset, scale));
}

CLIENT_PUBLIC int sprofil_hpux_sprofil(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	return client_result(
		run_irix(CALL_HPUX, USHORT | UINT | UINT64, profp, profcnt, tvp, flags, 0));
}

CLIENT_PUBLIC int sprofil_hpux_profil(
	unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	return client_result(client_run_buffer(CALL_HPUX, 0, buff, bufsiz, offset, scale));
}

CLIENT_PUBLIC int sprofil_irix_sprofil(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	return client_result(
		run_irix(CALL_IRIX, USHORT | UINT | FAST, profp, profcnt, tvp, flags, 0));
}

CLIENT_PUBLIC int sprofil_irix_profil(
	unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	return client_result(client_run_buffer(CALL_IRIX, 0, buff, bufsiz, offset, scale));
}

static int run_glibc(const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	struct client_call call = {.dialect = CALL_GLIBC, .decode = decode_glibc};
	unsigned width = flags & ~(unsigned)GLIBC_FAST;

	if (profcnt == 0)
		return turn_off(CALL_GLIBC, 0);
	if (profcnt < 0 || profcnt > CALL_MAX_REGIONS)
		return -E2BIG;
	if (width != 0 && width != GLIBC_UINT && width != GLIBC_UINT64)
		return -EINVAL;
	call.element = width == GLIBC_UINT64 ? 8 : width == GLIBC_UINT ? 4 : 2;
	call.flags = flags & GLIBC_FAST ? CALL_FAST : 0;
	return run_table(&call, profp, profcnt, tvp);
}

CLIENT_PUBLIC int sprofil_glibc_sprofil(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	return client_result(run_glibc(profp, profcnt, tvp, flags));
}

CLIENT_PUBLIC int sprofil_glibc_profil(
	unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	return client_result(
		client_run_buffer(CALL_GLIBC, CALL_PLAIN, buff, buff ? bufsiz : 0, offset, scale));
}

CLIENT_PUBLIC void sprofil_sysv_profil(
	unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	(void)client_result(client_run_buffer(CALL_SYSV, 0, buff, bufsiz, offset, scale));
}

CLIENT_PUBLIC long sprofil_sysconf(int name)
{
	return name == SC_PROFIL_MAX ? CALL_MAX_REGIONS : sysconf(name);
}
