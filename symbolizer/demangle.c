/* SPDX-License-Identifier: MIT */
#include "symbolizer/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

#ifdef HAVE_DEMANGLE
#include <libiberty/demangle.h>
#endif

/* Longer names are not demangled, as demanglers recurse; longer results are not used. */
enum { NAME_BYTES_MAX = 16 * 1024, SHOWN_BYTES_MAX = 64 * 1024 };
enum { D_BYTES_MAX = 2048, D_REFERENCES_MAX = 24 };

/*
 * Does @text, what follows a dot of a name, begin with the mark of a clone, or of Go's linker for
 * assembly? Most marks always have a number. "main.part" without one is a function of Go.
 */
static bool is_mark(const char *text)
{
	static const struct {
		const char *name;
		bool numbered;
	} marks[] = {{"constprop", true}, {"isra", true}, {"part", true}, {"lto_priv", true},
		{"llvm", true}, {"cold", false}, {"localalias", false}, {"abi0", false}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *end = text + strlen(marks[i].name);

		if (strncmp(text, marks[i].name, strlen(marks[i].name)) == 0 &&
			(*end ? *end == '.' && isdigit((unsigned char)end[1]) : !marks[i].numbered))
			return true;
	}
	return false;
}

/* The length of the name without such marks. */
static size_t without_marks(const char *name)
{
	const char *dot = name;

	/* A name may begin with a dot and may contain other dots. */
	while (*dot && (dot = strchr(dot + 1, '.'))) {
		if (is_mark(dot + 1))
			return (size_t)(dot - name);
	}
	return strlen(name);
}

#ifdef HAVE_DEMANGLE
/* _Z: C++ and old Rust; _R: Rust; _D: D. Demanglers ignore other names. */
static bool looks_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 ||
		(strncmp(name, "_D", 2) == 0 && isdigit((unsigned char)name[2])) ||
		strcmp(name, "_Dmain") == 0;
}

struct text {
	size_t used;
	jmp_buf full;
	char bytes[SHOWN_BYTES_MAX + 1];
};

static void take_part(const char *part, size_t bytes, void *context)
{
	struct text *text = context;

	if (bytes > SHOWN_BYTES_MAX - text->used)
		longjmp(text->full, 1);
	memcpy(text->bytes + text->used, part, bytes);
	text->used += bytes;
}

/*
 * Old Rust names are valid C++ names, so Rust comes first. A name of 100 bytes can expand to 2^30
 * bytes. The demanglers pass the expanded name in parts to take_part(), which calls longjmp() when
 * @text is full. That is safe, as these demanglers have nothing on the heap.
 */
static bool demangle_parts(const char *name, struct text *text)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	text->used = 0;
	if (setjmp(text->full))
		return false;
	if (rust_demangle_callback(name, options, take_part, text))
		return true;
	text->used = 0;
	return name[1] == 'Z' && cplus_demangle_v3_callback(name, options, take_part, text);
}

/* In a name of D, each 'Q' refers to an earlier part, and can double the demangled name. */
static bool is_simple_d(const char *name)
{
	size_t references = 0, bytes = 0;

	for (; name[bytes]; bytes++)
		references += name[bytes] == 'Q';
	return bytes <= D_BYTES_MAX && references <= D_REFERENCES_MAX;
}

/* The caller frees the result. NULL: not mangled, too complex, or out of memory. */
static char *demangled(const char *name)
{
	struct text *text;
	char *copy = NULL;

	if (name[1] == 'D')
		return is_simple_d(name) ? dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI) : NULL;
	text = malloc(sizeof(*text));
	if (text && demangle_parts(name, text))
		copy = strndup(text->bytes, text->used);
	free(text);
	return copy;
}
#endif

/* The first @bytes bytes of @name, demangled and interned. NULL: out of memory. */
static const char *plain_name(struct pool *strings, const char *name, size_t bytes)
{
	const char *plain = name[bytes] ? pool_intern(strings, name, bytes) : name;

#ifdef HAVE_DEMANGLE
	char *text =
		plain && looks_mangled(plain) && bytes <= NAME_BYTES_MAX ? demangled(plain) : NULL;

	if (text) {
		plain = pool_intern(strings, text, strlen(text));
		free(text);
	}
#endif
	return plain;
}

const char *demangle_name(struct pool *strings, const char *name)
{
	static const char stub[] = "@plt";
	size_t bytes = strlen(name);
	const char *plain, *result;
	char *text;

	if (bytes <= sizeof(stub) || strcmp(name + bytes - strlen(stub), stub) != 0)
		return plain_name(strings, name, without_marks(name));
	plain = plain_name(strings, name, bytes - strlen(stub));
	if (!plain)
		return NULL;
	bytes = strlen(plain);
	text = malloc(bytes + sizeof(stub));
	if (!text)
		return NULL;
	memcpy(text, plain, bytes);
	memcpy(text + bytes, stub, sizeof(stub));
	result = pool_intern(strings, text, bytes + strlen(stub));
	free(text);
	return result;
}
