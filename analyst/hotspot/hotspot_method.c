/* SPDX-License-Identifier: MIT */
/* Java's methods and their names (method.hpp, constMethod.hpp, constantPool.hpp, symbol.hpp). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "profile/profile.h"

/*
 * A method that was last compared with memory this long ago is compared again when memory is there.
 * After twice this time, the method is not used before it is compared.
 */
#define CHECK_NS UINT64_C(500000000)
/*
 * A method of an interpreted frame is read again this long after it was last read, as a method of
 * another class may be at its address now.
 */
#define READ_NS      UINT64_C(2000000000)
#define METHODS_MOST 262144
#define PLACES_MOST  1048576
/* SYMBOL_AT_ONCE: the bytes of a symbol that are read at first; few symbols are longer. */
enum { SYMBOL_AT_ONCE = 96, LINES_MOST = 65536, HAS_LINES = 1 };

static void forget_methods(struct hotspot *hotspot)
{
	for (size_t i = 0; i < hotspot->methods; i++)
		free(hotspot->method[i].lines);
	hotspot->methods = 0;
	table_clear(&hotspot->by_address);
}

void hotspot_methods_release(struct hotspot *hotspot)
{
	forget_methods(hotspot);
	free(hotspot->method);
	table_release(&hotspot->by_address);
	free(hotspot->place);
	table_release(&hotspot->by_key);
}

static bool has_address(const void *methods, uint32_t index, const void *address)
{
	return ((const struct hotspot_method *)methods)[index].address ==
		*(const uint64_t *)address;
}

/* Reads a symbol, cut to HOTSPOT_NAME_MOST bytes. 1; 0: unreadable; -EAGAIN; -ENOMEM. */
static int read_symbol(struct hotspot *hotspot, uint64_t address, char to[HOTSPOT_NAME_MOST + 1])
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint8_t *data;
	size_t got, length;
	int r = peek_some(hotspot->peek, address, SYMBOL_AT_ONCE, hotspot->now_ns, &data, &got);

	if (r <= 0)
		return r;
	if (got < l->symbol_length + 2u || got < l->symbol_body)
		return 0;
	length = load_u16(data + l->symbol_length);
	if (length > HOTSPOT_NAME_MOST)
		length = HOTSPOT_NAME_MOST;
	if (length > got - l->symbol_body) {
		r = peek_at(
			hotspot->peek, address + l->symbol_body, length, hotspot->now_ns, &data);
		if (r <= 0)
			return r;
	} else {
		data += l->symbol_body;
	}
	memcpy(to, data, length);
	to[length] = '\0';
	return 1;
}

/* Reads the symbol that element @index of the constant pool points to. */
static int read_pool(
	struct hotspot *hotspot, uint64_t pool, uint32_t index, char to[HOTSPOT_NAME_MOST + 1])
{
	const uint8_t *data;
	int r = peek_at(hotspot->peek,
		pool + hotspot->tables.layout.pool_bytes + 8 * (uint64_t)index, 8, hotspot->now_ns,
		&data);

	return r > 0 ? read_symbol(hotspot, load_u64(data), to) : r;
}

/* The worse of two results: -ENOMEM < -EAGAIN < 0 (nothing there) < 1. */
static int worse(int a, int b)
{
	return a < b ? a : b;
}

struct names {
	char class[HOTSPOT_NAME_MOST + 1], method[HOTSPOT_NAME_MOST + 1],
		file[HOTSPOT_NAME_MOST + 1];
};

static int read_names(struct hotspot *hotspot, uint64_t pool, uint32_t name, struct names *names)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint8_t *data, *word;
	uint64_t holder, source_at;
	uint32_t source = 0;
	int r = read_pool(hotspot, pool, name, names->method), k, s = 1;

	k = peek_at(hotspot->peek, pool, l->pool_bytes, hotspot->now_ns, &data);
	if (k <= 0)
		return worse(r, k);
	holder = load_u64(data + l->pool_holder);
	if (l->pool_source != HOTSPOT_NONE) {
		source = load_u16(data + l->pool_source);
	} else if (l->klass_source != HOTSPOT_NONE) {
		source_at = holder + l->klass_source;
		s = peek_at(hotspot->peek, source_at, 2, hotspot->now_ns, &word);
		if (s > 0)
			source = load_u16(word);
	}
	names->file[0] = '\0';
	if (source) {
		s = read_pool(hotspot, pool, source, names->file);
		if (!s)
			names->file[0] = '\0';
	}
	k = peek_at(hotspot->peek, holder + l->klass_name, 8, hotspot->now_ns, &word);
	if (k > 0)
		k = read_symbol(hotspot, load_u64(word), names->class);
	return worse(worse(r, k), s < 0 ? s : 1);
}

