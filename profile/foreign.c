/* SPDX-License-Identifier: MIT */
#include "profile/foreign.h"

#include <string.h>

#include "profile/model.h"

static int set_text(struct profile *profile, const char *text, uint32_t *ret_id)
{
	int id = pool_add_text(&profile->strings, text);

	if (id < 0)
		return id;
	*ret_id = (uint32_t)id;
	return 0;
}

int foreign_set(struct profile *profile, const struct foreign *foreign)
{
	struct foreign_item *item = &profile->foreign;
	int r = set_text(profile, foreign->period_type, &item->period_type);

	if (r == 0)
		r = set_text(profile, foreign->period_unit, &item->period_unit);
	if (r == 0)
		r = set_text(profile, foreign->drop_frames, &item->drop_frames);
	if (r == 0)
		r = set_text(profile, foreign->keep_frames, &item->keep_frames);
	if (r == 0)
		r = set_text(profile, foreign->doc_url, &item->doc_url);
	item->period = foreign->period;
	return r;
}

struct foreign foreign_get(const struct profile *profile)
{
	const struct foreign_item *item = &profile->foreign;

	return (struct foreign){
		.period_type = pool_at(&profile->strings, item->period_type),
		.period_unit = pool_at(&profile->strings, item->period_unit),
		.period = item->period,
		.drop_frames = pool_at(&profile->strings, item->drop_frames),
		.keep_frames = pool_at(&profile->strings, item->keep_frames),
		.doc_url = pool_at(&profile->strings, item->doc_url),
	};
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
