/* SPDX-License-Identifier: MIT */
/*
 * Estimates how much information many variances, each of few values, provide about each other.
 * Pure.
 *
 * Each variance is a quotient times its expected value. If all rows were alike, the quotients would
 * scatter like chi squared; the excess says how much the rows differ. The quotients then follow an
 * F distribution, whose second degrees of freedom are what all rows together add to each: the
 * method of moments for the logarithms by Smyth (Linear models and empirical Bayes methods, 2004).
 */
#ifndef PROFILE_MODERATE_H
#define PROFILE_MODERATE_H

#include <stddef.h>

struct moderate_row {
	double quotient; /* observed variance divided by the expected one; 0 or less: excluded */
	double weight;
};

struct moderate {
	double freedom; /* added to each row, at most @most */
	double scale;   /* the variance of a typical row is this times the expected one */
};

/* The variances have @freedom degrees each. With fewer than two rows, the result is 0. */
struct moderate moderate_find(
	const struct moderate_row *row, size_t rows, double freedom, double most);

double moderate_digamma(double x);
double moderate_trigamma(double x);

#endif
