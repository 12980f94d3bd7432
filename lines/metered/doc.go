// Package metered divides the measured energy of a run by source line. It uses the paths that ran
// and a meter (vLens: Li et al., "Calculating Source Line Level Energy Information for Android
// Applications", ISSTA 2013).
//
// [Read] reads a recording with paths and the signals of a meter. [New] fits the energy of one
// execution of each line:
//
//  1. Each moment belongs to the innermost paths of the threads that run at this moment, in equal parts (Section 3.2.1, Figure 4). The energy between two readings of the meter is spread evenly over the time between them (eq. 1).
//  2. The energies of the periods between readings, and the time in which paths ran in them, determine the power of the idle device.
//  3. A run through a path that used far more energy than the path usually does is an event, such as a garbage collection. Events are left out of the fit. So are periods with far more energy than their paths explain.
//  4. The energy of a path is the sum over its lines. A line's energy is the energy of its opcodes times a factor of its own. Opcodes alone would give wrong energies for most lines, because the compiled code of an opcode differs from place to place. Paths alone do not determine the lines of a branch. The fit therefore shrinks the factors towards 1. It shrinks them less if the lines of the run vary more (package regression).
//
// # Laws
//
//   - The energies of lines, unknown lines, events, calls, the recorder's probes, the idle device and the rest add up to the metered energy, to the nanojoule.
//   - All figures are finite and not negative.
//   - A line is shown only if its 95 % interval is within ±50 % of its figure.
//   - Equal input gives equal results. No result depends on the order of a map.
package metered
