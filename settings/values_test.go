package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// TestBoundsOfFlags gives flags the values at the bounds of what is allowed, and values just outside
// of them.
func TestBoundsOfFlags(t *testing.T) {
	for flag, c := range map[string]struct{ good, bad string }{
		"normalize":    {"none|duration|total|calls-of p.A.b|20:10|1:1|2147483647:1", "0:10|10:0|-1:10|10:-1|a:10|10:b|10|calls-of |2147483648:1"},
		"voltage":      {"3.7|1000|0.001", "0|1001|-1|x"},
		"battery":      {"|3000mAh|1mAh", "0mAh|3000|x"},
		"activity":     {"browsing=9.5|a=1000000|a = 1", "a=0|a=-1|a=1000001|=5|a=|a|a=NaN"},
		"cpuFrequency": {"|2.4GHz|1000GHz", "0GHz|1001GHz|x"},
		"alpha":        {"0|3|auto|paper", "-1|1.5"},
		"top":          {"auto|0|1", "-1|1.5"},
		"maxMemory":    {"1|auto|512MiB|9223372036854775807", "0|9223372036854775808|-1"},
		"minShare":     {"auto|0|100|1%|0.5", "101|100.1|-1|x"},
		"align":        {"clock|auto|bursts|1.5s|-2s|0s", "x|1.5"},
		"partial":      {"true|false|1|0", "perhaps"},
	} {
		for value := range strings.SplitSeq(c.good, "|") {
			if _, err := Default().WithFlag(flag, value); err != nil {
				t.Errorf("%s %q: %v", flag, value, err)
			}
		}
		for value := range strings.SplitSeq(c.bad, "|") {
			if _, err := Default().WithFlag(flag, value); err == nil {
				t.Errorf("%s %q: no error", flag, value)
			}
		}
	}
}

