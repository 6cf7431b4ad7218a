/* SPDX-License-Identifier: MIT */
#include "tools/front/live_settings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool live_settings_take(struct live_settings *s, const char *text)
{
	const char *equals = strchr(text, '='), *value = equals ? equals + 1 : "";
	const struct {
		const char *name;
		const char **text;
		uint64_t *number;
		bool *flag;
	} names[] = {
		{"target", .text = &s->target},
		{"view", .text = &s->view},
		{"log", .text = &s->log},
		{"keys", .text = &s->keys},
		{"modes", .text = &s->modes},
		{"save-as", .text = &s->save_as},
		{"screens", .number = &s->screens},
		{"delay", .number = &s->delay_ns},
		{"half-life", .number = &s->half_life_ns},
		{"period", .number = &s->period_ns},
		{"rows", .number = &s->rows},
		{"columns", .number = &s->columns},
		{"cost-ppm", .number = &s->cost_ppm},
		{"batch", .flag = &s->batch},
		{"ascii", .flag = &s->ascii},
		{"totals", .flag = &s->totals},
		{"on", .flag = &s->on},
		{"color", .flag = &s->color},
		{"goes-on", .flag = &s->goes_on},
		{"one-process", .flag = &s->one_process},
	};
	size_t bytes = equals ? (size_t)(equals - text) : strlen(text);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strncmp(names[i].name, text, bytes) != 0 || names[i].name[bytes])
			continue;
		if (names[i].text)
			*names[i].text = value;
		else if (names[i].number)
			*names[i].number = strtoull(value, NULL, 10);
		else
			*names[i].flag = true;
		return true;
	}
	return false;
}
