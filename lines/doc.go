// Package lines divides the energy of a run by source line.
//
// A sampling recorder stores the line of each frame, or the position of the instruction, if its
// format has room for it (trace.Sample.Lines). [Split] turns each line of a method into a method of
// its own, so that package cct builds a tree of calling contexts by line. [Resolve] replaces
// positions in DEX code by lines, and lines of an obfuscated program by the frames of the source.
// [New] adds up the tree.
//
// These laws hold exactly:
//
//   - conservation: three parts add up to the energy of the run: the own energies of all lines, of the methods whose line is unknown, and of the run outside of methods;
//   - a tree by line has the same energy, times and samples as the tree by method;
//   - a line's energy with callees counts each event once. Recursion is part of the outer call.
//
// # Intervals
//
// A figure is an estimate, because a recorder sees only some moments. In 95 % of cases, the
// interval of a line contains the energy that the line used in this run. This holds under two
// conditions: samples are taken independently of the work, and the power of a line differs from the
// power of the run as assumed ([Power]). If work runs in step with the recorder's clock, the
// interval is not valid.
//
// The part of the interval that is due to sampling follows from the samples and their order
// (Errors). If samples have no times, it follows from their number, and samples that may be close
// together count as one (see Table.Clump). The energy of a line with its callees, and the
// difference of two runs, also have this part. Threads that do the same work at one moment are
// sampled together, and then count less than independent samples (see Recording.Together).
//
// A line with fewer than [LeastSamples] samples has no figure of its own.
package lines
