package finding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/finding"
)

// TestNamelessCode compares two builds of a program without symbols. A comparison function that the
// C library calls is at another address in the second build. In a folder that identifies the
// program, the runs are of one app, and the function is a part of its row. In other folders, it may
// be the function of the other run.
func TestNamelessCode(t *testing.T) {
	record := func(name, program string, compare, samples int) string {
		var text strings.Builder
		for i := range 1000 {
			at := fmt.Sprintf("life 9/9 %d.%03d000: 1000000 cpu-clock:\n", 10+i/1000, i%1000)
			if i < samples {
				at += fmt.Sprintf("\t%x [unknown] (%s)\n\t8000 [unknown] (/usr/lib/libc.so.6)\n", compare, program)
			}
			fmt.Fprintf(&text, "%s\t2000 [unknown] (%s)\n\n", at, program)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		program, other string
		basis          appcode.Basis
		part           finding.PartCode
	}{
		{"/home/me/src/life/main", "/home/me/src/life/main", appcode.Binary, finding.Unclear},
		{"/home/me/src/life/main", "/opt/main", appcode.NoBasis, finding.PossibleOwn},
		{"/usr/src/app/main", "/usr/src/app/main", appcode.NoBasis, finding.PossibleOwn},
		{"/opt/life/life", "/home/me/src/life/life", appcode.Binary, finding.Unclear},
		{"/home/me/life/target/release/deps/life-42c3b59313e7207c", "/home/me/life/target/release/deps/life-c7dc50e60195483d", appcode.Binary, finding.Unclear},
	} {
		r, err := analysis.Compare(t.Context(), analysis.Options{
			Subject:   analysis.Side{Path: record("new.perf-script", c.program, 0x1400, 220)},
			Reference: analysis.Side{Path: record("old.perf-script", c.other, 0x13f0, 180)},
		})
		if err != nil {
			t.Fatal(err)
		}
		set := finding.New(r)
		h := set.Headline()
		if r.AppCode.By != c.basis || h.Savable.Least != 0 || h.Rows != 0 {
			t.Errorf("%s and %s: by %q, %+v could be saved", c.program, c.other, r.AppCode.By, h.Savable)
		}
		for _, p := range h.Portions {
			if p.Code != c.part && p.Code != finding.Unclear {
				t.Errorf("%s and %s: %s has %v and %v", c.program, c.other, p.Code, p.Subject, p.Reference)
			}
		}
	}
}
