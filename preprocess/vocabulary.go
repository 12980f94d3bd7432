package preprocess

import (
	"cmp"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
)

// A vocabulary has all labels that can occur while a pair is preprocessed. Properties of a label
// are computed once, so that the steps only index arrays. The steps of both trees may use it
// concurrently.
type vocabulary struct {
	// Labels are numbered in the order of their texts. Methods are pointers because they are large.
	// The file and line of a label's method have no meaning.
	texts   []string
	methods []*name.Method
	// kinds has the kind of each label. Toplevel means that a node takes the kind of its caller.
	kinds []Kind
	// roles has the role of each label.
	roles []platform.Role
	// managed and native report whether the methods are managed code and native code.
	managed, native []bool
	// common is the label by which each label is compared. joint marks the labels by which other
	// labels are compared too. nameless marks labels of files without symbols. All three are nil
	// without the detail step.
	common          []LabelID
	joint, nameless []bool
	// plain has each label without the numbers of lambdas. It is nil without the synthetic step.
	plain []LabelID
	// callbacks is the label of each A-method without its class. Other labels are unchanged. It is
	// nil without the app step.
	callbacks []LabelID
	// overridden has, for each label, the labels of the methods that its method overrides, in
	// ascending order. It is nil without the hierarchy step.
	overridden [][]LabelID
	// waits marks methods that only wait. waiting is the label of their node after the idle step.
	// Without this step, it is the root's label.
	waits         []bool
	root, waiting LabelID
	// methodLabels has the label of each method of each tree, or -1 if no node has the method.
	methodLabels [][]LabelID
}

// A labelEntry is a label while the vocabulary is built. Its three indices may be those of the word
// itself.
type labelEntry struct {
	text     string
	method   *name.Method
	kind     Kind
	callback int // index of the word without its class
	plain    int // index of the word without the numbers of lambdas
	common   int // index of the word by which this word is compared
}

// A collector collects the words of a vocabulary. Words are indexed in the order of insertion.
type collector struct {
	words []labelEntry
	index map[string]int
}

// intern returns the index of the word with the given text, and adds the word if needed.
func (c *collector) intern(text string, m *name.Method) int {
	i, ok := c.index[text]
	if !ok {
		i = len(c.words)
		c.index[text] = i
		c.words = append(c.words, labelEntry{text: text, method: m, callback: i, plain: i, common: i})
	} else if less(m, c.words[i].method) {
		// Two methods can have the same text: class a.b with method c, and class a with method b.c.
		// The choice between them must not depend on the order of insertion.
		c.words[i].method = m
	}
	return i
}

// methods adds the methods of a tree's nodes. It returns the index of each method's word, or -1 for
// a method without a node.
func (c *collector) methods(t *cct.Tree) []LabelID {
	labels := slices.Repeat([]LabelID{-1}, len(t.Methods))
	for i := range t.Nodes {
		if m := t.Nodes[i].Method; m != cct.NoMethod && labels[m] < 0 {
			labels[m] = LabelID(c.intern(t.Methods[m].Label(), &t.Methods[m]))
		}
	}
	return labels
}

// derive adds the labels that the steps may give to nodes instead of the collected ones.
func (c *collector) derive(o Options, labels [][]LabelID) {
	if o.Steps.Detail {
		commonOf := common(c.words, folders(c.words, labels))
		for i := range len(c.words) {
			if m := commonOf(c.words[i].method); m != *c.words[i].method {
				c.words[i].common = c.intern(m.Label(), &m)
			}
		}
	}
	if o.Steps.Synthetic {
		for i := range len(c.words) {
			if plain := c.words[i].method.Plain(); plain != *c.words[i].method {
				c.words[i].plain = c.intern(plain.Label(), &plain)
			}
		}
	}
	kindOf := kinds(o)
	for i := range len(c.words) {
		m := c.words[i].method
		c.words[i].kind = kindOf(m)
		if o.Steps.App && c.words[i].kind == App && !m.IsCallback() && !m.IsSlice() {
			callback := m.Callback()
			k := c.intern(callback.Label(), &callback)
			c.words[i].callback, c.words[k].kind = k, App
		}
	}
}

// sorted returns the indices of the words in the order of their texts, and the LabelID of each
// word.
func (c *collector) sorted() (order []int, ids []LabelID) {
	order = make([]int, len(c.words))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.words[a].text, c.words[b].text) })
	ids = make([]LabelID, len(c.words))
	for id, i := range order {
		ids[i] = LabelID(id)
	}
	return order, ids
}

