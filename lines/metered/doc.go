// Package metered divides the measured energy of a run by source line, from the paths that ran and a meter
// (vLens: Li et al., "Calculating Source Line Level Energy Information for Android Applications", ISSTA 2013).
//
// [Read] reads a recording with paths and the signals of a meter. [New] fits the energy of one execution of each line:
//
//  1. Each moment belongs to the innermost paths of the threads that run then, in equal parts (Section 3.2.1, Figure 4).
//     A time between two readings of the meter has its part of the energy between them (eq. 1).
//  2. The power of the idle device follows from the periods between readings, by the time in which a path ran.
//  3. Runs through a path that used far more than the path usually does are events, such as a garbage collection. They
//     are left out of the fit, and so are periods with far more energy than their paths explain.
//  4. The energy of a path is the sum over its lines. A line's energy is the energy of its opcodes times a factor of
//     its own. Opcodes alone leave most lines far off where the compiled code of an opcode differs from place to
//     place. Paths alone do not determine the lines of a branch. So the fit shrinks the factors towards 1, less
//     strongly if the lines of the run vary more (package regression).
//
// # Laws
//
//   - Lines, lines that are unknown, events, the idle device and the rest add up to the metered energy, to the nanojoule.
//   - All figures are finite and not negative.
//   - A line is shown only if its 95 % interval is within ±50 % of its figure.
//   - Equal input gives equal results. No result depends on the order of a map.
package metered
