package history

import (
	"strings"
	"testing"
)

// TestHashes checks which texts may be the hash of a commit: 7 to 64 hexadecimal digits in lower
// case.
func TestHashes(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "abcdef": false, "abcdef0": true, "0123456": true, "abcdefg": false, "ABCDEF0": false, "abcde 0": false,
		strings.Repeat("a1", 20): true, strings.Repeat("f", 64): true, strings.Repeat("f", 65): false,
	} {
		if got := isHash(text); got != want {
			t.Errorf("%q is a hash: %v", text, got)
		}
	}
}
