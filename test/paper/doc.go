// Package paper compares diffprof's results with published results: the case studies of DiffProf
// (Jindal and Hu, OSDI 2018, Section 5.3, Tables 4 to 6). The tests replay them from generated
// traces in testdata/cases.
//
// The package has only tests. They compare with the numbers that the paper prints, within these
// tolerances:
//
//   - Energies may differ by 0.5 %, or by half of the last printed digit if that is more.
//   - Shares may differ by half of the last printed digit, which is 0.05 percentage points.
//   - Calls, ranks and positions must be equal.
//
// The traces were generated so that these numbers are possible. The tests show that reading,
// charging, merging, matching and ranking lead to these numbers. They show nothing about the apps
// themselves.
package paper
