package instrument

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
)

// A planned is a method that gets probes.
type planned struct {
	dex.Method
	// class is the index of the class in its file, and place the index of the method in its class.
	class, place int
	text         string
	entry        mapMethod
	// addresses has the original addresses of the counted calls, sorted. sites has the calls'
	// entries in the map.
	addresses []int
	sites     []mapSite
	// works has the asynchronous work that each call hands over. It is empty without Options.Async.
	works []work
	// carried is the index of the parameter whose asynchronous work the method does, or -1.
	carried int
	// lineAt returns the line of an address. It is nil if the method's paths are not counted.
	lineAt func(address int) int
	// withoutPaths is the reason why the method's paths are not counted.
	withoutPaths error
}

// invokeSuper and invokeSuperRange are the opcodes that call a method of the superclass.
const invokeSuper, invokeSuperRange = dex.OpInvokeVirtual + 1, dex.OpInvokeVirtual + 1 + rangeForm

// withProbes begins the error for a method that the verifier rejects only with probes.
const withProbes = "with probes: "

// skip records that a method stays unchanged, or a whole file if method is empty.
func (p *planner) skip(u *unit, method string, cause error) {
	p.result.Skipped = append(p.result.Skipped, skipped(u, method, cause))
}

// skipped returns the list entry for a method, or for a whole file if method is empty.
func skipped(u *unit, method string, cause error) Skipped {
	// The entry does not state the offset in the file.
	if at, ok := errors.AsType[*syntax.Error](cause); ok && at.Err != nil {
		cause = at.Err
	}
	reason := cause.Error()
	if about, place, ok := strings.Cut(reason, ": 0x"); ok && strings.Contains(about, "->") {
		// The error begins with the method's name, which the entry already has.
		reason = "0x" + place
		if strings.HasPrefix(about, withProbes) {
			reason = withProbes + reason
		}
	}
	return Skipped{Dex: u.label, Method: method, Reason: reason}
}

// plan decides which methods of a DEX file get probes, and which calls are counted.
func (p *planner) plan(u *unit) error {
	f := u.file
	if _, err := p.target(f); err != nil {
		p.skip(u, "", err)
		return nil
	}
	shrunk := f.Shrunk()
	for i := range f.Classes {
		owner := dex.ClassName(f.Descriptor(f.Classes[i].Type))
		for place, m := range slices.Concat(u.members[i].Direct, u.members[i].Virtual) {
			if m.Code == 0 {
				continue
			}
			id := f.Methods[m.Index]
			method := name.OfClass(owner, dex.Readable(f.Strings[id.Name]), dex.Readable(f.Signature(id.Proto)))
			if p.Exclude != nil && p.Exclude.has(owner, method) || p.Include != nil && !p.Include.has(owner, method) {
				continue
			}
			one := planned{Method: m, class: i, place: place, carried: -1, text: owner + "." + dex.Readable(f.Strings[id.Name]) + dex.Readable(f.Signature(id.Proto)),
				entry: mapMethod{Class: owner, Name: dex.Readable(f.Strings[id.Name]), Descriptor: dex.Readable(f.Signature(id.Proto))}}
			if source := f.Classes[i].SourceFile; source != dex.NoIndex {
				one.entry.File = dex.Readable(f.Strings[source])
			}
			unclear, err := p.sites(f, shrunk, &one)
			if err != nil {
				return err
			}
			if p.Async {
				one.carried = p.carriedOut(f, f.Descriptor(f.Classes[i].Type), m)
			}
			if p.Include == nil && len(one.sites) == 0 && one.carried < 0 && p.ownership.Own(method) == "" {
				continue // A library method that neither calls the framework nor carries out asynchronous work.
			}
			if err := f.Verify(m, true); err != nil {
				p.skip(u, one.text, err)
				continue
			}
			p.result.Unclear += unclear
			if p.Paths {
				one.countPaths(f, shrunk)
			}
			u.methods = append(u.methods, one)
		}
	}
	return nil
}

// countPaths prepares counting the paths of a method.
func (one *planned) countPaths(f *dex.File, shrunk bool) {
	c, err := f.Code(one.Code)
	if err != nil {
		return // Cannot happen: the verifier has read the code.
	}
	lines, err := f.Lines(c)
	if err != nil {
		one.withoutPaths = err
		return
	}
	one.lineAt = lineFunction(lines, c.Debug == 0 && shrunk)
}

