package preprocess

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
)

// The oracle has no trees: it rewrites the path of each source node separately, one step after
// the other. Nodes with equal results are one node.

// slowPaths returns the labels that each node has after the steps, from the root. before has the
// labels without the root, after the steps up to detail.
func slowPaths(t *cct.Tree, o Options) (paths []string, before [][]string) {
	before = make([][]string, len(t.Nodes))
	leads := make(map[string]bool) // Paths to code that leads to managed code.
	var detailed func(path []string) []string
	if o.Steps.Detail {
		detailed = slowDetail(t)
	}
	for i := range before {
		path := sourcePath(t, int32(i), o.Steps.Async, o)
		if o.Steps.Recorder {
			if k := slices.IndexFunc(path, slowRecords); k >= 0 {
				path = path[k : k+1]
			}
		}
		if o.Steps.Idle && t.Elapsed && slices.ContainsFunc(path, slowWaits) && !(o.Steps.Recorder && slowRecords(path[0])) {
			path = []string{waitingLabel}
		}
		if o.Steps.Detail {
			path = detailed(path)
		}
		before[i] = path
		for k, label := range path {
			if o.Steps.Runtime && slowManaged(label) {
				for j := range k {
					leads[strings.Join(path[:j+1], ";")] = true
				}
			}
		}
	}
	paths = make([]string, len(before))
	for i, path := range before {
		if o.Steps.Runtime {
			path = slowRuntime(path, leads, o)
		}
		paths[i] = slowPath(path, o)
	}
	return paths, before
}

func slowWaits(label string) bool {
	return label == "java.lang.Object.wait(J)V" || label == "epoll_wait"
}

// slowBare returns a label without its descriptor and library.
func slowBare(label string) string {
	if _, symbol, ok := strings.Cut(label, "`"); ok {
		return symbol
	}
	label, _, _ = strings.Cut(label, "(")
	return label
}

// slowAddress is the beginning of an address in a file.
const slowAddress = "`0x"

// slowNumbers removes the numbers from the names of lambda classes.
var slowNumbers = strings.NewReplacer("$$Lambda$1.", "$$Lambda.", "$$Lambda$2.", "$$Lambda.", "$$Lambda_.", "$$Lambda.")

// slowDetail returns a function that replaces the names in a path by the names of the detail step.
func slowDetail(t *cct.Tree) func(path []string) []string {
	// last returns the last part of a name, without its descriptor and library.
	last := func(label string) string {
		label = slowBare(strings.TrimSuffix(label, "_[j]"))
		label = strings.NewReplacer("lambda$run$0", "lambda$run", "lambda$run$1", "lambda$run").Replace(label)
		return label[strings.LastIndexByte(label, '.')+1:]
	}
	detailed := func(label string) bool { return strings.ContainsAny(label, "(`") }
	named := func(label string) bool { return strings.Contains(label, ".") || slowNative(label) }
	poor := make(map[string]bool)
	for i := range t.Nodes {
		if label := strings.TrimSuffix(t.Label(int32(i)), "_[j]"); i > 0 && named(label) && !detailed(label) {
			poor[last(label)] = true
		}
	}
	unnumbered := slices.ContainsFunc(t.Nodes[1:], func(n cct.Node) bool { return strings.Contains(t.Methods[n.Method].Label(), "$$Lambda_.") })
	common := func(label string) string {
		if strings.Contains(label, slowAddress) {
			return label[:strings.Index(label, slowAddress)] + "`[unknown]"
		}
		label = strings.TrimSuffix(label, "_[j]")
		if unnumbered {
			label = slowNumbers.Replace(label)
		}
		if named(label) && poor[last(label)] {
			return slowBare(label)
		}
		return label
	}
	places, joint := make(map[string]string), make(map[string]bool)
	for i := range t.Nodes {
		label := t.Label(int32(i))
		places[label] = common(label)
		if i > 0 && common(label) != label {
			joint[common(label)] = true
		}
	}
	return func(path []string) []string {
		var out []string
		for _, label := range path {
			if known, ok := places[label]; ok { // This is not the label of waiting.
				label = known
			}
			if strings.HasSuffix(label, "`[unknown]") {
				if len(out) == 0 || out[len(out)-1] != label {
					out = append(out, label)
				}
				continue
			}
			if k := slices.Index(out, label); k >= 0 && joint[label] {
				out = out[:k+1]
				continue
			}
			out = append(out, label)
		}
		return out
	}
}

