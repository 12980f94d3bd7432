// Package lines divides the energy of a run by source line.
//
// A sampling recorder notes the line of each frame, or the position of the instruction, if its format
// has room for it (trace.Sample.Lines). [Split] gives each line of a method its own id, so package cct
// builds a tree of calling contexts by line. [Resolve] replaces positions in DEX code by
// lines, and lines of an obfuscated program by the frames of the source. [New] adds up the tree.
//
// These laws hold exactly:
//
//   - conservation: the own energies of all lines, of the methods whose line is unknown, and of the
//     run outside of methods add up to the energy of the run;
//   - a tree by line has the energy, the times and the samples of the tree by method;
//   - a line's energy with callees counts each event once. Recursion is part of the outer call.
//
// # Intervals
//
// A figure is an estimate, because a recorder sees only some moments. The interval of a line holds
// the energy that the line used in this run, in 95 % of cases, if samples are taken independently of
// the work and if the power of a line differs from the power of the run as assumed ([Power]). The
// first part follows from the samples and their order (Errors), or from their number if they have no times:
// samples that are close together then count as one (see Table.Clump). The energy of a line with its callees and
// the difference of two runs have the same part. Threads that do the same at one
// moment are sampled together, and count as one as far as they did (see Recording.Together). Work that runs in
// step with the recorder's clock has no valid interval.
//
// A line with fewer than [LeastSamples] samples has no figure of its own.
package lines
