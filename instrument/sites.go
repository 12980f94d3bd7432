package instrument

import (
	"context"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/name"
)

// Sites calls visit for each call of a framework method in the code of an app. These are the calls
// that App would count if it inserted probes into every method. If a call names a class of the app,
// callee has the framework class that the call reaches. A call that may reach any of several
// classes is not visited. unclear is the number of such calls.
func Sites(ctx context.Context, parts []Part, visit func(caller, callee name.Method)) (unclear int, err error) {
	p := &planner{parts: parts, result: &Result{Edits: make([][]apk.Edit, len(parts))}}
	if err := p.manifests(); err != nil {
		return 0, err
	}
	if err := p.read(ctx); err != nil {
		return 0, err
	}
	for _, u := range p.units {
		n, err := p.visit(ctx, u, visit)
		if err != nil {
			return 0, p.inPart(u.part, fmt.Errorf("%s: %w", u.entry, err))
		}
		unclear += n
	}
	return unclear, nil
}

// visit calls the function visit for the framework calls in a DEX file.
func (p *planner) visit(ctx context.Context, u *unit, visit func(caller, callee name.Method)) (unclear int, err error) {
	f := u.file
	shrunk := f.Shrunk()
	for i := range f.Classes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		owner := dex.ClassName(f.Descriptor(f.Classes[i].Type))
		for _, m := range slices.Concat(u.members[i].Direct, u.members[i].Virtual) {
			if m.Code == 0 {
				continue
			}
			one := planned{Method: m, class: i}
			n, err := p.sites(f, shrunk, &one)
			if err != nil {
				return 0, err
			}
			unclear += n
			id := f.Methods[m.Index]
			caller := name.OfClass(owner, dex.Readable(f.Strings[id.Name]), dex.Readable(f.Signature(id.Proto)))
			for _, s := range one.sites {
				class := s.Class
				if s.Resolved != "" {
					class = s.Resolved
				}
				visit(caller, name.OfClass(class, s.Name, s.Descriptor))
			}
		}
	}
	return unclear, nil
}
