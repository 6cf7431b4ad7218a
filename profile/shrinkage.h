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
#ifndef PROFILE_SHRINKAGE_H
#define PROFILE_SHRINKAGE_H

#include <stddef.h>

struct shrinkage_row {
	double quotient; /* observed variance divided by the expected one; 0 or less: excluded */
	double weight;
};

struct shrinkage {
	double freedom; /* added to each row, at most @most */
	double scale;   /* the variance of a typical row is this times the expected one */
};

/* The variances have @freedom degrees each. With fewer than two rows, the result is 0. */
struct shrinkage shrinkage_find(
	const struct shrinkage_row *row, size_t rows, double freedom, double most);

double shrinkage_digamma(double x);
double shrinkage_trigamma(double x);

#endif
