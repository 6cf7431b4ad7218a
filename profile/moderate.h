/* SPDX-License-Identifier: MIT */
/*
 * How much many variances, each of few values, tell of one another. Pure.
 *
 * Each is quotient times what was expected of it. If all rows were alike, quotients would scatter
 * as those of chi squared; what they scatter beyond that says how far rows differ. The quotients
 * are then like those of an F distribution, whose second degrees of freedom are what all rows
 * together lend to each: the method of moments for the logarithms of Smyth (Linear models and
 * empirical Bayes methods, 2004).
 */
#ifndef PROFILE_MODERATE_H
#define PROFILE_MODERATE_H

#include <stddef.h>

struct moderate_row {
	double quotient; /* of the variance seen and of what was expected; at most 0: left out */
	double weight;
};

struct moderate {
	double freedom; /* lent to each, at most @most */
	double scale;   /* a typical row's variance is that times what was expected */
};

/* Variances have @freedom degrees each. Fewer than two rows: nothing is lent. */
struct moderate moderate_find(
	const struct moderate_row *row, size_t rows, double freedom, double most);

double moderate_digamma(double x);
double moderate_trigamma(double x);

#endif
