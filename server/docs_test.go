package server

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestDocs compares the tables of docs/protocol.md with the methods and commands, and the anchors of
// docs/lsp.md with the codes of diagnostics.
func TestDocs(t *testing.T) {
	read := func(page string) string {
		data, err := os.ReadFile("../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	guide, doc := read("lsp.md"), read("protocol.md")
	table := func(begin, end string) []string {
		_, rest, ok := strings.Cut(doc, begin)
		part, _, ended := strings.Cut(rest, end)
		if !ok || !ended {
			t.Fatalf("docs/protocol.md lacks the line %q or %q", begin, end)
		}
		var names []string
		for _, m := range regexp.MustCompile("(?m)^(?:- |\\| )`([^`]+)`").FindAllStringSubmatch(part, -1) {
			names = append(names, m[1])
		}
		return names
	}
	if got, want := table("<!-- Methods:", "<!-- End of the methods"), slices.Sorted(maps.Keys(methods())); !slices.Equal(got, want) {
		t.Errorf("docs/protocol.md has the methods\n%q, there are\n%q", got, want)
	}
	if got, want := table("<!-- Commands:", "<!-- End of the commands"), commandNames(); !slices.Equal(got, want) {
		t.Errorf("docs/protocol.md has the commands\n%q, there are\n%q", got, want)
	}
	for _, code := range []string{string(finding.UnmatchedTask), string(finding.CostlierTask), string(finding.HeldWakelock), string(finding.LeftOn), string(finding.AvoidableTail), string(finding.RepeatedIO), codeSetting} {
		if !strings.Contains(guide, "\n### "+code+"\n") {
			t.Errorf("docs/lsp.md has no section on the code %s, which diagnostics link to", code)
		}
	}
	for _, name := range []string{lsp.MethodTasks, lsp.MethodFlask, lsp.MethodDidCompare, lsp.MethodDidChange, lensMethod, lensClass} {
		if !strings.Contains(doc, name) {
			t.Errorf("docs/protocol.md does not mention %s", name)
		}
	}
}
