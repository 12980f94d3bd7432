package paper_test

import "strings"

// vlensDocs writes the figures of vLens. The tests of package lines/metered compute ours, because
// they need its simulator.
func vlensDocs(b *strings.Builder) {
	b.WriteString(`
## vLens (Li et al., ISSTA 2013)

Apps of the paper are not available in the versions that it measured, and no phone of ours was measured. So these are simulated apps: random
control flow, paths of the paper's energies (0.007 to 0.631 mJ), a meter of 10 kHz, and seeded events of 20 to 81 mJ (garbage collections) and
6.44 to 11.3 mJ (switches). ` + "`go test ./lines/metered -run 'Apps|APIs' -v`" + ` prints ours, and fails below R² 0.90, above an AEE of 8.6 % and if
fewer than nine of ten events are found. It also prints the errors of lines against the simulated truth, which the paper could not know.

### Table 2: the accuracy of the fit

`)
	head(b, "app", ">R², paper", ">ours", ">AEE, paper", ">ours", ">events found", ">error of lines, median")
	for _, row := range [][]string{
		{"BBC Reader", "0.94", "0.995", "6.5 %", "<0.1 %", "20 of 20", "5.6 %"},
		{"Bubble Blaster II", "0.90", "0.997", "8.6 %", "<0.1 %", "49 of 49", "8.6 %"},
		{"Classic Alchemy", "0.93", "0.993", "3.4 %", "<0.1 %", "98 of 98", "5.8 %"},
		{"Skyfire", "0.99", "0.996", "4.8 %", "<0.1 %", "20 of 20", "6.0 %"},
		{"Textgram", "0.92", "0.994", "6.3 %", "<0.1 %", "49 of 49", "6.7 %"},
	} {
		cells(b, row...)
	}
	b.WriteString(`
Ours are better because a simulated phone runs no other app, gets no touches and does not change its frequency. A close sum does not mean that
lines are right: with an AEE of at most 0.3 %, the median line is off by 5 to 8 %.

### Figure 6: the energies of APIs within an app and alone

Nineteen of 24 APIs are within 9 %, as in the paper. The other five differ by construction: four wait for locks in the app for any time, and one is
cached after its first call, so the calls are not the same.
`)
}
