package mcp

import (
	"strings"
	"testing"
)

// TestClean cuts long texts in the middle, and replaces characters that could hide text.
func TestClean(t *testing.T) {
	half := strings.Repeat("é", maxText/2)
	for _, c := range [][2]string{
		{"a\nb\tc", "a b c"}, {"a\u202eb\x1b[31m", "a\uFFFDb\uFFFD[31m"}, {"", ""}, {half + half, half + half}, {half + "x" + half, half + "…" + half}, {half + strings.Repeat("xyz", 1000) + half, half + "…" + half},
	} {
		if got := clean(c[0]); got != c[1] {
			t.Errorf("%.50q becomes %.50q", c[0], got)
		}
	}
}

// TestIsLocal checks which hosts are this machine.
func TestIsLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8080": true, "127.0.0.1": true, "127.9.9.9:80": true, "[::1]": true, "[::1]:80": true, "::1": true,
		"": false, "example.com": false, "localhost.example.com": false, "10.0.0.1": false, "[::2]:80": false, "[": false, "[]": false, "[localhost": false, "0.0.0.0": false,
	} {
		if got := isLocal(host); got != want {
			t.Errorf("%q is local: %v", host, got)
		}
	}
	for _, c := range []struct {
		origins []string
		want    bool
	}{{nil, true}, {[]string{"http://localhost:5173"}, true}, {[]string{"http://example.com"}, false}, {[]string{"http://localhost", "http://example.com"}, false}, {[]string{"null"}, false}, {[]string{"://"}, false}} {
		if got := isLocalOrigin(c.origins); got != c.want {
			t.Errorf("%q are local: %v", c.origins, got)
		}
	}
}
