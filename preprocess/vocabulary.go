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
// properties that the steps need. All are computed once per method, so that the steps, which
// visit nodes, only index arrays. Steps on the two trees may use it concurrently.
type vocabulary struct {
	// IDs are in the order of the texts. Methods are large, so they are stored as pointers. The
	// file and line of a label's method are meaningless.
	texts   []string
	methods []*name.Method
	// kinds holds Toplevel if nodes with a label have the kind of their caller.
	kinds []Kind
	// roles is the role of a label in the entry step.
	roles []platform.Role
	// managed and native classify the runtime of the methods.
	managed, native []bool
	// common maps a label to the one under which the runs are compared. joint marks the targets
	// of other labels. They are nil without the detail step.
	common []LabelID
	joint  []bool
	// plain maps a label to the same without the numbers of lambdas. It is nil without the
	// synthetic step.
	plain []LabelID
	// callbacks maps the label of an A-method to the same without its class, and all others to
	// themselves. It is nil without the app step.
	callbacks []LabelID
	// overridden lists, for each label, the labels of the same method in its class's
	// supertypes, ascending. It is nil without the hierarchy step.
	overridden [][]LabelID
	// waits marks methods that wait. waiting is the label that they get. Without the idle step
	// it is the root's label.
	waits         []bool
	root, waiting LabelID
	// of maps the methods of each tree to their labels. It is -1 if no node has the method.
	of [][]LabelID
}

// A word is a label of a vocabulary under construction.
type word struct {
	text     string
	method   *name.Method
	kind     Kind
	callback int // index of the word without the class, or its own
	plain    int // index of the word without the numbers of lambdas, or its own
	common   int // index of the word under which the runs are compared, or its own
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
			// Two methods can have one text: a.b + c and a + b.c. The choice between them must
			// not depend on the order of insertion.
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

// compared returns the method under which the methods of a label are compared.
func (v *vocabulary) compared(label LabelID) *name.Method {
	if v.common != nil {
		label = v.common[label]
	}
	if v.plain != nil {
		label = v.plain[label]
	}
	return v.methods[label]
}

// less orders methods with equal texts by their parts, from the outermost on.
func less(a, b *name.Method) bool {
	return a != b && cmp.Or(strings.Compare(a.Scope, b.Scope), strings.Compare(a.Type, b.Type), strings.Compare(a.Name, b.Name),
		cmp.Compare(a.Lang, b.Lang), strings.Compare(a.Module, b.Module), strings.Compare(a.Signature, b.Signature)) < 0
}

// kinds returns a function for the kind of a method. Toplevel is the kind of a method that has
// the owner of its caller. The function queries the platform once per owner.
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

// ofOwner maps the owner of a method to its kind.
var ofOwner = [...]Kind{platform.Caller: Toplevel, platform.Framework: Framework, platform.App: App}

// labels returns the table of the labels that the trees use, and renumbers their nodes.
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
			// Every constructor calls Object's. The constructed class decides.
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
		// In a damaged hierarchy with a cycle, two labels can each be above the other.
		l.related[id] = slices.Compact(list)
	}
	return l
}
