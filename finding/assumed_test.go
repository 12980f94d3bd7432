package finding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// tailModel has a tail with a power between 100 mW and 2 W. Its other powers are exact.
const tailModel = `
name: tails
serves: {network: radio}
components:
  radio:
    states:
      idle: {kind: base}
      active: {kind: productive, draw: 1 W}
      tail: {kind: tail, draw: 1000 mW (100 to 2000)}
    transitions:
      - {from: idle, to: active, on: send}
      - {from: active, to: tail, when: idle}
      - {from: tail, to: active, on: send}
      - {from: tail, to: idle, after: 1 s}
    work:
      - {on: send, busy: 8 ms/KiB}
`

// sent writes a log of sends. Each has a number of KiB and a time in seconds.
func sent(t *testing.T, name string, sends ...[2]int) string {
	t.Helper()
	var b strings.Builder
	line := func(at int, call, stack string) {
		fmt.Fprintf(&b, "100 %d.000000 %s <0.000010>\n > /bin/app(%s+0x1) [0x1]\n", 1700000000+at, call, stack)
	}
	line(0, "socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 4<TCP:[1]>", "main")
	for _, s := range sends {
		line(s[1], fmt.Sprintf(`sendto(4<TCP:[10.0.0.2:4->93.184.216.34:443]>, "x"..., %d, 0, NULL, 0) = %d`, s[0]<<10, s[0]<<10), "main")
	}
	path := filepath.Join(t.TempDir(), name+".strace")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAssumedFiguresDecide has one run that sends much at once and has one tail, and another that
// sends little and has several tails. The tail's power decides which run uses more, and the model
// has only a range for it.
func TestAssumedFiguresDecide(t *testing.T) {
	table := filepath.Join(t.TempDir(), "tails.yaml")
	if err := os.WriteFile(table, []byte(tailModel), 0o600); err != nil {
		t.Fatal(err)
	}
	compare := func(subject, reference string) *finding.Set {
		r, err := analysis.Compare(t.Context(), analysis.Options{
			PowerModel: table, Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference},
		})
		if err != nil {
			t.Fatal(err)
		}
		return finding.New(r)
	}
	often := sent(t, "often", [2]int{1, 1}, [2]int{1, 11}, [2]int{1, 21}, [2]int{1, 31}, [2]int{1, 41}, [2]int{1, 51}, [2]int{1, 61}, [2]int{1, 71})
	once := sent(t, "once", [2]int{130, 1})

	fires := func(set *finding.Set, gate string) bool {
		g, err := finding.ParseGate(gate)
		if err != nil {
			t.Fatal(err)
		}
		fired, err := g.Met(set)
		if err != nil {
			t.Fatal(err)
		}
		return fired != nil
	}
	doubtful := compare(often, once)
	h := doubtful.Headline()
	// The difference is 64 ms × 1 W + 8 tails - (1.04 s × 1 W + 1 tail) = 7 tails - 0.976 J.
	want := finding.Interval{Least: 700*units.Joule/1000 - 976*units.Joule/1000, Most: 14*units.Joule - 976*units.Joule/1000}
	near := func(a, b units.Energy) bool { return a-b < units.Joule/1000 && b-a < units.Joule/1000 }
	if h.Difference < units.Joule || !h.ByModel || h.Verdict != finding.CannotTell || !near(h.Model.Least, want.Least) || !near(h.Model.Most, want.Most) {
		t.Errorf("the headline is %+v, want a difference in %v", h, want)
	}
	for _, at := range doubtful.Ranking() {
		if s := doubtful.Standing(at); !at.Code && s.Tested && (s.IsFinding || s.Doubt != finding.ByModel || !s.Unclear() || s.Costlier() || s.Saving.Least != 0) {
			t.Errorf("a row is %+v", s)
		}
	}
	for _, gate := range []string{"row>5%", "saving>5%", "total>5%"} {
		if fires(doubtful, gate) {
			t.Errorf("%s fails because of an assumed figure", gate)
		}
	}

	// Eight tails use more than one, whatever the power.
	few := sent(t, "few", [2]int{4, 1})
	sure := compare(often, few)
	if h := sure.Headline(); h.ByModel || h.Verdict != finding.More {
		t.Errorf("the headline of more tails is %+v", h)
	}
	for _, gate := range []string{"row>5%", "saving>5%", "total>5%"} {
		if !fires(sure, gate) {
			t.Errorf("%s does not hold", gate)
		}
	}

	// Each row has its part of the range. The rows of the run together have all of it.
	run, components := finding.Spreads(&sure.Result.Subject)
	list := finding.NewLedger(&sure.Result.Subject).Run()
	if run == nil || len(components) != 1 || list[0].Least != components[0].Least || list[0].Most != components[0].Most {
		t.Errorf("the run has %+v, its component %+v", components, list)
	}
}

// TestWaitingAndAssumedFiguresDecide has a difference that is more than the assumed tails, and more
// than the time in which a thread may have waited, but not more than both together.
func TestWaitingAndAssumedFiguresDecide(t *testing.T) {
	table := filepath.Join(t.TempDir(), "tails.yaml")
	if err := os.WriteFile(table, []byte(tailModel), 0o600); err != nil {
		t.Fatal(err)
	}
	headline := func(seconds int) finding.Headline {
		subject := sent(t, "subject", [2]int{1, 1}, [2]int{1, 11}, [2]int{1, 21}, [2]int{1, 31})
		log, err := os.ReadFile(subject)
		if err != nil {
			t.Fatal(err)
		}
		log = fmt.Appendf(log, "100 1700000040.000000 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000 <%d.000000>\n", seconds)
		if err := os.WriteFile(subject, log, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := analysis.Compare(t.Context(), analysis.Options{
			PowerModel: table, Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: sent(t, "reference", [2]int{200, 1})},
		})
		if err != nil {
			t.Fatal(err)
		}
		h := finding.New(r).Headline()
		// The tails of three sends use 0.3 to 6 J. Sending the reference's data uses 1.568 J more.
		if run, _ := finding.Spreads(&r.Subject); run == nil || run.Least != r.Subject.Least()-4*900*units.Millijoule || run.Most != r.Subject.Energy+4*units.Joule || !run.Waits {
			t.Errorf("the subject of %+v has the range %+v", h, run)
		}
		return h
	}
	// 4 s of the processor use 1.776 J. With the weakest tails 0.508 J remain, and without these
	// seconds 1.432 J.
	if h := headline(4); h.Verdict != finding.CannotTell || !h.ByModel || h.Elapsed {
		t.Errorf("the headline is %+v", h)
	}
	// 8 s use 3.552 J. These seconds alone may be the whole difference.
	if h := headline(8); h.Verdict != finding.CannotTell {
		t.Errorf("the headline is %+v", h)
	}
}