// target checks that a DEX file can be written and has room for the references to the runtime.
func (p *planner) target(f *dex.File) (t Target, err error) {
	w, err := dex.NewWriter(f)
	if err == nil {
		t, err = p.targets(w)
	}
	return t, err
}

// targets adds the references to the runtime to a DEX file.
func (p *planner) targets(w *dex.Writer) (Target, error) {
	t, err := Targets(w)
	if err == nil && p.Async {
		err = t.asyncTargets(w)
	}
	if err == nil && p.Paths {
		err = t.pathTargets(w, p.Async)
	}
	return t, err
}

// sites finds the framework calls in a method. shrunk reports whether R8 wrote the file.
func (p *planner) sites(f *dex.File, shrunk bool, one *planned) (unclear int, err error) {
	c, err := f.Code(one.Code)
	if err != nil {
		return 0, err
	}
	lines, err := f.Lines(c)
	if err != nil {
		return 0, err
	}
	own := f.Descriptor(f.Classes[one.class].Type)
	err = f.Instructions(c, func(in *dex.Instruction) error {
		if in.Op.Index() != dex.IndexMethod {
			return nil
		}
		id := f.Methods[in.Index]
		class := f.Descriptor(uint32(id.Class))
		from := class
		if defined := p.hierarchy.classes[own]; from == own && defined != nil && defined.super != "" && (in.Op == invokeSuper || in.Op == invokeSuperRange) {
			from = defined.super
		}
		resolved, to := p.resolve(from, signature(f, in.Index))
		switch to {
		case unclearCall:
			unclear++
		case framework:
			line, _ := dex.LineAt(lines, in.Address)
			if c.Debug == 0 && shrunk {
				line = in.Address // R8's mapping file converts addresses to lines.
			}
			site := mapSite{Line: max(line, 0), Class: dex.ClassName(class), Name: dex.Readable(f.Strings[id.Name]), Descriptor: dex.Readable(f.Signature(id.Proto))}
			if resolved != class {
				site.Resolved = dex.ClassName(resolved)
			}
			site.Timed = p.timed(&site)
			if p.Async {
				one.works = append(one.works, p.handedOver(f, in, resolved))
			}
			one.addresses = append(one.addresses, in.Address)
			one.sites = append(one.sites, site)
		}
		return nil
	})
	return unclear, err
}

// rewrite returns a DEX file with probes, or nil if no method has probes. It verifies each method
// with probes. A method that fails stays unchanged.
func (p *planner) rewrite(u *unit) ([]byte, error) {
	for len(u.methods) > 0 {
		data, bad, err := p.build(u, p.out.methods, p.out.sites)
		switch {
		case err != nil:
			p.skip(u, "", err)
			return nil, nil
		case len(bad) == 0:
			p.enter(u)
			return data, nil
		}
		u.methods = slices.DeleteFunc(u.methods, func(one planned) bool {
			at := [2]int{one.class, one.place}
			cause, ok := bad[at]
			if ok && one.lineAt != nil {
				return false // The method may still get probes, without paths.
			}
			if ok {
				p.skip(u, one.text, cause)
			}
			return ok
		})
		for i := range u.methods {
			one := &u.methods[i]
			if cause, ok := bad[[2]int{one.class, one.place}]; ok {
				one.lineAt, one.withoutPaths, one.entry.Paths = nil, cause, nil
			}
		}
	}
	return nil, nil
}

// enter adds the methods of a DEX file to the map.
func (p *planner) enter(u *unit) {
	for i := range u.methods {
		one := &u.methods[i]
		for j := range one.sites {
			if one.entry.Paths == nil { // Recording the times of calls needs the probes for paths.
				one.sites[j].Timed = ""
			}
			if one.sites[j].Timed != "" {
				p.result.Timed++
			}
		}
		p.out.method(&one.entry, one.sites)
		if one.entry.Paths != nil {
			p.result.Paths++
		} else if p.Paths {
			p.result.WithoutPaths = append(p.result.WithoutPaths, skipped(u, one.text, one.withoutPaths))
		}
		if one.carried >= 0 {
			p.result.Carriers++
		}
		for _, w := range one.works {
			if w.how != noTransfer {
				p.result.HandOvers++
			}
		}
	}
	p.result.Methods, p.result.Sites = int(p.out.methods), int(p.out.sites)
}

