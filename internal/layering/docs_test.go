package layering

import (
	"os"
	"strings"
	"testing"
)

// TestDependenciesAreExplained holds docs/dependencies.md to go.mod.
func TestDependenciesAreExplained(t *testing.T) {
	mod, err := os.ReadFile(root + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(root + "/docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[1], "v") {
			continue
		}
		if !strings.Contains(string(doc), fields[0]) {
			t.Errorf("docs/dependencies.md does not say why go.mod requires %s", fields[0])
		}
	}
}
