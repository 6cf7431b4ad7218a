/* SPDX-License-Identifier: MIT */
#include "profile/foreign.h"

#include <errno.h>
#include <string.h>

#include "profile/model.h"

int foreign_set(struct profile *profile, const struct foreign *foreign)
{
	struct foreign *to = &profile->foreign;
	const char **const to_text[] = {&to->period_type, &to->period_unit, &to->drop_frames,
		&to->keep_frames, &to->doc_url};
	const char *const text[] = {foreign->period_type, foreign->period_unit,
		foreign->drop_frames, foreign->keep_frames, foreign->doc_url};

	to->period = foreign->period;
	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
		const char *interned = pool_intern_text(&profile->strings, text[i]);

		if (!interned)
			return -ENOMEM;
		*to_text[i] = interned;
	}
	return 0;
}

struct foreign foreign_get(const struct profile *profile)
{
	return profile->foreign;
}

static int agree(struct profile *into, const char **text, const char *other, const char *note)
{
	if (!strcmp(*text, other))
		return 0;
	*text = "";
	return profile_add_note(into, note);
}

static int agree_on_period(struct profile *into, struct foreign *mine, const struct foreign *its)
{
	if (mine->period == its->period && !strcmp(mine->period_type, its->period_type) &&
		!strcmp(mine->period_unit, its->period_unit))
		return 0;
	mine->period_type = mine->period_unit = "";
	mine->period = 0;
	return profile_add_note(into, "merged from profiles of different periods");
}

int foreign_merge(struct profile *into, const struct profile *from)
{
	struct foreign mine = foreign_get(into), its = foreign_get(from);
	int r;

	if (!into->samples)
		return foreign_set(into, &its);
	if (!from->samples)
		return 0;
	r = agree_on_period(into, &mine, &its);
	if (r == 0)
		r = agree(into, &mine.drop_frames, its.drop_frames,
			"merged from profiles of different drop_frames, which are left out");
	if (r == 0)
		r = agree(into, &mine.keep_frames, its.keep_frames,
			"merged from profiles of different keep_frames, which are left out");
	if (r == 0)
		r = agree(into, &mine.doc_url, its.doc_url,
			"merged from profiles of different doc_url, which is left out");
	return r < 0 ? r : foreign_set(into, &mine);
}
