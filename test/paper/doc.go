// Package paper compares diffprof's results with published ones: the case studies of DiffProf
// (Jindal and Hu, OSDI 2018, Section 5.3, Tables 4 to 6), replayed from the generated traces in
// testdata/cases.
//
// It has tests only. They use the figures printed in the paper, with these tolerances:
//
//   - energies within 0.5 %, or half of the last printed digit if that is more;
//   - shares within half of the last printed digit, 0.05 percentage points;
//   - calls, ranks and positions exactly.
//
// The traces are generated so that these figures are possible. The tests show that reading,
// charging, merging, matching and ranking produce them. They are no evidence about the apps.
package paper