/* Names have no control characters. */
static bool is_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/*
 * Cuts off parts of a class's name that differ from run to run or between call sites, so that the
 * same code has one name: the address of a class that the runtime makes
 * ("Main$$Lambda$14+0x00007f2c…", "java/lang/invoke/LambdaForm$MH+0x00007f2c…"), and the number of
 * a lambda ("$14").
 */
static void cut_address(char *class)
{
	static const char lambda[] = "$$Lambda", address[] = "+0x";
	char *cut = strstr(class, address);

	if (cut && cut > class &&
		strspn(cut + strlen(address), "0123456789abcdef") == strlen(cut + strlen(address)))
		*cut = '\0';
	cut = strstr(class, lambda);
	if (cut && cut[strlen(lambda)] == '$' &&
		strspn(cut + strlen(lambda) + 1, "0123456789") == strlen(cut + strlen(lambda) + 1))
		cut[strlen(lambda)] = '\0';
}

/* "java/util/HashMap" and "put" give "java.util.HashMap.put" in "java/util/HashMap.java". */
static int add_function(struct hotspot *hotspot, struct names *names)
{
	char name[2 * HOTSPOT_NAME_MOST + 2], file[2 * HOTSPOT_NAME_MOST + 2];
	const char *package;
	int folder;

	cut_address(names->class);
	package = strrchr(names->class, '/');
	folder = package ? (int)(package + 1 - names->class) : 0;
	file[0] = '\0';
	if (names->file[0] && is_text(names->file))
		(void)snprintf(file, sizeof(file), "%.*s%s", folder, names->class, names->file);
	for (char *c = names->class; *c; c++)
		if (*c == '/')
			*c = '.';
	(void)snprintf(name, sizeof(name), "%s.%s", names->class, names->method);
	return profile_add_function(hotspot->list->profile,
		&(struct function){.name = name, .symbol = name, .file = file});
}

/* Reads the table of lines, which follows the bytecode. Returns 1 without one, too. */
static int read_lines(struct hotspot *hotspot, struct hotspot_method *method, uint32_t words)
{
	const uint32_t begin = hotspot->tables.layout.const_bytes + method->code_bytes;
	uint64_t bytes = 8 * (uint64_t)words;
	const uint8_t *data;
	int r;

	if (bytes <= begin)
		return 1;
	bytes -= begin;
	if (bytes > PEEK_MOST)
		bytes = PEEK_MOST;
	r = peek_at(hotspot->peek, method->const_method + begin, bytes, hotspot->now_ns, &data);
	if (r <= 0)
		return r < 0 ? r : 1;
	method->lines = malloc(bytes);
	if (!method->lines)
		return -ENOMEM;
	memcpy(method->lines, data, bytes);
	method->lines_bytes = bytes;
	return 1;
}

static int read_method(struct hotspot *hotspot, struct hotspot_method *method)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint8_t *data, *head;
	struct names names;
	int r = peek_at(hotspot->peek, method->address, l->method_bytes, hotspot->now_ns, &data);
	int n, function;

	if (r <= 0)
		return r;
	method->const_method = load_u64(data + l->method_const);
	r = peek_at(hotspot->peek, method->const_method, l->const_bytes, hotspot->now_ns, &head);
	if (r <= 0)
		return r;
	method->code_bytes = load_u16(head + l->const_code_size);
	n = read_names(
		hotspot, load_u64(head + l->const_pool), load_u16(head + l->const_name), &names);
	r = load_u16(head + l->const_flags) & HAS_LINES
		? read_lines(hotspot, method, load_u32(head + l->const_size))
		: 1;
	r = worse(n, r);
	if (r <= 0)
		return r;
	if (!names.method[0] || !names.class[0] || !is_text(names.method) || !is_text(names.class))
		return 0;
	method->is_yield = strcmp(names.class, "jdk/internal/vm/Continuation") == 0 &&
		strcmp(names.method, "doYield") == 0;
	function = add_function(hotspot, &names);
	if (function < 0)
		return function;
	method->function = (uint32_t)function;
	return 1;
}

