package preprocess

import (
	"cmp"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/platform"
)

// A vocabulary holds every label that can occur while a pair is preprocessed, with the
// facts that the steps need about it. All are computed once per method, so that the
// steps, which go over nodes, only index arrays. Steps on the two trees may use it at
// the same time.
type vocabulary struct {
	// Ids are in the order of the texts. Methods are large, so that they are pointed at;
	// file and line say nothing of a label.
	texts   []string
	methods []*name.Method
	// kinds holds Toplevel where a label is its caller's, so that its nodes take the
	// caller's kind.
	kinds []Kind
	// roles says what the entry step makes of a label.
	roles []platform.Role
	// managed and native say on what the methods run.
	managed, native []bool
	// common maps a label to the one by which the runs compare. joint marks those to which
	// another one is mapped. Nil without the detail step.
	common []LabelID
	joint  []bool
	// plain maps a label to the same without the numbers of lambdas. Nil without the
	// synthetic step.
	plain []LabelID
	// callbacks maps the label of an A-method to the same without its class, all
	// others to themselves. Nil without the app step.
	callbacks []LabelID
	// overridden lists, for each label, the labels of the same method in its
	// class's supertypes, ascending. Nil without the hierarchy step.
	overridden [][]LabelID
	// waits marks methods that wait, and waiting is the label that they get. It is the root's
	// without the idle step.
	waits         []bool
	root, waiting LabelID
	// of maps the methods of each tree to their labels; -1 where no node has it.
	of [][]LabelID
}

// A word is a label of a vocabulary that is being collected.
type word struct {
	text     string
	method   *name.Method
	kind     Kind
	callback int // index of the word without the class, or its own
	plain    int // index of the word without the numbers of lambdas, or its own
	common   int // index of the word by which the runs compare, or its own
}

func newVocabulary(o Options, trees []*cct.Tree) *vocabulary {
	kindOf := kinds(o)
	var words []word
	index := make(map[string]int)
	intern := func(text string, m *name.Method) int {
		i, ok := index[text]
		if !ok {
			i = len(words)
			index[text] = i
			words = append(words, word{text: text, method: m, callback: i, plain: i, common: i})
		} else if less(m, words[i].method) {
			// Two methods can have one text: a.b + c and a + b.c. Which of
			// them stands for it must not depend on who came first.
			words[i].method = m
		}
		return i
	}
	root := intern(cct.RootLabel, &name.Method{Name: cct.RootLabel})
	waiting := root
	if o.Steps.Idle {
		waiting = intern(waitingLabel, &name.Method{Name: waitingLabel})
	}
	of := make([][]LabelID, len(trees))
	for k, t := range trees {
		of[k] = slices.Repeat([]LabelID{-1}, len(t.Methods))
		for i := range t.Nodes {
			m := t.Nodes[i].Method
			if m == cct.NoMethod || of[k][m] >= 0 {
				continue
			}
			of[k][m] = LabelID(intern(t.Methods[m].Label(), &t.Methods[m]))
		}
	}
	if o.Steps.Detail {
		commonOf := common(words)
		for i := range len(words) {
			if m := commonOf(words[i].method); m != *words[i].method {
				words[i].common = intern(m.Label(), &m)
			}
		}
	}
	if o.Steps.Synthetic {
		for i := range len(words) {
			if plain := words[i].method.Plain(); plain != *words[i].method {
				words[i].plain = intern(plain.Label(), &plain)
			}
		}
	}
	for i := range len(words) {
		m := words[i].method
		words[i].kind = kindOf(m)
		if o.Steps.App && words[i].kind == App && !m.IsCallback() {
			callback := m.Callback()
			c := intern(callback.Label(), &callback)
			words[i].callback, words[c].kind = c, App
		}
	}

	if waiting != root {
		words[waiting].kind = Idle
	}

	order := make([]int, len(words)) // new id: index
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(words[a].text, words[b].text) })
	ids := make([]LabelID, len(words))
	for id, i := range order {
		ids[i] = LabelID(id)
	}
	v := &vocabulary{
		texts: make([]string, len(words)), methods: make([]*name.Method, len(words)),
		kinds: make([]Kind, len(words)), roles: make([]platform.Role, len(words)),
		managed: make([]bool, len(words)), native: make([]bool, len(words)),
		root: ids[root], waiting: ids[waiting], waits: make([]bool, len(words)), of: of,
	}
	if o.Steps.Detail {
		v.common, v.joint = make([]LabelID, len(words)), make([]bool, len(words))
	}
	if o.Steps.App {
		v.callbacks = make([]LabelID, len(words))
	}
	if o.Steps.Synthetic {
		v.plain = make([]LabelID, len(words))
	}
	for id, i := range order {
		w := &words[i]
		v.texts[id], v.methods[id] = w.text, w.method
		v.kinds[id] = w.kind
		if w.kind == Framework || w.kind == Toplevel {
			v.roles[id] = o.Platform.Role(*w.method)
		}
		v.waits[id] = o.Steps.Idle && w.kind != App && o.Platform.Waits(*w.method)
		v.managed[id], v.native[id] = isManaged(w.method), isNative(w.method)
		if o.Steps.Detail {
			v.common[id] = ids[w.common]
			v.joint[ids[w.common]] = v.joint[ids[w.common]] || w.common != i
		}
		if o.Steps.App {
			v.callbacks[id] = ids[w.callback]
		}
		if o.Steps.Synthetic {
			v.plain[id] = ids[w.plain]
		}
	}
	for _, labels := range of {
		for m, i := range labels {
			if i >= 0 {
				labels[m] = ids[i]
			}
		}
	}
	if o.Steps.Hierarchy {
		v.overridden = overridden(v.methods, o.Platform.Supertypes)
	}
	return v
}

