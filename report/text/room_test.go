package text

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/reporttest"
	"github.com/diffprof/diffprof/units"
)

// fits renders a report at several widths. No line may be wider than the page.
func fits(t *testing.T, what string, write func(w io.Writer, o report.Options) error) {
	t.Helper()
	for width := 80; width <= 200; width += 3 {
		var b strings.Builder
		if err := write(&b, report.Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if got := cells(strings.TrimRight(line, "\n")); got > width {
				t.Errorf("%s: %d cells on a page of %d: %s", what, got, width, line)
			}
		}
	}
}

// long is the name of a method that no page has room for.
var long = "com.example." + strings.Repeat("VeryLongClassName", 15) + ".load(I)V"

// TestLinesOfGroupsFit renders groups with long names and many tasks.
func TestLinesOfGroupsFit(t *testing.T) {
	var many []int
	for i := range 200 {
		many = append(many, i)
	}
	r := &report.Report{GroupedBy: "class", AllGroups: 3, Methods: methodsOf(long), Tasks: []report.Task{{Method: long, Path: []string{"(toplevel)", long}}}}
	r.Groups = []report.Group{{Name: long, Tasks: make([]string, 200), Places: many, Suspects: many, Energy: 5, Saving: 3}, {Name: strings.Repeat("x", 300), Places: []int{1}}}
	r.Summary.Tasks = 1
	fits(t, "groups", func(w io.Writer, o report.Options) error { return Comparison(w, r, o) })
}

// TestLinesOfTasksFit renders tasks inside of others and tasks with a possible counterpart, whose
// names are long.
func TestLinesOfTasksFit(t *testing.T) {
	callers := []report.Caller{}
	for range 5 {
		callers = append(callers, report.Caller{Place: report.Place{Method: long, File: strings.Repeat("Long", 30) + ".java", Line: 7}, Counts: called(3)})
	}
	short := report.Caller{Place: report.Place{Method: "a.Feed.load", File: "Feed.java", Line: 7}, Counts: called(12)}
	path := []string{"(toplevel)", long, "a.B.c", long}
	r := &report.Report{Counts: "calls", Methods: methodsOf(long, "a.B.c", "a.Feed.load"), Tasks: []report.Task{
		{Method: long, Path: path, Energy: 5, Saving: 3, Counts: called(7), Outer: 2, Callers: callers, PossiblePeer: &report.PossiblePeer{Method: long, Energy: 5}},
		{Method: "a.B.c", Path: path, Energy: 5, Saving: 3, Counts: called(7), Callers: []report.Caller{short, short, short, short}},
	}}
	r.Summary.Tasks = 2
	r.Subject.Path, r.Subject.Runs = strings.Repeat("folder/", 40)+"a.trace", 3
	fits(t, "tasks", func(w io.Writer, o report.Options) error { return Comparison(w, r, o) })
}

// TestLinesOfSourceFit renders executions and measured lines of a method with a long name.
func TestLinesOfSourceFit(t *testing.T) {
	for what, l := range reporttest.Lines() {
		if l.Executions != nil {
			for i := range l.Executions.Rows {
				l.Executions.Rows[i].Method = long
				l.Executions.Rows[i].File = strings.Repeat("Long", 60) + ".java"
			}
			l.Methods[long] = methodsOf(long)[long]
		}
		for _, m := range []*report.Metered{l.Metered, l.MeteredReference} {
			if m == nil {
				continue
			}
			for i := range m.Rows {
				m.Rows[i].Method, m.Rows[i].File = long, strings.Repeat("Long", 60)+".java"
			}
			l.Methods[long] = methodsOf(long)[long]
		}
		if !strings.Contains(what, "listing") { // Lines of source are not cut.
			fits(t, what, func(w io.Writer, o report.Options) error { return Lines(w, l, o) })
		}
	}
}

// TestListsFit makes lists of numbers, parts of code, and callers in random spaces. A list states how
// many elements it leaves out, and leaves out none without need.
func TestListsFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	p := &page{}
	for range 2000 {
		room := 20 + random.IntN(80)
		var numbers []int
		for range 1 + random.IntN(20) {
			numbers = append(numbers, random.IntN(1000))
		}
		list := places(numbers, room)
		whole := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
		if cells(list) > room || list == whole && cells(whole) > room {
			t.Fatalf("%d cells: %s", room, list)
		}
		if before, rest, cut := strings.Cut(list, ", +"); cut {
			shown := strings.Count(before, ",") + 1
			if rest != fmt.Sprintf("%d more", len(numbers)-shown) || !strings.HasPrefix(whole, before+", ") {
				t.Fatalf("%v in %d cells: %s", numbers, room, list)
			}
		} else if list != whole {
			t.Fatalf("%v in %d cells: %s", numbers, room, list)
		}
		c := report.AppCode{PartCount: 1 + random.IntN(9)}
		c.Parts = make([]report.CodePart, min(c.PartCount, 5))
		n := 0
		if list := p.codeParts(c, room, func(report.CodePart) string { n++; return strings.Repeat("n", 1+(n*7)%30) }); cells(list) > room {
			t.Fatalf("parts in %d cells: %s", room, list)
		}
		names := []string{}
		for range 2 + random.IntN(5) {
			names = append(names, strings.Repeat("s", 1+random.IntN(20)))
		}
		if got := steps(names, room, random.IntN(len(names)-1)); cells(got) > room {
			t.Fatalf("steps in %d cells: %s", room, got)
		}
	}
	for names, want := range map[string]string{"ab": "a, b", "aa": "a", "aab": "a, b"} {
		i := -1
		name := func(report.CodePart) string { i++; return names[i : i+1] }
		if got := p.codeParts(report.AppCode{PartCount: len(names), Parts: make([]report.CodePart, len(names))}, 80, name); got != want {
			t.Errorf("the parts %s are %q, want %q", names, got, want)
		}
	}
}

