/* SPDX-License-Identifier: MIT */
/*
 * What a DIE says about a function, and the scopes around it. A DIE does not refer to its parent,
 * so the way to it is searched from its unit's DIE. The children of each DIE on that way are listed
 * once, and kept.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/dwarf/dwarf_api.h"
#include "symbolizer/dwarf/dwarf_reader.h"

/*
 * DIEs nested deeper, and further references of a chain, are not read. No compiler makes them. Of
 * functions inside of functions, NESTING_MAX are followed to their declarations.
 */
enum { DEPTH_MAX = 256, REFERENCES_MAX = 16, NESTING_MAX = 4 };

struct search {
	struct dwarf_reader *reader;
	const char **names;
	size_t n, most;
	unsigned nesting;
};

static int add_scopes(struct search *search, Dwarf_Off target);

void dwarf_reader_function(
	struct dwarf_reader *reader, uint64_t die, struct dwarf_function *ret_function)
{
	Dwarf_Debug dbg = reader->own.dbg;

	*ret_function = (struct dwarf_function){0};
	for (int i = 0; i < REFERENCES_MAX && dbg; i++) {
		struct dwarf_facts facts;
		Dwarf_Error error = NULL;
		Dwarf_Die at = NULL;

		if (dwarf_offdie_b(dbg, die, true, &at, &error) != DW_DLV_OK) {
			dwarf_facts_forget(dbg, error);
			return;
		}
		dwarf_facts_read(reader, dbg, at, &facts);
		dwarf_dealloc_die(at);
		ret_function->origin = dbg == reader->own.dbg ? die : 0;
		if (!ret_function->name)
			ret_function->name = facts.name;
		if (!ret_function->linkage_name)
			ret_function->linkage_name = facts.linkage_name;
		if (!ret_function->line)
			ret_function->line = facts.decl_line;
		if (!facts.has_origin ||
			(ret_function->name && ret_function->linkage_name && ret_function->line))
			return;
		die = facts.origin;
		if (facts.origin_in_supplement)
			dbg = reader->supplement.dbg;
	}
}

void dwarf_scopes_release(struct dwarf_scopes *scopes)
{
	table_release(&scopes->table);
	free(scopes->parents);
	free(scopes->children);
}

static bool parent_equal(const void *items, uint32_t index, const void *key)
{
	const struct dwarf_parent *a = (const struct dwarf_parent *)items + index, *b = key;

	return a->die == b->die;
}

/* Lists the children of @die. -E2BIG: over the budget; -ENOMEM. */
static int list_children(struct dwarf_reader *r, Dwarf_Die die, struct dwarf_parent *parent)
{
	struct dwarf_scopes *scopes = &r->scopes;
	Dwarf_Error error = NULL;
	Dwarf_Die at = NULL, next;
	Dwarf_Off offset, reached = parent->die;
	int rc = 0, found = dwarf_child(die, &at, &error);

	parent->first = scopes->n_children;
	while (found == DW_DLV_OK && rc == 0) {
		/* In a bad file, a sibling may be an earlier DIE. */
		if (dwarf_dieoffset(at, &offset, &error) != DW_DLV_OK || offset <= reached)
			break;
		reached = offset;
		rc = budget_take(r->budget, sizeof(offset))
			? array_add(&scopes->children, &scopes->children_room, &scopes->n_children,
				  offset)
			: -E2BIG;
		next = NULL;
		found = dwarf_siblingof_b(r->own.dbg, at, true, &next, &error);
		dwarf_dealloc_die(at);
		at = next;
	}
	if (at)
		dwarf_dealloc_die(at);
	dwarf_facts_forget(r->own.dbg, error);
	parent->n = scopes->n_children - parent->first;
	return rc;
}

/*
 * Sets *@ret_child to the child of @die, which is at @offset, that is at @target or around it; 0:
 * there is none. -E2BIG, -ENOMEM.
 */
static int child_around(struct dwarf_reader *r, Dwarf_Die die, Dwarf_Off offset, Dwarf_Off target,
	Dwarf_Off *ret_child)
{
	struct dwarf_scopes *scopes = &r->scopes;
	struct dwarf_parent key = {.die = offset}, *parent;
	size_t before = scopes->n_parents, low;
	int index, rc;

	index = table_intern(&scopes->table, table_mix(0, offset), parent_equal, &scopes->parents,
		&scopes->parents_room, &scopes->n_parents, &key);
	if (index < 0)
		return index;
	parent = &scopes->parents[index];
	rc = (size_t)index == before ? list_children(r, die, parent) : 0;
	low = array_bisect(
		i, parent->first, parent->first + parent->n, scopes->children[i] <= target);
	*ret_child = low > parent->first ? scopes->children[low - 1] : 0;
	return rc;
}

static void add_name(struct search *search, const char *name)
{
	if (search->n < search->most)
		search->names[search->n++] = name;
}

/* The scopes of a member function defined outside of its class are those of its declaration. */
static int add_function(struct search *search, Dwarf_Off die)
{
	struct dwarf_function function;
	int rc = 0;

	dwarf_reader_function(search->reader, die, &function);
	if (function.origin && function.origin != die && search->nesting < NESTING_MAX) {
		search->n = 0;
		search->nesting++;
		rc = add_scopes(search, function.origin);
	}
	if (function.name)
		add_name(search, function.name);
	return rc;
}

static int add_scope(struct search *search, Dwarf_Die die, Dwarf_Off offset)
{
	Dwarf_Debug dbg = search->reader->own.dbg;
	Dwarf_Error error = NULL;
	struct dwarf_facts facts;
	Dwarf_Half tag = 0;

	if (dwarf_tag(die, &tag, &error) != DW_DLV_OK) {
		dwarf_facts_forget(dbg, error);
		return 0;
	}
	switch (tag) {
	case DW_TAG_subprogram: return add_function(search, offset);
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type: break;
	default: return 0;
	}
	dwarf_facts_read(search->reader, dbg, die, &facts);
	if (facts.name)
		add_name(search, facts.name);
	else
		add_name(search, tag == DW_TAG_namespace ? "(anonymous namespace)" : "");
	return 0;
}

static int add_scopes(struct search *search, Dwarf_Off target)
{
	Dwarf_Debug dbg = search->reader->own.dbg;
	Dwarf_Error error = NULL;
	Dwarf_Off at = 0, child = 0;
	Dwarf_Die die = NULL;
	int rc = 0;

	if (dwarf_offdie_b(dbg, target, true, &die, &error) == DW_DLV_OK) {
		if (dwarf_CU_dieoffset_given_die(die, &at, &error) != DW_DLV_OK)
			at = 0;
		dwarf_dealloc_die(die);
	}
	for (int depth = 0; rc == 0 && at && at != target && depth < DEPTH_MAX; depth++) {
		if (dwarf_offdie_b(dbg, at, true, &die, &error) != DW_DLV_OK)
			break;
		if (depth)
			rc = add_scope(search, die, at);
		if (rc == 0)
			rc = child_around(search->reader, die, at, target, &child);
		dwarf_dealloc_die(die);
		at = child;
	}
	dwarf_facts_forget(dbg, error);
	if (at != target)
		search->n = 0;
	return rc;
}

int dwarf_reader_scopes(struct dwarf_reader *reader, uint64_t die, const char **names, size_t most)
{
	struct search search = {.reader = reader, .names = names, .most = most};
	int rc = reader->own.dbg ? add_scopes(&search, die) : 0;

	return rc < 0 ? rc : (int)search.n;
}
