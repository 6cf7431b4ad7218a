/* SPDX-License-Identifier: MIT */
#include "view/code.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"
#include "profile/profile.h"

void code_forget(struct code_object *object)
{
	free(object->instruction);
	free(object->frame);
	free(object->owned);
	object->instruction = NULL;
	object->frame = NULL;
	object->owned = NULL;
	object->instructions_n = object->frames = 0;
}

int code_addresses_init(struct code_addresses *addresses, const struct profile *profile,
	bool (*wants)(const void *context, size_t location), const void *context)
{
	size_t mappings = profile_mappings(profile), locations = profile_locations(profile);
	size_t *end = calloc(mappings + 2, sizeof(*end));

	*addresses = (struct code_addresses){
		.address = calloc(locations + 1, sizeof(*addresses->address)),
		.first = end,
		.lined = calloc(mappings + 1, sizeof(*addresses->lined)),
	};
	if (!addresses->address || !addresses->first || !addresses->lined)
		return -ENOMEM;
	/*
	 * end[m + 2] first counts the addresses of mapping m. The sums then make end[m + 1] the
	 * index at which the next address of mapping m is stored.
	 */
	for (size_t i = 0; i < locations; i++) {
		if (!wants || wants(context, i))
			end[profile_location(profile, i).mapping + 2]++;
	}
	for (size_t i = 1; i < mappings; i++)
		end[i + 1] += end[i];
	for (size_t i = 0; i < locations; i++) {
		struct location location = profile_location(profile, i);

		if (wants && !wants(context, i))
			continue;
		addresses->address[end[location.mapping + 1]++] = location.address;
		addresses->lined[location.mapping] += location.lines && location.line[0].line;
	}
	for (size_t i = 0; i < mappings; i++)
		qsort(addresses->address + end[i], end[i + 1] - end[i], sizeof(*addresses->address),
			order_u64);
	return 0;
}

void code_addresses_release(struct code_addresses *addresses)
{
	free(addresses->address);
	free(addresses->first);
	free(addresses->lined);
	*addresses = (struct code_addresses){0};
}

struct code_object code_addresses_request(const struct code_addresses *addresses, uint32_t mapping)
{
	size_t first = addresses->first[mapping];

	return (struct code_object){.mapping = mapping,
		.address = addresses->address + first,
		.addresses = addresses->first[mapping + 1] - first,
		.symbols = "",
		.lines = "",
		.language = "",
		.problem = "",
		.code_problem = ""};
}
