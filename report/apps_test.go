package report_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/group"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/units"
)

// TestGroup compares all renderings of a group of generated cases with testdata/group/music.txtar.
func TestGroup(t *testing.T) {
	const cases, golden = "../testdata/cases", "testdata/group/music.txtar"
	var members []group.Member
	for name, file := range map[string]string{"pandora 5.7": "pandora57-pandora83/subject", "pandora 8.3": "pandora57-pandora83/reference", "spotify": "spotify-pandora83/subject"} {
		found, _ := filepath.Glob(filepath.Join(cases, file+".trace*"))
		if len(found) != 1 {
			t.Fatalf("%s is not there; run make generate", file)
		}
		at := 0
		for at < len(members) && members[at].Name < name {
			at++
		}
		members = append(members[:at], append([]group.Member{{Name: name, Runs: found}}, members[at:]...)...)
	}
	g, err := group.Run(context.Background(), members, group.Options{Compare: analysis.Options{
		Alpha: analysis.AutoAlpha, PowerProfile: filepath.Join(cases, "power_profile.xml"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	// All renderings must also show failed comparisons.
	g.Failures = append(g.Failures, group.Failure{A: 0, B: 2, Err: errors.New("comparing <b>one</b> with | another: it is damaged")})
	got := &txtar.Archive{Comment: []byte("What group says of generated recordings of music players. Written by go test ./report -update.\n")}
	for _, name := range render.Names(report.ByApp) {
		r, _ := render.Find(report.ByApp, name)
		var b bytes.Buffer
		if err := r.Render(&b, &report.Document{View: report.ByApp, Apps: report.NewAppGroup(g, "test", 5)}, report.Options{}); err != nil {
			t.Fatal(err)
		}
		switch name {
		case "json":
			validate(t, compileSchemas(t)["group"], b.Bytes())
		case "html":
			if strings.Contains(b.String(), "<b>one") {
				t.Error("the page has a name of a recording as markup")
			}
			continue // A page is compressed. TestGroupPage reads it.
		}
		got.Files = append(got.Files, txtar.File{Name: name, Data: b.Bytes()})
	}
	hold(t, golden, got)
}

// TestRanked checks the signs between the apps of a ranking.
func TestRanked(t *testing.T) {
	calls := func(n int64) *int64 { return &n }
	use := func(e units.Energy, n int64) report.GroupUse { return report.GroupUse{Energy: e, Calls: calls(n)} }
	texts := []string{"a", "b", "c"}
	for want, d := range map[string]report.CommonTask{
		"a = b < c": {Users: []report.GroupUse{use(5, 1), use(5, 2), use(6, 1)}},
		"a < b = c": {PerCall: true, Users: []report.GroupUse{use(5, 2), use(5, 1), use(10, 2)}},
		"a = b = c": {PerCall: true, Users: []report.GroupUse{use(1<<61+1, 1<<40), use(1<<62+2, 1<<41), use(1<<60, 1<<39)}},
		"a < b < c": {Users: []report.GroupUse{use(1, 1), use(2, 2), use(3, 3)}},
	} {
		if want == "a = b = c" {
			d.Users[2] = d.Users[1]
		}
		if got := d.Ranked(texts, " < "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
