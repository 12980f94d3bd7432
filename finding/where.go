package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A PackageEnergy is the exclusive energy of a package's methods, in each run of a comparison.
type PackageEnergy struct {
	// Name has dots between its components. It is empty for methods without a package. For energy
	// outside any method it is the root's label.
	Name               string
	Owner              platform.Owner
	Subject, Reference units.Energy
}

// owners has the owner for each kind of node.
var owners = map[preprocess.Kind]platform.Owner{
	preprocess.Framework: platform.Framework, preprocess.App: platform.App, preprocess.Recorder: platform.Framework, preprocess.Idle: platform.Framework,
}

// ByPackage lists the packages with energy, including unattributed energy. They are sorted by the
// larger of their energies in the two runs. The energies of each run add up to the run's energy.
func ByPackage(r *analysis.Result) []PackageEnergy {
	type key struct {
		name  string
		owner platform.Owner
	}
	found := map[key][2]units.Energy{}
	for side, tree := range []*preprocess.Tree{r.Subject.Tree, r.Reference.Tree} {
		add := func(at key, e units.Energy) {
			if e != 0 {
				sums := found[at]
				sums[side] += e
				found[at] = sums
			}
		}
		drained := make([]units.Energy, len(tree.Source.Methods))
		for i := range tree.Source.Nodes {
			e := tree.Source.Energy.Self(int32(i))
			if m := tree.Source.Nodes[i].Method; m == cct.NoMethod {
				add(key{name: cct.RootLabel}, e)
			} else {
				drained[m] += e
			}
		}
		for i, e := range drained {
			add(key{tree.Source.Methods[i].Scope, owners[tree.MethodKind(trace.MethodID(i))]}, e)
		}
	}
	packages := make([]PackageEnergy, 0, len(found))
	for at, sums := range found {
		packages = append(packages, PackageEnergy{at.name, at.owner, sums[0], sums[1]})
	}
	slices.SortFunc(packages, func(a, b PackageEnergy) int {
		return cmp.Or(cmp.Compare(max(b.Subject, b.Reference), max(a.Subject, a.Reference)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Owner, b.Owner))
	})
	return packages
}

// A ThreadEnergy is the energy of all threads with one name, in both runs of a comparison. Only
// names identify threads across two runs.
type ThreadEnergy struct {
	// Name may be empty.
	Name               string
	Subject, Reference units.Energy
}

// ByThread lists the threads with energy, sorted by the larger of their energies in the two runs.
// The energies of each run add up to the run's energy.
func ByThread(r *analysis.Result) []ThreadEnergy {
	found := map[string][2]units.Energy{}
	for side, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		ledger := NewLedger(in)
		add := func(name string, e units.Energy) {
			if e != 0 {
				sums := found[name]
				sums[side] += e
				found[name] = sums
			}
		}
		for id, e := range in.Tree.Source.ThreadEnergy {
			restSum := rest(ledger.Thread(id))
			add(in.Trace.Threads[id].Name, e-restSum)
			add(unattributed, restSum)
		}
	}
	threads := make([]ThreadEnergy, 0, len(found))
	for name, sums := range found {
		threads = append(threads, ThreadEnergy{name, sums[0], sums[1]})
	}
	slices.SortFunc(threads, func(a, b ThreadEnergy) int {
		return cmp.Or(cmp.Compare(max(b.Subject, b.Reference), max(a.Subject, a.Reference)), cmp.Compare(a.Name, b.Name))
	})
	return threads
}

// ThreadNames returns the names of the threads that called the method at a node, each once, in the
// order of the recording's thread table. It returns nil if the recording has too many threads to
// store them per node.
func ThreadNames(in *analysis.Input, node int32) []string {
	ids := in.Tree.Source.Threads(in.Tree.Originals(node)...)
	names := make([]string, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if name := in.Trace.Threads[id].Name; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// A Package is a package of several inputs.
type Package struct {
	// Name has dots. It is empty for methods without a package.
	Name  string
	Owner platform.Owner
	// Rule is the rule that decided the owner, as the user wrote it. Built-in rules are "table" for
	// the built-in table, "default" for packages that no rule names, "program" for functions of the
	// only recorded program, "caller" for methods without a class, and "unpackaged" for classes
	// whose package is not recorded.
	Rule string
	// Group is its library group. It may be empty.
	Group string
	// Own is the rule by which the package is the app's own code, from the first input that has
	// such a rule. It is empty if the package is not own code.
	Own platform.Basis
	// Methods counts the methods that were called. A method counts once per input.
	Methods int
	// Energy is the exclusive energy of the package's methods in all inputs. Inputs has the energy
	// of each input.
	Energy units.Energy
	Inputs []units.Energy
}

// Packages lists the packages of inputs, sorted by energy. known decides their owners.
func Packages(inputs []*analysis.Input, known *platform.Platform) []Package {
	type key struct {
		name  string
		owner platform.Owner
		rule  string
	}
	found := map[key]*Package{}
	var ran []platform.Run
	for _, in := range inputs {
		ran = append(ran, platform.Run{Methods: in.Tree.Source.Methods, Calls: in.Tree.Source.Edges(), Dependencies: in.Trace.Dependencies})
	}
	known = known.Running(ran...)
	for number, in := range inputs {
		tree := in.Tree.Source
		packages := make([]*Package, len(tree.Methods)) // by method
		for i := int32(1); int(i) < len(tree.Nodes); i++ {
			n := &tree.Nodes[i]
			pkg := packages[n.Method]
			if pkg == nil {
				m := tree.Methods[n.Method]
				owner, rule := known.Decide(m)
				at := key{m.Package(), owner, rule}
				if pkg = found[at]; pkg == nil {
					pkg = &Package{Name: at.name, Owner: owner, Rule: rule, Group: in.Libraries[n.Method], Inputs: make([]units.Energy, len(inputs))}
					found[at] = pkg
				}
				packages[n.Method] = pkg
				pkg.Methods++
				pkg.Own = cmp.Or(pkg.Own, in.Own.Methods[n.Method])
			}
			pkg.Energy += tree.Energy.Self(i)
			pkg.Inputs[number] += tree.Energy.Self(i)
		}
	}
	list := make([]Package, 0, len(found))
	for _, pkg := range found {
		list = append(list, *pkg)
	}
	slices.SortFunc(list, func(a, b Package) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Rule, b.Rule))
	})
	return list
}
