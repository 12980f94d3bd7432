package preprocess

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
)

// functionsOf returns the words and the labels of runs with functions of scripts. A run is a text
// with parts such as "app.js verify sum".
func functionsOf(runs ...string) (words []labelEntry, labels [][]LabelID) {
	for _, run := range runs {
		own := []LabelID{-1} // The root has no word.
		for _, script := range strings.Split(run, ", ") {
			parts := strings.Fields(script)
			for _, f := range parts[1:] {
				own = append(own, LabelID(len(words)))
				words = append(words, labelEntry{method: &name.Method{Lang: name.JavaScript, Scope: parts[0], Name: f}})
			}
		}
		labels = append(labels, own)
	}
	return words, labels
}

// TestFolders finds the folders of a program in two runs, in both orders of the runs.
func TestFolders(t *testing.T) {
	for _, c := range []struct{ what, subject, reference, want string }{
		{"two checkouts", "/w/old/shop/app.js verify, /w/old/shop/lib/sum.js sum add", "/home/new/app.js verify, /home/new/lib/sum.js sum add",
			"/home/new/app.js /home/new/lib/sum.js /w/old/shop/app.js=/home/new/app.js /w/old/shop/lib/sum.js=/home/new/lib/sum.js"},
		{"two common functions of four", "/a/x.js f g h i", "/b/x.js f g j k", "/a/x.js /b/x.js=/a/x.js"},
		{"two common functions of five", "/a/x.js f g h i l", "/b/x.js f g j k m", ""},
		{"two common functions of a small run and of a large one", "/a/x.js f g h i l n o p", "/b/x.js f g", "/a/x.js /b/x.js=/a/x.js"},
		{"one common function", "/a/x.js f", "/b/x.js f", ""},
		{"functions of any script", "/a/x.js main run init f", "/b/x.js main run init f", ""},
		{"other file names", "/a/x.js f g", "/b/y.js f g", ""},
		{"a script that both runs have", "/a/x.js f g, /lib/z.js q r", "/b/x.js f g, /lib/z.js q r", "/a/x.js /b/x.js=/a/x.js"},
		{"one folder", "/a/x.js f g", "/a/x.js f g", ""},
		{"scripts of the engine", "node:internal/x.js f g", "node:other/x.js f g", ""},
		{"scripts without a folder", "x.js f g", "y.js f g", ""},
		{"the folders with more in common", "/a/x.js f g h, /c/y.js k l", "/b/x.js f g h, /d/y.js k l", "/a/x.js /b/x.js=/a/x.js"},
		{"a script of this name in the new folder", "/a/x.js f g, /a/y.js k", "/b/x.js f g, /b/z.js m", "/a/x.js /a/y.js /b/x.js=/a/x.js /b/z.js=/a/z.js"},
	} {
		for _, swapped := range []bool{false, true} {
			s, r := c.subject, c.reference
			if swapped {
				s, r = r, s
			}
			got := ""
			words, labels := functionsOf(s, r)
			homes := folders(words, labels)
			for _, path := range sortedPaths(homes) {
				if h := homes[path]; h.path == path {
					got += " " + path
				} else {
					got += fmt.Sprintf(" %s=%s", path, h.path)
				}
				if rest, ok := strings.CutPrefix(homes[path].shown, "…/"); !ok || !strings.HasSuffix(path, "/"+rest) || !strings.HasSuffix(homes[path].path, "/"+rest) {
					t.Errorf("%s: %s is shown as %s", c.what, path, homes[path].shown)
				}
			}
			if got = strings.TrimSpace(got); got != c.want {
				t.Errorf("%s, swapped %v: got  %s\nwant %s", c.what, swapped, got, c.want)
			}
		}
	}
	if words, labels := functionsOf("/a/x.js f g"); folders(words, labels) != nil {
		t.Error("one run has a program in two folders")
	}
}

func sortedPaths(homes map[string]home) []string {
	return slices.Sorted(maps.Keys(homes))
}

// TestFoldersOf removes the common end of two paths, by whole parts.
func TestFoldersOf(t *testing.T) {
	for _, c := range [][4]string{
		{"/a/b/c.js", "/d/b/c.js", "/a", "/d"}, {"/a/b/c.js", "/d/c.js", "/a/b", "/d"}, {"/a/c.js", "/a/d.js", "/a/c.js", "/a/d.js"},
		{"/ab/c.js", "/b/c.js", "/ab", "/b"}, {"c.js", "/b/c.js", "c.js", "/b/c.js"}, {"/c.js", "/b/c.js", "", "/b"},
	} {
		if got := foldersOf(c[0], c[1]); got != [2]string{c[2], c[3]} {
			t.Errorf("%s and %s: %q", c[0], c[1], got)
		}
	}
	if got := last("/a/b.js") + " " + last("b.js"); got != "b.js b.js" {
		t.Errorf("the last parts are %s", got)
	}
}
