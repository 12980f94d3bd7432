package analysis

import "github.com/diffprof/diffprof/code/name"

// tell notes whose the methods of an input's tree are.
// Methods of one scope have one owner, so it asks once for each.
func (s *setup) tell(in *Input) {
	type place struct {
		lang          name.Lang
		module, scope string
	}
	type owner struct {
		own     bool
		library string
	}
	known := make(map[place]owner)
	methods := in.Tree.Source.Methods
	in.Own, in.Libraries = make([]bool, len(methods)), make([]string, len(methods))
	for i, m := range methods {
		at := place{m.Lang, m.Module, m.Scope}
		of, ok := known[at]
		if !ok {
			of = owner{s.platform.Own(m), s.platform.Library(m)}
			known[at] = of
		}
		in.Own[i], in.Libraries[i] = of.own, of.library
	}
}