/* Is @method still at its address? 1: yes, or unreadable; 0: another one is; -EAGAIN; -ENOMEM. */
static int check(struct hotspot *hotspot, struct hotspot_method *method)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint64_t now_ns = hotspot->now_ns;
	const bool soon = now_ns >= method->checked_ns + 2 * CHECK_NS;
	const uint8_t *data;
	size_t got = 0;
	int r;

	if (now_ns < method->checked_ns + CHECK_NS)
		return 1;
	r = (soon ? peek_some : peek_later)(
		hotspot->peek, method->address, l->method_bytes, now_ns - CHECK_NS, &data, &got);
	if (r < 0)
		return soon ? r : 1;
	if (r > 0 && got == l->method_bytes &&
		(!method->is_method || load_u64(data + l->method_const) != method->const_method))
		return 0;
	method->checked_ns = hotspot->now_ns;
	return 1;
}

/* Keeps @fresh, in place of @old (same address, or NULL). NULL: out of memory. */
static struct hotspot_method *keep(
	struct hotspot *hotspot, struct hotspot_method *old, const struct hotspot_method *fresh)
{
	int at;

	if (old) {
		if (old->function != fresh->function)
			hotspot->replaced_ns = hotspot->now_ns;
		free(old->lines);
		*old = *fresh;
		return old;
	}
	if (hotspot->methods == METHODS_MOST)
		forget_methods(hotspot);
	at = table_intern(&hotspot->by_address, fresh->address, has_address, &hotspot->method,
		&hotspot->method_room, &hotspot->methods, fresh);
	return at < 0 ? NULL : &hotspot->method[at];
}

int hotspot_method_find(struct hotspot *hotspot, uint64_t address, uint64_t since_ns,
	struct hotspot_method **ret_method)
{
	struct hotspot_method fresh = {.address = address}, *method;
	int at, r;

	if (address % 8 || address < 4096)
		return 0;
	at = table_find(&hotspot->by_address, address, has_address, hotspot->method, &address);
	method = at < 0 ? NULL : &hotspot->method[at];
	if (method && method->read_ns >= since_ns) {
		r = check(hotspot, method);
		if (r > 0)
			*ret_method = method;
		if (r)
			return r < 0 ? r : method->is_method;
	}
	fresh.read_ns = fresh.checked_ns = hotspot->now_ns;
	r = read_method(hotspot, &fresh);
	fresh.is_method = r > 0;
	if (r == 0 && method && method->is_method) {
		/* The method's memory is gone; what was read before still holds. */
		method->read_ns = method->checked_ns = hotspot->now_ns;
		*ret_method = method;
		r = 1;
	} else if (r >= 0) {
		method = keep(hotspot, method, &fresh);
		if (method) {
			*ret_method = method;
			return r;
		}
		r = -ENOMEM;
	}
	free(fresh.lines);
	return r;
}

int hotspot_method_find_now(
	struct hotspot *hotspot, uint64_t address, struct hotspot_method **ret_method)
{
	uint64_t now_ns = hotspot->now_ns, since_ns = now_ns > READ_NS ? now_ns - READ_NS : 0;

	if (since_ns < hotspot->replaced_ns)
		since_ns = hotspot->replaced_ns;
	return hotspot_method_find(hotspot, address, since_ns, ret_method);
}

static bool is_place(const void *places, uint32_t index, const void *key)
{
	const struct hotspot_place *a = (const struct hotspot_place *)places + index, *b = key;

	return a->key == b->key && a->line == b->line;
}

int hotspot_location(struct hotspot *hotspot, uint64_t key, uint64_t line,
	const struct location_line *lines, size_t n)
{
	struct hotspot_place place = {.key = key, .line = line};
	const uint64_t hash = table_mix(key, line);
	int location, at = table_find(&hotspot->by_key, hash, is_place, hotspot->place, &place);

	if (at >= 0)
		return (int)hotspot->place[at].location;
	if (!n)
		return -ENOENT;
	location = profile_add_named_location(
		hotspot->list->profile, (uint32_t)hotspot->mapping, 0, lines, n);
	if (location < 0)
		return -ENOMEM;
	place.location = (uint32_t)location;
	if (hotspot->places == PLACES_MOST) {
		table_clear(&hotspot->by_key);
		hotspot->places = 0;
	}
	at = table_intern(&hotspot->by_key, hash, is_place, &hotspot->place, &hotspot->place_room,
		&hotspot->places, &place);
	return at < 0 ? at : location;
}