// compared returns what the methods of a label are compared by.
func (v *vocabulary) compared(label LabelID) *name.Method {
	if v.common != nil {
		label = v.common[label]
	}
	if v.plain != nil {
		label = v.plain[label]
	}
	return v.methods[label]
}

// less orders methods that have one text, from the outermost part on.
func less(a, b *name.Method) bool {
	return a != b && cmp.Or(strings.Compare(a.Scope, b.Scope), strings.Compare(a.Type, b.Type), strings.Compare(a.Name, b.Name),
		cmp.Compare(a.Lang, b.Lang), strings.Compare(a.Module, b.Module), strings.Compare(a.Signature, b.Signature)) < 0
}

// kinds returns the function that says of which kind a method is; Toplevel stands
// for a method that is whose its caller is. It asks the platform about each owner once.
func kinds(o Options) func(*name.Method) Kind {
	type code struct {
		lang                  name.Lang
		module, scope, symbol string
		typed                 bool
	}
	known := make(map[code]Kind)
	return func(m *name.Method) Kind {
		if m.IsCallback() {
			return App
		}
		if o.Steps.Recorder && o.Platform.Role(*m) == platform.Recorder {
			return Recorder
		}
		of := code{lang: m.Lang, module: m.Module, scope: m.Scope, typed: m.Type != ""}
		if m.Module == "" && m.Scope == "" && m.Type == "" {
			of.symbol = m.Name
		}
		kind, ok := known[of]
		if !ok {
			kind = ofOwner[o.Platform.Owner(*m)]
			known[of] = kind
		}
		return kind
	}
}

// waitingLabel is the label of all waiting.
const waitingLabel = "(waiting)"

// ofOwner is the kind of a method by its owner.
var ofOwner = [...]Kind{platform.Caller: Toplevel, platform.Framework: Framework, platform.App: App}

// labels returns the table of the labels that the trees use, and renumbers their
// nodes to it.
func (v *vocabulary) labels(trees []*Tree) *Labels {
	ids := slices.Repeat([]LabelID{-1}, len(v.texts))
	for _, t := range trees {
		for i := range t.Nodes {
			ids[t.Nodes[i].Label] = 0
		}
	}
	l := &Labels{}
	for old := range ids {
		if ids[old] == 0 {
			ids[old] = LabelID(len(l.texts))
			l.texts = append(l.texts, v.texts[old])
			l.methods = append(l.methods, v.methods[old].At("", 0))
		}
	}
	for _, t := range trees {
		t.Labels = l
		for i := range t.Nodes {
			t.Nodes[i].Label = ids[t.Nodes[i].Label]
		}
	}
	l.related = make([][]LabelID, len(l.texts))
	for old, supers := range v.overridden {
		sub := ids[old]
		if sub < 0 {
			continue
		}
		for _, s := range supers {
			// A constructor calls Object's, whatever it makes: what it makes decides.
			if m := v.methods[s]; m.Name == "<init>" && m.Class() == objectClass {
				continue
			}
			if super := ids[s]; super >= 0 {
				l.related[sub] = append(l.related[sub], super)
				l.related[super] = append(l.related[super], sub)
			}
		}
	}
	for id, list := range l.related {
		slices.Sort(list)
		// Where a damaged hierarchy has a cycle, each of two is above the other.
		l.related[id] = slices.Compact(list)
	}
	return l
}
