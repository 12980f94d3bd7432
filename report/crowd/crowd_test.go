package crowd

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/simulation"
	"github.com/diffprof/diffprof/report/words"
)

// analysed returns a small fleet with hogs.
func analysed(t *testing.T) *fleet.Fleet {
	t.Helper()
	made := simulation.New(simulation.Options{Seed: 1, Clients: 80, Apps: 60, Hogs: 4, Innocent: 12, Days: 3})
	f, err := fleet.Analyze(context.Background(), made.Set(nil, 4), fleet.Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func rendered(t *testing.T, d *Document, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// drawn returns what the page of a document draws, as JSON.
func drawn(t *testing.T, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(article(d)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRenderingsAgree checks that text and page show the figures of the document, and that the JSON
// is complete.
func TestRenderingsAgree(t *testing.T) {
	f := analysed(t)
	d, err := Hogs(f, "1.0")
	if err != nil || len(d.Hogs) == 0 {
		t.Fatalf("%d hogs: %v", len(d.Hogs), err)
	}
	text, page := rendered(t, d, "text"), drawn(t, d)
	for _, h := range d.Hogs {
		for _, s := range []string{h.App, h.minutes(), h.lives(), words.PercentPerHour(h.Excess, h.Half), words.Count(h.Clients)} {
			if !strings.Contains(text, s) || !strings.Contains(page, s) {
				t.Errorf("%q is not in text and page", s)
			}
		}
	}
	var back Document
	if err := json.Unmarshal([]byte(rendered(t, d, "json")), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Hogs) != len(d.Hogs) || back.Hogs[0].Excess != d.Hogs[0].Excess || back.SchemaVersion != 1 {
		t.Errorf("JSON has %+v", back)
	}
}

// TestTextOfActions checks the text of a client's actions: each action with its gain, or one sentence if
// there is none.
func TestTextOfActions(t *testing.T) {
	const none = "No app that runs on this device now is known to use a lot of energy."
	d := newDocument(analysed(t), "1.0", "actions")
	if got := rendered(t, d, "text"); strings.Count(got, none) != 1 {
		t.Errorf("without an action the text is\n%s", got)
	}
	d.Actions = []Action{{Advice: "close", App: "com.mine", Minutes: 64, Least: 40, Most: 90, Share: 0.25}}
	got := rendered(t, d, "text")
	for _, want := range []string{"close com.mine", "a charge is longer by " + words.Gain(64, 40, 90), "runs 25 % of the time"} {
		if !strings.Contains(got, want) {
			t.Errorf("the text has no %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, none) {
		t.Errorf("with an action the text is\n%s", got)
	}
}

// TestPageOfAnApp checks that the page draws distributions, conditions and convergence.
func TestPageOfAnApp(t *testing.T) {
	f := analysed(t)
	hogs, err := f.Hogs()
	if err != nil || len(hogs) == 0 {
		t.Fatal("no hogs: ", err)
	}
	d, known, err := Explain(f, hogs[0].App, "1.0")
	if err != nil || !known {
		t.Fatal(known, err)
	}
	page := drawn(t, d)
	for _, s := range []string{`"chart":`, "How much more it uses, by condition", "How the estimate converges", hogs[0].App + ": hog"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page lacks %q", s)
		}
	}
	if _, known, _ := Explain(f, "com.nobody", "1.0"); known {
		t.Error("an app that nobody ran is known")
	}
}

// TestNamesAreText checks that markup in the name of an app stays text.
func TestNamesAreText(t *testing.T) {
	d := &Document{view: "hogs", Hogs: []Hog{{App: "<script>alert(1)</script>"}}}
	if page := rendered(t, d, "html"); strings.Contains(page, "alert(1)") {
		t.Error("a name is outside of the packed data")
	}
}

// TestCommandsCanBeRun checks that commands name a process by the id of its application. If a
// process has no such id, the document states this.
func TestCommandsCanBeRun(t *testing.T) {
	s := &fleet.Suggestion{Claim: &claim.Claim{App: "com.mine:push"}, Kind: fleet.OtherVersion, Version: "2", Against: "1"}
	if lines := commands(s, "f.dp"); !strings.HasPrefix(lines[0].Line, "diffprof record --package com.mine --subject-apk 2.apk") ||
		!strings.Contains(lines[1].Line, "--fleet-app com.mine:push ") {
		t.Errorf("the commands are %q", lines)
	}
	for process, want := range map[string]bool{"com.mine": true, "com.mine:push": true, "surfaceflinger": false, "Kindle": false, "com.mine; reboot": false} {
		if _, ok := applicationID(process); ok != want {
			t.Errorf("%s is of an application: %t", process, ok)
		}
	}
}

// TestColumnHasOneUnit checks that a column with amounts below and above two hours is in minutes.
func TestColumnHasOneUnit(t *testing.T) {
	hog := func(minutes float64) Hog {
		return Hog{Drain: Drain{Minutes: minutes, LeastMinutes: minutes - 30, MostMinutes: minutes + 30}}
	}
	for _, c := range []struct {
		hogs []Hog
		want string
	}{
		{[]Hog{hog(126), hog(40)}, "130 ± 30 min, 40 ± 30 min"},
		{[]Hog{hog(126), hog(240)}, "2.1 ± 0.5 h, 4 ± 0.5 h"},
		{nil, ""},
	} {
		if got := strings.Join(lifeReductions(c.hogs), ", "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
