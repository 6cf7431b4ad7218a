/* SPDX-License-Identifier: MIT */
#include "analyst/titles.h"

#include <errno.h>
#include <string.h>

#include "analyst/spaces.h"
#include "base/text.h"
#include "opener/opener.h"
#include "profile/profile.h"

bool title_parse(const char *argument, char ret_title[TITLE_BYTES])
{
	size_t word = strcspn(argument, " "), n = strlen(argument);

	while (n && argument[n - 1] == ' ')
		n--;
	if (!word || word >= n || memchr(argument, '/', word))
		return false;
	if (n >= TITLE_BYTES)
		n = TITLE_BYTES - 1;
	/* Cuts between characters of UTF-8. */
	while (n && ((unsigned char)argument[n] & 0xc0) == 0x80)
		n--;
	memcpy(ret_title, argument, n);
	ret_title[n] = '\0';
	return true;
}

int titles_sample(struct profile *profile, struct opener *opener, struct image_space *image)
{
	struct opened opened;
	char title[TITLE_BYTES];

	/* Reads the title at the samples 1, 2, 4, 8, …: it rarely changes later. */
	image->samples++;
	if (image->samples & (image->samples - 1) ||
		opener_ask_path(opener, OPENING_TITLE, image->pid, "", &opened) < 0 ||
		!title_parse(opened.text, title) || strcmp(title, image->name) == 0)
		return 0;
	if (profile_rename_process(profile, image->pid, image->name, title) < 0)
		return -ENOMEM;
	return text_replace(&image->name, title);
}