func slowManaged(label string) bool { return strings.Contains(label, ".") && !slowNative(label) }

func slowNative(label string) bool {
	return strings.HasPrefix(label, "lib") || label == "stub" || label == "epoll_wait" || label == slowInterrupt || label == slowGate
}

// slowInterrupt and slowGate are functions through which the kernel takes control.
const slowInterrupt, slowGate = "asm_sysvec_irq_work", "do_syscall_64"

// slowRuntime removes native code that leads to managed code, and the runtime's code below
// managed code. A path with an interrupt begins at the interrupt.
func slowRuntime(path []string, leads map[string]bool, o Options) []string {
	var out []string
	managed := false
	kinds := slowKinds(path, o)
	for k, label := range path {
		ofRuntime := label == "stub" || label == "libart.so`stub" || label == "epoll_wait" || label == slowGate
		switch {
		case kinds[k] == Recorder:
		case label == slowInterrupt && !leads[strings.Join(path[:k+1], ";")]:
			return path[k:]
		case slowNative(label) && leads[strings.Join(path[:k+1], ";")], ofRuntime && managed:
			continue
		default:
			managed = slowManaged(label)
		}
		out = append(out, label)
	}
	return out
}

// slowPath returns the labels of a path after the steps that look only at the path itself.
func slowPath(path []string, o Options) string {
	if o.Steps.Synthetic {
		path = slowSynthetic(path, o)
	}
	if o.Steps.Entry {
		path = slowEntry(path, o)
	}
	if o.Steps.Hierarchy {
		var out []string
		for _, label := range path {
			if len(out) > 0 && slowOverrides(out[len(out)-1], label, o) {
				continue
			}
			out = append(out, label)
		}
		path = out
	}
	if o.Steps.App {
		var out []string
		last := Framework
		for k, kind := range slowKinds(path, o) {
			if kind == App && last == App {
				continue
			}
			label := path[k]
			if m := parseLabel(label); kind == App && m.Class() != "" {
				m = m.In("*")
				label = m.Label()
			}
			out, last = append(out, label), kind
		}
		path = out
	}
	return strings.Join(append([]string{cct.RootLabel}, path...), ";")
}

// slowSynthetic removes stubs, and lambdas that the app does not call.
func slowSynthetic(path []string, o Options) []string {
	var out []string
	last := Toplevel
	for k, kind := range slowKinds(path, o) {
		label := path[k]
		if kind == Framework && (strings.Contains(label, "access$") || strings.Contains(label, "$default") || label == slowGate || last != App && strings.Contains(label, "$$Lambda")) {
			continue
		}
		label = strings.NewReplacer("lambda$run$0", "lambda$run", "lambda$run$1", "lambda$run").Replace(slowNumbers.Replace(label))
		out, last = append(out, label), kind
	}
	return out
}

// sourcePath returns the path to a node without the root. If async is set, hand-overs are moved.
func sourcePath(t *cct.Tree, i int32, async bool, o Options) []string {
	var path []string
	for ; i != cct.Root; i = t.Nodes[i].Parent {
		path = append([]string{t.Label(i)}, path...)
		if !async {
			continue
		}
		if to := slowTarget(t, i, o); to >= 0 {
			return append(sourcePath(t, to, false, o), path...)
		}
	}
	return path
}