func newVocabulary(o Options, trees []*cct.Tree) *vocabulary {
	c := &collector{index: make(map[string]int)}
	root := c.intern(cct.RootLabel, &name.Method{Name: cct.RootLabel})
	waiting := root
	if o.Steps.Idle {
		waiting = c.intern(waitingLabel, &name.Method{Name: waitingLabel})
	}
	byTree := make([][]LabelID, len(trees))
	for k, t := range trees {
		byTree[k] = c.methods(t)
	}
	c.derive(o, byTree)
	if waiting != root {
		c.words[waiting].kind = Idle
	}

	order, ids := c.sorted()
	v := &vocabulary{root: ids[root], waiting: ids[waiting], methodLabels: byTree}
	v.fill(c.words, order, ids, o)
	for _, labels := range byTree {
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

// fill sets the properties of all labels. order and ids are the results of sorted.
func (v *vocabulary) fill(words []labelEntry, order []int, ids []LabelID, o Options) {
	n := len(words)
	v.texts, v.methods = make([]string, n), make([]*name.Method, n)
	v.kinds, v.roles = make([]Kind, n), make([]platform.Role, n)
	v.managed, v.native, v.waits = make([]bool, n), make([]bool, n), make([]bool, n)
	if o.Steps.Detail {
		v.common, v.joint, v.nameless = make([]LabelID, n), make([]bool, n), make([]bool, n)
	}
	if o.Steps.App {
		v.callbacks = make([]LabelID, n)
	}
	if o.Steps.Synthetic {
		v.plain = make([]LabelID, n)
	}
	for id, i := range order {
		w := &words[i]
		v.texts[id], v.methods[id], v.kinds[id] = w.text, w.method, w.kind
		if w.kind == Framework || w.kind == Toplevel {
			v.roles[id] = o.Platform.Role(*w.method)
		}
		v.waits[id] = o.Steps.Idle && (w.kind != App || w.method.IsSlice()) && o.Platform.Waits(*w.method)
		v.managed[id], v.native[id] = isManaged(w.method), isNative(w.method)
		if o.Steps.Detail {
			v.common[id] = ids[w.common]
			v.joint[ids[w.common]] = v.joint[ids[w.common]] || w.common != i
			v.nameless[id] = w.method.Nameless()
		}
		if o.Steps.App {
			v.callbacks[id] = ids[w.callback]
		}
		if o.Steps.Synthetic {
			v.plain[id] = ids[w.plain]
		}
	}
}

// compared returns the method by which a label's methods are compared with the other run.
func (v *vocabulary) compared(label LabelID) *name.Method {
	if v.common != nil {
		label = v.common[label]
	}
	if v.plain != nil {
		label = v.plain[label]
	}
	return v.methods[label]
}

// less orders methods with equal texts by their parts, the outermost part first.
func less(a, b *name.Method) bool {
	return a != b && cmp.Or(strings.Compare(a.Scope, b.Scope), strings.Compare(a.Type, b.Type), strings.Compare(a.Name, b.Name),
		cmp.Compare(a.Lang, b.Lang), strings.Compare(a.Module, b.Module), strings.Compare(a.Signature, b.Signature)) < 0
}

// kinds returns a function that maps methods to kinds. Toplevel means that the method takes the
// kind of its caller. The platform is asked only once for all methods with the same owner.
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
		unit := code{lang: m.Lang, module: m.Module, scope: m.Scope, typed: m.Type != ""}
		if platform.ByName(*m) {
			unit.symbol = m.Name
		}
		kind, ok := known[unit]
		if !ok {
			kind = kindOfOwner[o.Platform.Owner(*m)]
			known[unit] = kind
		}
		return kind
	}
}

// waitingLabel is the label of the node for all waiting.
const waitingLabel = "(waiting)"

// kindOfOwner maps owners of methods to kinds.
var kindOfOwner = [...]Kind{platform.Caller: Toplevel, platform.Framework: Framework, platform.App: App}

// labels returns the table of the labels that occur in the trees. It renumbers the labels of their
// nodes.
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
			// Every constructor calls Object's constructor, so only the constructed class matters.
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
		// If a damaged hierarchy has a cycle, each of two labels may override the other.
		l.related[id] = slices.Compact(list)
	}
	return l
}