// TestWordsAreCut checks texts of one word, which are cut inside the word, and figures, which are not
// cut.
func TestWordsAreCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"Überlanges", 5, "Über…"}, {"Überlanges", 10, "Überlanges"}, {"Überlanges", 1, "…"}, {"生命生命", 6, "生命…"}, {"生命生命", 5, "生命…"},
		{"≤123456", 3, "≤123456"}, {"one two", 4, "one…"}, {"one two", 3, "on…"},
	} {
		if got := cutWords(c.text, c.n); got != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// TestNamesAreCut drops the parameters of a method first, and then its class.
func TestNamesAreCut(t *testing.T) {
	n := naming{short: "View.draw", own: "draw"}
	const text = "View.draw(Canvas)"
	for room, want := range map[int]string{17: text, 16: "View.draw(Canva…", 11: "View.draw(…", 10: "View.draw", 9: "View.draw", 8: "…draw", 5: "…draw", 4: "…as)", 1: "…"} {
		if got := n.cut(text, room); got != want {
			t.Errorf("in %d cells: %q, want %q", room, got, want)
		}
	}
}

// TestTallies formats numbers around each limit.
func TestTallies(t *testing.T) {
	for n, want := range map[int64]string{
		0: "–", 1: "1", 999: "999", 99_999: "99,999", 100_000: "100k", 9_999_999: "9,999k", 10_000_000: "10M", 9_999_999_999: "9,999M", 10_000_000_000: "10G", 5_000_000_000_000: "5,000G",
	} {
		if got := tally(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// TestFilesOfClasses checks which files need not be named with a method.
func TestFilesOfClasses(t *testing.T) {
	for _, c := range []struct {
		method, file string
		want         bool
	}{{"Feed.load", "Feed.java", true}, {"Feed$1.load", "Feed.kt", true}, {"Feed.load", "Main.java", false}, {"FeedKt.load", "Feed.kt", false}, {"Feed", "Feed", true}} {
		if got := inClass(c.method, c.file); got != c.want {
			t.Errorf("%s in %s: %v", c.method, c.file, got)
		}
	}
}

// TestVoltageOfTheReport checks that the voltage of the options is used, or else that of the runs.
func TestVoltageOfTheReport(t *testing.T) {
	charge := units.MicroampereHour
	text := func(given, stated units.Voltage) string {
		r := &report.Report{Voltage: stated}
		r.Subject.Energy, r.Reference.Energy = 500*units.Millijoule, 100*units.Millijoule
		return rendered(t, func(w io.Writer) error { return Comparison(w, r, report.Options{Unit: &charge, Voltage: given}) })
	}
	five := text(0, 5*units.Volt)
	if five == text(0, 4*units.Volt) || five != text(5*units.Volt, 4*units.Volt) || five != text(5*units.Volt, 0) {
		t.Errorf("at 5 V:\n%s\nat 4 V, if 5 V are given:\n%s", five, text(5*units.Volt, 4*units.Volt))
	}
}

// TestSourcesOfPower names the source of the power figures once if both runs have the same one.
func TestSourcesOfPower(t *testing.T) {
	for _, c := range []struct {
		subject, reference string
		has                []string
		lacks              string
	}{
		{"zz1", "zz1", []string{"zz1"}, "subject: "},
		{"zz1", "zz2", []string{"subject: zz1", "reference: zz2"}, "~"},
		{"zz1", "", []string{"subject: zz1"}, "reference: "},
		{"", "zz2", []string{"reference: zz2"}, "subject: "},
	} {
		r := &report.Report{}
		r.Subject.PowerSource, r.Reference.PowerSource = c.subject, c.reference
		got := rendered(t, func(w io.Writer) error {
			p := newPage(report.Options{}, 1)
			p.powerSources(r)
			return p.flush(w)
		})
		for _, has := range c.has {
			if strings.Count(got, has) != 1 {
				t.Errorf("%q and %q: %q, want %q once", c.subject, c.reference, got, has)
			}
		}
		if strings.Contains(got, c.lacks) {
			t.Errorf("%q and %q: %q has %q", c.subject, c.reference, got, c.lacks)
		}
	}
}

// TestEarlierChanges checks that all changes of a series are written, the latest first.
func TestEarlierChanges(t *testing.T) {
	made := &report.Trend{Unit: "nJ"}
	s := report.TrendSeries{Kind: "run"}
	for i := range 5 {
		made.Entries = append(made.Entries, report.TrendEntry{Name: fmt.Sprint("entry", i)})
		s.Points = append(s.Points, report.TrendPoint{Runs: []units.Energy{5}, Median: 5})
	}
	for _, at := range []int{1, 2, 4} {
		s.Changes = append(s.Changes, report.TrendChange{Entry: at, Earliest: at, Latest: at, Difference: units.Energy(at)})
	}
	made.Series = []report.TrendSeries{s}
	got := rendered(t, func(w io.Writer) error { return Blame(w, made, report.Options{}) })
	first, second, third := strings.Index(got, "since entry4"), strings.Index(got, "since entry2"), strings.Index(got, "since entry1")
	if first < 0 || second < first || third < second {
		t.Errorf("got\n%s", got)
	}
}
