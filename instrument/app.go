package instrument

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/manifest"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/name"
)

// Options say which methods get probes.
type Options struct {
	// Include has the methods that get probes. If it is nil, all methods of the app's own code
	// get probes, and the methods of libraries that call the framework.
	Include *Filter
	// Exclude has methods that stay as they are.
	Exclude *Filter
}

// A Result has what an instrumented copy of an app needs, and what it counts.
type Result struct {
	Manifest *manifest.Manifest
	// Edits are the changed and the new entries.
	Edits []apk.Edit
	// Map is the map of ids, as JSON.
	Map []byte
	// Methods are the methods with probes, and Sites the calls of the framework in them.
	Methods, Sites int
	// Unclear are the calls that are not counted, because their class has several interfaces of
	// the platform and the called method is in one of them.
	Unclear int
	// Left are the methods and the dex files that had to stay as they were.
	Left []Left
}

// Left is a method or a dex file that stays as it was.
type Left struct {
	Dex string `json:"dex"`
	// Method is empty for a whole file.
	Method string `json:"method,omitempty"`
	Reason string `json:"reason"`
}

// ErrInstrumented means that an app has probes already.
var ErrInstrumented = errors.New("the app is instrumented already; name the app as it was built")

// A unit is a dex file of the app.
type unit struct {
	entry   string
	file    *dex.File
	members []dex.Members
	// methods are planned for probes.
	methods []planned
}

// A planner plans and rewrites the methods of an app.
type planner struct {
	Options
	hierarchy
	ownership *platform.Ownership
	result    *Result
	units     []*unit
	doc       document
}

// App puts probes into the methods of an app, and verifies the code of each. A method that cannot
// be changed stays as it was, and is in the result with the reason.
func App(ctx context.Context, a *apk.Archive, o Options) (*Result, error) {
	p := &planner{Options: o, result: &Result{}, doc: document{Format: mapFormat}}
	var err error
	if p.result.Manifest, err = a.Manifest(); err != nil {
		return nil, err
	}
	if a.Entry(runtime.MapEntry) != nil {
		return nil, ErrInstrumented
	}
	entries := a.Dex()
	if len(entries) == 0 {
		return nil, errors.New("the APK has no code (classes.dex); name the base APK of the app")
	}
	if next := apk.DexName(len(entries) + 1); a.Entry(next) != nil {
		return nil, fmt.Errorf("%s is in the APK without %s, so Android does not load it, and would load it from the copy; build the app without it", next, apk.DexName(len(entries)))
	}
	if err := p.read(ctx, a, entries); err != nil {
		return nil, err
	}
	for _, u := range p.units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.plan(u); err != nil {
			return nil, fmt.Errorf("%s: %w", u.entry, err)
		}
		data, err := p.rewrite(u)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", u.entry, err)
		}
		if data != nil {
			p.result.Edits = append(p.result.Edits, apk.Edit{Name: u.entry, Data: data})
		}
		u.methods = nil
	}
	if p.result.Methods == 0 {
		return p.result, errors.New("no method got probes" + p.cause())
	}
	return p.result, p.finish(apk.DexName(len(entries)))
}

// cause returns a reason for a result without methods.
func (p *planner) cause() string {
	if len(p.result.Left) > 0 {
		l := p.result.Left[0]
		return fmt.Sprintf("; %s: %s", l.Dex, l.Reason)
	}
	return ": no method is in the packages; see --include and --exclude"
}

// read reads the tables of all dex files.
func (p *planner) read(ctx context.Context, a *apk.Archive, entries []string) error {
	table, err := classes.BuiltIn()
	if err != nil {
		return err
	}
	if p.platform, err = platform.New(platform.Rules{}, table); err != nil {
		return err
	}
	p.hierarchy.classes, p.owners = make(map[string]*class), make(map[string]bool)
	var methods []name.Method
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := a.Read(a.Entry(entry))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		p.doc.Dex = append(p.doc.Dex, dexFile{entry, hex.EncodeToString(sum[:])})
		files, err := dex.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", entry, err)
		}
		for _, f := range files {
			members, err := f.Members()
			if err != nil {
				return fmt.Errorf("%s: %w", entry, err)
			}
			if err := p.hierarchy.add(f, members); err != nil {
				return fmt.Errorf("%s: %w", entry, err)
			}
			for i := range f.Classes {
				methods = append(methods, name.OfClass(dotted(f.Descriptor(f.Classes[i].Type)), "any", "()V"))
			}
			if f == files[0] {
				p.units = append(p.units, &unit{entry: entry, file: f, members: members})
			}
		}
	}
	if p.hierarchy.classes[RuntimeClass] != nil {
		return ErrInstrumented
	}
	library := func(pkg string) bool { return p.platform.Library(name.OfClass(pkg+".Any", "any", "()V")) != "" }
	p.ownership = p.platform.Ownership(platform.Evidence{Manifest: p.result.Manifest.Own(library)}, methods)
	return nil
}

// finish adds the runtime and the map to the edits.
func (p *planner) finish(runtimeEntry string) error {
	var err error
	if p.result.Map, err = json.Marshal(&p.doc); err != nil {
		return err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(p.result.Map)
	if err := errors.Join(err, z.Close()); err != nil {
		return err
	}
	p.result.Edits = append(p.result.Edits, apk.Edit{Name: runtimeEntry, Data: runtime.Dex()}, apk.Edit{Name: runtime.MapEntry, Data: packed.Bytes()})
	return nil
}

// mapFormat is the format of the map of ids, which package ingest/calls reads.
const mapFormat = "diffprof-calls-map 1"

// A document is the map of ids.
type document struct {
	Format  string      `json:"format"`
	Dex     []dexFile   `json:"dex"`
	Methods []mapMethod `json:"methods"`
	Sites   []mapSite   `json:"sites"`
}

// A dexFile is a file of the app before the rewriting.
type dexFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

type mapMethod struct {
	ID         int32  `json:"id"`
	Class      string `json:"class"`
	Name       string `json:"name"`
	Descriptor string `json:"descriptor"`
	File       string `json:"file,omitempty"`
}

type mapSite struct {
	ID         int32  `json:"id"`
	Method     int32  `json:"method"`
	Line       int    `json:"line"`
	Class      string `json:"class"`
	Name       string `json:"name"`
	Descriptor string `json:"descriptor"`
	Resolved   string `json:"resolved,omitempty"`
}
