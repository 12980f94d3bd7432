package server

import "testing"

func TestFits(t *testing.T) {
	for _, c := range []struct {
		query, name string
		want        bool
	}{
		{"", "A.b", true},
		{"ab", "A.b", true},
		{"crq", "ContentResolver.query", true},
		{"CRq", "ContentResolver.query", true},
		{"Q", "ContentResolver.query", false},
		{"qq", "ContentResolver.query", false},
		{"ü", "A.Übung", true},
	} {
		if got := fits(c.query, c.name); got != c.want {
			t.Errorf("fits(%q, %q) = %v", c.query, c.name, got)
		}
	}
}
