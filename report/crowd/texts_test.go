package crowd

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/tree"
)

// TestFleetsWithoutHogs checks why a fleet shows no hogs, and how long a charge lasts.
func TestFleetsWithoutHogs(t *testing.T) {
	for want, f := range map[string]Fleet{
		"No hogs were found among 3 apps.": {Judged: 3, Pairs: 5}, "no two samples show a discharge.": {Few: 2}, "too few clients ran each app.": {Pairs: 5, Few: 2}, "the samples name no app.": {Pairs: 5},
	} {
		if got := f.NoHogs(); !strings.HasSuffix(got, want) {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	for want, f := range map[string]Fleet{
		"2 devices, 5 samples; no two samples show a discharge":                {Clients: 2, Samples: 5, Hours: 7},
		"9 rates without devices; at the mean rate, a charge lasts 7 h":        {Pairs: 9, Hours: 7},
		"2 devices, 5 samples, 3 pairs of them; a charge lasts 7 h on average": {Clients: 2, Samples: 5, Pairs: 3, Hours: 7},
	} {
		if got := f.Life(); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

// TestLeftOutSamples checks which answers for people have the table of excluded samples.
func TestLeftOutSamples(t *testing.T) {
	some := []LeftOut{{What: "x", N: 3}}
	for _, c := range []struct {
		view    string
		clients int64
		left    []LeftOut
		want    bool
	}{{"hogs", 5, some, true}, {"hogs", 5, nil, false}, {"app", 5, some, false}, {"app", 0, some, true}, {"bugs", 0, some, false}} {
		d := &Document{view: c.view, LeftOut: c.left}
		d.Fleet.Clients = c.clients
		if got := d.showsLeftOut(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestDoubtsOfHogs checks the doubts about a hog.
func TestDoubtsOfHogs(t *testing.T) {
	part, most := 0.9, 0.95
	for _, c := range []struct {
		hog  Hog
		want string
	}{
		{Hog{Drain: Drain{Excess: 2, Half: 1}}, ""}, {Hog{Drain: Drain{Excess: 1, Half: 1}}, "not significant"},
		{Hog{Drain: Drain{Excess: 2, Half: 1}, Seen: &part}, "it may be far more: the app starts and stops between samples"}, {Hog{Drain: Drain{Excess: 2, Half: 1}, Seen: &most}, ""},
	} {
		if got := c.hog.doubt(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.hog, got, c.want)
		}
	}
	if got := (&Bug{Confounded: []string{"a"}, Rare: true}).confoundedText(); !strings.Contains(got, "a") || !strings.Contains(got, "fewer than 5") {
		t.Errorf("a rare app: %q", got)
	}
	if got := (&Bug{}).confoundedText(); got != "" {
		t.Errorf("no other app: %q", got)
	}
}

// TestQuotedWords quotes words for a shell only if necessary.
func TestQuotedWords(t *testing.T) {
	for word, want := range map[string]string{
		"azAZ09._-/:+@%": "azAZ09._-/:+@%", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "`": "'`'", "{": "'{'", "[": "'['", "é": "'é'", ";": "';'",
	} {
		if got := quoted(word); got != want {
			t.Errorf("%q becomes %s, want %s", word, got, want)
		}
	}
}

// TestSetup checks the commands that set conditions on a device, and the texts of conditions.
func TestSetup(t *testing.T) {
	wifi, mobile, radio := claim.Condition{Feature: samples.Network, Value: "wifi"}, claim.Condition{Feature: samples.Network, Value: "lte"}, claim.Condition{Feature: "wifi", Value: "on"}
	model := claim.Condition{Feature: samples.Model, Value: "Pixel 4"}
	for _, c := range []struct {
		all  []claim.Condition
		want string
	}{
		{[]claim.Condition{wifi}, "adb shell svc wifi enable && adb shell svc data disable"}, {[]claim.Condition{mobile}, "adb shell svc data enable && adb shell svc wifi disable"},
		{[]claim.Condition{radio}, "adb shell svc wifi enable"}, {[]claim.Condition{{Feature: "bluetooth", Value: "on"}}, "adb shell svc bluetooth enable"}, {[]claim.Condition{model}, ""}, {nil, ""},
	} {
		if got, ok := setup(c.all); got != c.want || ok != (c.want != "") {
			t.Errorf("%v: %q %v, want %q", c.all, got, ok, c.want)
		}
	}
	if got := strings.Join(texts([]claim.Condition{model, wifi, {Feature: samples.System, Value: "14"}}), "; "); strings.Count(got, "a device with") != 2 || strings.Contains(got, "a device with network") {
		t.Errorf("the conditions are %s", got)
	}
}

// TestCommandsOfSuggestions checks the recordings of each kind of suggestion.
func TestCommandsOfSuggestions(t *testing.T) {
	wifi := claim.Condition{Feature: samples.Network, Value: "wifi"}
	not := wifi
	not.Not = true
	about := &claim.Claim{App: "com.mine:push", Conditions: []claim.Condition{wifi}}
	for _, c := range []struct {
		s     fleet.Suggestion
		lines int
		has   []string
	}{
		{fleet.Suggestion{Kind: fleet.OtherVersion, Version: "2", Against: "1"}, 3, []string{"--package com.mine --subject-apk 2.apk --reference-apk 1.apk", "-o runs\n"}},
		{fleet.Suggestion{Kind: fleet.WithoutCondition, Without: not}, 5, []string{"-o runs/subject\n", "-o runs/reference\n", "svc data enable"}},
		{fleet.Suggestion{Kind: fleet.OtherDevice}, 4, []string{"-o runs/subject\n", "-o runs/reference\n"}},
		{fleet.Suggestion{Kind: fleet.SimilarApp, Against: "org.other"}, 4, []string{"--package com.mine ", "--package org.other "}},
	} {
		c.s.Claim = about
		all := commands(&c.s, "my fleet")
		text := ""
		for _, line := range all {
			text += line.Line + "\n"
		}
		for _, has := range append(c.has, "svc wifi enable", "diffprof compare --fleet 'my fleet' --fleet-app com.mine:push ") {
			if !strings.Contains(text, has) {
				t.Errorf("%s: no %q in\n%s", c.s.Kind, has, text)
			}
		}
		if len(all) != c.lines {
			t.Errorf("%s: %d commands, want %d:\n%s", c.s.Kind, len(all), c.lines, text)
		}
	}
	for process, want := range map[string]bool{"com.mine": true, "com.mine:push": true, "mine": false, "com..mine": false, "com.1mine": false, "/system/bin/x": false} {
		if _, ok := applicationID(process); ok != want {
			t.Errorf("%s has an application id: %v", process, ok)
		}
	}
}

// TestSuggestionsInWords checks the words for each kind of suggestion.
func TestSuggestionsInWords(t *testing.T) {
	for want, s := range map[string]Suggestion{
		"a": {App: "a"}, "a, version 2": {App: "a", Version: "2"}, "a, with x, y": {App: "a", When: []string{"x", "y"}}, "a, on a device such as d": {App: "a", Devices: []string{"d"}},
	} {
		if got := s.Recording(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	seen := map[string]bool{}
	for _, a := range []Against{{Kind: fleet.OtherVersion, Name: "1"}, {Kind: fleet.OtherVersion, Name: "1", Later: true}, {Kind: fleet.OtherDevice, Name: "1"}, {Kind: fleet.WithoutCondition, Name: "1"}, {Kind: fleet.SimilarApp, Name: "1"}} {
		got := a.Text()
		if seen[got] || strings.Contains(got, "1") == (a.Kind == fleet.OtherDevice) {
			t.Errorf("%+v: %q", a, got)
		}
		seen[got] = true
	}
}

// TestRemedies leaves out conditions that follow from others, and remedies that need two values of
// one feature.
func TestRemedies(t *testing.T) {
	on := func(feature, value string, not bool) tree.Condition {
		return tree.Condition{Feature: feature, Value: value, Not: not}
	}
	for _, c := range []struct {
		path   []tree.Condition
		advice []string
		does   string
		when   string
		ok     bool
	}{
		{[]tree.Condition{on("network", "wifi", false)}, []string{"use Wi-Fi"}, "use Wi-Fi", "", true},
		{[]tree.Condition{on("model", "x", false), on("network", "wifi", false)}, []string{"", "use Wi-Fi"}, "use Wi-Fi", "model x", true},
		{[]tree.Condition{on("network", "lte", true), on("network", "wifi", false)}, []string{"avoid LTE", "use Wi-Fi"}, "use Wi-Fi", "", true},
		{[]tree.Condition{on("network", "lte", false), on("network", "wifi", false)}, []string{"use LTE", "use Wi-Fi"}, "", "", false},
		{[]tree.Condition{on("network", "lte", true), on("network", "edge", true)}, []string{"avoid LTE", "avoid Edge"}, "avoid LTE, avoid Edge", "", true},
		{[]tree.Condition{on("model", "x", false)}, []string{""}, "", "model x", false},
	} {
		got, ok := remedyOf(fleet.Remedy{Node: &tree.Node{Path: c.path}, Advice: c.advice})
		if ok != c.ok || ok && (strings.Join(got.Advice, ", ") != c.does || strings.Join(got.When, ", ") != c.when) {
			t.Errorf("%v: %+v %v", c.path, got, ok)
		}
	}
}
