package report

import (
	"encoding/json"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
)

// Methods describes the methods of a document, by label. It saves readers from parsing labels.
type Methods map[string]name.Method

// A namedMethod is the JSON form of a method. Unknown parts are empty.
type namedMethod struct {
	// Short is the name as developers write it, such as TextView.setText.
	Short string `json:"short"`
	// Owner is the part of Short before the method's own name, such as TextView.
	Owner string `json:"owner"`
	// Scope is the package or the namespace.
	Scope string `json:"scope"`
	// Class is the class or receiver type, with its scope. Without a class, it is the scope.
	Class string `json:"class"`
	// Name is the method's own name.
	Name string `json:"name"`
	// Signature is the JVM descriptor, or the text of the parameters.
	Signature string `json:"signature"`
	// Language is a result of name.Lang.String.
	Language string `json:"language"`
	// File and Line are set if the label represents one line of a method. File may be empty.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// MarshalJSON writes an object with a property for each label.
func (ms Methods) MarshalJSON() ([]byte, error) {
	named := make(map[string]namedMethod, len(ms))
	for label, m := range ms {
		one := namedMethod{
			Short: m.Short(), Owner: m.Owner(), Scope: m.Scope, Class: m.Place(),
			Name: m.Name, Signature: m.Signature, Language: m.Lang.String(),
		}
		if m.On > 0 {
			one.File, one.Line = m.File, int(m.On)
		}
		named[label] = one
	}
	return json.Marshal(named)
}

// Short returns the short name of the method with this label, or the label if it is unknown.
func (ms Methods) Short(label string) string {
	if m, ok := ms[label]; ok {
		return m.Short()
	}
	return label
}

// add adds methods.
func (ms Methods) add(list ...name.Method) {
	for _, m := range list {
		m.File, m.Line = "", 0
		ms[m.Label()] = m
	}
}

// addPath adds the methods on the listed part of a node's path.
func (ms Methods) addPath(p *paths, node int32) {
	shown, _ := p.nodes(node)
	for _, v := range shown {
		ms.add(p.tree.Labels.Method(p.tree.Nodes[v].Label))
	}
}

// recorded returns the method of a node of a recorded tree.
func recorded(t *cct.Tree, node int32) name.Method {
	if m := t.Nodes[node].Method; m != cct.NoMethod {
		return t.Methods[m]
	}
	return name.Method{Name: cct.RootLabel}
}

// FlaskMethods describes the methods of a flask's labels, in the order of the labels. It has
// columns, because flasks (call trees) are large.
type FlaskMethods struct {
	// Short and Owner have the same meaning as in a report's methods.
	Short []string `json:"short"`
	Owner []string `json:"owner"`
	// Distinct has a longer name for methods that share their Short name. It is empty for others.
	Distinct []string `json:"apart"`
	// List has the methods themselves.
	List []name.Method `json:"-"`
}

// newFlaskMethods makes the columns of a list.
func newFlaskMethods(list []name.Method) FlaskMethods {
	ms := FlaskMethods{Short: make([]string, len(list)), Owner: make([]string, len(list)), Distinct: name.DistinctNames(list), List: list}
	for i, m := range list {
		ms.Short[i], ms.Owner[i] = m.Short(), m.Owner()
		if ms.Distinct[i] == ms.Short[i] {
			ms.Distinct[i] = ""
		}
	}
	return ms
}
