// Package lines divides the energy of a run by source line.
//
// A sampling recorder stores the line of each frame, or the position of the instruction, if its
// format has room for it (trace.Sample.Lines). There are three steps:
//
//  1. [Split] turns each line of a method into a method of its own, so that package cct builds a tree of calling contexts by line.
//  2. [Resolve] replaces positions in DEX code by lines, and lines of an obfuscated program by the frames of the source.
//  3. [New] adds up the tree.
//
// These laws hold exactly:
//
//   - Conservation: the own energies of all lines, of methods whose line is unknown, and of the run outside of methods add up to the energy of the run.
//   - A tree by line has the same energy, times and samples as the tree by method.
//   - A line's energy with callees counts each event once. Recursion is part of the outer call.
//
// # Intervals
//
// A figure is an estimate, because a recorder sees only some moments. In 95 % of cases, the
// interval of a line contains the energy that the line used in this run. This holds under two
// conditions:
//
//   - Samples are taken independently of the work. If work runs in step with the recorder's clock, the interval is not valid.
//   - The power of a line is as close to the power of the run as assumed ([Power]).
//
// One part of an interval is due to sampling. The samples and their order determine it (Errors). If
// samples have no times, their number determines it, and samples that may be close together count
// as one (see Table.Clump). The energy of a line with its callees and the difference of two runs
// have this part too. Threads that do the same work at one moment are sampled together, and then
// count less than independent samples (see Recording.Together).
//
// A line with fewer than [LeastSamples] samples has no figure of its own.
package lines
