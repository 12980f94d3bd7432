// Package paper holds diffprof to what papers published: the case studies of
// DiffProf (Jindal and Hu, OSDI 2018, Section 5.3, Tables 4 to 6), replayed by the
// generated traces in testdata/cases.
//
// It has tests only. They state figures as the paper prints them, with these
// tolerances:
//
//   - energies within 0.5 %, or half of the last digit that the paper prints if
//     that is more;
//   - shares within half of the last digit printed, 0.05 percentage points;
//   - calls, ranks and positions exactly.
//
// The traces are made so that these figures can come out; what the tests show is
// that reading, charging, merging, matching and ranking let them come out. That
// says nothing of the apps.
package paper