// TestValuesOfFlags checks the value of each text.
func TestValuesOfFlags(t *testing.T) {
	flag := func(setting string, given ...string) Settings {
		t.Helper()
		s, err := Default().WithFlag(setting, given...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if n := flag("normalize", "20:10").Normalize; n.By != analysis.ByWork || n.Subject != 20 || n.Reference != 10 {
		t.Errorf("normalize 20:10 is %+v", n)
	}
	if n := flag("normalize", "calls-of  p.A.b ").Normalize; n.By != analysis.ByCalls || n.Method != "p.A.b" {
		t.Errorf("normalize calls-of is %+v", n)
	}
	if c := flag("battery", "3000mAh").Battery; c != 3000*units.MilliampereHour {
		t.Errorf("battery is %v", c)
	}
	changed := flag("battery", "3000mAh")
	if s, err := changed.WithFlag("battery", ""); err != nil || s.Battery != 0 {
		t.Errorf("battery is %v after it is cleared, %v", s.Battery, err)
	}
	if list := flag("activity", "reading=3", " idle = 300").Activities; len(list) != 2 || list[0] != (Activity{"reading", 3}) || list[1] != (Activity{"idle", 300}) {
		t.Errorf("activities are %+v", list)
	}
	for text, want := range map[string]float64{"0": 0, "100": 1, "5": 0.05, "5%": 0.05, "auto": Auto} {
		if got := flag("minShare", text).MinShare; got != want {
			t.Errorf("minShare %s is %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]struct {
		top   int
		share float64
	}{"auto": {10, 0.25}, "0": {0, 0}, "7": {7, 0.07}} {
		s := flag("top", text)
		if got := s.TopOr(10); got != want.top {
			t.Errorf("top %s shows %d, want %d", text, got, want.top)
		}
		s = flag("minShare", text)
		if got := s.MinShareOr(0.25); got != want.share {
			t.Errorf("minShare %s is %v, want %v", text, got, want.share)
		}
	}
	if a := flag("align", "1500ms").Align; a.Shift == nil || a.Shift.Seconds() != 1.5 || a.Auto || a.Bursts {
		t.Errorf("align 1500ms is %+v", a)
	}
	if a := flag("align", "bursts").Align; a.Shift != nil || a.Auto || !a.Bursts {
		t.Errorf("align bursts is %+v", a)
	}
}

// TestLargeAlphaIsDoubtful checks that an α larger than the automatic ones has a warning.
func TestLargeAlphaIsDoubtful(t *testing.T) {
	for alpha, want := range map[int]int{0: 0, analysis.MaxAutoAlpha: 0, analysis.MaxAutoAlpha + 1: 1, 1000: 1} {
		s, problems := Default().WithYAML(fmt.Append(nil, "alpha: ", alpha), "")
		if s.Alpha != alpha || len(problems) != want || want > 0 && !problems[0].Warning {
			t.Errorf("%d is %d with %v", alpha, s.Alpha, problems)
		}
	}
}

// TestUsage checks the help of flags: their words and their defaults.
func TestUsage(t *testing.T) {
	usage := map[string]Flag{}
	for _, f := range Flags("compare") {
		usage[f.Setting] = f
	}
	for setting, c := range map[string]struct{ has, not string }{
		"merge":            {"any of async,recorder,idle,|or none|(default async,", "one of|repeatable"},
		"match":            {"one of likeness, lemma|(default likeness)", "any of|repeatable"},
		"unit":             {"one of auto, |(default auto)", "repeatable"},
		"appPackages":      {"; repeatable", "(default|one of"},
		"voltage":          {"(default 3.7)", "one of|repeatable"},
		"partial":          {"", "(default|repeatable"},
		"processSubject":   {"", "repeatable"},
		"mappingSubject":   {"", "(default"},
		"mappingReference": {"", "(default"},
	} {
		f, ok := usage[setting]
		if !ok || f.Usage == "" {
			t.Errorf("%s has no usage", setting)
		}
		for part := range strings.SplitSeq(c.has, "|") {
			if !strings.Contains(f.Usage, part) {
				t.Errorf("%s: %q lacks %q", setting, f.Usage, part)
			}
		}
		for part := range strings.SplitSeq(c.not, "|") {
			if strings.Contains(f.Usage, part) {
				t.Errorf("%s: %q has %q", setting, f.Usage, part)
			}
		}
		if f.Switch != (setting == "partial") {
			t.Errorf("%s is a switch: %v", setting, f.Switch)
		}
	}
	// A command with one recording has flags without a side.
	alone := map[string]bool{}
	for _, f := range Flags("profile") {
		alone[f.Name] = true
	}
	if !alone["mapping"] || alone["mapping-subject"] || alone["mapping-reference"] {
		t.Errorf("the flags of one recording are %v", alone)
	}
	lines := map[string]bool{}
	for _, f := range Flags("add") {
		lines[f.Name] = true
	}
	if !lines["sources"] && !lines["source"] || !lines["classpath"] {
		t.Errorf("adding to a history has the flags %v", lines)
	}
}

// TestSuggestedTexts checks what suggestions insert: settings with settings inside end with a colon.
func TestSuggestedTexts(t *testing.T) {
	found := map[string]Suggestion{}
	for _, s := range Suggest(nil, 0, 0) {
		found[s.Label] = s
	}
	for label, want := range map[string]string{"pairs": "pairs:", "ignore": "ignore:", "severity": "severity:", "unit": "unit: ", "merge": "merge: ", "partial": "partial: "} {
		if got := found[label].Insert; got != want {
			t.Errorf("%s inserts %q, want %q", label, got, want)
		}
	}
	for label, want := range map[string]string{"unit": "The flag `--unit`.", "match": "default `likeness`", "foldedUnit": "The flag `--folded-unit`."} {
		if doc := found[label].Doc; !strings.Contains(doc, want) {
			t.Errorf("%s is explained by %q, without %q", label, doc, want)
		}
	}
	for label, not := range map[string]string{"subject": "default", "ignore": "The flag"} {
		if doc := found[label].Doc; strings.Contains(doc, not) {
			t.Errorf("%s is explained by %q, with %q", label, doc, not)
		}
	}
	if all := Suggest([]byte("voltage: "), 0, 9); len(all) != 1 || all[0].Label != "3.7" || all[0].Doc != "the default" {
		t.Errorf("voltages are %+v", all)
	}
	for _, text := range []string{"activity: ", "battery: ", "severity: ", "pairs: "} {
		for _, s := range Suggest([]byte(text), 0, len(text)) {
			if s.Doc == "the default" {
				t.Errorf("%s has the default %q", text, s.Insert)
			}
		}
	}
}

// TestAddIgnoreRefuses adds an entry that would ignore everything, and entries to files with faults.
// A fault in another setting does not matter.
func TestAddIgnoreRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		g    Ignore
		ok   bool
	}{
		{"", Ignore{Path: "a", Reason: "b"}, false},
		{"", Ignore{ID: "a"}, true},
		{"", Ignore{Task: "a"}, true},
		{"unit: kWh\n", Ignore{Task: "a"}, true},
		{"nothing: 1\n", Ignore{Task: "a"}, true},
		{"ignore: 1\n", Ignore{Task: "a"}, false},
		{"ignore:\n  - reason: b\n", Ignore{Task: "a"}, false},
		{"a: [\n", Ignore{Task: "a"}, false},
		{"- a\n", Ignore{Task: "a"}, false},
	} {
		out, err := AddIgnore([]byte(c.text), c.g)
		if (err == nil) != c.ok {
			t.Errorf("%q with %+v: %v", c.text, c.g, err)
		}
		if s, _ := Default().WithYAML(out, ""); c.ok && (len(s.Ignore) != 1 || s.Ignore[0] != c.g || !strings.HasPrefix(string(out), c.text)) {
			t.Errorf("%q becomes %q", c.text, out)
		}
	}
}

// TestShortenedTexts checks that messages have at most sixty characters of a value.
func TestShortenedTexts(t *testing.T) {
	for n, cut := range map[int]bool{0: false, 59: false, 60: false, 61: true, 1000: true} {
		text := strings.Repeat("é", n)
		if got := shortened(text); cut && got != strings.Repeat("é", 60)+"…" || !cut && got != text {
			t.Errorf("%d characters become %q", n, got)
		}
	}
}
