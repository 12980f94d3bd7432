// Package regression fits linear models to measurements. It works on numbers, and knows nothing of
// energy or code.
//
// [Robust] is M-estimation with Tukey's bisquare, as vLens uses it (Li et al., "Calculating Source
// Line Level Energy Information for Android Applications", ISSTA 2013, Section 3.2.2). It repeats a
// weighted least-squares fit until the spread of the residuals settles. Rows with weight 0 are
// outliers.
//
// [Shrink] is a fit with a prior. Each unknown is its expected value times a factor. The variance
// of the factors is estimated by the likelihood (empirical Bayes).
//
// # Laws
//
//   - The result has the smallest sum of weighted squares. If several results do, it is the shortest one.
//   - An unknown is determined if it has the same value in all of these results. This depends neither on the
//     order of rows and columns, nor on the units of columns.
//   - A row that determines an unknown almost alone is not called an outlier, because it cannot be judged.
//   - Every figure is finite, also for rows of zeros, constant measurements and dependent columns.
package regression
