package outline

import "testing"

// TestStandsIsAWholeWord checks that a name counts only if the characters next to it cannot be part
// of a name.
func TestStandsIsAWholeWord(t *testing.T) {
	for _, c := range []struct {
		text string
		at   uint32
		want bool
	}{
		{"run", 0, true}, {" run()", 1, true}, {"a.run;", 2, true}, {"(run)", 1, true},
		{"xrun", 1, false}, {"_run", 1, false}, {"$run", 1, false}, {"9run", 1, false}, {"Zrun", 1, false}, {"érun", 2, false},
		{"runx", 0, false}, {"run_", 0, false}, {"run9", 0, false}, {"run Ä", 0, true}, {"runÄ", 0, false},
		{"ran", 0, false}, {"ru", 0, false}, {"", 0, false},
	} {
		e := &Edit{after: []byte(c.text)}
		if got := e.hasWord(Place{Offset: c.at, Bytes: 3}, "run"); got != c.want {
			t.Errorf("in %q at %d: %v, want %v", c.text, c.at, got, c.want)
		}
	}
}