// slowTarget returns the call under which hand-over i moves, or -1 if it stays.
func slowTarget(t *cct.Tree, i int32, o Options) int32 {
	isApp := func(i int32) bool {
		path := sourcePath(t, i, false, o)
		return len(path) > 0 && slowKinds(path, o)[len(path)-1] == App
	}
	origin := func(i int32) int32 {
		for _, h := range t.Handovers {
			if h.Node == i {
				return h.Origin
			}
		}
		return -1
	}
	at := origin(i)
	if at < 0 {
		return -1
	}
	for up := i; up >= 0; up = t.Nodes[up].Parent {
		if isApp(up) {
			return -1
		}
	}
	for in := i; in < t.Nodes[i].End; in++ {
		if isApp(in) {
			return -1
		}
	}
	for range len(t.Handovers) {
		inner := int32(-1)
		for up := at; up >= 0; up = t.Nodes[up].Parent {
			if isApp(up) {
				return up
			}
			if inner < 0 && origin(up) >= 0 {
				inner = up
			}
		}
		if inner < 0 {
			return -1
		}
		at = origin(inner)
	}
	return -1
}

func slowRecords(label string) bool {
	return strings.HasPrefix(label, "android.os.Debug.startMethodTracing") || strings.HasPrefix(label, "org.mozilla.gecko.GeckoJavaSampler.")
}

func slowKinds(path []string, o Options) []Kind {
	kinds := make([]Kind, len(path))
	last := Framework
	for k, label := range path {
		m := parseLabel(label)
		switch {
		case m.Class() == "*":
			last = App
		case o.Steps.Recorder && slowRecords(label):
			last = Recorder
		case m.Class() == "":
		case o.Platform.Owner(m) == platform.Framework:
			last = Framework
		default:
			last = App
		}
		kinds[k] = last
	}
	return kinds
}

func slowEntry(path []string, o Options) []string {
	end := slices.Index(slowKinds(path, o), App)
	if end < 0 {
		end = len(path)
	}
	method := func(k int) string {
		m := parseLabel(path[k])
		return m.Class() + "." + m.Name
	}
	starters := []string{"android.os.Handler.dispatchMessage", "android.os.Binder.execTransact"}
	launchers := []string{"java.lang.Thread.run", "android.os.Looper.loop", "java.util.concurrent.FutureTask.run"}
	for k := range end {
		if slices.Contains(starters, method(k)) {
			rest := path[k+1:]
			for len(rest) > 0 && k+1 < end && method(k+1) == "android.os.Binder.execTransactInternal" {
				k, rest = k+1, rest[1:]
			}
			first := slices.IndexFunc(path, func(l string) bool {
				m := parseLabel(l)
				return slices.Contains(starters, m.Class()+"."+m.Name)
			})
			return append([]string{path[first]}, rest...)
		}
	}
	k := 0
	for k < end && (slices.Contains(launchers, method(k)) || method(k) == "java.lang.reflect.Method.invoke") {
		k++
	}
	path = path[k:]
	// If run of the app only leads to another launcher, both merge into the root, and the path
	// begins below them.
	kinds := slowKinds(path, o)
	if len(path) == 0 || kinds[0] != App || parseLabel(path[0]).Name != "run" {
		return path
	}
	for k, kind := range kinds {
		switch m := parseLabel(path[k]); {
		case kind == App:
		case kind == Framework && slices.Contains(launchers, m.Class()+"."+m.Name):
			return slowEntry(path[k+1:], o)
		default:
			return path
		}
	}
	return path
}

// slowRelated reports whether γ is 0 because sub overrides super. Object's constructor counts as
// unrelated to all.
func slowRelated(sub, super string, o Options) bool {
	return super != objectClass+".<init>()V" && slowOverrides(sub, super, o)
}

// slowOverrides reports whether sub is the same method as super, in a subclass.
func slowOverrides(sub, super string, o Options) bool {
	a, b := parseLabel(sub), parseLabel(super)
	if a.Class() == "" || b.Class() == "" || a.Class() == "*" || b.Class() == "*" || a.Name != b.Name || a.Signature != b.Signature {
		return false
	}
	return slowBelow(a.Class(), b.Class(), 20, o)
}

func slowBelow(sub, super string, depth int, o Options) bool {
	if sub == super || sub == objectClass || depth == 0 {
		return false
	}
	if super == objectClass {
		return true
	}
	for parent := range o.Platform.Supertypes(sub) {
		if parent == super || slowBelow(parent, super, depth-1, o) {
			return true
		}
	}
	return false
}
