package truth

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/diffprof/diffprof/code/bytecode"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// A Score counts the calls on which the index and the class files agree.
type Score struct {
	// Pairs is the number of pairs of a caller and a callee. Located is the number of pairs whose
	// caller the index finds. Called is the number of pairs for which it finds calls.
	Pairs, Located, Called int
	// Sites is the number of calls found. OnLine is the number of sites on the line of a call
	// instruction. Outside is the number of sites outside the caller.
	Sites, OnLine, Outside int
	// Missed is the number of lines with a call instruction but no site, over all called pairs.
	Missed int
	// Sure is the number of pairs with a single site. In Wrong of these, the site is on another
	// line. Lost is the number of pairs with several sites, all on other lines.
	Sure, Wrong, Lost int
}

// Add adds the counts of o.
func (s *Score) Add(o Score) {
	s.Pairs += o.Pairs
	s.Located += o.Located
	s.Called += o.Called
	s.Sites += o.Sites
	s.OnLine += o.OnLine
	s.Outside += o.Outside
	s.Missed += o.Missed
	s.Sure += o.Sure
	s.Wrong += o.Wrong
	s.Lost += o.Lost
}

// Share returns the fraction of sites on the line of an instruction. It is 1 if there are no sites.
func (s *Score) Share() float64 {
	if s.Sites == 0 {
		return 1
	}
	return float64(s.OnLine) / float64(s.Sites)
}

// A Fault is a pair on which the index and the class file disagree.
type Fault struct {
	// Kind is unlocated, uncalled, wrong, other, outside or missed. A site on another line of the
	// caller is wrong if the pair has no other site, and otherwise other.
	Kind           string
	Caller, Callee name.Method
	// Lines are the lines of the call instructions.
	Lines []int
	// Path and Line are the location of the site or of the caller in the index.
	Path string
	Line int
}

// Measure queries the index for each pair of a caller and a callee in the classes. If withLines is
// set, queries include the source file's name and the line of the caller's first instruction, as
// some recordings do.
func Measure(index *source.Index, classes []*bytecode.Class, withLines bool) (Score, []Fault, error) {
	hierarchy, err := newHierarchy(classes)
	if err != nil {
		return Score{}, nil, err
	}
	m := measurement{index: index, hierarchy: hierarchy, withLines: withLines, texts: texts{}}
	for _, class := range classes {
		for i := range class.Methods {
			m.method(&class.Methods[i])
		}
	}
	slices.SortFunc(m.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Caller.Label(), b.Caller.Label()), cmp.Compare(a.Callee.Label(), b.Callee.Label()))
	})
	return m.score, m.faults, nil
}

type measurement struct {
	index     *source.Index
	hierarchy hierarchy
	withLines bool
	texts     texts
	score     Score
	faults    []Fault
}

func (m *measurement) method(caller *bytecode.Method) {
	asked := caller.Method
	if !m.withLines {
		asked = asked.At("", 0)
	}
	pairs := m.hierarchy.lines(caller)
	for callee, lines := range pairs {
		m.pair(caller, asked, callee, lines, m.hierarchy.around(pairs, callee))
	}
}

func (m *measurement) pair(caller *bytecode.Method, asked, callee name.Method, lines, around map[int]bool) {
	fault := func(kind, path string, line int) {
		m.faults = append(m.faults, Fault{kind, asked, callee, slices.Sorted(maps.Keys(lines)), path, line})
	}
	s := &m.score
	s.Pairs++
	found, _ := m.index.Find(asked, time.Time{})
	if len(found) == 0 {
		fault("unlocated", "", 0)
		return
	}
	s.Located++
	sites := m.index.Calls(asked, callee, time.Time{})
	if len(sites) == 0 {
		fault("uncalled", found[0].Path, int(found[0].Range.Start.Line)+1)
		return
	}
	s.Called++
	hit := map[int]bool{}
	for _, site := range sites {
		s.Sites++
		line := int(site.Range.Start.Line) + 1
		first, on := line, false
		for _, start := range m.texts.lines(site.Path, site.Range.Start.Offset) {
			first = min(first, start)
			if around[start] {
				on, hit[start] = true, true
			}
		}
		switch {
		case on:
			s.OnLine++
		case line < caller.First || first > caller.Last:
			s.Outside++
			fault("outside", site.Path, line)
		case len(sites) == 1:
			fault("wrong", site.Path, line)
		default:
			fault("other", site.Path, line)
		}
	}
	if len(sites) == 1 {
		s.Sure++
		if len(hit) == 0 {
			s.Wrong++
		}
	} else if len(hit) == 0 {
		s.Lost++
	}
	for l := range lines {
		if !hit[l] {
			s.Missed++
			fault("missed", sites[0].Path, l)
		}
	}
}