// build writes a DEX file with probes in the planned methods. The IDs of methods and of sites begin
// at method and site. bad has the methods that failed, by class and by place in the class.
func (p *planner) build(u *unit, method, site int32) (data []byte, bad map[[2]int]error, err error) {
	w, err := dex.NewWriter(u.file)
	if err != nil {
		return nil, nil, err
	}
	to, err := p.targets(w)
	if err != nil {
		return nil, nil, err
	}
	bad = make(map[[2]int]error)
	var last *dex.Body // The previous body. The writer has already written it when it requests the next body.
	for i := range u.methods {
		one := &u.methods[i]
		id, from := method, site
		method++
		site += int32(len(one.sites))
		w.Replace(one.Index, func() (*dex.Body, error) {
			if last != nil {
				last.Free()
				last = nil
			}
			c, err := u.file.Code(one.Code)
			if err != nil {
				return nil, err
			}
			b, err := u.file.Body(c)
			if err != nil {
				return nil, err
			}
			parameters := u.parameters(one.Method)
			b.Parameters = len(parameters)
			if one.Access&dex.AccStatic == 0 {
				b.Parameters--
			}
			put := &insertion{target: to, method: id, parameters: parameters, carried: one.carried}
			put.site = func(in *dex.BodyInstruction) (int32, bool) {
				at, ok := slices.BinarySearch(one.addresses, in.Address)
				return from + int32(at), ok
			}
			if p.Async {
				put.handedOver = func(in *dex.BodyInstruction) work {
					at, _ := slices.BinarySearch(one.addresses, in.Address)
					return one.works[at]
				}
			}
			put.timed = func(in *dex.BodyInstruction) bool {
				at, _ := slices.BinarySearch(one.addresses, in.Address)
				return one.sites[at].Timed != ""
			}
			put.untimed = func(in *dex.BodyInstruction) {
				at, _ := slices.BinarySearch(one.addresses, in.Address)
				one.sites[at].Timed = ""
			}
			if one.lineAt != nil {
				put.flow = func(b *dex.Body) *flowGraph {
					g := flowOf(b, one.lineAt)
					one.entry.Paths = &mapPaths{g.Next, g.Starts, g.lines, g.opcodes}
					return g
				}
			}
			err = insert(b, put)
			if err != nil { // The method stays unchanged, and the caller builds the file again.
				bad[[2]int{one.class, one.place}] = err
				return u.file.Body(c)
			}
			last = b
			return b, nil
		})
	}
	if data, err = w.Bytes(); err != nil || len(bad) > 0 {
		return nil, bad, err
	}
	return data, bad, u.verify(data, bad)
}

// verify verifies the methods with probes. It adds those that fail to bad.
func (u *unit) verify(data []byte, bad map[[2]int]error) error {
	files, err := dex.Parse(data)
	if err != nil {
		return fmt.Errorf("the rewritten file: %w", err)
	}
	members, err := files[0].Members()
	if err != nil {
		return fmt.Errorf("the rewritten file: %w", err)
	}
	if len(members) != len(u.members) {
		return errors.New("the rewritten file has other classes")
	}
	for i := range u.methods {
		one := &u.methods[i]
		list := members[one.class]
		direct := len(list.Direct)
		if direct != len(u.members[one.class].Direct) || len(list.Virtual) != len(u.members[one.class].Virtual) {
			return errors.New("the rewritten file has other methods")
		}
		m := dex.Method{}
		if one.place < direct {
			m = list.Direct[one.place]
		} else {
			m = list.Virtual[one.place-direct]
		}
		if err := files[0].Verify(m, true); err != nil {
			bad[[2]int{one.class, one.place}] = fmt.Errorf(withProbes+"%w", err)
		}
	}
	return nil
}

// parameters returns the descriptors of all parameters of a method, including this.
func (u *unit) parameters(m dex.Method) (parameters []string) {
	f := u.file
	if m.Access&dex.AccStatic == 0 {
		parameters = append(parameters, objectClass)
	}
	list, _ := f.TypeList(f.Protos[f.Methods[m.Index].Proto].Parameters)
	for _, t := range list {
		parameters = append(parameters, f.Descriptor(uint32(t)))
	}
	return parameters
}
