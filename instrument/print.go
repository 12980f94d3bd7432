package instrument

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/dex/smali"
	"github.com/diffprof/diffprof/internal/nearest"
)

// A Listing shows a method in smali, before and after probes were inserted.
type Listing struct {
	Class string
	// Before is the code in the app, and After the code in the copy. If the method has no probes,
	// After is empty and Reason states why.
	Before, After, Reason string
}

// Print inserts probes into an app, and returns the code of the methods with the given name. For
// example, the name is com.mine.Feed.load, com.mine.Feed.load(I)V, or Lcom/mine/Feed;->load(I)V.
// Constructors are called <init>.
func Print(ctx context.Context, parts []Part, o Options, method string) ([]Listing, error) {
	r, err := App(ctx, parts, o)
	if err != nil {
		return nil, err
	}
	wanted := newSelection(method)
	var found []Listing
	for i, part := range parts {
		for _, entry := range part.Archive.Dex() {
			data, err := part.Archive.Read(part.Archive.Entry(entry))
			if err != nil {
				return nil, err
			}
			err = wanted.each(data, func(class, name, text string) {
				reason := r.reason(class, name)
				found = append(found, Listing{Class: class, Before: text, Reason: reason})
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entry, err)
			}
		}
		for _, e := range r.Edits[i] {
			if !strings.HasSuffix(e.Name, ".dex") {
				continue
			}
			err := wanted.each(e.Data, func(class, name, text string) {
				for j := range found {
					l := &found[j]
					if l.Class == class && l.After == "" && head(l.Before) == head(text) && text != l.Before {
						l.After = text
						return
					}
				}
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name, err)
			}
		}
	}
	if len(found) == 0 {
		hint := "write it as com.mine.Feed.load, and a constructor as com.mine.Feed.<init>"
		if like := nearest.Name(wanted.text, slices.Sorted(slices.Values(wanted.names))); like != "" {
			hint = fmt.Sprintf("did you mean %s?", like)
		}
		return nil, fmt.Errorf("the app has no method %s; %s", method, hint)
	}
	for i := range found {
		if l := &found[i]; l.After != "" {
			l.Reason = ""
		} else if l.Reason == "" {
			l.Reason = "it is not among the counted methods"
		}
	}
	return found, nil
}

// head returns the first line of a method's code.
func head(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// reason returns the reason why a method could not get probes.
func (r *Result) reason(class, method string) string {
	for _, l := range r.Skipped {
		if l.Method == class+"."+method {
			return l.Reason
		}
	}
	return ""
}

// A selection selects methods by class, dot and name, and perhaps a descriptor.
type selection struct {
	text string
	// names has the names of the app's methods.
	names []string
}

func newSelection(method string) *selection {
	if class, name, ok := strings.Cut(method, "->"); ok {
		method = dex.ClassName(class) + "." + name
	}
	return &selection{text: method}
}

// each calls found for each wanted method in a DEX file, with the method's code as text.
func (w *selection) each(data []byte, found func(class, name, text string)) error {
	files, err := dex.Parse(data)
	if err != nil {
		return err
	}
	for _, f := range files {
		members, err := f.Members()
		if err != nil {
			return err
		}
		for i := range f.Classes {
			class := dex.ClassName(f.Descriptor(f.Classes[i].Type))
			for _, m := range slices.Concat(members[i].Direct, members[i].Virtual) {
				id := f.Methods[m.Index]
				name := class + "." + dex.Readable(f.Strings[id.Name])
				full := name + dex.Readable(f.Signature(id.Proto))
				w.names = append(w.names, name)
				if w.text != name && w.text != full {
					continue
				}
				code, err := smali.Method(f, m)
				if err != nil {
					return err
				}
				found(class, full[len(class)+1:], code)
			}
		}
	}
	return nil
}
