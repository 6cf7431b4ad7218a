/* SPDX-License-Identifier: MIT */
/* Converts keys to requests, and gives the help of each key. */
#include "view/live/live_keys.h"

#include "view/live/live.h"

enum { KEYS_MOST = 4 };

static const struct binding {
	int32_t key[KEYS_MOST];
	const char *keys, *help;
} bindings[] = {
#define REQUEST(name, keys, help, ...) {{__VA_ARGS__}, keys, help},
	LIVE_REQUESTS(REQUEST)
#undef REQUEST
};

bool live_key_help(size_t index, const char **ret_keys, const char **ret_help)
{
	if (index >= LIVE_REQUEST_NONE || !bindings[index].keys[0])
		return false;
	*ret_keys = bindings[index].keys;
	*ret_help = bindings[index].help;
	return true;
}

enum live_request live_request_of(int32_t key)
{
	for (size_t i = 0; key && i < LIVE_REQUEST_NONE; i++) {
		for (size_t j = 0; j < KEYS_MOST; j++) {
			if (bindings[i].key[j] == key)
				return (enum live_request)i;
		}
	}
	return LIVE_REQUEST_NONE;
}
