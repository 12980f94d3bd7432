package finding_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
)

// TestProgramsInTwoFolders compares recordings of two checkouts of a program, in which the paths of
// its scripts differ, as do the tiers that V8 gives to functions. Two programs in two folders must
// stay two programs.
func TestProgramsInTwoFolders(t *testing.T) {
	const shop = `verify (/w/old/shop/app.js:38);sum (/w/old/shop/lib/sum.js:3) 300
verify (/w/old/shop/app.js:38);parse (/w/old/shop/lib/parse.js:9) 400
verify (/w/old/shop/app.js:38);parse (/w/old/shop/lib/parse.js:9);tokens (/w/old/shop/node_modules/lexer/index.js:70) 300
`
	for _, c := range []struct {
		name, subject, reference string
		one                      bool
		rows                     string // methods with a counterpart
	}{
		{"two checkouts", "/w/old/shop/", "/home/ci/new/", true, "parse sum tokens"},
		{"one checkout", "/w/old/shop/", "/w/old/shop/", true, "parse sum tokens"},
		{"one folder inside of the other", "/w/old/shop/", "/w/old/shop/copy/", true, "parse sum tokens"},
	} {
		subject := strings.Replace(strings.ReplaceAll(shop, "/w/old/shop/", c.subject), "3) 300", "3) 9000", 1)
		for _, swapped := range []bool{false, true} {
			s, r := subject, strings.ReplaceAll(shop, "/w/old/shop/", c.reference)
			if swapped {
				s, r = r, s
			}
			set := folded(t, s, r)
			if got := paired(set.Result); set.Result.AppCode.OneApp != c.one || got != c.rows {
				t.Errorf("%s, swapped %t: one app %t, the methods %s have counterparts; want %t, %s", c.name, swapped, set.Result.AppCode.OneApp, got, c.one, c.rows)
			}
		}
	}
	for _, c := range []struct{ name, reference string }{
		{"another program with a script of this name", "load (/w/new/app.js:3);draw (/w/new/app.js:9) 500\nload (/w/new/app.js:3);sum (/w/new/lib/sum.js:4) 100\n"},
		{"one function of many", "load (/w/new/app.js:3);verify (/w/new/app.js:9);draw (/w/new/app.js:12);paint (/w/new/app.js:20);fill (/w/new/app.js:50) 500\n"},
		{"functions that any script has", "main (/w/new/app.js:3);run (/w/new/app.js:9) 500\n"},
	} {
		if set := folded(t, shop+"main (/w/old/shop/app.js:3);run (/w/old/shop/app.js:9) 50\n", c.reference); paired(set.Result) != "" {
			t.Errorf("%s: the methods %s have counterparts", c.name, paired(set.Result))
		}
	}
	tiers := func(tier string) string {
		return "JS:~start /w/shop/app.js:1:1;JS:" + tier + "verify /w/shop/app.js:38:16 900\nJS:~start /w/shop/app.js:1:1;JS:*parse /w/shop/app.js:9:3 300\n"
	}
	set := folded(t, tiers("*")+tiers("^"), tiers("~"))
	if len(set.Result.AppCode.Rows) != 2 || paired(set.Result) != "parse verify" {
		t.Errorf("with tiers, the methods %s of %d rows have counterparts", paired(set.Result), len(set.Result.AppCode.Rows))
	}
}

func folded(t *testing.T, subject, reference string) *finding.Set {
	t.Helper()
	var sides [2]analysis.Side
	for i, text := range []string{subject, reference} {
		path := filepath.Join(t.TempDir(), []string{"subject", "reference"}[i]+".folded")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sides[i].Path = path
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: sides[0], Reference: sides[1]})
	if err != nil {
		t.Fatal(err)
	}
	return finding.New(r)
}

// paired returns the names of the app's methods with a counterpart, sorted.
func paired(r *analysis.Result) string {
	var names []string
	for i := range r.AppCode.Rows {
		if row := &r.AppCode.Rows[i]; row.Peer != nil {
			names = append(names, row.Method.Name)
		}
	}
	return strings.Join(slices.Sorted(slices.Values(names)), " ")
}
