package markdown

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
)

// TestSteps formats paths of many lengths. A path that is too long has its first step, a mark, and
// its last steps.
func TestSteps(t *testing.T) {
	for n := 1; n < 3*maxSteps; n++ {
		var path []name.Method
		var want []string
		for i := range n {
			path = append(path, name.Method{Name: "m" + strings.Repeat("x", i)})
			want = append(want, code(path[i]))
		}
		if n > maxSteps+1 {
			want = append([]string{want[0], "…"}, want[n-maxSteps+1:]...)
		}
		if got := steps(path); got != strings.Join(want, " › ") {
			t.Errorf("%d steps: %s, want %s", n, got, strings.Join(want, " › "))
		}
	}
}

// TestThreads counts the threads that are not named.
func TestThreads(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{{nil, "–"}, {[]string{"a"}, "`a`"}, {[]string{"a", "b"}, "`a` +1"}, {[]string{"a", "b", "c"}, "`a` +2"}} {
		if got := threads(c.names); got != c.want {
			t.Errorf("%q: %s, want %s", c.names, got, c.want)
		}
	}
}

// TestLiteral formats names with special characters and names that are too long.
func TestLiteral(t *testing.T) {
	end := strings.Repeat("é", maxLineWidth-1)
	for text, want := range map[string]string{
		"": "`?`", "a`b|c\n": "`a'b¦c\uFFFD`", "x" + end: "`x" + end + "`", "xy" + end: "`…" + end + "`", "xyz" + end: "`…" + end + "`",
	} {
		if got := literal(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
