package check

import "testing"

// TestCell checks that no cell is a formula, and that numbers do not change.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Feed.onClick": "Feed.onClick", "-12": "-12", "+3.5e-07": "+3.5e-07", "=1+1": "'=1+1", "-[Feed draw]": "'-[Feed draw]",
		"+load": "'+load", "@SUM(A1)": "'@SUM(A1)",
	} {
		if got := cell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
