package eflask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/preprocess"
)

// twoApps is the platform of the sketches in this file. Package android is the framework.
var twoApps = func() *platform.Platform {
	p, err := platform.New(platform.Rules{Framework: []string{"android.*"}}, nil)
	if err != nil {
		panic(err)
	}
	return p.With(classes.Class{Name: "android.Sub", Super: "android.Super"})
}()

// apps makes a pair of sketches comparable, with the preprocessing steps that make callbacks.
func apps(subject, reference string) (s, r *preprocess.Tree) {
	return preprocess.Pair(parseTree(subject), parseTree(reference), preprocess.Options{
		Steps: preprocess.Steps{App: true, Hierarchy: true}, Platform: twoApps,
	})
}

// say lists the counterparts of sketches. Those that are not sure have a "?".
func say(s, r *preprocess.Tree, list []Counterpart) string {
	short := func(t *preprocess.Tree, v int32) string { return t.Labels.Method(t.Nodes[v].Label).Name }
	var out []string
	for _, c := range list {
		text := fmt.Sprintf("%s=%s %s", short(s, c.Subject), short(r, c.Reference), c.Found)
		if !c.Evidence.Sure() {
			text += "?"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestCounterparts(t *testing.T) {
	// The other tasks of the run decide which labels are common and which are rare.
	const rest = " android/L(app/R.run(android/S.append android/S.close) app/R.call(android/S.append android/S.size)" +
		" app/R.load(android/S.append android/S.find))"
	for _, c := range []struct {
		name, subject, reference string
		alpha                    int
		want, lemma              string
	}{
		{
			name:      "DiffProf, Section 3.4.1: a method that delegates to the other",
			subject:   "android/L(app/M.onClick(android/Https.open(android/Delegate.open(android/Http.open(android/Socket.connect)))))",
			reference: "android/L(app/M.onClick(android/Http.open(android/Socket.connect)))",
			alpha:     2,
			want:      "open=open delegate", lemma: "",
		},
		{
			name:      "a lone common leaf carries no pair of two methods",
			subject:   "android/L(app/M.onClick(android/Pool.start(android/S.append)))" + rest,
			reference: "android/L(app/M.onClick(android/Keys.fetch(android/S.append)))" + rest,
			alpha:     1,
			want:      "append=append exact, size=size exact, append=append exact, find=find exact, append=append exact, close=close exact",
			lemma:     "append=append exact, size=size exact, append=append exact, find=find exact, start=fetch renamed, append=append exact, close=close exact",
		},
		{
			name:      "a route that no α crosses",
			subject:   "android/A(android/B(android/C(android/D(app/M.onStart(android/W.draw(android/X.line) android/Q.ask android/Y.fill)))))" + rest,
			reference: "android/E(android/F(app/M.onStart(android/W.draw(android/X.line) android/Q.ask android/Y.fill)))" + rest,
			alpha:     0,
			want: "ask=ask likeness, draw=draw likeness, fill=fill likeness, " +
				"append=append exact, size=size exact, append=append exact, find=find exact, append=append exact, close=close exact",
			lemma: "append=append exact, size=size exact, append=append exact, find=find exact, append=append exact, close=close exact",
		},
		{
			name:      "a method that does its work by one of a like name, which the matching leaves out",
			subject:   "android/L(app/M.onClick(android/V.setTextNow(android/V.setText(android/X.line)) android/Q.ask))" + rest,
			reference: "android/L(app/M.onClick(android/V.setText android/Q.ask))" + rest,
			want:      "append=append exact, size=size exact, append=append exact, find=find exact, ask=ask exact, setTextNow=setText likeness, append=append exact, close=close exact",
			lemma:     "append=append exact, size=size exact, append=append exact, find=find exact, ask=ask exact, append=append exact, close=close exact",
		},
		{
			name:      "a method that uses the other",
			subject:   "android/L(app/M.onClick(android/Base64.decode(android/Text.bytes(android/X.line) android/X.turn) android/Q.ask))" + rest,
			reference: "android/L(app/M.onClick(android/Text.bytes(android/X.line) android/Q.ask))" + rest,
			want:      "append=append exact, size=size exact, append=append exact, find=find exact, ask=ask exact, append=append exact, close=close exact",
			lemma:     "append=append exact, size=size exact, append=append exact, find=find exact, ask=ask exact, append=append exact, close=close exact",
		},
		{
			name:    "a subclass's method",
			subject: "android/L(app/M.onClick(android/Sub.m))", reference: "android/L(app/M.onClick(android/Super.m))",
			want: "m=m hierarchy", lemma: "m=m hierarchy",
		},
		{
			name:    "nothing in common",
			subject: "android/L(app/M.onClick(android/A.start))" + rest, reference: "android/L(app/M.onStop(android/B.halt))",
			want: "", lemma: "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := apps(c.subject, c.reference)
			m := match(t, s, r, c.alpha, Options{})
			if got := say(s, r, Counterparts(s, r, m, true)); got != c.lemma {
				t.Errorf("by the lemma: got  %s\nwant %s", got, c.lemma)
			}
			if got := say(s, r, Counterparts(s, r, m, false)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestCounterpartsKeepTheLaws checks that counterparts are tasks and one to one, that tasks with
// equal labels and paths are counterparts, that distances are those of the paths, that the numbers
// in the evidence are between 0 and 1, and that swapped trees have swapped counterparts.
func TestCounterpartsKeepTheLaws(t *testing.T) {
	names := []string{"android/A.a", "android/A.b", "android/B.a", "android/Sub.m", "android/Super.m", "app/C.c", "app/D.d", "app/E.e"}
	rnd := rand.New(rand.NewPCG(11, 1))
	for i := range shorten.Count(2000) {
		a, b := randomTree(rnd, 1+rnd.IntN(40), names), randomTree(rnd, 1+rnd.IntN(40), names)
		s, r := apps(a, b)
		alpha := rnd.IntN(4)
		m := match(t, s, r, alpha, Options{})
		list := Counterparts(s, r, m, false)
		where := fmt.Sprintf("pair %d at α = %d: %s | %s", i, alpha, a, b)
		peers, with := map[int32]int32{}, map[int32]int32{}
		for _, c := range list {
			peers[c.Subject], with[c.Reference] = c.Reference, c.Subject
			if !IsTask(s, c.Subject) || !IsTask(r, c.Reference) {
				t.Fatalf("%s: %+v is no pair of tasks", where, c)
			}
			if want := distance(s, r, c.Subject, c.Reference); int(c.Distance) != want {
				t.Fatalf("%s: %+v: the distance is %d", where, c, want)
			}
			for _, x := range []float64{c.Evidence.Likelihood, c.Evidence.Name, max(c.Evidence.Below, 0), max(c.Evidence.Around, 0), max(c.Evidence.Way, 0), c.Evidence.Rival} {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("%s: evidence %+v", where, c.Evidence)
				}
			}
		}
		if len(peers) != len(list) || len(with) != len(list) {
			t.Fatalf("%s: some task has two counterparts", where)
		}
		for v := range s.Nodes {
			for w := range r.Nodes {
				if v > 0 && w > 0 && IsTask(s, int32(v)) && IsTask(r, int32(w)) && slices.Equal(path(s, int32(v)), path(r, int32(w))) && peers[int32(v)] != int32(w) {
					t.Fatalf("%s: node %d has the path of %d, and another counterpart", where, v, w)
				}
			}
		}
		mirrored := Counterparts(r, s, match(t, r, s, alpha, Options{}), false)
		if len(mirrored) != len(list) {
			t.Fatalf("%s: %d counterparts, mirrored %d", where, len(list), len(mirrored))
		}
		for _, c := range mirrored {
			if peers[c.Reference] != c.Subject {
				t.Fatalf("%s: mirrored, %d is the counterpart of %d", where, c.Reference, c.Subject)
			}
		}
	}
}

// TestMatchMirrors checks for every α that swapped trees have the same pairs with their sides
// swapped, even with many ties.
func TestMatchMirrors(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 1))
	for i := range shorten.Count(1500) {
		s, r := pair(randomTree(rnd, 1+rnd.IntN(30), []string{"a", "b"}), randomTree(rnd, 1+rnd.IntN(30), []string{"a", "b"}))
		for alpha := range 6 {
			there, back := match(t, s, r, alpha, Options{}), match(t, r, s, alpha, Options{})
			back.swap()
			if !slices.Equal(there.Pairs, back.Pairs) || there.Size != back.Size {
				t.Fatalf("pair %d at α = %d: %v, mirrored %v", i, alpha, there.Pairs, back.Pairs)
			}
		}
	}
}

// TestWeightsHaveTheirSigns checks the signs of the weights. Features.most, which bounds a
// likelihood before all features are known, assumes that similarity raises the likelihood.
func TestWeightsHaveTheirSigns(t *testing.T) {
	if weights[fName] < 0 || weights[fWay] < 0 || weights[fAlone] < 0 || weights[fBelow] < 0 || weights[fConflict] > 0 {
		t.Errorf("the weights are %v", weights)
	}
}

// TestCounterpartsSelf checks that all tasks of a tree are their own counterparts.
func TestCounterpartsSelf(t *testing.T) {
	s, r := prepared(t, realTree(t), realTree(t))
	for _, c := range Counterparts(s, r, match(t, s, r, 0, Options{}), false) {
		if c.Subject != c.Reference || c.Found != Exact || c.Evidence.Likelihood != 1 {
			t.Fatalf("%+v", c)
		}
	}
}

// BenchmarkCounterparts finds the counterparts of the largest real tree and a copy in which a tenth
// of the labels differ.
func BenchmarkCounterparts(b *testing.B) {
	t := realTree(b)
	_, relabelled := grow(t, len(t.Nodes))
	s, r := prepared(b, t, relabelled)
	m := match(b, s, r, 1, Options{})
	for b.Loop() {
		Counterparts(s, r, m, false)
	}
}

// TestSure checks when a counterpart counts as matched. A pair of different methods does not,
// however similar the names are, if the methods call nothing or if a rival is about as likely.
func TestSure(t *testing.T) {
	for _, tt := range []struct {
		what string
		e    Evidence
		want bool
	}{
		{"one method", Evidence{Likelihood: 0.85, Name: 1, Below: Unknown, Rival: 0.9}, true},
		{"one method, unlikely", Evidence{Likelihood: 0.79, Name: 1, Below: 1}, false},
		{"the matching alone decides", Evidence{Likelihood: Unknown, Name: 0, Below: 0}, true},
		{"overloads at one path", Evidence{Likelihood: 0.9, Name: 0.8, Below: Unknown, Way: 1}, true},
		{"overloads among equals", Evidence{Likelihood: 0.9, Name: 0.8, Below: Unknown, Around: 0.4}, true},
		{"overloads that call the same", Evidence{Likelihood: 0.9, Name: 0.8, Below: 0.4, Rival: 0.9}, true},
		{"overloads anywhere", Evidence{Likelihood: 0.9, Name: 0.8, Below: Unknown, Around: 0.1, Way: 0.4}, false},
		{"getters", Evidence{Likelihood: 0.9, Name: 0.7, Below: Unknown}, false},
		{"different callees", Evidence{Likelihood: 0.95, Name: 0.7, Below: 0.1}, false},
		{"equal callees", Evidence{Likelihood: 0.95, Name: 0.7, Below: 0.7, Rival: 0.6}, true},
		{"a rival as likely", Evidence{Likelihood: 0.93, Name: 0.7, Below: 0.7, Rival: 0.93}, false},
		{"a rival that is likely enough", Evidence{Likelihood: 0.99, Name: 0.7, Below: 0.7, Rival: 0.9}, false},
		{"unlike names in callbacks that do other things", Evidence{Likelihood: 0.9, Below: 1, Around: 0.1}, false},
		{"unlike names among equals", Evidence{Likelihood: 0.9, Below: 0.6, Around: 0.6}, true},
	} {
		if got := tt.e.Sure(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
}
