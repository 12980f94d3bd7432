package pprof_test

import (
	"testing"

	"github.com/diffprof/diffprof/ingest/pprof"
)

func TestSniff(t *testing.T) {
	data := bytesOf(t, sample())
	// The two sample types take 12 bytes, and the first sample follows them.
	for n := 64; n <= len(data); n++ {
		if !pprof.Sniff(data[:n]) {
			t.Errorf("%d bytes are not known", n)
		}
	}
	for _, other := range []string{
		"", "\n", "a;b 1\n", "*version\n3\n", "SLOW\x03\x00", "{}", "PK\x03\x04",
		"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x01\x10\x02", // only packets
		"\x12\x03\x08\x01",
	} {
		if pprof.Sniff([]byte(other)) {
			t.Errorf("%q is taken for a profile", other)
		}
	}
}

// TestSniffChecksValueTypes checks that the first fields of a profile must be sample types: a kind
// and a unit, as indices of strings.
func TestSniffChecksValueTypes(t *testing.T) {
	const sample = "\x12\x02\x08\x01"
	for valueType, want := range map[string]bool{
		"\x08\x01\x10\x02":  true,
		"\x08\x01":          true,
		"\x10\x02":          true,
		"":                  true,
		"\x08\x01\x18\x02":  false, // a third number
		"\x0a\x01x":         false, // text
		"\x08\x01\x12\x01x": false,
		"\x08":              false, // a number without a value
	} {
		head := "\x0a" + string(rune(len(valueType))) + valueType + sample
		if got := pprof.Sniff([]byte(head)); got != want {
			t.Errorf("Sniff(%q) = %v, want %v", head, got, want)
		}
	}
}

// TestReal compares the real profiles with pprof's library, if they are present.
